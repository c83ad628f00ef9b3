/*
 * json_text.h - a small JSON document as one string.
 */
#ifndef TRANSFERBENCH_JSON_TEXT_H
#define TRANSFERBENCH_JSON_TEXT_H

#include "json_encode.h"

#include <stddef.h>
#include <stdio.h>

typedef struct JsonText
{
	JsonEncoder encoder; /* write with the functions of json_encode.h and these */
	FILE *stream;
	char *text;
	size_t length;
	char buffer[JSON_ENCODE_MIN_BUFFER];
} JsonText;

/* False when out of memory; then nothing is to be closed. */
extern bool json_text_open(JsonText *text);
/* The whole as a terminated string that the caller frees; NULL when out of memory. */
extern char *json_text_close(JsonText *text);

/* A key and its colon, after `before` (a bracket or a comma, or ""). */
extern void json_text_key(JsonText *text, const char *before, const char *key);
/* A terminated string; bytes that are not UTF-8 become question marks. */
extern void json_text_string(JsonText *text, const char *string);

#endif
