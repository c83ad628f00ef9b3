/*
 * read_verify.h - whether the paths deliver the same rows, by an untimed pass down each.
 */
#ifndef TRANSFERBENCH_READ_VERIFY_H
#define TRANSFERBENCH_READ_VERIFY_H

#include "read_setup.h"

typedef struct ReadVerification
{
	bool done; /* false: a pass failed, after a message */
	bool equal;
	int64_t values_changed;
	char *changed_columns; /* "ratio (12), label (3)"; NULL for none; the caller frees */
} ReadVerification;

/*
 * Reads the same rows down both paths and compares typed values. The trials of the passes are added to
 * the run as warm-ups; what makes no other values, keys left out or another scale of numerics, to its
 * notes. `first_digest` is that of the first path, made on the first call for a size and kept by the
 * caller (NULL: not yet).
 */
extern void read_verify(ReadSetup *setup, const ReadPath *first, const ReadPath *path, int64_t size,
						ValueDigest **first_digest, ReadVerification *verification);

#endif
