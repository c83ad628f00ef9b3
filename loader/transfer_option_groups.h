/*
 * transfer_option_groups.h - the options of transfer_options.h as tables, a group each.
 */
#ifndef TRANSFERBENCH_TRANSFER_OPTION_GROUPS_H
#define TRANSFERBENCH_TRANSFER_OPTION_GROUPS_H

#include "transfer_options.h"

#define TRANSFER_GROUP_SPECS 24 /* of the largest group, its end too */
#define TRANSFER_ALL_GROUPS  16

/* Ends with an empty one. */
typedef struct TransferGroupSpecs
{
	OptionSpec spec[TRANSFER_GROUP_SPECS];
} TransferGroupSpecs;

/* Fills [TRANSFER_ALL_GROUPS] zeroed groups with those wanted (TransferGroup, or-ed), whose targets are
 * in `options`; how many they are. */
extern int transfer_option_groups_fill(TransferGroupSpecs *groups, int wanted,
									   TransferOptions *options);

#endif
