/*
 * nested_type_test.c - descriptions of arrays and composites: copies, comparison, and other OIDs; and the
 * binary form under them.
 */
#include "rows/nested_write_binary.h"

#include <stdlib.h>

#include "nested_vectors.h"
#include "rows/nested_codec.h"
#include "unit.h"
#include "unit_sink.h"

static Sink sink;

static void
test_copies(void)
{
	static const char *const names[] = {"integer[]", "pair",   "pair[]",
										"deep",      "ints[]", "empty_type"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
	{
		NestedType *type = make_nested_type(names[i]);
		NestedType *copy = nested_type_copy(type);

		unit_ok(nested_type_is_same(type, copy), names[i]);
		unit_ok(copy->type == type->type && copy->delimiter == ',' &&
					copy->members == type->members,
				"a copy has what it is of");
		for (int member = 0; member < type->members; member++)
			unit_ok(copy->member[member].type_oid == type->member[member].type_oid &&
						copy->member[member].base_oid == type->member[member].base_oid &&
						(copy->member[member].name == NULL ||
						 copy->member[member].name != type->member[member].name),
					"a copy has its members, and names of its own");
		for (size_t other = 0; other < sizeof(names) / sizeof(names[0]); other++)
		{
			NestedType *another = make_nested_type(names[other]);

			unit_ok(nested_type_is_same(type, another) == (i == other),
					"types of other parts are not the same");
			nested_type_free(another);
		}
		nested_type_free(type);
		nested_type_free(copy);
	}
	nested_type_free(NULL);
}

static void
test_sameness(void)
{
	NestedType *one = make_pair_type(), *other = make_pair_type();

	other->member[0].type_oid = 1;
	unit_ok(nested_type_is_same(one, other), "OIDs do not count");
	other->member[0].type = COLUMN_INT8;
	unit_ok(!nested_type_is_same(one, other), "families do");
	other->member[0].type = COLUMN_INT4;
	other->member[0].name[0] = 'b';
	unit_ok(!nested_type_is_same(one, other), "names do");
	unit_ok(!nested_type_is_same(one, NULL) && !nested_type_is_same(NULL, one) &&
				nested_type_is_same(NULL, NULL),
			"none is the same as none");
	nested_type_free(one);
	nested_type_free(other);
}

static void
test_measures(void)
{
	NestedType *deep = make_deep_type();
	NestedType *ints = make_nested_type("ints[]");

	unit_equal_int((int64_t) nested_type_open_attributes(deep), 4 + 2, "attributes open at once");
	unit_equal_int((int64_t) nested_type_open_attributes(ints), 0, "arrays have none");
	unit_ok(nested_type_has(deep, COLUMN_NUMERIC), "a numeric within");
	unit_ok(nested_type_has(deep, COLUMN_TEXT), "a text further within");
	unit_ok(!nested_type_has(deep, COLUMN_UUID), "no uuid within");
	nested_type_free(deep);
	nested_type_free(ints);
}

/* The type of pair[] as another database has it. */
static NestedType *
make_other_pairs(void)
{
	NestedType *other = make_pairs_type();

	other->member[0].type_oid = 0x11111111;
	return other;
}

static void
test_row_types(void)
{
	RowType *type = make_nested_row_type("deep");
	RowType *copy = row_type_copy(type);

	unit_ok(row_column_is_same(&type->column[0], &copy->column[0]) &&
				copy->column[0].nested != type->column[0].nested &&
				strcmp(copy->column[0].name, "x") == 0 && copy->column[0].type_oid == OID_MOOD,
			"a copy of a row type has descriptions of its own");
	row_type_set_family(copy, 0, 1007, COLUMN_ARRAY, make_nested_type("integer[]"));
	unit_ok(!row_column_is_same(&type->column[0], &copy->column[0]),
			"set otherwise, it is another");
	row_type_set_column(copy, 0, "y", "integer", 0);
	unit_ok(copy->column[0].nested == NULL && copy->column[0].type == COLUMN_INT4,
			"a column that is set again has no description");
	unit_ok(column_type_has_binary(COLUMN_ARRAY) && column_type_has_binary(COLUMN_ENUM) &&
				column_type_is_text(COLUMN_COMPOSITE),
			"arrays, composites and enums have a binary form, and are held as text");
	row_type_free(type);
	row_type_free(copy);
}

static void
to_hex(char *hex)
{
	for (size_t i = 0; i < sink.length; i++)
		snprintf(hex + 2 * i, 3, "%02x", (unsigned) (unsigned char) sink.bytes[i]);
}

/* A value of pair[] with the OID 0x11111111 for pair, which nothing else of it has. */
static void
test_renumbered(void)
{
	RowType *type = make_nested_row_type("pair[]");
	NestedCodec *codec = nested_codec_create(type, 1000);
	NestedType *other = make_other_pairs();
	char text[] = "{\"(1,x)\",NULL}";
	char hex[256];
	Value value;

	unit_ok(nested_codec_from_text(codec, 0, text, strlen(text), &value), "a value of pair[]");
	unit_ok(nested_put_binary(sink_begin(&sink), type->column[0].nested, value.text.bytes,
							  value.text.length) &&
				sink_end(&sink),
			"as it is");
	unit_ok(sink.length == 4 + value.text.length &&
				memcmp(sink.bytes + 4, value.text.bytes, value.text.length) == 0,
			"as it is: the same bytes, behind their length");
	nested_type_renumber(type->column[0].nested, type->column[0].nested);
	unit_ok(!type->column[0].nested->is_renumbered, "the same OIDs are no others");
	nested_type_renumber(type->column[0].nested, other);
	unit_ok(type->column[0].nested->is_renumbered, "other OIDs are noted");
	unit_ok(nested_put_binary(sink_begin(&sink), type->column[0].nested, value.text.bytes,
							  value.text.length) &&
				sink_end(&sink),
			"under other OIDs");
	to_hex(hex);
	unit_equal_bytes(hex, 2 * sink.length,
					 "00000035"
					 "000000010000000111111111"
					 "0000000200000001"
					 "00000019"
					 "00000002000000170000000400000001000000190000000178"
					 "ffffffff",
					 "under other OIDs: bytes");
	unit_ok(!nested_put_binary(sink_begin(&sink), other, value.text.bytes, (size_t) 1 << 31) &&
				sink_end(&sink) && sink.length == 0,
			"a value that is too long is not begun");
	nested_type_free(other);
	nested_codec_free(codec);
	row_type_free(type);
}

/* An OID that is other only further within. */
static void
test_renumbered_within(void)
{
	NestedType *deep = make_deep_type(), *other = make_deep_type();
	NestedType *copy;

	other->member[1].nested->member[0].type_oid = 7;
	nested_type_renumber(deep, other);
	copy = nested_type_copy(deep);
	unit_ok(copy->is_renumbered && !copy->member[0].nested->is_renumbered &&
				copy->member[1].nested->is_renumbered && copy->member[1].written_oid == 0 &&
				copy->member[1].nested->member[0].written_oid == 7,
			"only what leads to another OID is written anew, in a copy too");
	nested_type_free(copy);
	nested_type_free(deep);
	nested_type_free(other);
}

int
main(void)
{
	test_copies();
	test_sameness();
	test_measures();
	test_row_types();
	test_renumbered();
	test_renumbered_within();
	return unit_done();
}
