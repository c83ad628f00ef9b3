/*
 * read_setup.h - what the commands that read set up: the rows that all paths deliver, and whether they
 * deliver the same.
 */
#ifndef TRANSFERBENCH_READ_SETUP_H
#define TRANSFERBENCH_READ_SETUP_H

#include "measure/read_trial.h"
#include "run_session.h"

typedef struct ReadSetup
{
	RunSession *session;
	QuerySource source;
	RowType *type;            /* of the rows as they are */
	RowType *comparable_type; /* arrays and composites are JSON in it, since an API has them so */
	char *api_order;          /* the source's order in the API's words; NULL for none */
	ReadPlan plan;
} ReadSetup;

/* Examines the source: a table or a query, one of them. `url`: base of the API, NULL without one. False
 * after a message; close in any case. */
extern bool read_setup_open(ReadSetup *setup, RunSession *session, const char *table,
							const char *query, const char *url);
extern void read_setup_close(ReadSetup *setup);
/* Rows that there are, counted up to `most`; -1 after a message. */
extern int64_t read_setup_count(ReadSetup *setup, int64_t most);

typedef struct ReadVerification
{
	bool done; /* false: a pass failed, after a message */
	bool equal;
	int64_t values_changed;
	char *changed_columns; /* "ratio (12), label (3)"; NULL for none; the caller frees */
} ReadVerification;

/*
 * Untimed: reads the same rows down both paths and compares typed values. The trials of the passes are
 * added to the run as warm-ups. `first_digest` is that of the first path, made on the first call for
 * a size and kept by the caller (NULL: not yet).
 */
extern void read_verify(ReadSetup *setup, const ReadPath *first, const ReadPath *path, int64_t size,
						ValueDigest **first_digest, ReadVerification *verification);
/* One pass that is timed; its trial is added to the run. False when it was not whole. */
extern bool read_setup_trial(ReadSetup *setup, const ReadPath *path, int64_t size, int number,
							 int block);

/* --paths: names parted by commas, of reading paths; fills [most], how many, or -1 after a message. */
extern int read_setup_paths(const char *list, const ReadPath **paths, int most);

#endif
