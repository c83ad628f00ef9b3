/*
 * media_type.h - parameters of a Content-Type (RFC 9110, section 8.3.1): type/subtype, and for each
 * parameter ; name=token or ; name="quoted". Pure; nothing is allocated.
 */
#ifndef TRANSFERBENCH_MEDIA_TYPE_H
#define TRANSFERBENCH_MEDIA_TYPE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether it has the parameter `name` with the value `wanted`, in whatever case of letters. Blanks
 * around ; and = are passed over. `value` need not be terminated. */
extern bool media_type_says(const char *value, size_t length, const char *name, const char *wanted);

#endif
