#include "value_changes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

char *
value_changes_list(const RowType *type, const ValueLog *log)
{
	char *list = NULL;
	size_t length;
	FILE *text = open_memstream(&list, &length);

	if (text == NULL)
		return NULL;
	for (int i = 0; i < type->columns; i++)
		if (value_log_changed(log, i) > 0)
			fprintf(text, "%s%s (%" PRId64 ")", ftell(text) == 0 ? "" : ", ", type->column[i].name,
					value_log_changed(log, i));
	if (fclose(text) == 0)
		return list;
	free(list);
	return NULL;
}

void
value_changes_note(RunSession *session, const char *path_name, int64_t values_changed,
				   const char *changed_columns)
{
	const char *columns = changed_columns == NULL ? "?" : changed_columns;

	if (values_changed == VALUES_CHANGED_UNKNOWN)
		run_session_note(session, "%s: values changed, in: %s", path_name, columns);
	else
		run_session_note(session, "%s: %" PRId64 " %s changed, in: %s", path_name, values_changed,
						 values_changed == 1 ? "value" : "values", columns);
}

void
value_changes_note_first(RunSession *session, const char *path_name, int64_t size,
						 const ValueSamples *samples)
{
	char *text = value_samples_text(samples);

	if (text != NULL)
		run_session_note(session, "%s, %" PRId64 " rows, changed: %s", path_name, size, text);
	free(text);
}
