/*
 * value_bytea.h - bytes out of their hex text, \x4142, as PostgreSQL writes them with
 * bytea_output hex.
 */
#ifndef TRANSFERBENCH_VALUE_BYTEA_H
#define TRANSFERBENCH_VALUE_BYTEA_H

#include <stdbool.h>
#include <stddef.h>

/* Digits of both cases. The bytes go to `to`, which may be the text itself. False when it is not
 * hex text. */
extern bool value_bytea_decode(const char *text, size_t length, char *to, size_t *to_length);
/* The value of a hex digit, or -1. */
extern int value_hex_digit(char byte);

#endif
