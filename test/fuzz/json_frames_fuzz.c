/*
 * json_frames_fuzz.c - a body of JSON gives the same frames and the same error wherever it is cut;
 * what is let through is exactly what the oracle takes; no frame is longer than was allowed.
 */
#include "fuzz.h"
#include "json_frames.h"
#include "json_oracle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROOMY     (1 << 20)
#define SHORTEST  1
#define LONGEST   80
#define ROW_LEVEL (UINT32_C(1) << 1)

/* A body read once. */
typedef struct Reading
{
	JsonFrames *frames;
	const uint8_t *body;
	size_t max_row_bytes;
	FuzzLog log; /* frame by frame, its end included */
	size_t good; /* of the log: what came before the end, or the error */
	JsonFrameKind last;
} Reading;

/* Every text that is handed out is one that the oracle takes. */
static void
check_text(const Reading *reading, const JsonFrame *frame)
{
	const char *end = frame->text + frame->length;
	JsonOracleFacts facts = {0};

	fuzz_require(memcmp(reading->body + frame->offset, frame->text, frame->length) == 0,
				 "the frame at %" PRId64 " is not what stands there", frame->offset);
	fuzz_require(frame->length <= reading->max_row_bytes, "a frame of %zu bytes, %zu are allowed",
				 frame->length, reading->max_row_bytes);
	fuzz_require(json_oracle_value(frame->text, end, &facts) == end,
				 "the frame at %" PRId64 " is no JSON", frame->offset);
	fuzz_require(facts.deepest <= JSON_FRAMES_MAX_DEPTH && !facts.has_lone_surrogate,
				 "the frame at %" PRId64 " should have been refused", frame->offset);
	if (frame->kind == JSON_FRAME_COLUMN)
		fuzz_require(*frame->text == '"' && !facts.has_nul, "a key that is none");
	if (frame->kind == JSON_FRAME_ROW)
		fuzz_require((facts.nul_key_levels & ROW_LEVEL) == 0, "a key with a NUL");
	fuzz_require(frame->has_wide_integers == facts.has_wide_integers,
				 "has_wide_integers is %d at %" PRId64, frame->has_wide_integers, frame->offset);
}

/* Takes frames until a piece is used up (true), or all is over (false). */
static bool
take_frames(Reading *reading)
{
	const JsonFramesError *error = json_frames_error(reading->frames);
	JsonFrame frame;

	for (;;)
	{
		reading->good = reading->log.length;
		reading->last = json_frames_next(reading->frames, &frame);
		switch (reading->last)
		{
			case JSON_FRAME_MORE:
				return true;
			case JSON_FRAME_END:
				fuzz_log(&reading->log, "end %d", json_frames_shape(reading->frames));
				return false;
			case JSON_FRAME_ERROR:
				fuzz_log(&reading->log, "error %d at %" PRId64 " after %" PRId64 ": %s",
						 error->kind, error->offset, error->rows, error->message);
				return false;
			default:
				check_text(reading, &frame);
				fuzz_log(&reading->log, "%d at %" PRId64 ": ", frame.kind, frame.offset);
				fuzz_log_bytes(&reading->log, frame.text, frame.length);
				fuzz_log(&reading->log, "\n");
		}
	}
}

static void
read_body(Reading *reading, const uint8_t *data, size_t size, JsonShape shape, FuzzCut cut)
{
	FuzzPieces pieces;
	JsonFrame frame;
	const char *bytes;
	size_t length;
	bool more = true;

	json_frames_reset(reading->frames, shape);
	reading->body = data;
	fuzz_pieces_begin(&pieces, data, size, cut);
	while (more && fuzz_pieces_next(&pieces, &bytes, &length))
	{
		json_frames_feed(reading->frames, bytes, length);
		more = take_frames(reading);
	}
	fuzz_pieces_end(&pieces);
	if (more)
	{
		json_frames_finish(reading->frames);
		fuzz_require(!take_frames(reading), "more is wanted after the end");
	}
	fuzz_require(json_frames_next(reading->frames, &frame) == reading->last,
				 "the end does not stay the end");
}

/* Reads a body in every way that it can be cut, always with one result, which is left in
 * *reading. */
static void
read_in_all_ways(Reading *reading, const uint8_t *data, size_t size, JsonShape shape,
				 size_t max_row_bytes)
{
	JsonFramesOptions options = {.max_row_bytes = max_row_bytes, .shape = shape};

	*reading = (Reading){.frames = json_frames_create(&options), .max_row_bytes = max_row_bytes};
	read_body(reading, data, size, shape, FUZZ_WHOLE);
	for (int cut = FUZZ_BYTES; cut < FUZZ_CUTS; cut++)
	{
		Reading other = {.frames = reading->frames, .max_row_bytes = max_row_bytes};

		read_body(&other, data, size, shape, (FuzzCut) cut);
		fuzz_require_same(&other.log, &reading->log, "a body in pieces");
		fuzz_log_free(&other.log);
	}
}

