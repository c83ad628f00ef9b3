/* fuzz_rows.c - see fuzz_rows.h. */
#include "fuzz_rows.h"
#include "json_canonical.h"
#include "nested_types.h"
#include "rows/nested_walk.h"
#include "rows/value_digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_COLUMNS  8
#define NARROW_LEAST  19 /* the header of COPY's binary format counts, too, where it is cut */
#define NARROW_CHOICE 64

typedef struct LetterType
{
	char letter;
	const char *name;
	unsigned oid; /* 0: an array or a composite of nested_types.h */
} LetterType;

static const LetterType letter_types[] = {
	{'t', "text", 25},
	{'8', "bigint", 20},
	{'n', "numeric", 1700},
	{'b', "boolean", 16},
	{'2', "smallint", 21},
	{'4', "integer", 23},
	{'f', "real", 700},
	{'d', "double precision", 701},
	{'m', "money", 790},
	{'c', "character(8)", 1042},
	{'y', "bytea", 17},
	{'D', "date", 1082},
	{'T', "time without time zone", 1083},
	{'s', "timestamp without time zone", 1114},
	{'z', "timestamp with time zone", 1184},
	{'u', "uuid", 2950},
	{'j', "json", 114},
	{'J', "jsonb", 3802},
	{'o', "inet", 869},
	{'M', "mood", OID_MOOD},
	{'A', "integer[]", 0},
	{'X', "text[]", 0},
	{'N', "numeric[]", 0},
	{'Z', "timestamp with time zone[]", 0},
	{'B', "jsonb[]", 0},
	{'E', "json[]", 0},
	{'Y', "bytea[]", 0},
	{'F', "double precision[]", 0},
	{'C', "character(3)[]", 0},
	{'K', "mood[]", 0},
	{'I', "ints[]", 0},
	{'p', "pair", 0},
	{'P', "pair[]", 0},
	{'e', "deep", 0},
	{'v', "empty_type", 0},
};

#define LETTERS (sizeof(letter_types) / sizeof(letter_types[0]))

static const LetterType *
type_of_letter(char letter)
{
	for (size_t i = 0; i < LETTERS; i++)
		if (letter_types[i].letter == letter)
			return &letter_types[i];
	return &letter_types[(unsigned char) letter % LETTERS];
}

ColumnType
fuzz_rows_column_type(char letter)
{
	const LetterType *found = type_of_letter(letter);

	if (found->oid == 0)
		return COLUMN_ARRAY;
	return found->oid == OID_MOOD ? COLUMN_ENUM : column_type_of_oid(found->oid);
}

static void
set_column(RowType *type, int index, const LetterType *found)
{
	NestedType *nested = found->oid == 0 ? make_nested_type(found->name) : NULL;
	char name[16];

	snprintf(name, sizeof(name), "c%d", index);
	fuzz_require(
		row_type_set_column(type, index, name, found->name, nested == NULL ? found->oid : OID_MOOD),
		"out of memory");
	if (nested != NULL)
		row_type_set_family(type, index, OID_MOOD, nested->type, nested);
	else if (found->oid == OID_MOOD)
		row_type_set_family(type, index, OID_MOOD, COLUMN_ENUM, NULL);
}

RowType *
fuzz_rows_type(const char *letters)
{
	int columns = (int) strnlen(letters, MOST_COLUMNS);
	RowType *type = row_type_create(columns > 0 ? columns : 1);

	for (int i = 0; i < type->columns; i++)
		set_column(type, i, type_of_letter(columns > 0 ? letters[i] : 't'));
	return type;
}

/* --- rows ------------------------------------------------------------------------------------ */

static bool
has_text(const FuzzRows *rows, int column, const Value *value)
{
	return !value->is_null && column_type_is_text(rows->type->column[column].type);
}

static void
add_row(FuzzRows *rows, const Value *values)
{
	size_t columns = (size_t) rows->type->columns;
	Value *copy;

	rows->values = realloc(rows->values, ((size_t) rows->rows + 1) * columns * sizeof(Value));
	fuzz_require(rows->values != NULL, "out of memory");
	copy = rows->values + (size_t) rows->rows++ * columns;
	memcpy(copy, values, columns * sizeof(Value));
	for (int i = 0; i < rows->type->columns; i++)
		if (has_text(rows, i, &copy[i]))
			copy[i].text.bytes = fuzz_copy(copy[i].text.bytes, copy[i].text.length);
}

static Value *
row_at(const FuzzRows *rows, int row)
{
	return rows->values + (size_t) row * (size_t) rows->type->columns;
}

