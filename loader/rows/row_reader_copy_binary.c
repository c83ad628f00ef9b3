/*
 * row_reader_copy_binary.c - COPY's binary format.
 *
 * An item (the header's parts, a tuple) is read where it lies in the piece. Of one that the piece's
 * end cuts in two no more is copied than it needs, so that what follows it is read in place again.
 */
#include "rows/row_reader_internal.h"

#include "rows/network_order.h"
#include "rows/value_binary.h"

#include <inttypes.h>
#include <stdlib.h>

#define SIGNATURE       "PGCOPY\n\377\r\n" /* and its terminator */
#define SIGNATURE_BYTES sizeof(SIGNATURE)
#define HEADER_BYTES    (SIGNATURE_BYTES + 4 + 4) /* flags, length of the extension */
#define CRITICAL_FLAGS  UINT32_C(0xffff0000)
#define FIELDS_BYTES    2
#define LENGTH_BYTES    4
#define TRAILER         (-1) /* in place of a number of fields */
#define NULL_LENGTH     (-1)

typedef enum CopyBinaryPart
{
	PART_HEADER,
	PART_EXTENSION,
	PART_TUPLES,
	PART_OVER,
} CopyBinaryPart;

typedef struct CopyBinaryReader
{
	RowReader base;
	CopyBinaryPart part;
	uint32_t extension_left;
	RowBuffer carry; /* the start of an item, from pieces before; empty: it lies in the piece */
	char *scratch;   /* for the digits of a row's numerics */
} CopyBinaryReader;

/* --- items --------------------------------------------------------------------------------- */

static inline const char *
item_start(const CopyBinaryReader *binary)
{
	return binary->carry.length > 0 ? binary->carry.bytes : binary->base.at;
}

/* ROW: the item's first `wanted` bytes are there; MORE: all of the piece was taken. */
static RowReadResult
want_bytes(CopyBinaryReader *binary, size_t wanted)
{
	RowReader *reader = &binary->base;
	size_t left = (size_t) (reader->end - reader->at);
	size_t carried = binary->carry.length;

	if (carried == 0 ? left >= wanted : carried >= wanted)
		return ROW_READ_ROW;
	if (left > wanted - carried)
		left = wanted - carried;
	if (!row_buffer_append(reader, &binary->carry, reader->at, left))
		return ROW_READ_FAILED;
	reader->at += left;
	return binary->carry.length == wanted ? ROW_READ_ROW : ROW_READ_MORE;
}

static void
end_item(CopyBinaryReader *binary, size_t length)
{
	if (binary->carry.length > 0)
		binary->carry.length = 0; /* values lend from it until more is carried */
	else
		binary->base.at += length;
}

/* --- tuples -------------------------------------------------------------------------------- */

/* Whether a tuple may be so long. Asked before its bytes are, so that it does not depend on where a
 * piece ends which of two limits is met first. */
static bool
check_length(CopyBinaryReader *binary, int column, size_t length)
{
	RowReader *reader = &binary->base;

	return length <= reader->max_row_bytes ||
		   row_reader_fail_column(reader, column, "the row is longer than the limit of %zu bytes",
								  reader->max_row_bytes);
}

/* Looks at the next length word of a tuple of which *length bytes were looked at; adds what it
 * announces. */
static RowReadResult
measure_field(CopyBinaryReader *binary, int column, size_t *length)
{
	RowReader *reader = &binary->base;
	RowReadResult result;
	int32_t field_length;

	if (!check_length(binary, column, *length + LENGTH_BYTES))
		return ROW_READ_FAILED;
	result = want_bytes(binary, *length + LENGTH_BYTES);
	if (result != ROW_READ_ROW)
		return result;
	field_length = (int32_t) load_uint32(item_start(binary) + *length);
	*length += LENGTH_BYTES;
	if (field_length < NULL_LENGTH)
	{
		row_reader_fail_column(reader, column, "%" PRId32 " is no length of a field", field_length);
		return ROW_READ_FAILED;
	}
	if (field_length != NULL_LENGTH)
		*length += (size_t) field_length;
	return check_length(binary, column, *length) ? ROW_READ_ROW : ROW_READ_FAILED;
}

