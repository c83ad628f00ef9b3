/*
 * array_builder.c - see array_builder.h.
 *
 * Elements are laid out as CopyArrayEls does (src/backend/utils/adt/arrayfuncs.c):
 * each at its alignment, counted from the start of the data, which is aligned
 * for any type; the null bitmap stands before them and is put in at the end.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "utils/memutils.h"

#include "array_builder.h"
#include "compat.h"

/* room for the header of an array of any dimensions; where the data start until the end */
#define DATA_OFFSET ARR_OVERHEAD_NONULLS(MAXDIM)

#define FIRST_CAPACITY 1024

#define BITS_PER_BYTE 8

void
array_builder_begin(ArrayBuilder *builder, const ArrayElementType *element_type)
{
	*builder = (ArrayBuilder){.element_type = element_type};
	builder->used = DATA_OFFSET;
	builder->capacity = FIRST_CAPACITY;
	builder->bytes = palloc(builder->capacity);
}

static void
refuse_size(void)
{
	ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			errmsg("array size exceeds the maximum allowed (%d)", (int) MaxAllocSize));
}

static void
reserve(ArrayBuilder *builder, Size wanted)
{
	if (wanted <= builder->capacity)
		return;
	if (!AllocSizeIsValid(wanted))
		refuse_size();
	builder->capacity = Min(Max(builder->capacity * 2, wanted), MaxAllocSize);
	builder->bytes = repalloc(builder->bytes, builder->capacity);
}

/* Notes the null or not of the element that comes; bits beyond the last are zero. */
static void
note_null(ArrayBuilder *builder, bool is_null)
{
	int number = builder->elements;

	if (builder->null_bitmap == NULL && !is_null)
		return;
	if (builder->null_bitmap == NULL || number >= builder->bitmap_capacity)
	{
		int capacity = Max(builder->bitmap_capacity * 2, (number + BITS_PER_BYTE) * 2);
		Size bytes = capacity / BITS_PER_BYTE + 1;
		bits8 *grown = palloc0(bytes);

		if (builder->null_bitmap != NULL)
			memcpy(grown, builder->null_bitmap, number / BITS_PER_BYTE + 1);
		else
		{
			/* all before were values */
			memset(grown, 0xff, number / BITS_PER_BYTE);
			grown[number / BITS_PER_BYTE] = (bits8) ((1 << number % BITS_PER_BYTE) - 1);
		}
		if (builder->null_bitmap != NULL)
			pfree(builder->null_bitmap);
		builder->null_bitmap = grown;
		builder->bitmap_capacity = capacity;
	}
	if (!is_null)
		builder->null_bitmap[number / BITS_PER_BYTE] |= 1 << number % BITS_PER_BYTE;
}

static void
append_value(ArrayBuilder *builder, Datum value)
{
	const ArrayElementType *type = builder->element_type;
	Size length, padded;
	char *to;

	if (type->length == -1)
		value = PointerGetDatum(PG_DETOAST_DATUM(value));
	/* both relative to the data's start, whose offset is a multiple of any alignment */
	length = att_addlength_datum(0, type->length, value);
	padded = att_align_nominal(length, type->alignment);
	reserve(builder, builder->used + padded);
	to = builder->bytes + builder->used;
	if (type->by_value)
		store_att_byval(to, value, type->length);
	else
		memcpy(to, DatumGetPointer(value), length);
	memset(to + length, 0, padded - length);
	builder->used += padded;
}

void
array_builder_add(ArrayBuilder *builder, Datum value, bool is_null)
{
	if (builder->elements >= MaxArraySize)
		refuse_size();
	note_null(builder, is_null);
	if (!is_null)
		append_value(builder, value);
	builder->elements++;
}

ArrayType *
array_builder_end(ArrayBuilder *builder, int ndims, const int *dims)
{
	bool has_nulls = builder->null_bitmap != NULL;
	Size data_size = builder->used - DATA_OFFSET;
	Size overhead =
		has_nulls ? ARR_OVERHEAD_WITHNULLS(ndims, builder->elements) : ARR_OVERHEAD_NONULLS(ndims);
	ArrayType *array;

	if (builder->elements == 0)
		return construct_empty_array(builder->element_type->type);
	reserve(builder, overhead + data_size);
	memmove(builder->bytes + overhead, builder->bytes + DATA_OFFSET, data_size);
	memset(builder->bytes, 0, overhead);
	array = (ArrayType *) builder->bytes;
	SET_VARSIZE(array, overhead + data_size);
	array->ndim = ndims;
	array->dataoffset = has_nulls ? (int32) overhead : 0;
	array->elemtype = builder->element_type->type;
	for (int i = 0; i < ndims; i++)
	{
		ARR_DIMS(array)[i] = dims[i];
		ARR_LBOUND(array)[i] = 1;
	}
	if (has_nulls)
		memcpy(ARR_LBOUND(array) + ndims, builder->null_bitmap,
			   (builder->elements + BITS_PER_BYTE - 1) / BITS_PER_BYTE);
	return array;
}
