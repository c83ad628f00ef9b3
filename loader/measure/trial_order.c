#include "measure/trial_order.h"
#include "splitmix64.h"

void
trial_order_init(TrialOrder *order, int paths, uint64_t seed)
{
	*order = (TrialOrder){.state = seed, .paths = paths};
	for (int i = 0; i < paths; i++)
		order->order[i] = i;
}

static void
swap(TrialOrder *order, int one, int other)
{
	int kept = order->order[one];

	order->order[one] = order->order[other];
	order->order[other] = kept;
}

void
trial_order_next(TrialOrder *order)
{
	if (order->block++ % 2 == 1)
	{
		for (int i = 0; i < order->paths / 2; i++)
			swap(order, i, order->paths - 1 - i);
		return;
	}
	/* Fisher and Yates; the bias of a modulus of so few in 2^64 is nothing */
	for (int i = order->paths - 1; i > 0; i--)
	{
		order->state += SPLITMIX64_GAMMA;
		swap(order, i, (int) (splitmix64_mix(order->state) % ((uint64_t) i + 1)));
	}
}