static void
free_reading(Reading *reading)
{
	json_frames_free(reading->frames);
	fuzz_log_free(&reading->log);
}

/* --- what the oracle says of a whole body ---------------------------------------------------- */

typedef enum Verdict
{
	REFUSED,
	ACCEPTED,
	TOO_DEEP_TO_SAY, /* how deep a row may lie depends on where in the columns it is */
} Verdict;

static bool
is_within_limits(const JsonOracleFacts *facts, int level)
{
	return !facts->has_lone_surrogate && (facts->nul_key_levels & UINT32_C(1) << level) == 0 &&
		   facts->deepest < JSON_FRAMES_MAX_DEPTH + level;
}

static Verdict
judge_lines(const char *p, const char *end)
{
	bool may_begin = true;

	for (p = json_oracle_skip_space(p, end); p < end;)
	{
		JsonOracleFacts facts = {0};
		const char *row_end = may_begin ? json_oracle_value(p, end, &facts) : NULL;

		if (row_end == NULL || !is_within_limits(&facts, 1))
			return REFUSED;
		p = json_oracle_skip_space(row_end, end);
		may_begin = memchr(row_end, '\n', (size_t) (p - row_end)) != NULL;
	}
	return ACCEPTED;
}

/* Whether the value of the first key of the object at p is an array. */
static bool
holds_columns(const char *p, const char *end)
{
	JsonOracleFacts facts = {0};

	p = json_oracle_skip_space(p + 1, end);
	if (p == end || *p != '"')
		return false;
	p = json_oracle_value(p, end, &facts);
	if (p == NULL)
		return false;
	p = json_oracle_skip_space(p, end);
	if (p == end || *p != ':')
		return false;
	p = json_oracle_skip_space(p + 1, end);
	return p < end && *p == '[';
}

static Verdict
judge_body(const char *text, size_t length, JsonShape shape)
{
	const char *end = text + length;
	const char *p = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text;
	JsonOracleFacts facts = {0};

	p = json_oracle_skip_space(p, end);
	if (p == end)
		return shape == JSON_SHAPE_UNKNOWN || shape == JSON_SHAPE_LINES ? ACCEPTED : REFUSED;
	if (shape == JSON_SHAPE_UNKNOWN)
		shape = *p == '['                            ? JSON_SHAPE_ARRAY
				: *p == '{' && holds_columns(p, end) ? JSON_SHAPE_COLUMNS
													 : JSON_SHAPE_LINES;
	if (shape == JSON_SHAPE_LINES)
		return judge_lines(p, end);
	if (*p != (shape == JSON_SHAPE_ARRAY ? '[' : '{') ||
		!json_oracle_is_document(p, (size_t) (end - p), &facts))
		return REFUSED;
	if (shape == JSON_SHAPE_ARRAY)
		return is_within_limits(&facts, 2) ? ACCEPTED : REFUSED;
	if (facts.deepest > JSON_FRAMES_MAX_DEPTH)
		return TOO_DEEP_TO_SAY;
	return is_within_limits(&facts, 1) ? ACCEPTED : REFUSED;
}

static void
check_verdict(const Reading *reading, const uint8_t *data, size_t size, JsonShape shape)
{
	Verdict verdict = judge_body((const char *) data, size, shape);

	if (verdict != TOO_DEEP_TO_SAY)
		fuzz_require((verdict == ACCEPTED) == (reading->last == JSON_FRAME_END),
					 "shape %d: the oracle says %s, and the log ends: %.*s", shape,
					 verdict == ACCEPTED ? "valid" : "invalid",
					 (int) (reading->log.length - reading->good),
					 reading->log.bytes + reading->good);
}

/* With a limit the same frames come, as far as they come. */
static void
check_limit(const Reading *roomy, const uint8_t *data, size_t size, JsonShape shape)
{
	size_t limit = SHORTEST + fuzz_choice(data, size, LONGEST);
	Reading reading;

	read_in_all_ways(&reading, data, size, shape, limit);
	if (json_frames_error(reading.frames)->kind != JSON_FRAMES_ROW_TOO_LONG)
		fuzz_require_same(&reading.log, &roomy->log, "a limit that nothing reaches");
	else
		fuzz_require(reading.good <= roomy->good &&
						 memcmp(reading.log.bytes, roomy->log.bytes, reading.good) == 0,
					 "a limit of %zu changes the frames before it", limit);
	free_reading(&reading);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (int shape = JSON_SHAPE_UNKNOWN; shape <= JSON_SHAPE_COLUMNS; shape++)
	{
		Reading reading;

		read_in_all_ways(&reading, data, size, (JsonShape) shape, ROOMY);
		check_verdict(&reading, data, size, (JsonShape) shape);
		check_limit(&reading, data, size, (JsonShape) shape);
		free_reading(&reading);
	}
	return 0;
}
