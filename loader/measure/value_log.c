#include "measure/value_log.h"
#include "temporary_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOG_BUFFER_ROWS 4096

struct ValueLog
{
	int columns;
	int file;
	bool comparing;
	int64_t rows[2];     /* of the first and the second pass */
	int64_t offset;      /* in the file, of the buffer's end */
	uint64_t *buffer;    /* [LOG_BUFFER_ROWS * columns] */
	size_t used, filled; /* hashes */
	int64_t *changed;    /* [columns] */
};

ValueLog *
value_log_create(int columns)
{
	ValueLog *log = calloc(1, sizeof(ValueLog));

	if (log == NULL)
		return NULL;
	log->columns = columns;
	log->file = temporary_file_open();
	log->buffer = calloc((size_t) columns * LOG_BUFFER_ROWS, sizeof(uint64_t));
	log->changed = calloc((size_t) columns, sizeof(int64_t));
	if (log->file >= 0 && log->buffer != NULL && log->changed != NULL)
		return log;
	value_log_free(log);
	return NULL;
}

void
value_log_free(ValueLog *log)
{
	if (log == NULL)
		return;
	if (log->file >= 0)
		close(log->file);
	free(log->buffer);
	free(log->changed);
	free(log);
}

static bool
write_buffer(ValueLog *log)
{
	size_t bytes = log->used * sizeof(uint64_t);

	if (!temporary_file_write(log->file, (const char *) log->buffer, bytes, log->offset))
		return false;
	log->offset += (int64_t) bytes;
	log->used = 0;
	return true;
}

static bool
read_buffer(ValueLog *log)
{
	size_t bytes = (size_t) log->columns * LOG_BUFFER_ROWS * sizeof(uint64_t);
	ssize_t got = temporary_file_read(log->file, (char *) log->buffer, bytes, log->offset);

	if (got < 0)
		return false;
	log->offset += got;
	log->filled = (size_t) got / sizeof(uint64_t);
	log->used = 0;
	return true;
}

bool
value_log_compare(ValueLog *log)
{
	if (!log->comparing && !write_buffer(log))
		return false;
	log->comparing = true;
	log->rows[1] = 0;
	log->offset = 0;
	log->used = log->filled = 0;
	memset(log->changed, 0, (size_t) log->columns * sizeof(int64_t));
	return true;
}

static bool
compare_row(ValueLog *log, const ValueDigest *digest)
{
	if (log->rows[1]++ >= log->rows[0])
		return true;
	if (log->used == log->filled && !read_buffer(log))
		return false;
	for (int i = 0; i < log->columns; i++)
		log->changed[i] += log->buffer[log->used++] != value_digest_last_hash(digest, i);
	return true;
}

bool
value_log_take(ValueLog *log, const ValueDigest *digest)
{
	if (log->comparing)
		return compare_row(log, digest);
	for (int i = 0; i < log->columns; i++)
		log->buffer[log->used++] = value_digest_last_hash(digest, i);
	log->rows[0]++;
	return log->used < (size_t) log->columns * LOG_BUFFER_ROWS || write_buffer(log);
}

uint64_t
value_log_first_hash(const ValueLog *log, int column)
{
	return log->buffer[log->used - (size_t) log->columns + (size_t) column];
}

int64_t
value_log_changed(const ValueLog *log, int column)
{
	return log->changed[column];
}

int64_t
value_log_changed_values(const ValueLog *log)
{
	int64_t sum = 0;

	for (int i = 0; i < log->columns; i++)
		sum += log->changed[i];
	return sum;
}

int64_t
value_log_rows(const ValueLog *log, bool second_pass)
{
	return log->rows[second_pass];
}
