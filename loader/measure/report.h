/*
 * report.h - a run as a table for people, JSON, CSV or Markdown.
 *
 * The JSON has a versioned schema, described in the README: a reader may rely on names and units of
 * one REPORT_SCHEMA_VERSION; new members may be added within it. Unknown figures are null, never 0.
 * CSV: one line per trial, RFC 4180. Every table of writes of a server that is not durable is headed
 * NOT DURABLE.
 */
#ifndef TRANSFERBENCH_REPORT_H
#define TRANSFERBENCH_REPORT_H

#include "measure/run.h"

#include <stdio.h>

#define REPORT_SCHEMA_VERSION 1

typedef enum ReportFormat
{
	REPORT_TABLE,
	REPORT_JSON,
	REPORT_CSV,
	REPORT_MARKDOWN,
} ReportFormat;

/* "table", "json", "csv", "markdown"; false: none of these. */
extern bool report_format_find(const char *name, ReportFormat *format);

/* Writes to `path`, or to standard output when it is NULL: whole or not at all (a temporary name
 * beside it, then a rename). False, with a message, on failure. */
extern bool report_write(const Run *run, ReportFormat format, const char *path);

#endif
