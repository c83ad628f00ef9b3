/*
 * request_ledger.h - which requests have been answered: by their Idempotency-Key, in a table of
 * the database that they write to, in the same transaction.
 *
 *   transferbench.request_ledger(key text PRIMARY KEY, body_sha256 bytea, rows bigint,
 *                                answered_at timestamptz)
 *
 * Made by `serve --create-ledger` and nobody else. A key whose age exceeds the time to live
 * counts as new, and is deleted sooner or later.
 */
#ifndef TRANSFERBENCH_REQUEST_LEDGER_H
#define TRANSFERBENCH_REQUEST_LEDGER_H

#include "database/database.h"
#include "serve/request_body.h"

#include <stdbool.h>
#include <stdint.h>

/* --- set-up; each says what went wrong --- */

/* Makes what is missing of it, in one transaction. */
extern bool request_ledger_create(Database *database);
/* Drops it, and its schema when nothing else is in it; one that is not there is fine. Refuses a table
 * that does not carry our comment. */
extern bool request_ledger_drop(Database *database);
/* Whether it is there and this role can use it; a warning when it only is there. False when that
 * cannot be found out. */
extern bool request_ledger_find(Database *database, bool *is_usable);

/* --- within a request's transaction; OK, INTERRUPTED, FAILED or LOST --- */

typedef struct LedgerEntry
{
	bool is_new; /* the key is now this transaction's; else: */
	unsigned char digest[REQUEST_BODY_DIGEST_SIZE];
	int64_t rows;
} LedgerEntry;

/* Inserts the key, waiting for another transaction that has done so (no longer than its
 * lock_timeout); or finds what that has left. */
extern DatabaseResult request_ledger_claim(const char *key, int64_t ttl_s, LedgerEntry *entry,
										   Database *database);
/* The statement that keeps a claimed key's answer; NULL when out of memory. The caller frees. */
extern char *request_ledger_keep_sql(const char *key,
									 const unsigned char digest[REQUEST_BODY_DIGEST_SIZE],
									 int64_t rows, Database *database);

/* --- now and then --- */

/* Deletes keys older than that, in small transactions, a bounded number of them. OK, INTERRUPTED,
 * FAILED or LOST. */
extern DatabaseResult request_ledger_sweep(int64_t ttl_s, Database *database);

#endif
