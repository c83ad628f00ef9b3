/*
 * api_wait.h - waits until an API knows a table that was just made: PostgREST has to reload its view of
 * the schema first.
 */
#ifndef TRANSFERBENCH_API_WAIT_H
#define TRANSFERBENCH_API_WAIT_H

#include "http/api_dialect.h"

/* Asks for no row of the table until that is answered well, for at most `timeout_ms`. False fills
 * problem: with the last answer's status, or that it was interrupted. */
extern bool api_wait_for_table(HttpSession *session, const ApiDialect *dialect,
							   const ApiTarget *target, int timeout_ms, char *problem,
							   size_t problem_size);

#endif
