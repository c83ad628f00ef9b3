/*
 * array_input.c - see array_input.h.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "array_builder.h"
#include "array_input.h"
#include "json_scan.h"

#define UNKNOWN_LENGTH (-1)

struct ArrayInput
{
	ArrayElementType element_type;
	ValueInput *element;
	MemoryContext element_context; /* of one element, until it is in the array */
};

/* one array being converted */
typedef struct ArrayWalk
{
	ArrayInput *input;
	ArrayBuilder builder;
	int ndims;
	int dims[MAXDIM];   /* of each dimension, or UNKNOWN_LENGTH */
	int counts[MAXDIM]; /* elements so far at each depth: the subscripts of the current one */
	int depth;          /* that counts are good for */
} ArrayWalk;

ArrayInput *
array_input_create(Oid element_type, int32 typmod, ValueInputCounts *counts)
{
	ArrayInput *input = palloc0(sizeof(ArrayInput));
	ArrayElementType *type = &input->element_type;

	type->type = element_type;
	get_typlenbyvalalign(element_type, &type->length, &type->by_value, &type->alignment);
	input->element = value_input_create(element_type, typmod, counts);
	input->element_context = AllocSetContextCreate(
		CurrentMemoryContext, "pg_transferbench array element", ALLOCSET_DEFAULT_SIZES);
	return input;
}

/* --- the place of an error ----------------------------------------------------------- */

static void
add_element_context(void *context)
{
	const ArrayWalk *walk = context;
	StringInfoData subscripts;

	initStringInfo(&subscripts);
	for (int i = 0; i < walk->depth; i++)
		appendStringInfo(&subscripts, "[%d]", walk->counts[i]);
	errcontext("element %s", subscripts.data);
}

/* --- elements ------------------------------------------------------------------------ */

/*
 * Opening brackets; blanks are not in the text. Where elements are arrays
 * themselves (a domain over one, int2vector), all but the first are theirs.
 */
static int
count_dimensions(const ArrayInput *input, const char *json, size_t length)
{
	int ndims = 0;

	if (value_input_is_array(input->element))
		return 1;
	while (ndims <= MAXDIM && (size_t) ndims < length && json[ndims] == '[')
		ndims++;
	if (ndims > MAXDIM)
		ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				errmsg("number of array dimensions exceeds the maximum allowed (%d)", MAXDIM));
	return ndims;
}

static void
take_element(ArrayWalk *walk, const JsonItem *item)
{
	ArrayInput *input = walk->input;
	MemoryContext caller_context = MemoryContextSwitchTo(input->element_context);
	bool is_null;
	Datum value = value_input_convert_text(input->element, item->value, item->value_end, &is_null);

	MemoryContextSwitchTo(caller_context);
	array_builder_add(&walk->builder, value, is_null);
	MemoryContextReset(input->element_context);
}

static void
refuse_dimensions(void)
{
	ereport(ERROR, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION), errmsg("malformed JSON array"),
			errdetail("Multidimensional arrays must have sub-arrays with matching dimensions."));
}

/* All arrays of one depth have the length of the first of them. */
static void
note_length(ArrayWalk *walk, int dimension)
{
	if (walk->dims[dimension] == UNKNOWN_LENGTH)
		walk->dims[dimension] = walk->counts[dimension];
	else if (walk->dims[dimension] != walk->counts[dimension])
		refuse_dimensions();
}

/* The elements of an array in the given dimension, which may be arrays of the next. Not deeper
 * than MAXDIM. */
static void
take_elements(ArrayWalk *walk, int dimension, const char *json, size_t length)
{
	JsonScan scan;
	JsonItem item;

	walk->counts[dimension] = 0;
	json_scan_begin(&scan, json, length);
	while (json_scan_next(&scan, &item))
	{
		CHECK_FOR_INTERRUPTS();
		walk->counts[dimension]++;
		walk->depth = dimension + 1;
		if (dimension + 1 == walk->ndims)
			take_element(walk, &item);
		else if (*item.value == '[')
			take_elements(walk, dimension + 1, item.value, (size_t) (item.value_end - item.value));
		else
			refuse_dimensions();
	}
	walk->depth = dimension;
	note_length(walk, dimension);
}

Datum
array_input_convert(ArrayInput *input, const char *json, size_t length)
{
	ArrayWalk walk = {.input = input, .ndims = count_dimensions(input, json, length)};
	ErrorContextCallback place = {
		.previous = error_context_stack, .callback = add_element_context, .arg = &walk};

	check_stack_depth();
	for (int i = 0; i < walk.ndims; i++)
		walk.dims[i] = UNKNOWN_LENGTH;
	array_builder_begin(&walk.builder, &input->element_type);
	error_context_stack = &place;
	take_elements(&walk, 0, json, length);
	error_context_stack = place.previous;
	return PointerGetDatum(array_builder_end(&walk.builder, walk.ndims, walk.dims));
}
