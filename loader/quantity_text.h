/*
 * quantity_text.h - quantities as people read them: a unit that fits, three figures that count,
 * commas between thousands.
 *
 * Each function returns its text by value, so that it can stand among the arguments of printf:
 * quantity_count(rows).text. NaN, and a negative number where none can be, is "-".
 */
#ifndef TRANSFERBENCH_QUANTITY_TEXT_H
#define TRANSFERBENCH_QUANTITY_TEXT_H

#include <stdint.h>

typedef struct QuantityText
{
	char text[32];
} QuantityText;

extern QuantityText quantity_count(int64_t count);         /* "1,000,000" */
extern QuantityText quantity_rounded(double count);        /* "12,300": three figures */
extern QuantityText quantity_ms(double ms);                /* "0.412 ms", "61.2 ms", "6.89 s" */
extern QuantityText quantity_signed_ms(double ms);         /* "+57.1 ms", "-2.10 ms", "0 ms" */
extern QuantityText quantity_bytes(double bytes);          /* "312 B", "1.09 MB": powers of 1000 */
extern QuantityText quantity_figures(double value);        /* "0.412", "6.40", "61.2", "1,230" */
extern QuantityText quantity_signed_figures(double value); /* "+6.40", "-0.412" */
extern QuantityText quantity_time_left(double seconds);    /* "0:07", "12:30", "1:02:03" */

#endif
