/*
 * json_scan.h - values within JSON text that has passed json_frames: where they end, and what
 * they are. Nothing here checks the text again, allocates or fails.
 *
 * `end` is one behind the last byte of a text, which need not be terminated.
 */
#ifndef TRANSFERBENCH_JSON_SCAN_H
#define TRANSFERBENCH_JSON_SCAN_H

#include "json_field.h"

/* To behind the value that begins at p. */
extern const char *json_scan_value_end(const char *p, const char *end);

/* The characters of a string, quotes included, as UTF-8, not terminated; returns the end of what it
 * wrote, which is never longer than the string without its quotes. */
extern char *json_scan_unescape(char *to, const char *string, const char *end);

/* Takes an escape within a string, from its backslash: writes what it stands for as UTF-8, *length bytes,
 * at most 4 and never more than the escape has. Returns the end of the escape. */
extern const char *json_scan_take_escape(const char *p, char *to, size_t *length);

/* Copies JSON without its white space, not terminated; returns the end of the copy. */
extern char *json_scan_compact(char *to, const char *json, const char *end);

/*
 * Makes a field of the text of one value, [value, value_end). Its text is written to `to`, which
 * has room for as many bytes as the value and one more, and is terminated; returns the end,
 * behind the terminator.
 */
extern char *json_scan_field(JsonField *field, char *to, const char *value, const char *value_end);

/* An object's member, or an array's element, lent from the text scanned. */
typedef struct JsonItem
{
	const char *key, *key_end; /* quotes included; NULL for an element */
	const char *value, *value_end;
} JsonItem;

typedef struct JsonScan
{
	const char *at, *end;
	bool is_object;
} JsonScan;

/* Prepares to go through an array or object. */
extern void json_scan_begin(JsonScan *scan, const char *text, size_t length);
/* The next one; false when there is none left. */
extern bool json_scan_next(JsonScan *scan, JsonItem *item);

#endif
