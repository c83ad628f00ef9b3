/*
 * option_help.h - the help text of a table of options.
 */
#ifndef TRANSFERBENCH_OPTION_HELP_H
#define TRANSFERBENCH_OPTION_HELP_H

#include "option_table.h"

/* To standard output; false, with a message, when that cannot be written. */
extern bool option_help_print(const OptionTable *table);

/* Whether `spec` is the end of its group. */
extern bool option_spec_is_end(const OptionSpec *spec);

#endif
