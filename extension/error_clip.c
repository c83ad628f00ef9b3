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
	clip(error->context);
	ReThrowError(error);
}
