/*
 * error_clip.c - see error_clip.h.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "utils/memutils.h"

#include "error_clip.h"

#define ELLIPSIS "..."

static void
clip(char *text)
{
	size_t length = text != NULL ? strlen(text) : 0;

	if (length > ERROR_CLIP_BYTES)
		strcpy(text + pg_mbcliplen(text, length, ERROR_CLIP_BYTES - strlen(ELLIPSIS)), ELLIPSIS);
}

/* Of a context the end counts as well: there row and column stand. */
static void
clip_middle(char *text)
{
	int length = text != NULL ? strlen(text) : 0;
	int kept = (ERROR_CLIP_BYTES - strlen(ELLIPSIS)) / 2;
	int head, tail;

	if (length <= ERROR_CLIP_BYTES)
		return;
	head = pg_mbcliplen(text, length, kept);
	tail = pg_mbcliplen(text, length, length - kept);
	memcpy(text + head, ELLIPSIS, strlen(ELLIPSIS));
	memmove(text + head + strlen(ELLIPSIS), text + tail, length - tail + 1);
}

void
error_clip_rethrow(MemoryContext context)
{
	ErrorData *error;

	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	FlushErrorState();
	clip(error->message);
	clip(error->detail);
	clip(error->detail_log);
	clip(error->hint);
	clip_middle(error->context);
	ReThrowError(error);
}
