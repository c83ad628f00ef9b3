#include "serve/save_problem.h"
#include "message.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 63 /* NAMEDATALEN - 1 */

static bool
fail(Exchange *exchange, int status, const char *detail)
{
	message_warning("POST /save_to_db: %s: %s", serve_status_text(status), detail);
	exchange_fail(exchange, status, detail);
	return false;
}

bool
save_problem_of_database(Exchange *exchange, const Database *database)
{
	char detail[sizeof(database->message) + 64];
	int length;

	if (*database->sqlstate == '\0' && database_is_open(database))
		return fail(exchange, SERVE_STATUS_UNSPECIFIED, database->message);
	length =
		snprintf(detail, sizeof(detail), "%s%s%.*s", database->sqlstate,
				 *database->sqlstate == '\0' ? "" : ": ", (int) database->place, database->message);
	if (database->place_row > 0)
		snprintf(detail + length, sizeof(detail) - (size_t) length, " (row %" PRId64 ")",
				 database->place_row);
	return fail(exchange,
				strcmp(database->sqlstate, SQLSTATE_LOCK_NOT_AVAILABLE) == 0
					? SERVE_STATUS_BUSY
					: SERVE_STATUS_WRITING_FAILED,
				detail);
}

bool
save_problem_unreachable(Exchange *exchange, const Database *database)
{
	message_warning("POST /save_to_db: the database cannot be reached: %s", database->message);
	exchange_fail(exchange, SERVE_STATUS_WRITING_FAILED, "the database cannot be reached");
	return false;
}

bool
save_problem_of_table(Exchange *exchange, const char *what, const char *name)
{
	char detail[400];

	snprintf(detail, sizeof(detail), "%s%s", what, name);
	return fail(exchange, SERVE_STATUS_WRITING_FAILED, detail);
}

bool
save_problem_of_row(Exchange *exchange, int status, int64_t row, const char *what)
{
	char detail[200];

	snprintf(detail, sizeof(detail), "row %" PRId64 " %s", row, what);
	exchange_fail(exchange, status, detail);
	return false;
}

bool
save_problem_of_value(Exchange *exchange, int status, int64_t row, const char *column,
					  const char *what)
{
	char detail[200];

	snprintf(detail, sizeof(detail), "%s (row %" PRId64 ", column \"%.*s\")", what, row,
			 NAME_MAX_BYTES, column);
	exchange_fail(exchange, status, detail);
	return false;
}

/* From the opening quote to behind the closing one; the text is valid. */
static const char *
skip_string(const char *p, const char *end)
{
	for (p++; p < end && *p != '"'; p++)
		p += *p == '\\';
	return p < end ? p + 1 : end;
}

/* The next key of the row's own object, from *p on; quotes included. NULL at the end. */
static const char *
next_key(const char **p, const char *end, int *depth, size_t *length)
{
	while (*p < end)
	{
		const char *at = *p;

		if (*at == '"')
		{
			*p = skip_string(at, end);
			*length = (size_t) (*p - at);
			if (*depth == 1 && (*p)[strspn(*p, " \t\r\n")] == ':')
				return at;
			continue;
		}
		*depth += *at == '{' || *at == '[';
		*depth -= *at == '}' || *at == ']';
		++*p;
	}
	return NULL;
}

/* Whether the decoder knows a key, as it stands in a row. */
static bool
is_known(JsonDecoder *decoder, JsonField *fields, const char *key, size_t length)
{
	int unknown_keys = 0;
	char *row;
	int row_length = asprintf(&row, "{%.*s:null}", (int) length, key);

	if (row_length < 0)
		return false;
	if (json_decode_row(decoder, row, (size_t) row_length, false, fields, &unknown_keys) !=
		JSON_DECODE_OK)
		unknown_keys = 1;
	free(row);
	return unknown_keys == 0;
}

bool
save_problem_of_key(Exchange *exchange, int64_t row, JsonDecoder *decoder, JsonField *fields,
					const char *text, size_t length)
{
	const char *end = text + length;
	const char *key;
	size_t key_length;
	int depth = 0;
	char detail[128], shown[SERVE_SHOWN_SIZE];

	while ((key = next_key(&text, end, &depth, &key_length)) != NULL &&
		   is_known(decoder, fields, key, key_length))
		;
	snprintf(detail, sizeof(detail), "row %" PRId64 ": there is no column \"%s\" to write to", row,
			 key == NULL ? "" : serve_show(shown, key + 1, key_length - 2));
	exchange_fail(exchange, SERVE_STATUS_INVALID_VALUE, detail);
	return false;
}
