/*
 * column_spool.h - holds a column-oriented response until its rows can be
 * put together: the values of each column, as JSON text, in the order they came.
 *
 * The first max_buffered_bytes stay in memory, the rest goes to temporary
 * files, one per column, so temp_file_limit and log_temp_files apply.
 */
#ifndef TRANSFERBENCH_COLUMN_SPOOL_H
#define TRANSFERBENCH_COLUMN_SPOOL_H

#include "access/htup_details.h"
#include "lib/stringinfo.h"

typedef struct ColumnSpool ColumnSpool;

/* Columns that are kept; no row type has more. */
#define COLUMN_SPOOL_MAX_COLUMNS MaxTupleAttributeNumber

/* Lives in the current context; files belong to the current resource owner. */
extern ColumnSpool *column_spool_create(int max_buffered_bytes);
extern void column_spool_free(ColumnSpool *spool);

/*
 * Writing: a column by its key (JSON text, quotes included), then its values. Of a
 * column that is not kept the values are only counted. Raises 22032, naming two
 * columns, when the column before is of another length than the first; 54000
 * for too many columns to keep.
 */
extern void column_spool_begin_column(ColumnSpool *spool, const char *key, size_t length,
									  bool keep);
extern void column_spool_add(ColumnSpool *spool, const char *value, size_t length,
							 bool has_wide_integers);

/* Values of the column that is being written; 0 before the first. */
extern int64 column_spool_column_rows(const ColumnSpool *spool);

/* Ends the writing, with the check of begin_column. Returns the number of rows. */
extern int64 column_spool_finish(ColumnSpool *spool);

/* Columns that are kept. */
extern int column_spool_columns(const ColumnSpool *spool);

/* The next row as the JSON object {key: value, ...}; call at most once per row. */
extern void column_spool_next_row(ColumnSpool *spool, StringInfo row, bool *has_wide_integers);

/* Bytes that went to temporary files, lengths included. */
extern int64 column_spool_spilled_bytes(const ColumnSpool *spool);

#endif
