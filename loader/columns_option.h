/*
 * columns_option.h - a list of columns as a person writes it: "id bigint, x numeric(10,2)".
 */
#ifndef TRANSFERBENCH_COLUMNS_OPTION_H
#define TRANSFERBENCH_COLUMNS_OPTION_H

#include "rows/row_type.h"

/* Names as SQL reads them (folded to lower case unless in quotes), then a type up to the next comma
 * outside of parentheses. The server checks the types. NULL, with a message naming the option, when it
 * is no such list. The caller frees. */
extern RowType *columns_option_read(const char *option, const char *list);

#endif
