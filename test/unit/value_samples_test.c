/*
 * value_samples_test.c - the first values that differ between two passes, as text.
 */
#include "measure/value_samples.h"

#include <stdlib.h>

#include "unit.h"

#define ROWS 6

typedef struct Note
{
	const char *text; /* NULL: null */
	bool is_missing;
} Note;

typedef struct SampleCase
{
	const char *name;
	Note first[ROWS], second[ROWS]; /* further rows have no text, and no null: the empty text */
	const char *shown;              /* NULL: nothing */
	int64_t rows_to_search;
} SampleCase;

static const SampleCase cases[] = {
	{"equal", {{"a", false}}, {{"a", false}}, NULL, 0},
	{"one", {{"a", false}}, {{"b", false}}, "row 1, note: \"a\" -> \"b\"", 1},
	{"a null",
	 {{"a", false}, {"b", false}},
	 {{"a", false}, {NULL, false}},
	 "row 2, note: \"b\" -> null",
	 2},
	{"a key left out is told from a null",
	 {{"a", false}, {"b", false}},
	 {{"a", false}, {NULL, true}},
	 "row 2, note: \"b\" -> no such key",
	 2},
	{"the first three of four",
	 {{"a", false}, {"b", false}, {"c", false}, {"d", false}},
	 {{"w", false}, {"x", false}, {"y", false}, {"z", false}},
	 "row 1, note: \"a\" -> \"w\"; row 2, note: \"b\" -> \"x\"; row 3, note: \"c\" -> \"y\"",
	 3},
	{"long texts are shown where they begin to differ",
	 {{"0123456789012345678901234567890123456789a0123456789012345678901234567890", false}},
	 {{"0123456789012345678901234567890123456789b0123456789012345678901234567890", false}},
	 "row 1, note: ...01234567890123456789a0123456789012345678901234567890\""
	 " -> ...01234567890123456789b0123456789012345678901234567890\"",
	 1},
	{"not within a character, at either end",
	 {{"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4-"
	   "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
	   "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4",
	   false}},
	 {{"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xb6",
	   false}},
	 "row 1, note: ...\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3"
	 "\xa4\xc3\xa4-\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
	 "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4... -> ...\xc3\xa4\xc3\xa4"
	 "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xb6\"",
	 1},
};

typedef enum Pass
{
	PASS_LOG,
	PASS_GATHER,
	PASS_FIND,
} Pass;

typedef struct Fixture
{
	RowType *type;
	ValueDigest *digest;
	ValueLog *log;
	ValueSamples *samples;
} Fixture;

static bool
take_row(Fixture *fixture, Pass pass, int64_t id, const Note *note)
{
	const char *text = note->text == NULL && !note->is_missing && id > 2 ? "" : note->text;
	Value values[2] = {
		{.integer = id},
		{.is_null = text == NULL,
		 .is_missing = note->is_missing,
		 .text = {.bytes = text, .length = text == NULL ? 0 : strlen(text)}},
	};

	if (!value_digest_add(fixture->digest, values) ||
		(pass != PASS_FIND && !value_log_take(fixture->log, fixture->digest)))
		return false;
	if (pass == PASS_GATHER)
		return value_samples_gather(fixture->samples, values, fixture->log, fixture->digest);
	return pass != PASS_FIND || value_samples_find(fixture->samples, values, fixture->digest);
}

static void
take_pass(Fixture *fixture, Pass pass, const Note notes[ROWS], int64_t first_id)
{
	bool taken = true;

	for (int i = 0; i < ROWS; i++)
		taken &= take_row(fixture, pass, first_id + i, &notes[i]);
	unit_ok(taken, "a pass is taken");
}

static void
open_fixture(Fixture *fixture)
{
	fixture->type = row_type_create(2);
	row_type_set_column(fixture->type, 0, "id", "bigint", 20);
	row_type_set_column(fixture->type, 1, "note", "text", 25);
	fixture->digest = value_digest_create(fixture->type);
	fixture->log = value_log_create(2);
	fixture->samples = value_samples_create(fixture->type);
}

static void
close_fixture(Fixture *fixture)
{
	value_samples_free(fixture->samples);
	value_log_free(fixture->log);
	value_digest_free(fixture->digest);
	row_type_free(fixture->type);
}

static void
check_text(const Fixture *fixture, const char *wanted, const char *name)
{
	char *text = value_samples_text(fixture->samples);

	if (wanted == NULL || text == NULL)
		unit_ok(text == wanted, name);
	else
		unit_equal_bytes(text, strlen(text), wanted, name);
	free(text);
}

static void
check_case(const SampleCase *given)
{
	Fixture fixture;

	open_fixture(&fixture);
	take_pass(&fixture, PASS_LOG, given->first, 1);
	unit_ok(value_log_compare(fixture.log), "the second pass begins");
	take_pass(&fixture, PASS_GATHER, given->second, 1);
	check_text(&fixture, NULL, "nothing is shown of which only one side is known");
	unit_equal_int(value_samples_rows_to_search(fixture.samples), given->rows_to_search,
				   "rows to search");
	value_samples_search(fixture.samples);
	take_pass(&fixture, PASS_FIND, given->first, 1);
	check_text(&fixture, given->shown, given->name);
	close_fixture(&fixture);
}

/* The first path has another value now than when it was logged. */
static void
check_changed_meanwhile(void)
{
	const Note first[ROWS] = {{"a", false}}, second[ROWS] = {{"b", false}},
			   later[ROWS] = {{"c", false}};
	Fixture fixture;

	open_fixture(&fixture);
	take_pass(&fixture, PASS_LOG, first, 1);
	unit_ok(value_log_compare(fixture.log), "the second pass begins");
	take_pass(&fixture, PASS_GATHER, second, 1);
	value_samples_search(fixture.samples);
	take_pass(&fixture, PASS_FIND, later, 1);
	check_text(&fixture, NULL, "a value changed meanwhile is not shown");
	close_fixture(&fixture);
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_case(&cases[i]);
	check_changed_meanwhile();
	value_samples_free(NULL);
	return unit_done();
}
