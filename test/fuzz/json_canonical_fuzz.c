/*
 * json_canonical_fuzz.c - a canonical text is JSON by the oracle, compact, its keys in order, and
 * canonical itself; white space of the document does not matter; what is refused has a reason.
 */
#include "fuzz.h"
#include "json_canonical.h"
#include "json_oracle.h"
#include "json_scan.h"

#include <stdlib.h>
#include <string.h>

/* By length, then bytewise; of equal ones there is only one. */
static bool
is_before(const FuzzLog *key, const FuzzLog *next)
{
	if (key->length != next->length)
		return key->length < next->length;
	return key->length > 0 && memcmp(key->bytes, next->bytes, key->length) < 0;
}

static void
check_order(const char *text, size_t length)
{
	FuzzLog key = {0};
	JsonScan scan;
	JsonItem item;
	bool is_first = true;

	if (*text != '[' && *text != '{')
		return;
	json_scan_begin(&scan, text, length);
	while (json_scan_next(&scan, &item))
	{
		FuzzLog next = {0};

		check_order(item.value, (size_t) (item.value_end - item.value));
		if (item.key == NULL)
			continue;
		json_oracle_unescape(&next, item.key, item.key_end);
		fuzz_require(is_first || is_before(&key, &next), "keys out of order");
		is_first = false;
		fuzz_log_free(&key);
		key = next;
	}
	fuzz_log_free(&key);
}

static void
make(FuzzLog *to, JsonCanonical *canonical, const char *text, size_t text_length, bool *is_taken)
{
	size_t length;
	char *copy = fuzz_copy(text, text_length);
	const char *made = json_canonical_make(canonical, copy, text_length, &length);

	*is_taken = made != NULL;
	if (made != NULL)
		fuzz_log_bytes(to, made, length);
	else
		fuzz_require(!json_canonical_is_out_of_memory(canonical), "out of memory");
	free(copy);
}

/* An exponent may lead beyond the limits of numeric, or make a text too long; nothing as short as a
 * fuzzer's input does so without one. */
static bool
has_exponent(const char *text, size_t length)
{
	for (size_t i = 1; i < length; i++)
		if ((text[i] == 'e' || text[i] == 'E') && text[i - 1] >= '0' && text[i - 1] <= '9')
			return true;
	return false;
}

static void
check_canonical(JsonCanonical *canonical, const char *text, size_t length, const FuzzLog *made)
{
	FuzzLog again = {0}, compact = {0};
	JsonOracleFacts facts = {0};
	bool is_taken;

	fuzz_require(json_oracle_is_document(made->bytes, made->length, &facts), "no JSON is made");
	json_oracle_compact(&compact, made->bytes, made->bytes + made->length);
	fuzz_require_same(made, &compact, "a canonical text with white space");
	check_order(made->bytes, made->length);
	make(&again, canonical, made->bytes, made->length, &is_taken);
	fuzz_require(is_taken, "a canonical text is refused");
	fuzz_require_same(&again, made, "the canonical text of one");

	compact.length = again.length = 0;
	json_oracle_compact(&compact, text, text + length);
	make(&again, canonical, compact.bytes, compact.length, &is_taken);
	fuzz_require(is_taken, "refused without its white space");
	fuzz_require_same(&again, made, "the document without its white space");
	fuzz_log_free(&again);
	fuzz_log_free(&compact);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	JsonCanonical *canonical = json_canonical_create();
	char *text = fuzz_copy(data, size);
	JsonOracleFacts facts = {0};
	bool is_valid = json_oracle_is_document(text, size, &facts) && !facts.has_lone_surrogate &&
					!facts.has_nul && facts.deepest <= JSON_CANONICAL_MAX_DEPTH;
	FuzzLog made = {0};
	bool is_taken;

	make(&made, canonical, text, size, &is_taken);
	if (is_taken)
	{
		fuzz_require(is_valid, "taken, and no JSON that jsonb takes");
		check_canonical(canonical, text, size, &made);
	}
	else
		fuzz_require(!is_valid || has_exponent(text, size), "refused without a reason");
	fuzz_log_free(&made);
	free(text);
	json_canonical_free(canonical);
	return 0;
}
