/*
 * value_difference.c - see value_difference.h.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/json.h"

#include "value_difference.h"

#define SHOWN_BYTES        60 /* of one value */
#define SHOWN_BEFORE_BYTES 20 /* of these, before the first difference at most */

/* --- where --------------------------------------------------------------------------- */

/* The first member whose hashes differ, or -1. */
static int
first_differing_member(const HashedValue *a, const HashedValue *b)
{
	ValueMembers ours, theirs;

	if (a->is_null || b->is_null)
		return -1;
	ours = value_hasher_members(a->hasher, a->value);
	theirs = value_hasher_members(b->hasher, b->value);
	if (ours.hashes == NULL || theirs.hashes == NULL || ours.shape != theirs.shape)
		return -1;
	for (int i = 0; i < ours.count; i++)
	{
		if (ours.hashes[i] != theirs.hashes[i])
			return i;
	}
	return -1;
}

/* Goes over to a member; returns its place. */
static const char *
descend(HashedValue *value, int number)
{
	ValueMember member = value_hasher_member(value->hasher, value->value, number);

	*value =
		(HashedValue){.hasher = member.hasher, .value = member.value, .is_null = member.is_null};
	return member.place;
}

/* --- what ---------------------------------------------------------------------------- */

static char *
shown_text(const HashedValue *value)
{
	StringInfoData quoted;
	char *text;

	if (value->is_null)
		return "null";
	text = value_hasher_text(value->hasher, value->value);
	if (value_hasher_is_number(value->hasher))
		return text;
	initStringInfo(&quoted);
	escape_json(&quoted, text);
	return quoted.data;
}

/* Where two texts begin to differ, with a few characters before it, between characters. */
static int
first_difference(const char *a, const char *b)
{
	int same = 0;

	while (a[same] != '\0' && a[same] == b[same])
		same++;
	return pg_mbcliplen(a, same, Max(same - SHOWN_BEFORE_BYTES, 0));
}

static char *
cut(const char *text, int start)
{
	const char *from = text + start;
	int length = pg_mbcliplen(from, strlen(from), SHOWN_BYTES);

	return psprintf("%s%.*s%s", start > 0 ? "..." : "", length, from,
					from[length] != '\0' ? "..." : "");
}

ValueDifference
value_difference_show(const HashedValue *a, const HashedValue *b)
{
	HashedValue ours = *a, theirs = *b;
	StringInfoData place;
	const char *our_text, *their_text;
	int start, number;

	initStringInfo(&place);
	while ((number = first_differing_member(&ours, &theirs)) >= 0)
	{
		appendStringInfoString(&place, descend(&ours, number));
		(void) descend(&theirs, number);
	}
	our_text = shown_text(&ours);
	their_text = shown_text(&theirs);
	start = first_difference(our_text, their_text);
	return (ValueDifference){.place = place.data,
							 .texts = {cut(our_text, start), cut(their_text, start)}};
}
