/*
 * write_verify.h - whether the table holds what was sent: no row lost, none doubled, no value changed.
 */
#ifndef TRANSFERBENCH_WRITE_VERIFY_H
#define TRANSFERBENCH_WRITE_VERIFY_H

#include "write_setup.h"

/* Counts the rows of our own table after a trial, and compares with what was committed; settles what was
 * in doubt where the count can. Raises the exit status when rows are lost or doubled. */
extern void write_verify_count(WriteSetup *setup, Trial *trial);

typedef struct WriteVerification
{
	bool done; /* false: it could not be made, after a message */
	bool equal;
	int64_t values_changed; /* VALUES_CHANGED_UNKNOWN: the table has the rows in another order */
	char *changed_columns;  /* "ratio (12), label (3)", or without counts; NULL for none; the caller
	                         * frees */
} WriteVerification;

/*
 * Compares the digest of the first `rows` rows of the source, typed values, with that of the table. When
 * they differ, once more value by value, in the order the rows lie in the table, which is that in
 * which they came when one connection wrote them; the first that changed go to the run's notes.
 */
extern void write_verify_digest(WriteSetup *setup, const char *path_name, int64_t rows,
								WriteVerification *verification);

#endif
