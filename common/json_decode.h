/*
 * json_decode.h - one row of JSON text into fields by column.
 *
 * The row is parsed by json-c into a document and its members are handed out
 * by column (json_field.h). (json-c clamps wide integers and turns -0 into 0;
 * JsonFrame.has_wide_integers tells that a row may hold such, and they are then
 * read from the row's text.) The text must have passed json_frames. What fields
 * lend is valid until the next call on the same decoder.
 *
 * Other keys than the columns' are ignored and counted; of a key that comes
 * twice the last one counts, as in PostgreSQL's jsonb. No locale matters.
 */
#ifndef TRANSFERBENCH_JSON_DECODE_H
#define TRANSFERBENCH_JSON_DECODE_H

#include <stdbool.h>
#include <stddef.h>

#include "json_field.h"

typedef enum JsonDecodeResult
{
	JSON_DECODE_OK,
	JSON_DECODE_NOT_AN_OBJECT,
	JSON_DECODE_OUT_OF_MEMORY,
	JSON_DECODE_INTERRUPTED, /* the caller's own question said so; the row is lost */
	JSON_DECODE_REJECTED, /* json-c refused text that json_frames let through: a bug, see message */
} JsonDecodeResult;

typedef struct JsonDecoder JsonDecoder;

/* `names` (terminated UTF-8, [columns], distinct) are copied; an empty name never matches (dropped
 * column). NULL when out of memory. */
extern JsonDecoder *json_decoder_create(const char *const *names, int columns);
extern void json_decoder_free(JsonDecoder *decoder); /* NULL is fine */

/* Asked now and then during a long row: whether to give up on it. May not jump out. */
extern void json_decoder_set_interrupted(JsonDecoder *decoder, bool (*interrupted)(void));

/*
 * Decodes one row into fields[columns]. `unknown_keys` counts keys that are no column's.
 * Reuses its buffers; json-c itself allocates its document and frees it on the next call.
 */
extern JsonDecodeResult json_decode_row(JsonDecoder *decoder, const char *text, size_t length,
										bool has_wide_integers, JsonField *fields,
										int *unknown_keys);
/* json-c's words for JSON_DECODE_REJECTED, lent. */
extern const char *json_decoder_message(const JsonDecoder *decoder);

#endif
