/*
 * api_confirm.c - whether the body of an answer agrees with its status: a success may be that of a
 * page to log in at, or of a handler that tells of errors in its own words.
 */
#include "http/api_dialect.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

static bool
is_html(const HttpAnswer *answer)
{
	return strcmp(answer->media_type, "text/html") == 0 ||
		   strcmp(answer->media_type, "application/xhtml+xml") == 0;
}

/* "error": null, false, "" or [] is how some say that there was none. */
static bool
is_filled(struct json_object *value)
{
	if (json_object_is_type(value, json_type_array))
		return json_object_array_length(value) > 0;
	if (json_object_is_type(value, json_type_object))
		return json_object_object_length(value) > 0;
	return json_object_get_boolean(value);
}

static bool
tells_error(struct json_object *document)
{
	static const char *const names[] = {"error", "errors"};
	struct json_object *member;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (json_object_object_get_ex(document, names[i], &member) && is_filled(member))
			return true;
	return false;
}

static bool
check_rows(const ApiDialect *dialect, struct json_object *document, int64_t rows, char *problem,
		   size_t size)
{
	struct json_object *member = NULL;
	int64_t written;

	if (document != NULL)
		json_object_object_get_ex(document, "rows", &member);
	if (!json_object_is_type(member, json_type_int))
	{
		snprintf(problem, size, "the answer does not say how many rows were written");
		return !dialect->tells_rows;
	}
	written = json_object_get_int64(member);
	snprintf(problem, size, "the endpoint says that it wrote %lld rows, %lld were sent",
			 (long long) written, (long long) rows);
	return written == rows;
}

bool
api_post_is_confirmed(const ApiDialect *dialect, const HttpAnswer *answer, const char *body,
					  int64_t rows, char *problem, size_t problem_size)
{
	struct json_object *document = json_tokener_parse(body);
	struct json_object *object = json_object_is_type(document, json_type_object) ? document : NULL;
	bool is_confirmed = false;

	if (is_html(answer))
		snprintf(
			problem, problem_size,
			"the answer is a page of HTML, which says nothing of rows (a page to log in at? see "
			"--token-file, --header)");
	else if (object != NULL && tells_error(object))
		snprintf(problem, problem_size, "the answer tells of an error");
	else
		is_confirmed = check_rows(dialect, object, rows, problem, problem_size);
	json_object_put(document);
	return is_confirmed;
}
