/*
 * hex_encode.h - bytes as lower-case hex digits, as bytea_output = hex has them.
 */
#ifndef TRANSFERBENCH_HEX_ENCODE_H
#define TRANSFERBENCH_HEX_ENCODE_H

#include "json_encode.h"

/* The digits alone, without the leading \x. */
extern void hex_encode(JsonEncoder *to, const char *bytes, size_t length);

#endif
