#include "rows/json_check.h"
#include "json_frames.h"
#include "rows/row_reader.h"

#include <stdlib.h>

/* The only row of an array of rows is one document. */
struct JsonCheck
{
	JsonFrames *frames;
	int documents;
};

JsonCheck *
json_check_create(void)
{
	const JsonFramesOptions options = {
		.max_row_bytes = ROW_READER_MAX_ROW_BYTES,
		.shape = JSON_SHAPE_ARRAY,
	};
	JsonCheck *check = calloc(1, sizeof(JsonCheck));

	if (check == NULL)
		return NULL;
	check->frames = json_frames_create(&options);
	if (check->frames != NULL)
		return check;
	free(check);
	return NULL;
}

void
json_check_free(JsonCheck *check)
{
	if (check == NULL)
		return;
	json_frames_free(check->frames);
	free(check);
}

/* False at the first error. */
static bool
drain(JsonCheck *check)
{
	JsonFrame frame;

	do
	{
		json_frames_next(check->frames, &frame);
		check->documents += frame.kind == JSON_FRAME_ROW;
	} while (frame.kind == JSON_FRAME_ROW);
	return frame.kind == JSON_FRAME_MORE || frame.kind == JSON_FRAME_END;
}

static bool
take(JsonCheck *check, const char *text, size_t length)
{
	json_frames_feed(check->frames, text, length);
	return drain(check);
}

static bool
finish(JsonCheck *check)
{
	json_frames_finish(check->frames);
	return drain(check);
}

bool
json_check_is_document(JsonCheck *check, const char *text, size_t length, const char **why)
{
	bool is_sound;

	json_frames_reset(check->frames, JSON_SHAPE_ARRAY);
	check->documents = 0;
	is_sound =
		take(check, "[", 1) && take(check, text, length) && take(check, "]", 1) && finish(check);
	*why = !is_sound               ? json_frames_error(check->frames)->message
		   : check->documents == 0 ? "it is empty"
								   : "it is more than one value";
	return is_sound && check->documents == 1;
}
