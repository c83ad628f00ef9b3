/*
 * value_money.h - money and its text under lc_monetary C: -$1,234.56.
 */
#ifndef TRANSFERBENCH_VALUE_MONEY_H
#define TRANSFERBENCH_VALUE_MONEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VALUE_MONEY_TEXT_MAX 32

/* $, commas and up to two digits after the point may be left out. */
extern bool value_money_parse(const char *text, size_t length, int64_t *cents);
/* Writes up to VALUE_MONEY_TEXT_MAX bytes; returns how many. */
extern size_t value_money_print(int64_t cents, char *buffer);

#endif
