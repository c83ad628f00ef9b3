/* What rows take in a table and in WAL, against what a server took. */
#include "database/write_estimate.h"
#include "unit.h"

/* bytes per row of 100,000 reference rows, as measured (write_estimate.c) */
static const WriteShape reference = {.rows = 100000, .row_bytes = 86, .columns = 8};

/* From a little below what was measured to a quarter above. */
static void
near(int64_t got, int64_t measured, const char *name)
{
	if (!unit_ok(got >= measured - measured / 20 && got <= measured + measured / 4, name))
		printf("# got %" PRId64 ", measured %" PRId64 "\n", got, measured);
}

int
main(void)
{
	WriteShape shape = reference;

	near(write_estimate_table_bytes(&shape), 12107776, "reference rows: the table");
	near(write_estimate_wal_bytes(&shape), 14741312, "reference rows: WAL of INSERT");
	shape.indexes = 1;
	near(write_estimate_table_bytes(&shape), 12107776 + 2260992, "with a primary key: the table");
	near(write_estimate_wal_bytes(&shape), 21368360, "with a primary key: WAL");

	shape = (WriteShape){.rows = 100000, .row_bytes = 4, .columns = 1};
	near(write_estimate_table_bytes(&shape), 3629056, "one integer: the table");
	near(write_estimate_wal_bytes(&shape), 6418856, "one integer: WAL");
	shape = (WriteShape){.rows = 3000, .row_bytes = 1200, .columns = 1};
	near(write_estimate_table_bytes(&shape), 4096000, "rows of which six fill a page");
	shape = (WriteShape){.rows = 2000, .row_bytes = 4000, .columns = 1};
	near(write_estimate_table_bytes(&shape), 11132928 + 106496, "rows in TOAST: the table");
	near(write_estimate_wal_bytes(&shape), 8901000, "rows in TOAST: WAL");

	shape = (WriteShape){.rows = 0, .row_bytes = 86, .columns = 8, .indexes = 1};
	unit_equal_int(write_estimate_table_bytes(&shape), 0, "no rows: no table");
	unit_equal_int(write_estimate_wal_bytes(&shape), 0, "no rows: no WAL");
	shape = (WriteShape){.rows = 1, .row_bytes = 8, .columns = 1};
	unit_equal_int(write_estimate_table_bytes(&shape), 8192, "one row: one page");
	shape = (WriteShape){.rows = INT64_MAX, .row_bytes = 1e6, .columns = 1600, .indexes = 10};
	unit_equal_int(write_estimate_table_bytes(&shape), INT64_MAX, "beyond: the table");
	unit_equal_int(write_estimate_wal_bytes(&shape), INT64_MAX, "beyond: WAL");
	return unit_done();
}