static void
free_row(const FuzzRows *rows, Value *row)
{
	for (int i = 0; i < rows->type->columns; i++)
		if (has_text(rows, i, &row[i]))
			free((char *) row[i].text.bytes);
}

void
fuzz_rows_free(FuzzRows *rows)
{
	for (int i = 0; i < rows->rows; i++)
		free_row(rows, row_at(rows, i));
	free(rows->values);
	*rows = (FuzzRows){0};
}

static void
drop_row(FuzzRows *rows, int row)
{
	free_row(rows, row_at(rows, row));
	memmove(row_at(rows, row), row_at(rows, row + 1),
			(size_t) (rows->rows - row - 1) * (size_t) rows->type->columns * sizeof(Value));
	rows->rows--;
}

/* --- json in rows ---------------------------------------------------------------------------- */

typedef struct Json
{
	JsonCanonical *canonical;
	bool is_bad, is_lost; /* found: one that is none, one that is null where that is no value */
} Json;

static bool
is_json(ColumnType type)
{
	return type == COLUMN_JSON || type == COLUMN_JSONB;
}

static void
look_at_json(Json *json, const Value *value, bool is_element)
{
	size_t length;
	const char *canonical =
		json_canonical_make(json->canonical, value->text.bytes, value->text.length, &length);

	json->is_bad |= canonical == NULL;
	json->is_lost |=
		canonical != NULL && !is_element && length == 4 && memcmp(canonical, "null", 4) == 0;
}

static void look_at_nested(Json *json, const NestedType *type, const char *bytes, size_t length);

static void
look_at_member(Json *json, const NestedMember *member, const NestedField *field, bool is_element)
{
	char numeric[1];
	Value value;

	if (field->is_null)
		return;
	if (member->nested != NULL)
		look_at_nested(json, member->nested, field->bytes, field->length);
	else if (is_json(member->type) && nested_leaf(member, field, numeric, &value))
		look_at_json(json, &value, is_element);
}

static void
look_at_nested(Json *json, const NestedType *type, const char *bytes, size_t length)
{
	NestedCursor cursor;
	NestedArray array;
	NestedField field;

	if (type->type == COLUMN_ARRAY)
	{
		fuzz_require(nested_array_begin(&array, bytes, length), "an array's head is wrong");
		while (nested_take_field(&array.cursor, &field))
			look_at_member(json, &type->member[0], &field, true);
		return;
	}
	fuzz_require(nested_composite_begin(&cursor, type, bytes, length), "a composite's is");
	for (int i = 0; i < type->members && nested_take_attribute(&cursor, &field); i++)
		look_at_member(json, &type->member[i], &field, false);
}

static Json
look_at_row(const FuzzRows *rows, int row)
{
	Json json = {.canonical = json_canonical_create()};

	for (int i = 0; i < rows->type->columns; i++)
	{
		const RowColumn *column = &rows->type->column[i];
		const Value *value = &row_at(rows, row)[i];

		if (!value->is_null && is_json(column->type))
			look_at_json(&json, value, false);
		else if (!value->is_null && column->nested != NULL)
			look_at_nested(&json, column->nested, value->text.bytes, value->text.length);
	}
	json_canonical_free(json.canonical);
	return json;
}

void
fuzz_rows_drop_bad_json(FuzzRows *rows)
{
	for (int i = rows->rows - 1; i >= 0; i--)
		if (look_at_row(rows, i).is_bad)
			drop_row(rows, i);
}

void
fuzz_rows_drop_json_nulls(FuzzRows *rows)
{
	for (int i = rows->rows - 1; i >= 0; i--)
		if (look_at_row(rows, i).is_lost)
			drop_row(rows, i);
}

static bool
is_not_available(const Value *value)
{
	return value->text.length == 2 && memcmp(value->text.bytes, "NA", 2) == 0;
}

void
fuzz_rows_drop_not_available(FuzzRows *rows)
{
	for (int i = rows->rows - 1; i >= 0; i--)
		for (int j = 0; j < rows->type->columns; j++)
		{
			if (rows->type->column[j].type != COLUMN_OTHER || row_at(rows, i)[j].is_null ||
				!is_not_available(&row_at(rows, i)[j]))
				continue;
			drop_row(rows, i);
			break;
		}
}

/* --- reading --------------------------------------------------------------------------------- */

