/*
 * write_command.h - the work of `copy` and `post`: the rows of a source down one writing path.
 */
#ifndef TRANSFERBENCH_WRITE_COMMAND_H
#define TRANSFERBENCH_WRITE_COMMAND_H

#include "measure/write_path.h"
#include "run_session.h"

/* From the connection to the report; the exit status. `name` is the command's. */
extern int write_command_run(const char *name, const WritePath *path, TransferOptions *options);

#endif
