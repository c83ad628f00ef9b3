/*
 * trial_order.h - the order in which the paths of a block are measured: drawn by a seed for the first of
 * two blocks, and reversed in the second (two paths: A B, B A), so that what drifts over time meets
 * all alike.
 */
#ifndef TRANSFERBENCH_TRIAL_ORDER_H
#define TRANSFERBENCH_TRIAL_ORDER_H

#include <stdint.h>

#define TRIAL_ORDER_MAX 16 /* paths */

typedef struct TrialOrder
{
	uint64_t state;
	int paths;
	int order[TRIAL_ORDER_MAX]; /* of the current block: indices of paths */
	int block;                  /* 1-based; 0 before the first */
} TrialOrder;

extern void trial_order_init(TrialOrder *order, int paths, uint64_t seed);
/* Fills `order` for the next block. */
extern void trial_order_next(TrialOrder *order);

#endif
