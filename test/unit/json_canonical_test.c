/*
 * json_canonical_test.c - one text for all spellings of a document; what is refused.
 */
#include "json_canonical.h"

#include <stdlib.h>

#include "unit.h"

static const struct
{
	const char *json;
	const char *wanted; /* NULL: refused */
} documents[] = {
	{"null", "null"},
	{" true ", "true"},
	{"\t\r\nfalse\n", "false"},
	{"[]", "[]"},
	{" [ ] ", "[]"},
	{"{ }", "{}"},
	{"[ 1 , [ 2 , { } ] , \"x\" ]", "[1,[2,{}],\"x\"]"},

	/* keys: by length, then bytewise; the last of equal ones */
	{"{\"b\":1,\"a\":2}", "{\"a\":2,\"b\":1}"},
	{"{\"bb\":1,\"a\":2,\"aa\":3,\"\":4,\"b\":5}", "{\"\":4,\"a\":2,\"b\":5,\"aa\":3,\"bb\":1}"},
	{"{\"a\":1,\"a\":2}", "{\"a\":2}"},
	{"{\"a\":1,\"b\":[1,2],\"a\":{\"x\":1,\"x\":2},\"b\":3,\"a\":4}", "{\"a\":4,\"b\":3}"},
	{"{\"a\":1,\"\\u0061\":2}", "{\"a\":2}"},
	{"{\"\\u00e9\":1,\"zz\":2,\"z\":3}", "{\"z\":3,\"zz\":2,\"\303\251\":1}"},
	{"{\"\\n\":1,\"ab\":2,\"\\\\\\\"\":3}", "{\"\\n\":1,\"\\\\\\\"\":3,\"ab\":2}"},
	{"{\"b\":{\"d\":1,\"c\":{\"f\":[{\"h\":1,\"g\":2}],\"e\":3}},\"a\":0}",
	 "{\"a\":0,\"b\":{\"c\":{\"e\":3,\"f\":[{\"g\":2,\"h\":1}]},\"d\":1}}"},

	/* numbers */
	{"0", "0"},
	{"-0", "0"},
	{"-0.00", "0"},
	{"0e5", "0"},
	{"0e-16383", "0"},
	{"1.50", "1.5"},
	{"15e-1", "1.5"},
	{"150E-2", "1.5"},
	{"100.00", "100"},
	{"1e2", "100"},
	{"1.5e+3", "1500"},
	{"-12.5e-3", "-0.0125"},
	{"1E-5", "0.00001"},
	{"123456789012345678901234567890.12345678901234567890",
	 "123456789012345678901234567890.1234567890123456789"},
	{"0.0010", "0.001"},
	{"0.00001e5", "1"},

	/* strings */
	{"\"\"", "\"\""},
	{"\"\\u0041\\/\\\"\\\\\\b\\f\\n\\r\\t\"", "\"A/\\\"\\\\\\b\\f\\n\\r\\t\""},
	{"\"\\u0001\\u001F\\u007f\"", "\"\\u0001\\u001f\177\""},
	{"\"\\u00e9\\u20AC\\ud83d\\ude00\"", "\"\303\251\342\202\254\360\237\230\200\""},
	{"\"\303\251\"", "\"\303\251\""},
	{"\"\\ud800\\udc00\\udbff\\udfff\"", "\"\360\220\200\200\364\217\277\277\""},

	/* what jsonb refuses */
	{"", NULL},
	{"   ", NULL},
	{"nul", NULL},
	{"nulll", NULL},
	{"True", NULL},
	{"NaN", NULL},
	{"-Infinity", NULL},
	{"1 2", NULL},
	{"[1,]", NULL},
	{"[,1]", NULL},
	{"[1 2]", NULL},
	{"[1", NULL},
	{"[1}", NULL},
	{"]", NULL},
	{"{\"a\"}", NULL},
	{"{\"a\":}", NULL},
	{"{\"a\":1,}", NULL},
	{"{,}", NULL},
	{"{a:1}", NULL},
	{"{1:1}", NULL},
	{"{\"a\":1", NULL},
	{"{\"a\":1]", NULL},
	{"{\"a\" 1}", NULL},
	{"01", NULL},
	{"+1", NULL},
	{".5", NULL},
	{"1.", NULL},
	{"1e", NULL},
	{"-", NULL},
	{"0x10", NULL},
	{"1.5.5", NULL},
	{"1e131072", NULL},
	{"1e-16384", NULL},
	{"0e-16384", NULL},
	{"1e1073741823", NULL},
	{"1e99999999999999999999", NULL},
	{"[1e131072]", NULL},
	{"[[1e131072],1]", NULL},
	{"\"", NULL},
	{"\"a", NULL},
	{"\"\\", NULL},
	{"\"\\\"", NULL},
	{"\"\\x\"", NULL},
	{"\"\\u12\"", NULL},
	{"\"\\u12g4\"", NULL},
	{"\"\\u0000\"", NULL},
	{"\"\\ud800\"", NULL},
	{"\"\\ud800x\"", NULL},
	{"\"\\ud800\\n\"", NULL},
	{"\"\\ud800\\u0041\"", NULL},
	{"\"\\udc00\"", NULL},
	{"\"a\nb\"", NULL},
	{"\"a\n\"", NULL},
	{"\"a\t\"", NULL},
	{"\"\xff\"", NULL},
	{"\"\xc3\"", NULL},
	{"'a'", NULL},
};

