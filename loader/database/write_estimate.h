/*
 * write_estimate.h - how many bytes rows will take in a table, and in the write-ahead log.
 *
 * Rather too much than too little: whether rows come by COPY or by INSERT is not asked, and the
 * latter logs more.
 */
#ifndef TRANSFERBENCH_WRITE_ESTIMATE_H
#define TRANSFERBENCH_WRITE_ESTIMATE_H

#include <stdint.h>

typedef struct WriteShape
{
	int64_t rows;
	double row_bytes; /* mean length of a row's values, in binary form */
	int columns;
	int indexes; /* each on one column of 8 bytes or so */
} WriteShape;

/* The main and TOAST data and the indexes; INT64_MAX when beyond. */
extern int64_t write_estimate_table_bytes(const WriteShape *shape);
/* Without images of whole pages, which appended pages do not need. */
extern int64_t write_estimate_wal_bytes(const WriteShape *shape);

#endif
