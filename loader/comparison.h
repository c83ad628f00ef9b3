/*
 * comparison.h - the work of `compare`: sizes times paths times trials, in both directions.
 */
#ifndef TRANSFERBENCH_COMPARISON_H
#define TRANSFERBENCH_COMPARISON_H

#include "read_setup.h"
#include "serve_child.h"
#include "write_setup.h"

#define COMPARISON_MAX_PATHS 8

typedef struct Comparison
{
	RunSession *session;
	const ReadPath *read_path[COMPARISON_MAX_PATHS];
	const WritePath *write_path[COMPARISON_MAX_PATHS];
	int read_paths, write_paths; /* 0: that direction is not wanted */
	ReadSetup read;
	WriteSetup write;
	ServeChild *child; /* without which nothing can go on; NULL for none */
	bool is_broken_off;
	int failures
		[COMPARISON_MAX_PATHS]; /* in a row, of the paths of the present direction and size */
} Comparison;

/* Measures one direction at all sizes: verification, then blocks of trials in fair order; adds trials
 * and what verification told to the run. False when it was broken off. */
extern bool comparison_read(Comparison *comparison);
extern bool comparison_write(Comparison *comparison);

/* Puts the trials together into the run's rows and costs. False when out of memory. */
extern bool comparison_summarise(Comparison *comparison);

#endif
