/*
 * json_check_test.c - one JSON document, and what only looks like one within another.
 */
#include "rows/json_check.h"

#include "unit.h"

static const char *const documents[] = {
	"1",
	"-0.5e3",
	"null",
	"true",
	"\"\"",
	"\"]\"",
	"[]",
	"{}",
	"[1,[2],{\"a\":\"}\"}]",
	" {\"a\" : 1}\n",
	"\"\\u0000\"",
};

static const char *const others[] = {
	"",    " ",        "1,2",         "1},{\"id\":2", "1]",  "1],[2",  "[1",
	"\"a", "{\"a\":1", "01",          "nul",          "NaN", "1 2",    "]",
	",",   "[",        "\"\\ud800\"", "\"\xff\"",     "'a'", "1]\n[2", "\"a\nb\"",
};

int
main(void)
{
	JsonCheck *check = json_check_create();
	const char *why;

	for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++)
		unit_ok(json_check_is_document(check, documents[i], strlen(documents[i]), &why),
				"a document");
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
	{
		if (!unit_ok(!json_check_is_document(check, others[i], strlen(others[i]), &why) &&
						 *why != '\0',
					 "no document"))
			printf("# '%s'\n", others[i]);
	}
	unit_ok(json_check_is_document(check, "1", 1, &why), "a document after one that was none");
	json_check_free(check);
	json_check_free(NULL);
	return unit_done();
}
