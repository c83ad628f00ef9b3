/*
 * value_digest_test.c - digests of typed rows are those that the extension makes.
 */
#include "rows/value_digest.h"

#include <stdlib.h>

#include "rows/value_text.h"
#include "splitmix64.h"
#include "unit.h"
#include "value_vectors.h"

static RowType *
one_column(const char *type_name)
{
	RowType *type = row_type_create(1);

	row_type_set_column(type, 0, "x", type_name, 0);
	return type;
}

static void
test_vector(const ValueVector *vector)
{
	RowType *type = one_column(vector->type_name);
	ValueDigest *digest = value_digest_create(type);
	char *text = malloc(strlen(vector->text) + 1);
	char name[VECTOR_NAME_MAX];
	Value value;

	memcpy(text, vector->text, strlen(vector->text));
	value_vector_name(vector, "is digested", name);
	unit_ok(value_from_text(type->column[0].type, text, strlen(vector->text), &value) &&
				value_digest_add(digest, &value),
			name);
	value_vector_name(vector, "digest", name);
	unit_equal_hash(value_digest_sums(digest)->digest, vector->digest, name);
	free(text);
	value_digest_free(digest);
	row_type_free(type);
}

static Value
text_value(const char *text)
{
	Value value = {.text = {text, strlen(text)}};

	return value;
}

/* The rows (1, 'a', 1.50), (2, null, 1.5), (null, '', NaN); sums from the extension. */
static void
test_rows(void)
{
	RowType *type = row_type_create(3);
	ValueDigest *digest;
	Value rows[3][3] = {{{.integer = 1}, text_value("a"), text_value("1.50")},
						{{.integer = 2}, {.is_null = true}, text_value("1.5")},
						{{.is_null = true}, text_value(""), text_value("NaN")}};
	uint64_t amount_hash;

	row_type_set_column(type, 0, "id", "bigint", 0);
	row_type_set_column(type, 1, "label", "text", 0);
	row_type_set_column(type, 2, "amount", "numeric", 0);
	digest = value_digest_create(type);
	for (int i = 2; i >= 0; i--)
		unit_ok(value_digest_add(digest, rows[i]), "a row is added");
	unit_equal_int(value_digest_sums(digest)->rows, 3, "rows are counted");
	unit_equal_hash(value_digest_sums(digest)->digest, UINT64_C(0x6fc67d7b0d904ff3),
					"three rows: digest, in any order");
	amount_hash = value_digest_last_hash(digest, 2);
	unit_equal_hash(amount_hash, row_digest_decimal(row_digest_column_seed("amount", 6), "1.5", 3),
					"the hash of the last row's amount has no scale in it");
	unit_equal_hash(
		value_digest_scale_sum(digest, 2),
		splitmix64_mix(amount_hash + 2) + splitmix64_mix(amount_hash + 1) +
			splitmix64_mix(row_digest_decimal(row_digest_column_seed("amount", 6), "NaN", 3)),
		"the sum of scales has them");
	unit_equal_hash(value_digest_scale_sum(digest, 0), 0, "other types have no scale");
	value_digest_reset(digest);
	unit_equal_int(value_digest_sums(digest)->rows, 0, "reset: no row");
	unit_equal_hash(value_digest_sums(digest)->digest, 0, "reset: no digest");
	unit_equal_hash(value_digest_sums(digest)->column_sums[1], 0, "reset: no column sum");
	unit_equal_hash(value_digest_scale_sum(digest, 2), 0, "reset: no scale");
	value_digest_free(digest);
	row_type_free(type);
}

static uint64_t
scale_sum_of(const char *numeric)
{
	RowType *type = one_column("numeric");
	ValueDigest *digest = value_digest_create(type);
	Value value = text_value(numeric);
	uint64_t sum;

	value_digest_add(digest, &value);
	sum = value_digest_scale_sum(digest, 0);
	value_digest_free(digest);
	row_type_free(type);
	return sum;
}

static void
test_scales(void)
{
	unit_ok(scale_sum_of("1.5") != scale_sum_of("1.50"), "1.5 and 1.50 differ in scale");
	unit_equal_hash(scale_sum_of("15e-1"), scale_sum_of("1.5"), "15e-1 has the scale of 1.5");
	unit_equal_hash(scale_sum_of("1e2"), scale_sum_of("100"), "1e2 has the scale of 100");
	unit_ok(scale_sum_of("100.0") != scale_sum_of("100"), "100.0 and 100 differ in scale");
}

/* Documents that jsonb would refuse, and what is left of them without white space. */
static const struct
{
	const char *type_name;
	const char *json;
	const char *compact;
} verbatim[] = {
	{"json", "{\"a\" : 1e999999}", "{\"a\":1e999999}"},
	{"json", " [ \"\\u0000\" , \" \" ] ", "[\"\\u0000\",\" \"]"},
	{"json", "\"\\ud800\"", "\"\\ud800\""},
	{"jsonb", "1e999999", "1e999999"},
	{"json", "{\"a\" :}", "{\"a\":}"}, /* no JSON at all: the server will say so */
	{"json", "", ""},
};

static void
test_verbatim(void)
{
	for (size_t i = 0; i < sizeof(verbatim) / sizeof(verbatim[0]); i++)
	{
		RowType *type = one_column(verbatim[i].type_name);
		ValueDigest *digest = value_digest_create(type);
		Value value = text_value(verbatim[i].json);

		unit_ok(value_digest_add(digest, &value), "json without a canonical form is taken");
		unit_equal_hash(value_digest_last_hash(digest, 0),
						row_digest_verbatim_json(row_digest_column_seed("x", 1),
												 verbatim[i].compact, strlen(verbatim[i].compact)),
						"json without a canonical form: as it is spelled");
		value_digest_free(digest);
		row_type_free(type);
	}
	value_digest_free(NULL);
}

int
main(void)
{
	for (size_t i = 0; i < VALUE_VECTORS; i++)
		test_vector(&value_vectors[i]);
	test_rows();
	test_scales();
	test_verbatim();
	return unit_done();
}
