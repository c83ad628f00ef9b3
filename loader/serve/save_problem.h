/*
 * save_problem.h - what is said of a POST that cannot be done: the status and the detail, to the
 * client, and to the operator where it is this side's trouble.
 *
 * Each ends the exchange and returns false. No value of a row is repeated but what the
 * server's own message holds.
 */
#ifndef TRANSFERBENCH_SAVE_PROBLEM_H
#define TRANSFERBENCH_SAVE_PROBLEM_H

#include "database/database.h"
#include "json_decode.h"
#include "serve/exchange.h"

#include <stdbool.h>
#include <stdint.h>

/* What the database said last: 501 with SQLSTATE, message and row; 503 when it waited in vain for a
 * lock; 500 when it was not the database. */
extern bool save_problem_of_database(Exchange *exchange, const Database *database);
/* It cannot be reached; libpq's words name hosts and users, and are for the operator only. */
extern bool save_problem_unreachable(Exchange *exchange, const Database *database);
/* 501; `name` is put behind `what`. */
extern bool save_problem_of_table(Exchange *exchange, const char *what, const char *name);
extern bool save_problem_of_row(Exchange *exchange, int status, int64_t row, const char *what);
extern bool save_problem_of_value(Exchange *exchange, int status, int64_t row, const char *column,
								  const char *what);
/* 403 for a row with a key that is no column's: finds which, by asking the decoder for each. */
extern bool save_problem_of_key(Exchange *exchange, int64_t row, JsonDecoder *decoder,
								JsonField *fields, const char *text, size_t length);

#endif
