/* row_source_reference.c - the reference rows (common/reference_row.h) as values. */
#include "rows/row_source_internal.h"

#include "reference_row.h"

#include <stdlib.h>

#define AMOUNT_TEXT_MAX 24 /* -92233720368547758.08 */

/* places in the table, as reference_row_column_names has them */
enum
{
	PLACE_ID,
	PLACE_CODE,
	PLACE_CREATED_AT,
	PLACE_AMOUNT,
	PLACE_RATIO,
	PLACE_ACTIVE,
	PLACE_LABEL,
	PLACE_NOTE,
};

typedef struct ReferenceSource
{
	RowSource base;
	RowType *type; /* base.type, to be freed */
	int64_t seed;
	int64_t next_row; /* beyond base.total at the end */
} ReferenceSource;

/* Writes hundredths with their two decimals, backwards; returns where they begin. */
static char *
print_amount(char *end, int64_t cents)
{
	uint64_t rest = cents < 0 ? -(uint64_t) cents : (uint64_t) cents;
	char *at = end;

	for (int i = 0; i < REFERENCE_AMOUNT_SCALE; i++, rest /= 10)
		*--at = (char) ('0' + rest % 10);
	*--at = '.';
	do
		*--at = (char) ('0' + rest % 10);
	while ((rest /= 10) > 0);
	if (cents < 0)
		*--at = '-';
	return at;
}

static inline bool
put_text(RowChunk *chunk, Value *value, const char *bytes, size_t length)
{
	value->is_null = false;
	value->text.bytes = row_chunk_text(chunk, bytes, length);
	value->text.length = length;
	return value->text.bytes != NULL;
}

static inline void
put_integer(Value *value, int64_t integer)
{
	value->is_null = false;
	value->integer = integer;
}

static bool
put_row(RowChunk *chunk, Value *values, const ReferenceRow *row)
{
	char amount[AMOUNT_TEXT_MAX];
	char *amount_end = amount + sizeof(amount);
	const char *amount_start = print_amount(amount_end, row->amount_cents);

	put_integer(&values[PLACE_ID], row->id);
	put_integer(&values[PLACE_CODE], row->code);
	put_integer(&values[PLACE_CREATED_AT], row->created_at_us);
	values[PLACE_RATIO].is_null = false;
	values[PLACE_RATIO].real = row->ratio;
	values[PLACE_ACTIVE].is_null = false;
	values[PLACE_ACTIVE].boolean = row->active;
	return put_text(chunk, &values[PLACE_AMOUNT], amount_start,
					(size_t) (amount_end - amount_start)) &&
		   put_text(chunk, &values[PLACE_LABEL], row->label, row->label_length) &&
		   (row->note_is_null || put_text(chunk, &values[PLACE_NOTE], row->note, row->note_length));
}

static RowSourceResult
next_reference(RowSource *source, RowChunk *chunk, int64_t max_rows)
{
	ReferenceSource *reference = (ReferenceSource *) source;
	ReferenceRow row;

	for (; max_rows > 0 && !row_chunk_is_full(chunk); max_rows--)
	{
		if (reference->next_row > source->total)
			return ROW_SOURCE_END;
		reference_row_make(&row, reference->next_row, reference->seed);
		if (!put_row(chunk, row_chunk_add(chunk), &row))
		{
			row_chunk_drop_last(chunk);
			return row_source_fail(source, "out of memory");
		}
		reference->next_row++;
	}
	return ROW_SOURCE_ROWS;
}

static void
seek_reference(RowSource *source, int64_t row)
{
	((ReferenceSource *) source)->next_row = row;
}

static bool
rewind_reference(RowSource *source)
{
	seek_reference(source, 1);
	return true;
}

static void
free_reference(RowSource *source)
{
	row_type_free(((ReferenceSource *) source)->type);
}

static RowSource *
copy_reference(const RowSource *source)
{
	return row_source_reference(source->total, ((const ReferenceSource *) source)->seed);
}

RowSource *
row_source_reference(int64_t rows, int64_t seed)
{
	static const RowSourceKind kind = {
		.next = next_reference,
		.rewind = rewind_reference,
		.free = free_reference,
		.copy = copy_reference,
		.seek = seek_reference,
	};
	RowType *type = row_type_reference();
	RowSource *source =
		type == NULL ? NULL : row_source_create(&kind, sizeof(ReferenceSource), type);
	ReferenceSource *reference = (ReferenceSource *) source;

	if (source == NULL)
	{
		row_type_free(type);
		return NULL;
	}
	source->total = rows;
	reference->type = type;
	reference->seed = seed;
	reference->next_row = 1;
	return source;
}
