/*
 * trial_order_test.c - the order in which paths are measured: drawn by a seed, reversed in the next
 * block, the same for the same seed.
 */
#include "measure/trial_order.h"

#include "unit.h"

#define SEEDS  600
#define BLOCKS 20

/* The order as a number of one digit per path: 021. */
static int
order_code(const TrialOrder *order)
{
	int code = 0;

	for (int i = 0; i < order->paths; i++)
		code = code * 10 + order->order[i];
	return code;
}

static bool
is_permutation(const TrialOrder *order)
{
	int seen = 0;

	for (int i = 0; i < order->paths; i++)
		if (order->order[i] >= 0 && order->order[i] < order->paths)
			seen |= 1 << order->order[i];
	return seen == (1 << order->paths) - 1;
}

static void
check_blocks(int paths)
{
	TrialOrder order;
	int before[TRIAL_ORDER_MAX];
	bool all_there = true, all_reversed = true, all_numbered = true;

	trial_order_init(&order, paths, 7);
	for (int block = 1; block <= BLOCKS; block++)
	{
		memcpy(before, order.order, sizeof(before));
		trial_order_next(&order);
		all_there &= is_permutation(&order);
		all_numbered &= order.block == block;
		for (int i = 0; block % 2 == 0 && i < paths; i++)
			all_reversed &= order.order[i] == before[paths - 1 - i];
	}
	unit_ok(all_there, "each block has each path once");
	unit_ok(all_reversed, "every second block is the one before it, reversed");
	unit_ok(all_numbered, "blocks are numbered from 1 on");
}

static void
check_seeds(void)
{
	TrialOrder one, same, other;
	bool is_equal = true, is_different = false;

	trial_order_init(&one, 5, 42);
	trial_order_init(&same, 5, 42);
	trial_order_init(&other, 5, 43);
	for (int block = 0; block < BLOCKS; block++)
	{
		trial_order_next(&one);
		trial_order_next(&same);
		trial_order_next(&other);
		is_equal &= order_code(&one) == order_code(&same);
		is_different |= order_code(&one) != order_code(&other);
	}
	unit_ok(is_equal, "the same seed, the same orders");
	unit_ok(is_different, "another seed, other orders");
}

/* Each of the six orders of three paths comes first about as often as any other. */
static void
check_draws(void)
{
	static const int codes[] = {12, 21, 102, 120, 201, 210};
	int counts[6] = {0};
	bool is_even = true;

	for (uint64_t seed = 0; seed < SEEDS; seed++)
	{
		TrialOrder order;

		trial_order_init(&order, 3, seed);
		trial_order_next(&order);
		for (int i = 0; i < 6; i++)
			counts[i] += order_code(&order) == codes[i];
	}
	for (int i = 0; i < 6; i++)
		is_even &= counts[i] > SEEDS / 6 / 2 && counts[i] < SEEDS / 6 * 2;
	unit_ok(is_even, "all orders are drawn");
}

int
main(void)
{
	check_blocks(1);
	check_blocks(2);
	check_blocks(5);
	check_blocks(TRIAL_ORDER_MAX);
	check_seeds();
	check_draws();
	return unit_done();
}
