/*
 * report_formats.h - the formats of a report, each onto a stream.
 *
 * False when out of memory; whether the stream took it all is for the caller to find out.
 */
#ifndef TRANSFERBENCH_REPORT_FORMATS_H
#define TRANSFERBENCH_REPORT_FORMATS_H

#include "measure/run.h"

#include <stdbool.h>
#include <stdio.h>

extern bool report_table_write(const Run *run, FILE *out);
extern bool report_json_write(const Run *run, FILE *out);
extern bool report_csv_write(const Run *run, FILE *out);
extern bool report_markdown_write(const Run *run, FILE *out);

#endif
