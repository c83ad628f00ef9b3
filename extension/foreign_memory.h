/*
 * foreign_memory.h - hangs memory that palloc does not know (CURL, malloc,
 * json-c) on a memory context, so that every error path gives it back.
 *
 * Reserve first, then make the foreign object and store it: nothing can be
 * lost in between.
 *
 *     ForeignMemory *holder = foreign_memory_reserve(context, release);
 *     holder->object = make();
 */
#ifndef TRANSFERBENCH_FOREIGN_MEMORY_H
#define TRANSFERBENCH_FOREIGN_MEMORY_H

typedef void (*ForeignRelease)(void *object);

typedef struct ForeignMemory
{
	void *object; /* released with the context unless NULL */
	ForeignRelease release;
} ForeignMemory;

/* The holder lives in `context`. */
extern ForeignMemory *foreign_memory_reserve(MemoryContext context, ForeignRelease release);

/* Gives the object back now; may be called again, and the context's reset does it again. */
extern void foreign_memory_release(ForeignMemory *holder);

#endif
