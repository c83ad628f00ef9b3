/*
 * content_range.h - whether the rows that an answer says it holds are those that were asked for.
 * Pure.
 *
 * "first-last/total" or, of no rows, an asterisk for first-last; the total may be an asterisk, too.
 * No unit stands before it, as PostgREST has it; https://postgrest.org, 'Pagination and Count'.
 */
#ifndef TRANSFERBENCH_CONTENT_RANGE_H
#define TRANSFERBENCH_CONTENT_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows [offset, offset + limit) were asked for; fewer is fine. "" says nothing, and is fine. False
 * fills problem. */
extern bool content_range_check(const char *content_range, int64_t limit, int64_t offset,
								char *problem, size_t problem_size);

#endif
