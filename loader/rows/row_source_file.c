/*
 * row_source_file.c - rows of a file or of standard input.
 */
#include "rows/row_source_internal.h"

#include "interrupt.h"
#include "message.h"
#include "rows/json_check.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_BYTES (256 * 1024)

typedef struct FileSource
{
	RowSource base;
	RowStream stream;
	int file;
	bool is_own; /* to be closed: not standard input */
	char *name;
	bool may_wait;      /* no regular file: a read may have to wait */
	off_t start;        /* where the rows begin; -1: no going back there */
	int64_t bytes;      /* read so far */
	int64_t size_bytes; /* of a regular file, from its start, when it was opened; else 0 */
	char *buffer;
	int64_t rows;         /* handed out */
	JsonCheck *documents; /* NULL: no column, or no format, that needs it */
} FileSource;

/* --- formats ----------------------------------------------------------------------------- */

typedef struct FormatName
{
	const char *name;
	RowFileFormat format;
} FormatName;

static bool
find_format(const FormatName *names, const char *name, RowFileFormat *result)
{
	for (; names->name != NULL; names++)
	{
		if (strcasecmp(names->name, name) != 0)
			continue;
		*result = names->format;
		return true;
	}
	return false;
}

bool
row_file_format(const char *path, const char *format, RowFileFormat *result)
{
	static const FormatName formats[] = {
		{"text", ROW_FILE_COPY_TEXT},
		{"csv", ROW_FILE_CSV},
		{"csv-header", ROW_FILE_CSV_HEADER},
		{"binary", ROW_FILE_COPY_BINARY},
		{"json", ROW_FILE_JSON},
		{"ndjson", ROW_FILE_NDJSON},
		{NULL, ROW_FILE_COPY_TEXT},
	};
	static const FormatName endings[] = {
		{".csv", ROW_FILE_CSV_HEADER}, {".json", ROW_FILE_JSON},       {".ndjson", ROW_FILE_NDJSON},
		{".jsonl", ROW_FILE_NDJSON},   {".bin", ROW_FILE_COPY_BINARY}, {NULL, ROW_FILE_COPY_TEXT},
	};
	const char *base = strrchr(path, '/');
	const char *ending = strrchr(base == NULL ? path : base, '.');

	if (format != NULL)
		return find_format(formats, format, result);
	if (ending == NULL || !find_format(endings, ending, result))
		*result = ROW_FILE_COPY_TEXT;
	return true;
}

static RowReader *
open_json_reader(const RowType *type, JsonShape shape)
{
	RowReader *reader = row_reader_json(type, shape, ROW_READER_MAX_ROW_BYTES);

	if (reader != NULL)
		row_reader_json_refuse_compounds(reader);
	return reader;
}

static RowReader *
open_reader(RowFileFormat format, const RowType *type)
{
	switch (format)
	{
		case ROW_FILE_CSV:
		case ROW_FILE_CSV_HEADER:
			return row_reader_csv(type, format == ROW_FILE_CSV_HEADER, ROW_READER_MAX_ROW_BYTES);
		case ROW_FILE_COPY_BINARY:
			return row_reader_copy_binary(type, ROW_READER_MAX_ROW_BYTES);
		case ROW_FILE_JSON:
			return open_json_reader(type, JSON_SHAPE_UNKNOWN);
		case ROW_FILE_NDJSON:
			return open_json_reader(type, JSON_SHAPE_LINES);
		default:
			return row_reader_copy_text(type, ROW_READER_MAX_ROW_BYTES);
	}
}

/* --- reading ----------------------------------------------------------------------------- */

/* Until there is something to read, or the end; false when interrupted. */
static bool
wait_for_bytes(const FileSource *file)
{
	struct pollfd fds[2] = {
		{.fd = file->file, .events = POLLIN},
		{.fd = interrupt_fd(), .events = POLLIN},
	};

	while (!interrupt_requested())
	{
		if (!file->may_wait)
			return true;
		/* what poll cannot do, read will tell */
		if (poll(fds, 2, -1) < 0 ? errno != EINTR : fds[0].revents != 0)
			return true;
	}
	return false;
}

/* The end of the file was reached: is it where it was expected? */
static RowSourceResult
end_file(FileSource *file, RowReader *reader)
{
	if (file->bytes < file->size_bytes)
		return row_source_fail(&file->base,
							   "%s: cut short while it was read: it had %" PRId64
							   " bytes, and ends after %" PRId64,
							   file->name, file->size_bytes, file->bytes);
	row_reader_finish(reader);
	return ROW_SOURCE_ROWS;
}

static RowSourceResult
feed(RowSource *source, RowReader *reader)
{
	FileSource *file = (FileSource *) source;
	ssize_t got;

	do
	{
		if (!wait_for_bytes(file))
		{
			row_source_fail(source, "%s: interrupted", file->name);
			return ROW_SOURCE_INTERRUPTED;
		}
		got = read(file->file, file->buffer, READ_BYTES);
	} while (got < 0 && (errno == EINTR || errno == EAGAIN));
	if (got < 0)
		return row_source_fail(source, "%s: cannot be read: %m", file->name);
	if (got == 0)
		return end_file(file, reader);
	file->bytes += got;
	row_reader_feed(reader, file->buffer, (size_t) got);
	return ROW_SOURCE_ROWS;
}

/* --- documents ---------------------------------------------------------------------------- */

static bool
is_json(const RowColumn *column)
{
	return column->type == COLUMN_JSON || column->type == COLUMN_JSONB;
}

