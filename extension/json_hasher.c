/*
 * json_hasher.c - see json_hasher.h.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "foreign_memory.h"
#include "json_canonical.h"
#include "json_hasher.h"
#include "json_scan.h"
#include "row_digest.h"

struct JsonHasher
{
	JsonCanonical *canonical; /* made with the first document */
	ForeignMemory *canonical_holder;
};

static void
release_canonical(void *canonical)
{
	json_canonical_free(canonical);
}

JsonHasher *
json_hasher_create(void)
{
	JsonHasher *hasher = palloc0(sizeof(JsonHasher));

	hasher->canonical_holder = foreign_memory_reserve(CurrentMemoryContext, release_canonical);
	return hasher;
}

static void
raise_out_of_memory(void)
{
	ereport(ERROR, errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory"));
}

/*
 * The canonical text, lent until the next document; NULL when it has none.
 * json_canonical recurses without looking at the stack, but not deeper than
 * JSON_CANONICAL_MAX_DEPTH, which takes 170 kB (x86-64, 250 kB without
 * optimisation): within the 512 kB that PostgreSQL keeps free beyond
 * max_stack_depth for such functions (STACK_DEPTH_SLOP).
 */
static const char *
canonical_text(JsonHasher *hasher, const char *utf8, size_t length, size_t *canonical_length)
{
	const char *text;

	check_stack_depth();
	if (hasher->canonical == NULL)
		hasher->canonical_holder->object = hasher->canonical = json_canonical_create();
	if (hasher->canonical == NULL)
		raise_out_of_memory();
	text = json_canonical_make(hasher->canonical, utf8, length, canonical_length);
	if (text == NULL && json_canonical_is_out_of_memory(hasher->canonical))
		raise_out_of_memory();
	return text;
}

/* In the current context, not terminated, but with room for that. */
static char *
verbatim_text(const char *utf8, size_t length, size_t *verbatim_length)
{
	char *text = palloc(length + 1);

	*verbatim_length = (size_t) (json_scan_compact(text, utf8, utf8 + length) - text);
	return text;
}

uint64
json_hasher_hash(JsonHasher *hasher, uint64 column_seed, const char *utf8, size_t length)
{
	size_t text_length;
	const char *text = canonical_text(hasher, utf8, length, &text_length);

	if (text != NULL)
		return row_digest_other(column_seed, text, text_length);
	text = verbatim_text(utf8, length, &text_length);
	return row_digest_verbatim_json(column_seed, text, text_length);
}

char *
json_hasher_text(JsonHasher *hasher, const char *utf8, size_t length)
{
	size_t text_length;
	const char *canonical = canonical_text(hasher, utf8, length, &text_length);
	char *verbatim;

	if (canonical != NULL)
		return pnstrdup(canonical, text_length);
	verbatim = verbatim_text(utf8, length, &text_length);
	verbatim[text_length] = '\0';
	return verbatim;
}
