#include "rows/body_spool.h"
#include "temporary_file.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_CAPACITY (64 * 1024)

/* Bytes [0, memory_bytes) are in memory, all others in the file, at their offset less memory_bytes. */
struct BodySpool
{
	size_t memory_bytes; /* the bound */
	char *memory;
	size_t capacity; /* of memory, up to the bound */
	int file;        /* -1 until something is spilled */
	int64_t length;
	pthread_mutex_t lock; /* of what follows: several readers may fail at once */
	char problem[160];
};

BodySpool *
body_spool_create(size_t memory_bytes)
{
	BodySpool *spool = calloc(1, sizeof(BodySpool));

	if (spool == NULL)
		return NULL;
	if (pthread_mutex_init(&spool->lock, NULL) != 0)
	{
		free(spool);
		return NULL;
	}
	spool->memory_bytes = memory_bytes;
	spool->file = -1;
	return spool;
}

void
body_spool_free(BodySpool *spool)
{
	if (spool == NULL)
		return;
	if (spool->file >= 0)
		close(spool->file);
	pthread_mutex_destroy(&spool->lock);
	free(spool->memory);
	free(spool);
}

/* The first failure is what is told, so that a text once seen does not change under its reader. */
static void
fail(BodySpool *spool, const char *what)
{
	pthread_mutex_lock(&spool->lock);
	if (spool->problem[0] == '\0')
		snprintf(spool->problem, sizeof(spool->problem),
				 "cannot %s a temporary file (TMPDIR chooses where): %m", what);
	pthread_mutex_unlock(&spool->lock);
}

static bool
grow_memory(BodySpool *spool, size_t wanted)
{
	size_t capacity = spool->capacity < FIRST_CAPACITY ? FIRST_CAPACITY : spool->capacity;
	char *memory;

	while (capacity < wanted)
		capacity *= 2;
	if (capacity > spool->memory_bytes)
		capacity = spool->memory_bytes;
	memory = realloc(spool->memory, capacity);
	if (memory == NULL)
	{
		snprintf(spool->problem, sizeof(spool->problem), "out of memory for a body of %zu bytes",
				 wanted);
		return false;
	}
	spool->memory = memory;
	spool->capacity = capacity;
	return true;
}

static bool
append_to_memory(BodySpool *spool, const char *bytes, size_t length)
{
	size_t end = (size_t) spool->length + length;

	if (end > spool->capacity && !grow_memory(spool, end))
		return false;
	memcpy(spool->memory + spool->length, bytes, length);
	spool->length += (int64_t) length;
	return true;
}

static bool
append_to_file(BodySpool *spool, const char *bytes, size_t length)
{
	if (spool->file < 0)
		spool->file = temporary_file_open();
	if (spool->file < 0)
	{
		fail(spool, "create");
		return false;
	}
	if (!temporary_file_write(spool->file, bytes, length,
							  spool->length - (int64_t) spool->memory_bytes))
	{
		fail(spool, "write");
		return false;
	}
	spool->length += (int64_t) length;
	return true;
}

bool
body_spool_append(void *context, const char *bytes, size_t length)
{
	BodySpool *spool = context;
	size_t in_memory = 0;

	if (spool->length < (int64_t) spool->memory_bytes)
	{
		size_t room = spool->memory_bytes - (size_t) spool->length;

		in_memory = length < room ? length : room;
		if (in_memory > 0 && !append_to_memory(spool, bytes, in_memory))
			return false;
	}
	return in_memory == length || append_to_file(spool, bytes + in_memory, length - in_memory);
}

int64_t
body_spool_length(const BodySpool *spool)
{
	return spool->length;
}

void
body_spool_truncate(BodySpool *spool, int64_t length)
{
	if (length < spool->length)
		spool->length = length;
	spool->problem[0] = '\0';
}

static ssize_t
read_file(BodySpool *spool, int64_t offset, char *bytes, size_t size)
{
	ssize_t got =
		temporary_file_read(spool->file, bytes, size, offset - (int64_t) spool->memory_bytes);

	if (got < 0)
		fail(spool, "read");
	return got;
}

ssize_t
body_spool_read(BodySpool *spool, int64_t offset, char *bytes, size_t size)
{
	size_t in_memory = 0;
	ssize_t from_file;

	if (offset >= spool->length)
		return 0;
	if ((int64_t) size > spool->length - offset)
		size = (size_t) (spool->length - offset);
	if (offset < (int64_t) spool->memory_bytes)
	{
		size_t there = spool->memory_bytes - (size_t) offset;

		in_memory = size < there ? size : there;
		memcpy(bytes, spool->memory + offset, in_memory);
	}
	if (in_memory == size)
		return (ssize_t) size;
	from_file = read_file(spool, offset + (int64_t) in_memory, bytes + in_memory, size - in_memory);
	return from_file < 0 ? -1 : (ssize_t) in_memory + from_file;
}

const char *
body_spool_problem(const BodySpool *spool)
{
	return spool->problem;
}
