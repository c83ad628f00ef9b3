/*
 * composite_input.c - see composite_input.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/typcache.h"

#include "column_name.h"
#include "composite_input.h"
#include "json_scan.h"

typedef struct AttributeInput
{
	const char *name; /* as the server has it, for messages; NULL for a dropped one */
	const char *utf8; /* the same as keys have it */
	size_t utf8_length;
	ValueInput *input;
	JsonItem member; /* of the object being converted; value NULL: there is none */
} AttributeInput;

struct CompositeInput
{
	TupleDesc desc;
	AttributeInput *attributes; /* [natts] */
	Datum *values;              /* [natts] */
	bool *nulls;                /* [natts] */
	ValueInputCounts *counts;
	int current; /* attribute being converted */
};

CompositeInput *
composite_input_create(Oid type, ValueInputCounts *counts)
{
	CompositeInput *input = palloc0(sizeof(CompositeInput));
	int natts;

	input->desc = lookup_rowtype_tupdesc_copy(type, -1);
	input->counts = counts;
	natts = Max(input->desc->natts, 1);
	input->attributes = palloc0(sizeof(AttributeInput) * natts);
	input->values = palloc0(sizeof(Datum) * natts);
	input->nulls = palloc0(sizeof(bool) * natts);
	for (int i = 0; i < input->desc->natts; i++)
	{
		Form_pg_attribute form = TupleDescAttr(input->desc, i);
		AttributeInput *attribute = &input->attributes[i];

		if (form->attisdropped)
			continue;
		attribute->name = NameStr(form->attname);
		attribute->utf8 = column_name_utf8(attribute->name);
		attribute->utf8_length = strlen(attribute->utf8);
		attribute->input = value_input_create(form->atttypid, form->atttypmod, counts);
	}
	return input;
}

static void
add_attribute_context(void *context)
{
	const CompositeInput *input = context;

	errcontext("attribute \"%s\"", input->attributes[input->current].name);
}

static bool
has_name(const AttributeInput *attribute, const char *key, size_t length)
{
	return attribute->utf8_length == length && attribute->name != NULL &&
		   memcmp(attribute->utf8, key, length) == 0;
}

/* `guess` is the attribute after the last one found: members mostly come in their order. */
static int
find_attribute(const CompositeInput *input, const char *key, size_t length, int guess)
{
	if (guess < input->desc->natts && has_name(&input->attributes[guess], key, length))
		return guess;
	for (int i = 0; i < input->desc->natts; i++)
	{
		if (has_name(&input->attributes[i], key, length))
			return i;
	}
	return -1;
}

/* The attribute that a member is of, or -1. */
static int
attribute_of_member(const CompositeInput *input, const JsonItem *member, int guess)
{
	size_t length = (size_t) (member->key_end - member->key);
	char *key;
	int found;

	if (memchr(member->key, '\\', length) == NULL)
		return find_attribute(input, member->key + 1, length - 2, guess);
	key = palloc(length);
	length = (size_t) (json_scan_unescape(key, member->key, member->key_end) - key);
	found = find_attribute(input, key, length, guess);
	pfree(key);
	return found;
}

static void
assign_members(CompositeInput *input, const char *json, size_t length)
{
	JsonScan scan;
	JsonItem member;
	int found = -1;

	for (int i = 0; i < input->desc->natts; i++)
		input->attributes[i].member.value = NULL;
	json_scan_begin(&scan, json, length);
	while (json_scan_next(&scan, &member))
	{
		CHECK_FOR_INTERRUPTS();
		found = attribute_of_member(input, &member, found + 1);
		if (found >= 0)
			input->attributes[found].member = member;
	}
}

static void
convert_attribute(CompositeInput *input, int number)
{
	static const JsonField missing = {.kind = JSON_FIELD_MISSING};
	AttributeInput *attribute = &input->attributes[number];
	const JsonItem *member = &attribute->member;
	Datum *value = &input->values[number];
	bool *is_null = &input->nulls[number];

	*value = (Datum) 0;
	*is_null = true;
	if (attribute->name == NULL)
		return;
	if (member->value != NULL)
	{
		*value =
			value_input_convert_text(attribute->input, member->value, member->value_end, is_null);
		return;
	}
	input->counts->missing_attributes++;
	*value = value_input_convert(attribute->input, &missing, is_null);
}

Datum
composite_input_convert(CompositeInput *input, const char *json, size_t length)
{
	ErrorContextCallback place = {
		.previous = error_context_stack, .callback = add_attribute_context, .arg = input};

	check_stack_depth();
	assign_members(input, json, length);
	error_context_stack = &place;
	for (input->current = 0; input->current < input->desc->natts; input->current++)
		convert_attribute(input, input->current);
	error_context_stack = place.previous;
	return HeapTupleGetDatum(heap_form_tuple(input->desc, input->values, input->nulls));
}
