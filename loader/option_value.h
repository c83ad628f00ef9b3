/*
 * option_value.h - the value of one option of a table, read into its target.
 */
#ifndef TRANSFERBENCH_OPTION_VALUE_H
#define TRANSFERBENCH_OPTION_VALUE_H

#include "option_table.h"

/* Whether the option wants a value at all. */
extern bool option_value_is_wanted(const OptionSpec *spec);
/*
 * `option` is its name as it was typed; `text` is NULL where no value is wanted. False, with a
 * message, when the value is refused.
 */
extern bool option_value_take(const OptionSpec *spec, const char *option, const char *text);

#endif
