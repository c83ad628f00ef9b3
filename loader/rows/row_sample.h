/*
 * row_sample.h - a first look at a source: how long its rows are, and about how many there are.
 */
#ifndef TRANSFERBENCH_ROW_SAMPLE_H
#define TRANSFERBENCH_ROW_SAMPLE_H

#include "rows/row_source.h"

typedef struct RowSample
{
	int64_t rows;       /* of the source, by a file's size and its first rows; -1: not known */
	double value_bytes; /* mean of a row's values; 0: there was no row, or nothing but nulls */
} RowSample;

/* Reads the source from where it stands: one chunk, of a file some megabytes. ROWS or END when all went
 * well; INTERRUPTED also, after a message, when out of memory. To be rewound in any case. */
extern RowSourceResult row_sample_take(RowSource *source, RowSample *sample);

#endif