static void
log_value(FuzzLog *log, ColumnType type, const Value *value)
{
	if (value->is_null)
		fuzz_log(log, value->is_missing ? "missing" : "null");
	else if (column_type_is_text(type))
	{
		fuzz_log(log, "%zu:", value->text.length);
		fuzz_log_bytes(log, value->text.bytes, value->text.length);
	}
	else if (type == COLUMN_BOOL)
		fuzz_log(log, "%d", value->boolean);
	else if (type == COLUMN_FLOAT4 || type == COLUMN_FLOAT8)
		fuzz_log_bytes(log, &value->real, sizeof(value->real));
	else if (type == COLUMN_UUID)
		fuzz_log_bytes(log, value->uuid, sizeof(value->uuid));
	else
		fuzz_log(log, "%lld", (long long) value->integer);
	fuzz_log(log, "|");
}

static void
check_value(ColumnType type, const Value *value)
{
	bool has_characters = type == COLUMN_TEXT || type == COLUMN_BPCHAR || type == COLUMN_NUMERIC ||
						  type == COLUMN_JSON || type == COLUMN_JSONB || type == COLUMN_ENUM;

	if (value->is_null || !has_characters)
		return;
	fuzz_require(json_encode_is_utf8(value->text.bytes, value->text.length), "a text not in UTF-8");
	fuzz_require(value->text.length == 0 ||
					 memchr(value->text.bytes, '\0', value->text.length) == NULL,
				 "a text with a NUL");
}

/* Takes rows until a piece is used up (true), or all is over (false). */
static bool
take_rows(RowReader *reader, FuzzRows *rows, Value *values, FuzzLog *log)
{
	for (;;)
	{
		switch (row_reader_next(reader, values))
		{
			case ROW_READ_MORE:
				return true;
			case ROW_READ_END:
				fuzz_log(log, "end");
				return false;
			case ROW_READ_FAILED:
				fuzz_log(log, "%s", row_reader_problem(reader));
				return false;
			case ROW_READ_ROW:
				for (int i = 0; i < rows->type->columns; i++)
				{
					check_value(rows->type->column[i].type, &values[i]);
					log_value(log, rows->type->column[i].type, &values[i]);
				}
				fuzz_log(log, "\n");
				add_row(rows, values);
		}
	}
}

/* One stream; its rows are added, and written to the log with how it ended. */
static void
read_stream(RowReader *reader, FuzzRows *rows, const uint8_t *data, size_t size, FuzzCut cut,
			FuzzLog *log)
{
	Value *values = calloc((size_t) rows->type->columns, sizeof(Value));
	FuzzPieces pieces;
	const char *bytes;
	size_t length;
	bool more = true;

	fuzz_require(values != NULL, "out of memory");
	row_reader_reset(reader);
	fuzz_pieces_begin(&pieces, data, size, cut);
	while (more && fuzz_pieces_next(&pieces, &bytes, &length))
	{
		row_reader_feed(reader, bytes, length);
		more = take_rows(reader, rows, values, log);
	}
	fuzz_pieces_end(&pieces);
	row_reader_finish(reader);
	if (more)
		fuzz_require(!take_rows(reader, rows, values, log), "more is wanted after the end");
	for (const char *byte = row_reader_problem(reader); *byte != '\0'; byte++)
		fuzz_require((unsigned char) *byte >= ' ' && *byte != 0x7f, "a control character in: %s",
					 row_reader_problem(reader));
	free(values);
}

/* The same rows and the same end, however the stream is cut. */
static FuzzRows
read_in_all_ways(FuzzRowsOpen open, const RowType *type, size_t max_row_bytes, const uint8_t *data,
				 size_t size, FuzzLog *log)
{
	RowReader *reader = open(type, max_row_bytes);
	FuzzRows rows = {.type = type};

	fuzz_require(reader != NULL, "out of memory");
	read_stream(reader, &rows, data, size, FUZZ_WHOLE, log);
	for (int cut = FUZZ_BYTES; cut < FUZZ_CUTS; cut++)
	{
		FuzzRows others = {.type = type};
		FuzzLog other = {0};

		read_stream(reader, &others, data, size, (FuzzCut) cut, &other);
		fuzz_require_same(&other, log, "a stream in pieces");
		fuzz_log_free(&other);
		fuzz_rows_free(&others);
	}
	row_reader_free(reader);
	return rows;
}

/* In the words of each reader. */
static bool
says_too_long(const FuzzLog *log)
{
	return memmem(log->bytes, log->length, "limit of", 8) != NULL ||
		   memmem(log->bytes, log->length, "longer than a value can be", 26) != NULL ||
		   memmem(log->bytes, log->length, "expected at most", 16) != NULL;
}

