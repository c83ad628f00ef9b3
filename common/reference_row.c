/*
 * reference_row.c - the definition of the reference rows.
 *
 * All arithmetic is on unsigned 64-bit integers, mod 2^64; mod and div are of
 * unsigned numbers; i and seed enter as their two's complement. mix and GAMMA
 * are those of splitmix64.h. For row i of a seed:
 *
 *   stream  = mix(seed + GAMMA)
 *   row     = mix(stream + i * GAMMA)
 *   draw(c) = mix(row + c * GAMMA)
 *
 *   id          i
 *   code        draw(1), as a signed number
 *   created_at  568080000000000 + draw(2) mod 252460800000000   (microseconds)
 *   amount      draw(3) mod 200000000001 - 100000000000         (hundredths)
 *   ratio       with d = draw(4): sign * m * 2^(j - 68), where
 *               m = 2^52 + d div 2^12, j = (d div 2) mod 16, negative when d is odd;
 *               so 2^-16 <= |ratio| < 1, and at the small end four decimals keep nothing
 *   active      true when draw(5) >= 2^63
 *   label       labels[draw(6) div 2^60] below
 *   note        with d = draw(7): null when d mod 10 = 0, else 24 + (d div 10) mod 17
 *               characters; character k (from 0) is note_alphabet[a], where
 *               a = (draw(8 + k div 10) div 2^(6 * (k mod 10))) mod 64; for the first and
 *               the last character a mod 32, so that no blank stands at an end
 *
 * No value of a mod is favoured by more than 2 in 100000.
 */
#include "reference_row.h"

#include "splitmix64.h"

#define US_PER_DAY UINT64_C(86400000000)

/* days from 2000-01-01 to 2018-01-01, and from there to 2026-01-01 */
#define CREATED_AT_FIRST_DAY 6575
#define CREATED_AT_DAYS      2922

#define AMOUNT_MAX_CENTS INT64_C(100000000000)

#define LABELS                   16
#define NOTE_NULL_ONE_IN         10
#define NOTE_MIN                 24
#define NOTE_BITS_PER_CHARACTER  6
#define NOTE_CHARACTERS_PER_DRAW 10
#define NOTE_DRAWS               (REFERENCE_NOTE_MAX / NOTE_CHARACTERS_PER_DRAW)
#define NOTE_LENGTHS             (REFERENCE_NOTE_MAX - NOTE_MIN + 1)

/* numbers of the draws; note text takes NOTE_DRAWS of them, from DRAW_NOTE_TEXT on */
enum
{
	DRAW_CODE = 1,
	DRAW_CREATED_AT,
	DRAW_AMOUNT,
	DRAW_RATIO,
	DRAW_ACTIVE,
	DRAW_LABEL,
	DRAW_NOTE,
	DRAW_NOTE_TEXT,
};

typedef struct Label
{
	const char *text;
	uint8_t length; /* bytes */
} Label;

#define LABEL(text)                                                                                \
	{                                                                                              \
		text, sizeof(text) - 1                                                                     \
	}

/* each is something that a text format, a JSON writer or a CSV reader is known to spoil */
static const Label labels[LABELS] = {
	LABEL(u8""),
	LABEL(u8"standard"),
	LABEL(u8"next day"),
	LABEL(u8"12\" pipe"),
	LABEL(u8"o'clock"),
	LABEL(u8"\\N"), /* null in COPY's text format, unless escaped */
	LABEL(u8"left\tright"),
	LABEL(u8"line one\nline two"),
	LABEL(u8"carriage\rreturn"),
	LABEL(u8"na\u00efve caf\u00e9"),
	LABEL(u8"lift-off \U0001f680"), /* beyond the BMP: a surrogate pair in JSON escapes */
	LABEL(u8"\u6570\u636e\u5e93"),
	LABEL(u8"trailing blank "),
	LABEL(u8"NA"),
	LABEL(u8"null"),
	LABEL(u8"</script>"),
};