/* The column whose value is no JSON document, or -1. */
static int
find_no_document(FileSource *file, const Value *values, const char **why)
{
	const RowType *type = file->base.type;

	for (int i = 0; i < type->columns; i++)
		if (is_json(&type->column[i]) && !values[i].is_null &&
			!json_check_is_document(file->documents, values[i].text.bytes, values[i].text.length,
									why))
			return i;
	return -1;
}

/* Rows from `first` on: one that is refused is taken back, with those after it. */
static RowSourceResult
check_documents(FileSource *file, RowChunk *chunk, int first, RowSourceResult result)
{
	int rows = row_chunk_rows(chunk);

	for (int row = first; row < rows; row++)
	{
		const char *why;
		int column = find_no_document(file, row_chunk_row(chunk, row), &why);

		if (column < 0)
			continue;
		for (int i = row; i < rows; i++)
			row_chunk_drop_last(chunk);
		return row_source_fail(
			&file->base, "%s: row %" PRId64 ", column \"%s\": not one JSON value: %s", file->name,
			file->rows + row - first + 1, file->base.type->column[column].name, why);
	}
	return result;
}

static RowSourceResult
next_of_file(RowSource *source, RowChunk *chunk, int64_t max_rows)
{
	FileSource *file = (FileSource *) source;
	int first = row_chunk_rows(chunk);
	RowSourceResult result = row_stream_next(&file->stream, source, chunk, max_rows);

	if (file->documents != NULL)
		result = check_documents(file, chunk, first, result);
	file->rows += row_chunk_rows(chunk) - first;
	return result;
}

static bool
can_rewind_file(const RowSource *source)
{
	return ((const FileSource *) source)->start >= 0;
}

static bool
rewind_file(RowSource *source)
{
	FileSource *file = (FileSource *) source;

	/* a pipe of which nothing was read is still at its start */
	if (file->start < 0 && file->bytes == 0)
		return true;
	if (file->start < 0)
	{
		row_source_fail(source, "%s: cannot be read twice", file->name);
		return false;
	}
	if (lseek(file->file, file->start, SEEK_SET) < 0)
	{
		row_source_fail(source, "%s: cannot be read again: %m", file->name);
		return false;
	}
	file->bytes = 0;
	file->rows = 0;
	row_reader_reset(file->stream.reader);
	return true;
}

static bool
bytes_of_file(const RowSource *source, int64_t *read, int64_t *size)
{
	const FileSource *file = (const FileSource *) source;

	*read = file->bytes;
	*size = file->size_bytes;
	return file->start >= 0;
}

/* --- opening ----------------------------------------------------------------------------- */

static void
free_file(RowSource *source)
{
	FileSource *file = (FileSource *) source;

	row_stream_free(&file->stream);
	if (file->is_own)
		close(file->file);
	free(file->name);
	free(file->buffer);
	json_check_free(file->documents);
}

static bool
open_file(FileSource *file, const char *path)
{
	struct stat status;

	if (strcmp(path, "-") != 0)
		file->file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	file->is_own = file->file >= 0 && strcmp(path, "-") != 0;
	if (file->file < 0 || fstat(file->file, &status) < 0)
	{
		message_error("--file: cannot open \"%s\": %m", path);
		return false;
	}
	if (S_ISDIR(status.st_mode))
	{
		message_error("--file: \"%s\" is a directory", path);
		return false;
	}
	file->may_wait = !S_ISREG(status.st_mode);
	file->start = file->may_wait ? -1 : lseek(file->file, 0, SEEK_CUR);
	if (file->start >= 0)
		file->size_bytes = status.st_size - file->start;
	return true;
}

/* The bytes of a type whose form is not known could not be written again in another one. */
static bool
check_binary(const char *path, RowFileFormat format, const RowType *type)
{
	for (int i = 0; format == ROW_FILE_COPY_BINARY && i < type->columns; i++)
	{
		if (column_type_has_binary(type->column[i].type))
			continue;
		message_error(
			"--file: \"%s\" is binary, and the binary form of column \"%s\" of type %s is "
			"not known here: use a text, CSV or JSON file",
			path, type->column[i].name, type->column[i].type_name);
		return false;
	}
	return true;
}

/* JSON of a file that is none may be no JSON: COPY has the server refuse it, but in the body of a request
 * it would be taken for what it is in there. */
static bool
needs_check(RowFileFormat format, const RowType *type)
{
	for (int i = 0; format != ROW_FILE_JSON && i < type->columns; i++)
		if (is_json(&type->column[i]))
			return true;
	return false;
}

static bool
prepare(FileSource *file, const char *path, RowFileFormat format)
{
	const RowType *type = file->base.type;

	file->name = strdup(strcmp(path, "-") == 0 ? "standard input" : path);
	file->buffer = malloc(READ_BYTES);
	if (needs_check(format, type))
	{
		file->documents = json_check_create();
		if (file->documents == NULL)
			return false;
	}
	return row_stream_init(&file->stream, open_reader(format, type), type->columns, file->name,
						   feed) &&
		   file->name != NULL && file->buffer != NULL;
}

RowSource *
row_source_file(const char *path, RowFileFormat format, const RowType *type)
{
	static const RowSourceKind kind = {
		.next = next_of_file,
		.rewind = rewind_file,
		.can_rewind = can_rewind_file,
		.free = free_file,
		.bytes = bytes_of_file,
	};
	RowSource *source;
	FileSource *file;

	if (!check_binary(path, format, type))
		return NULL;
	source = row_source_create(&kind, sizeof(FileSource), type);
	if (source == NULL)
	{
		message_error("out of memory");
		return NULL;
	}
	file = (FileSource *) source;
	file->file = STDIN_FILENO;
	if (!prepare(file, path, format))
		message_error("out of memory");
	else if (open_file(file, path))
		return source;
	row_source_free(source);
	return NULL;
}
