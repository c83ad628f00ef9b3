/*
 * http_conceal_test.c - what of a session's secrets is found in a stranger's words, whole or cut.
 */
#include "http/http_conceal.h"

#include "unit.h"

#define TOKEN "t0ken-of-16-char"

static const char *const headers[] = {
	"X-Api-Key: k3y-of-headers", "Authorization:  Basic YTpi", "X-Empty:",
	"X-Short: abc1234",          "X-Twice: again again",       "X-Marks: a/b\"c\\d\\\\e"};
static const HttpOptions options = {
	.token = TOKEN,
	.headers = headers,
	.header_count = sizeof(headers) / sizeof(headers[0]),
};

static void
check(const HttpOptions *given, const char *words, const char *wanted, const char *name)
{
	char text[200];

	snprintf(text, sizeof(text), "%s", words);
	http_conceal(given, text);
	unit_equal_bytes(text, strlen(text), wanted, name);
}

static void
check_cuts(void)
{
	char words[64], wanted[64], name[64];

	for (size_t length = 1; length < strlen(TOKEN); length++)
	{
		snprintf(words, sizeof(words), "it was %.*s", (int) length, TOKEN);
		strcpy(wanted, words);
		if (length >= 4)
			memset(wanted + strlen("it was "), '*', length);
		snprintf(name, sizeof(name), "%zu bytes of the token at the end", length);
		check(&options, words, wanted, name);
	}
}

int
main(void)
{
	const HttpOptions nothing = {0};

	check(&options, "", "", "no words");
	check(&options, "relation does not exist", "relation does not exist", "words of its own");
	check(&options, TOKEN, "****************", "the token alone");
	check(&options, "Bearer " TOKEN " is wrong, " TOKEN,
		  "Bearer **************** is wrong, "
		  "****************",
		  "the token twice");
	check(&options, TOKEN TOKEN, "********************************", "the token after itself");
	check(&options, "t0ken-of-16-chaR", "t0ken-of-16-chaR", "another token");
	check(&options, "key k3y-of-headers!", "key **************!", "the value of a header");
	check(&options, "Basic YTpi?", "**********?", "the value of a header, with its scheme");
	check(&options, "not YTpi here", "not **** here", "without it");
	check(&options, "abc1234", "abc1234", "what is too short for a secret");
	check(&options, "say it again, twice", "say it again, twice", "a word of another header");
	check(&options, "k3y-of", "******", "the beginning of a header's value at the end");
	check(&options, "k3y-of, he said", "k3y-of, he said", "but not in the middle");
	check(&options, "a/b\"c\\d\\\\e!", "**********!", "marks and backslashes as they are");
	check(&options, "a\\/b\\\"c\\\\d\\\\\\\\e!", "***************!", "and as JSON has them");
	check(&options, "a\\/b\\", "a\\/b\\", "too little of it at the end");
	check(&options, "a\\/b\\\"", "******", "enough of it");
	check(&options, "a\\/b\\\"c\\", "********", "cut within an escape");
	check(&nothing, TOKEN, TOKEN, "no secrets");
	check_cuts();
	return unit_done();
}
