/*
 * row_reader_json_columns.h - a body of columns, {"id": [1, 2], "x": [1.5, null]}, turned into the
 * rows {"id":1,"x":1.5} and {"id":2,"x":null}, once all of it has come; for row_reader_json.c.
 *
 * Columns must be of equal length and come once. Those that the row type has not are counted
 * and not kept.
 */
#ifndef TRANSFERBENCH_ROW_READER_JSON_COLUMNS_H
#define TRANSFERBENCH_ROW_READER_JSON_COLUMNS_H

#include "rows/row_reader_internal.h"

typedef struct JsonColumns JsonColumns;

#define JSON_COLUMNS_UNKNOWN (-1)

/* Problems are made with the reader, which is lent, as are its counts. NULL when out of memory. */
extern JsonColumns *json_columns_create(RowReader *reader);
extern void json_columns_free(JsonColumns *columns); /* NULL is fine */
extern void json_columns_reset(JsonColumns *columns);

/* `key` as it came, quotes included; `column` of the row type, or UNKNOWN. */
extern bool json_columns_begin(JsonColumns *columns, const char *key, size_t length, int column);
extern bool json_columns_add(JsonColumns *columns, const char *value, size_t length,
							 bool has_wide_integers);
/* All columns have come. */
extern bool json_columns_finish(JsonColumns *columns);

/* The next row's text, lent until the next call; END after the last. */
extern RowReadResult json_columns_next(JsonColumns *columns, const char **row, size_t *length,
									   bool *has_wide_integers);

#endif
