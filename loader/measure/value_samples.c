#include "measure/value_samples.h"
#include "json_encode.h"
#include "rows/nested_codec.h"
#include "rows/value_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_BYTES        60 /* of one value */
#define SHOWN_BEFORE_BYTES 20 /* of these, before the first difference at most */
#define PIECE_BYTES        256

typedef struct Sample
{
	int64_t row; /* from 1 */
	int column;
	uint64_t first_hash;
	char *first, *second; /* NULL: not seen */
} Sample;

struct ValueSamples
{
	const RowType *type;
	NestedCodec *nested;
	Sample sample[VALUE_SAMPLES_MAX];
	int count;
	int64_t searched; /* rows */
};

ValueSamples *
value_samples_create(const RowType *type)
{
	ValueSamples *samples = calloc(1, sizeof(ValueSamples));

	if (samples == NULL)
		return NULL;
	samples->type = type;
	samples->nested = nested_codec_create(type, 0);
	if (samples->nested != NULL)
		return samples;
	free(samples);
	return NULL;
}

void
value_samples_free(ValueSamples *samples)
{
	if (samples == NULL)
		return;
	for (int i = 0; i < samples->count; i++)
	{
		free(samples->sample[i].first);
		free(samples->sample[i].second);
	}
	nested_codec_free(samples->nested);
	free(samples);
}

static bool
write_stream(void *stream, const char *bytes, size_t length)
{
	return fwrite(bytes, 1, length, stream) == length;
}

/* A null within JSON is another value than a null of SQL, which JSON writes alike. */
static bool
is_null_of_sql(const RowColumn *column, const Value *value)
{
	return value->is_null && (column->type == COLUMN_JSON || column->type == COLUMN_JSONB);
}

/* As the server writes it: JSON may have one text for different ones. */
static void
put_nested(ValueSamples *samples, int column, const Value *value, JsonEncoder *to)
{
	size_t length;
	const char *text = nested_codec_text(samples->nested, column, value, &length);

	if (text != NULL)
		json_encode_string(to, text, length);
}

/* A value as JSON has it. NULL when out of memory. */
static char *
text_of(ValueSamples *samples, int index, const Value *value)
{
	const RowColumn *column = &samples->type->column[index];
	char piece[PIECE_BYTES];
	char *text = NULL;
	size_t length;
	FILE *stream = open_memstream(&text, &length);
	JsonEncoder encoder;
	bool written;

	if (stream == NULL)
		return NULL;
	json_encoder_init(&encoder, piece, sizeof(piece), write_stream, stream);
	if (value->is_missing)
		fputs("no such key", stream);
	else if (is_null_of_sql(column, value))
		fputs("SQL null", stream);
	else if (column->nested != NULL && !value->is_null)
		put_nested(samples, index, value, &encoder);
	else
		value_put_json(&encoder, column->type, value);
	written = json_encoder_flush(&encoder);
	if (fclose(stream) == 0 && written)
		return text;
	free(text);
	return NULL;
}

bool
value_samples_gather(ValueSamples *samples, const Value *values, const ValueLog *log,
					 const ValueDigest *digest)
{
	int columns = samples->type->columns;

	if (value_log_rows(log, true) > value_log_rows(log, false))
		return true; /* there was no such row in the first pass */
	for (int i = 0; i < columns && samples->count < VALUE_SAMPLES_MAX; i++)
	{
		uint64_t first_hash = value_log_first_hash(log, i);
		char *text;

		if (first_hash == value_digest_last_hash(digest, i))
			continue;
		text = text_of(samples, i, &values[i]);
		if (text == NULL)
			return false;
		samples->sample[samples->count++] = (Sample){.row = value_log_rows(log, true),
													 .column = i,
													 .first_hash = first_hash,
													 .second = text};
	}
	return true;
}

void
value_samples_search(ValueSamples *samples)
{
	samples->searched = 0;
}

bool
value_samples_find(ValueSamples *samples, const Value *values, const ValueDigest *digest)
{
	int64_t row = ++samples->searched;

	for (int i = 0; i < samples->count; i++)
	{
		Sample *sample = &samples->sample[i];

		/* another value than before is another row, or was changed meanwhile */
		if (sample->row != row || sample->first != NULL ||
			value_digest_last_hash(digest, sample->column) != sample->first_hash)
			continue;
		sample->first = text_of(samples, sample->column, &values[sample->column]);
		if (sample->first == NULL)
			return false;
	}
	return true;
}

int64_t
value_samples_rows_to_search(const ValueSamples *samples)
{
	/* rows came in their order */
	return samples->count == 0 ? 0 : samples->sample[samples->count - 1].row;
}

/* --- showing -------------------------------------------------------------------------------- */

static bool
is_within_character(char byte)
{
	return ((unsigned char) byte & 0xc0) == 0x80;
}

/* Where to begin, so that the first difference is seen. */
static size_t
start_of_difference(const char *a, const char *b)
{
	size_t same = 0;

	while (a[same] != '\0' && a[same] == b[same])
		same++;
	same -= same < SHOWN_BEFORE_BYTES ? same : SHOWN_BEFORE_BYTES;
	while (same > 0 && is_within_character(a[same]))
		same--;
	return same;
}

static void
put_part(FILE *to, const char *text, size_t start)
{
	const char *from = text + start;
	size_t length = strnlen(from, SHOWN_BYTES);

	while (length > 0 && is_within_character(from[length]))
		length--;
	fprintf(to, "%s%.*s%s", start > 0 ? "..." : "", (int) length, from,
			from[length] != '\0' ? "..." : "");
}

static void
put_sample(FILE *to, const RowType *type, const Sample *sample)
{
	size_t start = start_of_difference(sample->first, sample->second);

	fprintf(to, "row %" PRId64 ", %s: ", sample->row, type->column[sample->column].name);
	put_part(to, sample->first, start);
	fputs(" -> ", to);
	put_part(to, sample->second, start);
}

char *
value_samples_text(const ValueSamples *samples)
{
	char *text = NULL;
	size_t length;
	FILE *stream = open_memstream(&text, &length);

	if (stream == NULL)
		return NULL;
	for (int i = 0; i < samples->count; i++)
	{
		if (samples->sample[i].first == NULL)
			continue;
		if (ftell(stream) > 0)
			fputs("; ", stream);
		put_sample(stream, samples->type, &samples->sample[i]);
	}
	if (fclose(stream) == 0 && *text != '\0')
		return text;
	free(text);
	return NULL;
}
