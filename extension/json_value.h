/*
 * json_value.h - a JSON field in the server's terms: text in its encoding, exact
 * integers. All text is made in the current context.
 */
#ifndef TRANSFERBENCH_JSON_VALUE_H
#define TRANSFERBENCH_JSON_VALUE_H

#include "json_field.h"

/* A string of the message as the database's text; that is the string itself, not terminated, where
 * there is nothing to convert. Raises 22P05 for \u0000, and for what the encoding does not have. */
extern char *json_value_server_text(const char *utf8, size_t length, size_t *server_length);

/* The field as text for an input function, terminated: a string's characters, or else the JSON
 * as it was sent. */
extern char *json_value_text(const JsonField *field);

/* A string field as JSON text again, terminated. \u0000 is for the type to judge: json allows it. */
extern char *json_value_quoted(const JsonField *field);

extern bool json_value_is_number(const JsonField *field);

/* A number field's integer. Raises 22P02 when it has a fraction, 22003 when it is out of bounds, in
 * PostgreSQL's words, so that a message reads the same whichever way the value came. */
extern int64 json_value_integer(const JsonField *field, const char *type_name, int64 lowest,
								int64 highest);

#endif
