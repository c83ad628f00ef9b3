/*
 * reference_row.h - the deterministic rows that both programs can make.
 *
 * Row i of seed s is the same on every machine, in every release: integer
 * arithmetic mod 2^64 and scaling by powers of two only. The definition is
 * in reference_row.c, pinned by test/unit/reference_row_test.c.
 */
#ifndef TRANSFERBENCH_REFERENCE_ROW_H
#define TRANSFERBENCH_REFERENCE_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REFERENCE_ROW_COLUMNS  8
#define REFERENCE_NOTE_MAX     40 /* bytes, no terminator counted */
#define REFERENCE_AMOUNT_SCALE 2  /* decimal digits after the point: numeric(12,2) */

/* Names in table order: id, code, created_at, amount, ratio, active, label, note. */
extern const char *const reference_row_column_names[REFERENCE_ROW_COLUMNS];

typedef struct ReferenceRow
{
	int64_t id;            /* i itself: 1..n */
	int64_t code;          /* spread over all 64 bits */
	int64_t created_at_us; /* microseconds since 2000-01-01 00:00:00 UTC, PostgreSQL's epoch;
	                        * from 2018-01-01 on, before 2026-01-01 */
	int64_t amount_cents;  /* hundredths, within +-10^11 (fits numeric(12,2)) */
	double ratio;          /* finite, not zero; 53 significant bits */
	bool active;
	bool note_is_null;    /* in one row of ten */
	uint8_t note_length;  /* bytes, 24..REFERENCE_NOTE_MAX; 0 when null */
	uint8_t label_length; /* bytes */
	const char *label;    /* UTF-8, static storage, terminated; one of few; '' among them */
	char note[REFERENCE_NOTE_MAX + 1]; /* ASCII, terminated */
} ReferenceRow;

/*
 * Makes row i (1-based; any int64 is defined) of a seed in *row. Allocates
 * nothing, cannot fail.
 */
extern void reference_row_make(ReferenceRow *row, int64_t i, int64_t seed);

#endif