/* the first 32 hold no blank, see the definition of note */
static const char note_alphabet[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789  ";

const char *const reference_row_column_names[REFERENCE_ROW_COLUMNS] = {
	"id", "code", "created_at", "amount", "ratio", "active", "label", "note",
};

static inline uint64_t
draw(uint64_t row_state, uint64_t number)
{
	return splitmix64_mix(row_state + number * SPLITMIX64_GAMMA);
}

/* Exact: m has 53 bits, and both factors are powers of two. */
static inline double
ratio_from(uint64_t bits)
{
	uint64_t m = (UINT64_C(1) << 52) | (bits >> 12);
	double scale = (double) (1 << ((bits >> 1) & 15));
	double magnitude = (double) m * 0x1p-68 * scale;

	return (bits & 1) ? -magnitude : magnitude;
}

static inline void
note_write_draw(char *note, uint64_t bits)
{
	for (unsigned k = 0; k < NOTE_CHARACTERS_PER_DRAW; k++)
	{
		note[k] = note_alphabet[bits & 63];
		bits >>= NOTE_BITS_PER_CHARACTER;
	}
}

/* Character k again, without a blank among the choices. */
static inline void
note_write_end(char *note, unsigned k, uint64_t row_state)
{
	uint64_t bits = draw(row_state, DRAW_NOTE_TEXT + k / NOTE_CHARACTERS_PER_DRAW);

	bits >>= NOTE_BITS_PER_CHARACTER * (k % NOTE_CHARACTERS_PER_DRAW);
	note[k] = note_alphabet[bits & 31];
}

/* Writes all REFERENCE_NOTE_MAX characters whatever the length: a fixed count is faster. */
static inline void
note_fill(char *note, unsigned length, uint64_t row_state)
{
	for (unsigned d = 0; d < NOTE_DRAWS; d++)
		note_write_draw(note + d * NOTE_CHARACTERS_PER_DRAW, draw(row_state, DRAW_NOTE_TEXT + d));
	note_write_end(note, 0, row_state);
	note_write_end(note, length - 1, row_state);
	note[length] = '\0';
}

static inline void
note_make(ReferenceRow *row, uint64_t row_state)
{
	uint64_t bits = draw(row_state, DRAW_NOTE);

	row->note_is_null = bits % NOTE_NULL_ONE_IN == 0;
	if (row->note_is_null)
	{
		row->note_length = 0;
		row->note[0] = '\0';
		return;
	}
	row->note_length = (uint8_t) (NOTE_MIN + bits / NOTE_NULL_ONE_IN % NOTE_LENGTHS);
	note_fill(row->note, row->note_length, row_state);
}

void
reference_row_make(ReferenceRow *row, int64_t i, int64_t seed)
{
	uint64_t stream = splitmix64_mix((uint64_t) seed + SPLITMIX64_GAMMA);
	uint64_t row_state = splitmix64_mix(stream + (uint64_t) i * SPLITMIX64_GAMMA);
	const Label *label = &labels[draw(row_state, DRAW_LABEL) >> 60];

	row->id = i;
	row->code = (int64_t) draw(row_state, DRAW_CODE);
	row->created_at_us =
		(int64_t) (CREATED_AT_FIRST_DAY * US_PER_DAY +
				   draw(row_state, DRAW_CREATED_AT) % (CREATED_AT_DAYS * US_PER_DAY));
	row->amount_cents =
		(int64_t) (draw(row_state, DRAW_AMOUNT) % (2 * AMOUNT_MAX_CENTS + 1)) - AMOUNT_MAX_CENTS;
	row->ratio = ratio_from(draw(row_state, DRAW_RATIO));
	row->active = draw(row_state, DRAW_ACTIVE) >> 63;
	row->label = label->text;
	row->label_length = label->length;
	note_make(row, row_state);
}
