/*
 * foreign_memory.c - see foreign_memory.h.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "foreign_memory.h"

static void
release_on_reset(void *holder)
{
	foreign_memory_release(holder);
}

ForeignMemory *
foreign_memory_reserve(MemoryContext context, ForeignRelease release)
{
	ForeignMemory *holder = MemoryContextAllocZero(context, sizeof(ForeignMemory));
	MemoryContextCallback *callback =
		MemoryContextAllocZero(context, sizeof(MemoryContextCallback));

	holder->release = release;
	callback->func = release_on_reset;
	callback->arg = holder;
	MemoryContextRegisterResetCallback(context, callback);
	return holder;
}

void
foreign_memory_release(ForeignMemory *holder)
{
	void *object = holder->object;

	/* first forget, then release: the second call finds nothing */
	holder->object = NULL;
	if (object != NULL)
		holder->release(object);
}
