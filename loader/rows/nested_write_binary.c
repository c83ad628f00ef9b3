#include "rows/nested_write_binary.h"
#include "rows/nested_walk.h"

static void put_renumbered(JsonEncoder *to, const NestedType *type, const char *bytes,
						   size_t length);

static void
put_word(JsonEncoder *to, uint32_t word)
{
	char bytes[4];

	store_uint32(bytes, word);
	json_encode_raw(to, bytes, sizeof(bytes));
}

static uint32_t
written_oid(const NestedMember *member)
{
	return member->written_oid != 0 ? member->written_oid : member->type_oid;
}

static void
put_field(JsonEncoder *to, const NestedMember *member, const NestedField *field)
{
	put_word(to, field->is_null ? (uint32_t) NESTED_NULL_LENGTH : (uint32_t) field->length);
	if (member->nested != NULL && !field->is_null)
		put_renumbered(to, member->nested, field->bytes, field->length);
	else
		json_encode_raw(to, field->bytes, field->length);
}

static void
put_array(JsonEncoder *to, const NestedType *type, const char *bytes, size_t length)
{
	const NestedMember *element = &type->member[0];
	NestedArray array;
	NestedField field;

	if (!nested_array_begin(&array, bytes, length))
		return;
	json_encode_raw(to, bytes, NESTED_ARRAY_HEAD - NESTED_OID_BYTES);
	put_word(to, written_oid(element));
	json_encode_raw(to, bytes + NESTED_ARRAY_HEAD,
					(size_t) (array.cursor.at - bytes) - NESTED_ARRAY_HEAD);
	while (nested_take_field(&array.cursor, &field))
		put_field(to, element, &field);
}

static void
put_composite(JsonEncoder *to, const NestedType *type, const char *bytes, size_t length)
{
	NestedCursor cursor;
	NestedField field;

	if (!nested_composite_begin(&cursor, type, bytes, length))
		return;
	json_encode_raw(to, bytes, NESTED_COMPOSITE_HEAD);
	for (int i = 0; i < type->members && nested_take_attribute(&cursor, &field); i++)
	{
		put_word(to, written_oid(&type->member[i]));
		put_field(to, &type->member[i], &field);
	}
}

/* OIDs are of one length, so the lengths stay. */
static void
put_renumbered(JsonEncoder *to, const NestedType *type, const char *bytes, size_t length)
{
	if (!type->is_renumbered)
		json_encode_raw(to, bytes, length);
	else if (type->type == COLUMN_ARRAY)
		put_array(to, type, bytes, length);
	else
		put_composite(to, type, bytes, length);
}

bool
nested_put_binary(JsonEncoder *to, const NestedType *type, const char *bytes, size_t length)
{
	if (length > INT32_MAX)
		return false;
	put_word(to, (uint32_t) length);
	put_renumbered(to, type, bytes, length);
	return true;
}