/* ROW: all of the tuple is there. */
static RowReadResult
measure_tuple(CopyBinaryReader *binary, size_t *length)
{
	int columns = binary->base.type->columns;

	*length = FIELDS_BYTES;
	for (int i = 0; i < columns; i++)
	{
		RowReadResult result = measure_field(binary, i, length);

		if (result != ROW_READ_ROW)
			return result;
	}
	return want_bytes(binary, *length);
}

static bool
take_field(CopyBinaryReader *binary, int column, const char *bytes, size_t length, char **scratch,
		   Value *value)
{
	RowReader *reader = &binary->base;
	const RowColumn *head = &reader->type->column[column];

	value->is_null = value->is_missing = false;
	if (head->nested != NULL)
		return nested_codec_from_binary(reader->nested, column, bytes, length, value) ||
			   row_reader_fail_column(reader, column,
									  "these %zu bytes are not the form of a %s: %s", length,
									  head->type_name, nested_codec_why(reader->nested));
	if (!value_from_binary(head->type, bytes, length, scratch, value))
		return row_reader_fail_column(reader, column, "these %zu bytes are not the form of a %s",
									  length, head->type_name);
	/* of other types the bytes are not known to be text */
	return head->type == COLUMN_OTHER || row_reader_check_characters(reader, column, value);
}

static bool
take_tuple(CopyBinaryReader *binary, Value *values)
{
	const char *at = item_start(binary) + FIELDS_BYTES;
	int columns = binary->base.type->columns;
	char *scratch = binary->scratch;

	for (int i = 0; i < columns; i++)
	{
		int32_t length = (int32_t) load_uint32(at);

		at += LENGTH_BYTES;
		if (length == NULL_LENGTH)
		{
			row_reader_take_null(&values[i]);
			continue;
		}
		if (!take_field(binary, i, at, (size_t) length, &scratch, &values[i]))
			return false;
		at += length;
	}
	return true;
}

static RowReadResult
next_tuple(CopyBinaryReader *binary, Value *values)
{
	RowReader *reader = &binary->base;
	RowReadResult result = want_bytes(binary, FIELDS_BYTES);
	size_t length;
	int fields;

	if (result != ROW_READ_ROW)
		return result;
	fields = (int16_t) load_uint16(item_start(binary));
	if (fields == TRAILER)
	{
		end_item(binary, FIELDS_BYTES);
		binary->part = PART_OVER;
		return ROW_READ_MORE;
	}
	if (fields != reader->type->columns)
	{
		row_reader_fail_row(reader, "%d fields, and there are %d columns", fields,
							reader->type->columns);
		return ROW_READ_FAILED;
	}
	result = measure_tuple(binary, &length);
	if (result != ROW_READ_ROW)
		return result;
	if (!take_tuple(binary, values))
		return ROW_READ_FAILED;
	end_item(binary, length);
	return ROW_READ_ROW;
}

/* --- the header, and the whole --------------------------------------------------------------- */

static bool
check_header(CopyBinaryReader *binary, const char *header)
{
	RowReader *reader = &binary->base;
	uint32_t flags = load_uint32(header + SIGNATURE_BYTES);
	int32_t extension = (int32_t) load_uint32(header + SIGNATURE_BYTES + 4);

	if (flags & CRITICAL_FLAGS)
		return row_reader_fail(reader, "COPY binary header: unknown critical flags 0x%08" PRIx32,
							   flags);
	if (extension < 0)
		return row_reader_fail(
			reader, "COPY binary header: %" PRId32 " is no length of an extension", extension);
	binary->extension_left = (uint32_t) extension;
	return true;
}

