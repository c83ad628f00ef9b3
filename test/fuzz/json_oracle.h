/*
 * json_oracle.h - a second reader of JSON, for the fuzz targets to hold json_frames and its
 * decoders against: plain recursive descent by the grammar of RFC 8259 and by the table of RFC
 * 3629, section 4, which shares no line with what it judges. Slow, and as deep as the stack.
 */
#ifndef TRANSFERBENCH_JSON_ORACLE_H
#define TRANSFERBENCH_JSON_ORACLE_H

#include "fuzz.h"
#include "json_field.h"

/* What was met on the way, whether or not it is wrong by the grammar. */
typedef struct JsonOracleFacts
{
	int deepest;             /* arrays and objects within each other */
	bool has_lone_surrogate; /* escaped, without its partner */
	bool has_nul;            /* \u0000 in any string */
	uint32_t nul_key_levels; /* bit n: \u0000 in a key of an object at nesting n (1: outermost) */
	bool has_wide_integers;  /* an integer literal of more than 18 digits, or -0 */
} JsonOracleFacts;

/* To behind the value that begins at p, or NULL where there is none. Facts are added to. */
extern const char *json_oracle_value(const char *p, const char *end, JsonOracleFacts *facts);
/* Whether the text is one value, with white space around it. */
extern bool json_oracle_is_document(const char *text, size_t length, JsonOracleFacts *facts);
extern const char *json_oracle_skip_space(const char *p, const char *end);
extern bool json_oracle_is_utf8(const char *text, size_t length);

/* The characters of a valid string, quotes included, appended as UTF-8. */
extern void json_oracle_unescape(FuzzLog *to, const char *string, const char *end);
/* A valid text without its white space. */
extern void json_oracle_compact(FuzzLog *to, const char *text, const char *end);

/* A member of an object, its key unescaped; begins as {0}, and the key is freed by the caller. */
typedef struct JsonOracleMember
{
	FuzzLog key;
	const char *value, *value_end;
} JsonOracleMember;

/* Takes the member at *p of a valid object, which is behind the brace or a comma; false at its end. */
extern bool json_oracle_next_member(const char **p, const char *end, JsonOracleMember *member);
/* The same for the elements of an array. */
extern bool json_oracle_next_element(const char **p, const char *end, const char **value,
									 const char **value_end);

#endif