static void
test_document(JsonCanonical *canonical, const char *json, const char *wanted)
{
	size_t length = strlen(json), canonical_length = 0;
	char *copy = malloc(length == 0 ? 1 : length);
	const char *text;
	char name[256];

	/* not terminated, so that a sanitizer sees a byte too far */
	memcpy(copy, json, length);
	text = json_canonical_make(canonical, copy, length, &canonical_length);
	snprintf(name, sizeof(name), "%s: %s", json, wanted == NULL ? "is refused" : "is taken");
	for (char *p = name; *p != '\0'; p++)
		*p = *p == '\n' || *p == '\r' || *p == '#' ? ' ' : *p; /* a name is one line of TAP */
	unit_ok((text != NULL) == (wanted != NULL), name);
	if (text != NULL && wanted != NULL)
		unit_equal_bytes(text, canonical_length, wanted, name);
	free(copy);
}

/* All that a document is cut to is refused, and nothing is read behind it. */
static void
test_cuts(JsonCanonical *canonical)
{
	static const char json[] = "{\"a\\u00e9\":[1.5e+3,true,null,\"\\ud83d\\ude00\"],\"b\":{}}";
	int taken = 0;

	for (size_t length = 0; length < sizeof(json) - 1; length++)
	{
		char *copy = malloc(length == 0 ? 1 : length);
		size_t canonical_length;

		memcpy(copy, json, length);
		taken += json_canonical_make(canonical, copy, length, &canonical_length) != NULL;
		free(copy);
	}
	unit_equal_int(taken, 0, "a document cut anywhere is refused");
}

static void
test_depth(JsonCanonical *canonical)
{
	static char json[2 * JSON_CANONICAL_MAX_DEPTH + 2];
	size_t length;

	memset(json, '[', JSON_CANONICAL_MAX_DEPTH + 1);
	memset(json + JSON_CANONICAL_MAX_DEPTH + 1, ']', JSON_CANONICAL_MAX_DEPTH + 1);
	unit_ok(json_canonical_make(canonical, json + 1, 2 * JSON_CANONICAL_MAX_DEPTH, &length) != NULL,
			"the deepest nesting is taken");
	unit_equal_int((int64_t) length, 2 * JSON_CANONICAL_MAX_DEPTH, "and comes back whole");
	unit_ok(json_canonical_make(canonical, json, sizeof(json), &length) == NULL,
			"one level more is refused");
}

/* A few bytes that would be gigabytes. */
static void
test_growth(JsonCanonical *canonical)
{
	enum
	{
		NUMBERS = 10000,
		NUMBER_BYTES = 8
	};
	char *json = malloc(NUMBERS * NUMBER_BYTES + 2);
	size_t length;
	const char *text;

	text = json_canonical_make(canonical, "1e131071", 8, &length);
	unit_ok(text != NULL && length == 131072 && text[0] == '1' && text[131071] == '0',
			"the largest power of ten has all its digits");
	text = json_canonical_make(canonical, "-1e-16383", 9, &length);
	unit_ok(text != NULL && length == 16386 && text[16385] == '1',
			"the smallest power of ten has all its digits");
	json[0] = '[';
	for (int i = 0; i < NUMBERS; i++)
		memcpy(json + 1 + i * NUMBER_BYTES, i + 1 < NUMBERS ? "1e99999," : "1e99999]",
			   NUMBER_BYTES);
	unit_ok(json_canonical_make(canonical, json, 1 + NUMBERS * NUMBER_BYTES, &length) == NULL,
			"numbers that would fill a gigabyte are refused");
	free(json);
}

/* Many keys, in reverse, each twice. */
static void
test_many_keys(JsonCanonical *canonical)
{
	enum
	{
		KEYS = 5000,
		MEMBER_BYTES = 16
	};
	char *json = malloc(2 * KEYS * MEMBER_BYTES + 2);
	char *wanted = malloc(2 * KEYS * MEMBER_BYTES + 2);
	char *to = json, *wanted_to = wanted;
	const char *text;
	size_t length = 0;

	for (int i = 2 * KEYS - 1; i >= 0; i--)
		to += sprintf(to, "%c\"%d\":%d", to == json ? '{' : ',', 10000 + i % KEYS, i);
	*to++ = '}';
	for (int i = 0; i < KEYS; i++)
		wanted_to += sprintf(wanted_to, "%c\"%d\":%d", i == 0 ? '{' : ',', 10000 + i, i);
	strcpy(wanted_to, "}");
	text = json_canonical_make(canonical, json, (size_t) (to - json), &length);
	unit_ok(text != NULL && length == strlen(wanted) && memcmp(text, wanted, length) == 0,
			"of thousands of keys the last ones stay, in order");
	free(json);
	free(wanted);
}

int
main(void)
{
	JsonCanonical *canonical = json_canonical_create();

	for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++)
		test_document(canonical, documents[i].json, documents[i].wanted);
	test_cuts(canonical);
	test_depth(canonical);
	test_growth(canonical);
	test_many_keys(canonical);
	/* after all that was refused */
	test_document(canonical, "{\"b\":1,\"a\":2}", "{\"a\":2,\"b\":1}");
	json_canonical_free(canonical);
	json_canonical_free(NULL);
	return unit_done();
}
