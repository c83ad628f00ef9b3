#include "rows/nested_writer.h"
#include "rows/network_order.h"

#include <stdlib.h>

#define FIRST_CAPACITY 1024
#define WORD_BYTES     4

static bool grow(void *context, const char *bytes, size_t length);

/* The buffer with `length` bytes written. */
static void
use_buffer(NestedWriter *writer, char *buffer, size_t capacity, size_t length)
{
	json_encoder_init(&writer->to, buffer, capacity, grow, writer);
	writer->to.position = buffer + length;
}

/* The encoder's flush: all that was written stays, in a larger buffer. */
static bool
grow(void *context, const char *bytes, size_t length)
{
	NestedWriter *writer = context;
	size_t capacity = 2 * (size_t) (writer->to.end - writer->to.buffer);
	char *buffer;

	(void) bytes;
	writer->is_too_long = length >= writer->limit;
	if (writer->is_too_long)
		return false;
	buffer = realloc(writer->to.buffer, capacity);
	if (buffer == NULL)
		return false;
	use_buffer(writer, buffer, capacity, length);
	return true;
}

void
nested_writer_free(NestedWriter *writer)
{
	free(writer->to.buffer);
	*writer = (NestedWriter){0};
}

bool
nested_writer_begin(NestedWriter *writer, size_t limit)
{
	size_t capacity = (size_t) (writer->to.end - writer->to.buffer);
	char *buffer = writer->to.buffer;

	if (buffer == NULL)
	{
		capacity = FIRST_CAPACITY;
		buffer = malloc(capacity);
		if (buffer == NULL)
			return false;
	}
	use_buffer(writer, buffer, capacity, 0);
	writer->limit = limit;
	writer->is_too_long = false;
	return true;
}

size_t
nested_writer_length(const NestedWriter *writer)
{
	return json_encoder_pending(&writer->to);
}

/* After a failure nothing that was written counts. */
void
nested_writer_patch(NestedWriter *writer, size_t at, uint32_t word)
{
	if (!writer->to.failed)
		store_uint32(writer->to.buffer + at, word);
}

void
nested_writer_put(NestedWriter *writer, uint32_t word)
{
	char bytes[WORD_BYTES];

	store_uint32(bytes, word);
	json_encode_raw(&writer->to, bytes, sizeof(bytes));
}

void
nested_writer_cut(NestedWriter *writer, size_t length)
{
	if (!writer->to.failed)
		writer->to.position = writer->to.buffer + length;
}

size_t
nested_writer_begin_field(NestedWriter *writer)
{
	size_t field = nested_writer_length(writer);

	nested_writer_put(writer, 0);
	return field;
}

void
nested_writer_end_field(NestedWriter *writer, size_t field)
{
	if (!writer->to.failed)
		nested_writer_patch(writer, field,
							(uint32_t) (nested_writer_length(writer) - field - WORD_BYTES));
}
