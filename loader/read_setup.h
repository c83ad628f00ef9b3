/*
 * read_setup.h - what the commands that read set up: the rows that all paths deliver.
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
	RowType *comparable_type; /* arrays and composites with unknown parts are JSON, as in an API */
	char *api_order;          /* the source's order in the API's words; NULL for none */
	bool is_ordered;          /* else which rows come, and in what order, is the server's choice */
	ReadPlan plan;
} ReadSetup;

/* Examines the source: a table or a query, one of them. `url`: base of the API, NULL without one. False
 * after a message; close in any case. */
extern bool read_setup_open(ReadSetup *setup, RunSession *session, const char *table,
							const char *query, const char *url);
extern void read_setup_close(ReadSetup *setup);
/* The table to be read where none was named: what the endpoint says that it serves, else `otherwise`. */
extern const char *read_setup_table(const RunSession *session, const char *otherwise);
/* Tells which columns a verification reads otherwise than a timed trial does. */
extern void read_setup_note_comparison(ReadSetup *setup);
/* Rows that there are, counted up to `most`; -1 after a message. */
extern int64_t read_setup_count(ReadSetup *setup, int64_t most);
/* Warns when which `size` rows of `count` come is the server's choice. */
extern void read_setup_warn_order(const ReadSetup *setup, int64_t size, int64_t count);

/* One pass that hashes nothing, timed unless `number` is 0; its trial is added to the run. False when it
 * was not whole. */
extern bool read_setup_trial(ReadSetup *setup, const ReadPath *path, int64_t size, int number,
							 int block);

/* --paths: names parted by commas, of reading paths; fills [most], how many, or -1 after a message. */
extern int read_setup_paths(const char *list, const ReadPath **paths, int most);

#endif
