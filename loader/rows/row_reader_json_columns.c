#include "rows/row_reader_json_columns.h"

#include "rows/value_spool.h"

#include <inttypes.h>
#include <stdlib.h>

/* The column that is being read, or the first one, to compare it with. */
typedef struct ColumnTally
{
	char name[ROW_READER_QUOTED_MAX]; /* quoted; "" before the first column */
	int64_t values;
} ColumnTally;

typedef struct KeptColumn
{
	int column; /* of the row type */
	char *key;  /* as it came, and a colon */
	size_t key_length;
} KeptColumn;

struct JsonColumns
{
	RowReader *reader;
	ValueSpool *spool;
	ColumnTally first, current;
	bool current_is_kept;
	bool *has_come;   /* [columns of the type] */
	KeptColumn *kept; /* [kept_columns], in the order they came */
	int kept_columns;
	int64_t rows_left;
	RowBuffer row;
};

JsonColumns *
json_columns_create(RowReader *reader)
{
	JsonColumns *columns = calloc(1, sizeof(JsonColumns));
	size_t type_columns = (size_t) reader->type->columns;

	if (columns == NULL)
		return NULL;
	columns->reader = reader;
	columns->spool = value_spool_create(reader->type->columns);
	columns->has_come = calloc(type_columns, sizeof(bool));
	columns->kept = calloc(type_columns, sizeof(KeptColumn));
	if (row_buffer_init(reader, &columns->row) && columns->spool != NULL &&
		columns->has_come != NULL && columns->kept != NULL)
		return columns;
	json_columns_free(columns);
	return NULL;
}

void
json_columns_reset(JsonColumns *columns)
{
	for (int i = 0; i < columns->kept_columns; i++)
		free(columns->kept[i].key);
	columns->kept_columns = 0;
	for (int i = 0; i < columns->reader->type->columns; i++)
		columns->has_come[i] = false;
	columns->first = columns->current = (ColumnTally){0};
	columns->rows_left = 0;
	value_spool_reset(columns->spool);
}

void
json_columns_free(JsonColumns *columns)
{
	if (columns == NULL)
		return;
	for (int i = 0; i < columns->kept_columns; i++)
		free(columns->kept[i].key);
	value_spool_free(columns->spool);
	free(columns->has_come);
	free(columns->kept);
	row_buffer_free(&columns->row);
	free(columns);
}

/* --- columns ----------------------------------------------------------------------------- */

/* The current column is over. */
static bool
check_length(JsonColumns *columns)
{
	const ColumnTally *first = &columns->first;
	const ColumnTally *current = &columns->current;

	if (current->name[0] == '\0')
		return true;
	if (first->name[0] == '\0')
		columns->first = *current;
	if (first->values == current->values)
		return true;
	return row_reader_fail(columns->reader,
						   "columns of unequal length: %s has %" PRId64 " values, %s has %" PRId64,
						   first->name, first->values, current->name, current->values);
}

static bool
keep_column(JsonColumns *columns, const char *key, size_t length, int column)
{
	KeptColumn *kept = &columns->kept[columns->kept_columns];

	if (columns->has_come[column])
		return row_reader_fail(columns->reader, "column %s comes twice", columns->current.name);
	columns->has_come[column] = true;
	kept->key = malloc(length + 1);
	if (kept->key == NULL)
		return row_reader_fail_memory(columns->reader);
	memcpy(kept->key, key, length);
	kept->key[length] = ':';
	kept->key_length = length + 1;
	kept->column = column;
	columns->kept_columns++;
	value_spool_begin(columns->spool, column);
	return true;
}

bool
json_columns_begin(JsonColumns *columns, const char *key, size_t length, int column)
{
	if (!check_length(columns))
		return false;
	row_reader_quote(key + 1, length - 2, columns->current.name);
	columns->current.values = 0;
	columns->current_is_kept = column != JSON_COLUMNS_UNKNOWN;
	return !columns->current_is_kept || keep_column(columns, key, length, column);
}

static bool
fail_spool(JsonColumns *columns)
{
	return row_reader_fail(columns->reader, "%s", value_spool_problem(columns->spool));
}

/* The figures are known to the caller, whatever becomes of the reading. */
static void
tell_spool(JsonColumns *columns)
{
	columns->reader->spool_ns = value_spool_ns(columns->spool);
	columns->reader->spool_bytes = value_spool_bytes(columns->spool);
}

bool
json_columns_add(JsonColumns *columns, const char *value, size_t length, bool has_wide_integers)
{
	SpooledValue spooled = {.bytes = value, .length = length, .mark = has_wide_integers};
	bool put;

	columns->current.values++;
	if (!columns->current_is_kept)
	{
		columns->reader->unknown_keys++;
		return true;
	}
	put = value_spool_put(columns->spool, &spooled);
	tell_spool(columns);
	return put || fail_spool(columns);
}

bool
json_columns_finish(JsonColumns *columns)
{
	if (!check_length(columns))
		return false;
	columns->rows_left = columns->first.values;
	return columns->rows_left == 0 || columns->kept_columns > 0 ||
		   row_reader_fail(columns->reader, "the data has none of the columns; it begins with %s",
						   columns->first.name);
}

/* --- rows -------------------------------------------------------------------------------- */

/* {"id":1, with the comma that the last one turns into the closing bracket. */
static bool
put_member(JsonColumns *columns, const KeptColumn *kept, bool *has_wide_integers)
{
	RowReader *reader = columns->reader;
	SpooledValue value;

	if (!value_spool_take(columns->spool, kept->column, &value))
		return fail_spool(columns);
	*has_wide_integers |= value.mark;
	return row_buffer_append(reader, &columns->row, kept->key, kept->key_length) &&
		   row_buffer_append(reader, &columns->row, value.bytes, value.length) &&
		   row_buffer_append(reader, &columns->row, ",", 1);
}

RowReadResult
json_columns_next(JsonColumns *columns, const char **row, size_t *length, bool *has_wide_integers)
{
	RowBuffer *text = &columns->row;

	if (columns->rows_left == 0)
		return ROW_READ_END;
	*has_wide_integers = false;
	text->length = 0;
	if (!row_buffer_append(columns->reader, text, "{", 1))
		return ROW_READ_FAILED;
	for (int i = 0; i < columns->kept_columns; i++)
	{
		if (!put_member(columns, &columns->kept[i], has_wide_integers))
			return ROW_READ_FAILED;
	}
	text->bytes[text->length - 1] = '}';
	tell_spool(columns);
	columns->rows_left--;
	*row = text->bytes;
	*length = text->length;
	return ROW_READ_ROW;
}
