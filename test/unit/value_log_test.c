/*
 * value_log_test.c - which values of two passes differ, row by row, over more rows than are held.
 */
#include "measure/value_log.h"

#include "unit.h"

#define MANY_ROWS 10001 /* more than two buffers of 4096 rows, and a part */

typedef struct Pass
{
	int64_t rows;
	int64_t changed_every; /* the text of each such row; 0: none */
	int64_t null_at;       /* the number of this row is null; 0: none */
} Pass;

static RowType *
make_type(void)
{
	RowType *type = row_type_create(2);

	row_type_set_column(type, 0, "id", "bigint", 20);
	row_type_set_column(type, 1, "note", "text", 25);
	return type;
}

static bool
take_pass(ValueLog *log, ValueDigest *digest, const Pass *pass)
{
	bool taken = true;

	for (int64_t row = 1; row <= pass->rows; row++)
	{
		bool is_changed = pass->changed_every > 0 && row % pass->changed_every == 0;
		Value values[2] = {
			{.is_null = row == pass->null_at, .integer = row},
			{.text = {.bytes = is_changed ? "other" : "text", .length = is_changed ? 5 : 4}},
		};

		taken &= value_digest_add(digest, values) && value_log_take(log, digest);
	}
	return taken;
}

typedef struct PassCase
{
	const char *name;
	Pass first, second;
	int64_t ids, notes; /* that differ */
} PassCase;

static const PassCase cases[] = {
	{"equal", {.rows = 10}, {.rows = 10}, 0, 0},
	{"no rows", {0}, {0}, 0, 0},
	{"one text", {.rows = 3}, {.rows = 3, .changed_every = 2}, 0, 1},
	{"a null", {.rows = 3}, {.rows = 3, .null_at = 3}, 1, 0},
	{"the same null", {.rows = 3, .null_at = 2}, {.rows = 3, .null_at = 2}, 0, 0},
	{"more than a buffer",
	 {.rows = MANY_ROWS},
	 {.rows = MANY_ROWS, .changed_every = 1000, .null_at = MANY_ROWS},
	 1,
	 10},
	{"just a buffer", {.rows = 4096}, {.rows = 4096, .changed_every = 4096}, 0, 1},
	{"rows beyond the first pass's",
	 {.rows = 4096},
	 {.rows = MANY_ROWS, .changed_every = 1},
	 0,
	 4096},
	{"fewer rows", {.rows = MANY_ROWS}, {.rows = 5}, 0, 0},
};

static void
check_passes(const PassCase *given)
{
	RowType *type = make_type();
	ValueDigest *digest = value_digest_create(type);
	ValueLog *log = value_log_create(2);

	printf("# %s\n", given->name);
	unit_ok(take_pass(log, digest, &given->first), "the first pass is taken");
	unit_ok(value_log_compare(log), "the second one begins");
	unit_ok(take_pass(log, digest, &given->second), "the second pass is taken");
	unit_equal_int(value_log_changed(log, 0), given->ids, "numbers that differ");
	unit_equal_int(value_log_changed(log, 1), given->notes, "texts that differ");
	unit_equal_int(value_log_changed_values(log), given->ids + given->notes, "values that differ");
	unit_equal_int(value_log_rows(log, false), given->first.rows, "rows of the first pass");
	unit_equal_int(value_log_rows(log, true), given->second.rows, "rows of the second pass");
	value_log_free(log);
	value_digest_free(digest);
	row_type_free(type);
}

/* A third pass is compared with the first, as if there had been no second. */
static void
check_again(void)
{
	const Pass same = {.rows = 5000}, changed = {.rows = 5000, .changed_every = 10};
	RowType *type = make_type();
	ValueDigest *digest = value_digest_create(type);
	ValueLog *log = value_log_create(2);

	unit_ok(take_pass(log, digest, &same) && value_log_compare(log) &&
				take_pass(log, digest, &changed) && value_log_compare(log) &&
				take_pass(log, digest, &same),
			"three passes are taken");
	unit_equal_int(value_log_changed_values(log), 0, "the third is compared with the first");
	unit_equal_int(value_log_rows(log, true), 5000, "its rows are counted anew");
	value_log_free(log);
	value_digest_free(digest);
	row_type_free(type);
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_passes(&cases[i]);
	check_again();
	value_log_free(NULL);
	return unit_done();
}
