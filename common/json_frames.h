/*
 * json_frames.h - finds each row in a stream of JSON bytes, in bounded memory.
 *
 * A push parser that is pulled: the caller lends a piece of the body
 * (json_frames_feed), takes frames until more bytes are wanted
 * (json_frames_next), and at the end of the body says so
 * (json_frames_finish) and takes the rest. Pieces may be cut anywhere.
 *
 * Strict: every byte is checked against RFC 8259 (grammar) and RFC 3629
 * (UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF) before a
 * frame that holds it is handed out, so that a decoder sees only text that
 * passed. Beyond the RFC's grammar these are errors, since no text value, and
 * no column's name, could be made of them: an escaped surrogate without its
 * partner, \u0000 within a key that names a column (of a row, or of the object
 * that holds the columns; not of an object further down). Nesting deeper than
 * JSON_FRAMES_MAX_DEPTH is refused. One byte order mark at the very start is
 * skipped.
 *
 * Shapes of a body, told apart by its first bytes:
 *   JSON_SHAPE_ARRAY    [ row, row, ... ]                    nothing but white space after it
 *   JSON_SHAPE_LINES    row LF row LF ... (NDJSON; CR LF too; last LF optional; empty lines
 *                       are skipped); an empty body is this shape with no row
 *   JSON_SHAPE_COLUMNS  {"id": [ v, v, ... ], "x": [ ... ]}  one object that holds the columns
 * A body that begins with { is COLUMNS when the value of its first key is an
 * array, unless the caller says that this key's column takes arrays itself
 * (JsonFramesOptions.key_takes_array), else LINES. {"id":1,"x":1.5} (columns
 * of a single row, written as scalars) is thus one row of LINES: the same
 * rows. Under COLUMNS a value that is no array, be it an object, is a column
 * of one value; columns of unequal length and a key that comes twice are the
 * caller's to refuse.
 *
 * A row may be any JSON value here; that it must be an object is the
 * decoder's to say.
 *
 * Where the pieces were cut changes neither the frames nor the error.
 *
 * Memory: one row (or one key or value of a column) that a piece's end cut in
 * two, at most max_row_bytes; rows within one piece are not copied. Uses
 * malloc, never per row; json_frames_free gives all back.
 */
#ifndef TRANSFERBENCH_JSON_FRAMES_H
#define TRANSFERBENCH_JSON_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JSON_FRAMES_MAX_DEPTH 256 /* arrays and objects within one row */

typedef enum JsonShape
{
	JSON_SHAPE_UNKNOWN,
	JSON_SHAPE_ARRAY,
	JSON_SHAPE_LINES,
	JSON_SHAPE_COLUMNS,
} JsonShape;

typedef enum JsonFrameKind
{
	JSON_FRAME_MORE,   /* all bytes lent are used up: feed more, or finish */
	JSON_FRAME_ROW,    /* text: one whole row */
	JSON_FRAME_COLUMN, /* text: a column's key, quotes included; its values follow */
	JSON_FRAME_VALUE,  /* text: the column's next value */
	JSON_FRAME_END,    /* the body is over and was well formed; only after finish */
	JSON_FRAME_ERROR,  /* see json_frames_error; every later call says the same */
} JsonFrameKind;

typedef enum JsonFramesErrorKind
{
	JSON_FRAMES_OK,
	JSON_FRAMES_SYNTAX,    /* not RFC 8259 */
	JSON_FRAMES_ENCODING,  /* not UTF-8 */
	JSON_FRAMES_TRUNCATED, /* the body ended within a value, or before its array closed */
	JSON_FRAMES_SURROGATE, /* \ud800-\udfff without its partner */
	JSON_FRAMES_NUL_IN_KEY,
	JSON_FRAMES_TOO_DEEP,
	JSON_FRAMES_ROW_TOO_LONG, /* a row, a column's key or value: more than max_row_bytes */
	JSON_FRAMES_OUT_OF_MEMORY,
} JsonFramesErrorKind;

typedef struct JsonFrame
{
	JsonFrameKind kind;
	const char *text; /* lent: valid until the next call on the same JsonFrames; not terminated */
	size_t length;    /* bytes */
	int64_t offset;   /* of its first byte in the body, a byte order mark counted */
	bool has_wide_integers; /* an integer literal (no fraction, no exponent) in it is -0 or has
	                         * more than 18 digits: a decoder that reads integers into 64 bits
	                         * may not trust itself with this row */
} JsonFrame;

typedef struct JsonFramesOptions
{
	size_t max_row_bytes; /* of a row, or of a column's key or value; at least 1 */
	JsonShape shape;      /* UNKNOWN: tell by the first bytes; LINES: the body's media type said
	                           * so; others are refused by a syntax error if they do not fit */
	/* may be NULL; key: without quotes, escapes as they stand; see above */
	bool (*key_takes_array)(void *context, const char *key, size_t length);
	void *context;
} JsonFramesOptions;

typedef struct JsonFramesError
{
	JsonFramesErrorKind kind;
	int64_t offset; /* of the offending byte in the body (of a \u escape: its backslash); for
	                      * TRUNCATED the body's length, for ROW_TOO_LONG the first byte too many */
	int64_t rows;   /* frames of kind ROW (or VALUE of the current column) handed out before it */
	char message[160]; /* what was expected and found, printable ASCII, no line break:
	                      * 'expected "," or "]" after row 3, found "<"' */
} JsonFramesError;

typedef struct JsonFrames JsonFrames;

/* Returns NULL when out of memory. */
extern JsonFrames *json_frames_create(const JsonFramesOptions *options);
extern void json_frames_free(JsonFrames *frames); /* NULL is fine */
/* Back to the start of a new body; keeps the buffer. */
extern void json_frames_reset(JsonFrames *frames, JsonShape shape);

/* Lends bytes until json_frames_next returns MORE; only then may the next piece be fed. A length
 * of 0 is fine, and does not end the body. */
extern void json_frames_feed(JsonFrames *frames, const char *bytes, size_t length);
extern JsonFrameKind json_frames_next(JsonFrames *frames, JsonFrame *frame);
/* Says that no byte follows; json_frames_next then returns the last row (NDJSON without a last
 * line break), END or ERROR. */
extern void json_frames_finish(JsonFrames *frames);

extern JsonShape json_frames_shape(const JsonFrames *frames);
extern const JsonFramesError *json_frames_error(const JsonFrames *frames);

#endif