FuzzRows
fuzz_rows_read(FuzzRowsOpen open, const RowType *type, const uint8_t *data, size_t size)
{
	FuzzLog roomy = {0}, narrow = {0};
	FuzzRows rows = read_in_all_ways(open, type, FUZZ_ROWS_ROOMY, data, size, &roomy);
	size_t limit = NARROW_LEAST + fuzz_choice(data, size, NARROW_CHOICE);
	FuzzRows fewer = read_in_all_ways(open, type, limit, data, size, &narrow);

	fuzz_require(fewer.rows <= rows.rows, "a limit makes rows");
	if (!says_too_long(&narrow))
		fuzz_require_same(&narrow, &roomy, "a limit that nothing reaches");
	fuzz_rows_free(&fewer);
	fuzz_log_free(&roomy);
	fuzz_log_free(&narrow);
	return rows;
}

/* --- writing, and reading again -------------------------------------------------------------- */

void
fuzz_rows_digest(FuzzLog *log, const FuzzRows *rows)
{
	ValueDigest *digest = value_digest_create(rows->type);

	for (int i = 0; i < rows->rows; i++)
	{
		fuzz_require(value_digest_add(digest, row_at(rows, i)), "a row without a digest");
		for (int j = 0; j < rows->type->columns; j++)
			fuzz_log(log, "%016llx %016llx ",
					 (unsigned long long) value_digest_last_hash(digest, j),
					 (unsigned long long) value_digest_scale_sum(digest, j));
		fuzz_log(log, "\n");
	}
	value_digest_free(digest);
}

static bool
collect(void *log, const char *bytes, size_t length)
{
	fuzz_log_bytes(log, bytes, length);
	return true;
}

void
fuzz_rows_encode(FuzzLog *bytes, const RowEncoder *encoder, const FuzzRows *rows)
{
	char buffer[JSON_ENCODE_MIN_BUFFER], problem[200] = "";
	RowEncoderState *state = encoder->open(rows->type, problem, sizeof(problem));
	JsonEncoder to;
	int column = -1;

	fuzz_require(state != NULL, "%s: %s", encoder->name, problem);
	json_encoder_init(&to, buffer, sizeof(buffer), collect, bytes);
	encoder->begin(state, &to);
	for (int i = 0; i < rows->rows; i++)
		fuzz_require(encoder->row(state, row_at(rows, i), i == 0, &to, &column),
					 "%s refuses column %d of row %d", encoder->name, column, i + 1);
	encoder->end(state, &to);
	fuzz_require(json_encoder_flush(&to), "%s: the encoder failed", encoder->name);
	encoder->close(state);
}

void
fuzz_rows_round_trip(const FuzzRows *rows, const RowEncoder *encoder, FuzzRowsOpen open)
{
	FuzzLog bytes = {0}, got = {0}, wanted = {0}, end = {0};
	RowReader *reader = open(rows->type, FUZZ_ROWS_ROOMY);
	FuzzRows again = {.type = rows->type};

	fuzz_rows_encode(&bytes, encoder, rows);
	read_stream(reader, &again, (const uint8_t *) bytes.bytes, bytes.length, FUZZ_WHOLE, &end);
	fuzz_require(*row_reader_problem(reader) == '\0', "%s does not come back: %s\n%.*s",
				 encoder->name, row_reader_problem(reader), (int) bytes.length, bytes.bytes);
	fuzz_rows_digest(&got, &again);
	fuzz_rows_digest(&wanted, rows);
	fuzz_require_same(&got, &wanted, encoder->name);
	row_reader_free(reader);
	fuzz_rows_free(&again);
	fuzz_log_free(&bytes);
	fuzz_log_free(&got);
	fuzz_log_free(&wanted);
	fuzz_log_free(&end);
}

static RowReader *
open_json_array(const RowType *type, size_t max_row_bytes)
{
	return row_reader_json(type, JSON_SHAPE_ARRAY, max_row_bytes);
}

static RowReader *
open_json_lines(const RowType *type, size_t max_row_bytes)
{
	return row_reader_json(type, JSON_SHAPE_LINES, max_row_bytes);
}

static bool
has_binary(const RowType *type)
{
	for (int i = 0; i < type->columns; i++)
		if (!column_type_has_binary(type->column[i].type))
			return false;
	return true;
}

void
fuzz_rows_round_trips(FuzzRows *rows)
{
	fuzz_rows_drop_bad_json(rows);
	fuzz_rows_round_trip(rows, &row_encoder_copy_text, row_reader_copy_text);
	if (has_binary(rows->type))
		fuzz_rows_round_trip(rows, &row_encoder_copy_binary, row_reader_copy_binary);
	fuzz_rows_drop_json_nulls(rows);
	fuzz_rows_drop_not_available(rows);
	fuzz_rows_round_trip(rows, &row_encoder_json_array, open_json_array);
	fuzz_rows_round_trip(rows, &row_encoder_ndjson, open_json_lines);
}
