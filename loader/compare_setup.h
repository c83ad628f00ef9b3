/*
 * compare_setup.h - what `compare` sets up and clears away: what is read, what is written to, and
 * the API between them.
 */
#ifndef TRANSFERBENCH_COMPARE_SETUP_H
#define TRANSFERBENCH_COMPARE_SETUP_H

#include "comparison.h"
#include "serve_child.h"

typedef struct CompareSetup
{
	RunSession session;
	Comparison comparison; /* its paths are chosen beforehand */
	WriteSetup reference;  /* the table that is read, where none was named */
	char *reference_name;
	ServeChild child;                        /* the endpoint, likewise */
	const char *source_table, *source_query; /* what is read; lent */
} CompareSetup;

/* On an open session: looks at rights, rows and sizes, then, unless --dry-run, makes the tables and
 * starts the endpoint. False after a message; to be closed in any case. */
extern bool compare_setup_open(CompareSetup *setup);
/* Leaves nothing behind; the exit status of the command whose own was `status`. */
extern int compare_setup_close(CompareSetup *setup, int status);

#endif