/* The signature is looked at first: what has none may be short. */
static RowReadResult
take_header(CopyBinaryReader *binary)
{
	RowReadResult result = want_bytes(binary, SIGNATURE_BYTES);

	if (result != ROW_READ_ROW)
		return result;
	if (memcmp(item_start(binary), SIGNATURE, SIGNATURE_BYTES) != 0)
	{
		row_reader_fail(&binary->base, "this is not COPY's binary format: it does not begin with "
									   "its signature");
		return ROW_READ_FAILED;
	}
	result = want_bytes(binary, HEADER_BYTES);
	if (result != ROW_READ_ROW)
		return result;
	if (!check_header(binary, item_start(binary)))
		return ROW_READ_FAILED;
	end_item(binary, HEADER_BYTES);
	binary->part = PART_EXTENSION;
	return ROW_READ_ROW;
}

static RowReadResult
skip_extension(CopyBinaryReader *binary)
{
	RowReader *reader = &binary->base;
	size_t left = (size_t) (reader->end - reader->at);

	if (left > binary->extension_left)
		left = binary->extension_left;
	reader->at += left;
	binary->extension_left -= (uint32_t) left;
	if (binary->extension_left > 0)
		return ROW_READ_MORE;
	binary->part = PART_TUPLES;
	return ROW_READ_ROW;
}

/* All of the piece is used up. */
static RowReadResult
want_more(CopyBinaryReader *binary)
{
	RowReader *reader = &binary->base;

	if (!reader->finished)
		return ROW_READ_MORE;
	if (binary->part == PART_OVER)
		return ROW_READ_END;
	if (binary->part != PART_TUPLES)
		row_reader_fail(reader, "the data ends within the header of COPY's binary format");
	else if (binary->carry.length > 0)
		row_reader_fail_row(reader, "the data ends within the row");
	else
		row_reader_fail(reader, "the data ends after row %" PRId64 " without the trailer",
						reader->stream_rows);
	return ROW_READ_FAILED;
}

static RowReadResult
next_copy_binary(RowReader *reader, Value *values)
{
	CopyBinaryReader *binary = (CopyBinaryReader *) reader;
	RowReadResult result = ROW_READ_ROW;

	if (binary->part == PART_HEADER)
		result = take_header(binary);
	if (result == ROW_READ_ROW && binary->part == PART_EXTENSION)
		result = skip_extension(binary);
	if (result == ROW_READ_ROW && binary->part == PART_TUPLES)
		result = next_tuple(binary, values);
	if (binary->part == PART_OVER && reader->at < reader->end)
	{
		row_reader_fail(reader, "there is more data after the trailer of COPY's binary format");
		return ROW_READ_FAILED;
	}
	return result == ROW_READ_MORE || binary->part == PART_OVER ? want_more(binary) : result;
}

static void
reset_copy_binary(RowReader *reader)
{
	CopyBinaryReader *binary = (CopyBinaryReader *) reader;

	binary->part = PART_HEADER;
	binary->carry.length = 0;
}

static void
free_copy_binary(RowReader *reader)
{
	CopyBinaryReader *binary = (CopyBinaryReader *) reader;

	row_buffer_free(&binary->carry);
	free(binary->scratch);
}

/* Mostly never touched, so it costs addresses and hardly any memory. */
static char *
allocate_scratch(const RowType *type)
{
	size_t numerics = 0;

	for (int i = 0; i < type->columns; i++)
		numerics += type->column[i].type == COLUMN_NUMERIC;
	return malloc(numerics * VALUE_NUMERIC_TEXT_MAX + 1);
}

RowReader *
row_reader_copy_binary(const RowType *type, size_t max_row_bytes)
{
	static const RowReaderFormat format = {next_copy_binary, reset_copy_binary, free_copy_binary};
	RowReader *reader = row_reader_create(&format, sizeof(CopyBinaryReader), type, max_row_bytes);
	CopyBinaryReader *binary = (CopyBinaryReader *) reader;

	if (reader == NULL)
		return NULL;
	binary->scratch = allocate_scratch(type);
	if (!row_buffer_init(reader, &binary->carry) || binary->scratch == NULL)
	{
		row_reader_free(reader);
		return NULL;
	}
	return reader;
}
