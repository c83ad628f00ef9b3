/*
 * http_check_test.c - headers, URLs and tokens as people give them; what is refused, in which
 * words, and that no secret is among them.
 *
 * Messages go to stderr, which is a file here.
 */
#include "http/http_session.h"

#include "unit.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECRET "s3cr3t"

static char said[2000];
static size_t said_length;
static long said_before;

/* What was said since the last call. */
static const char *
take_said(void)
{
	fflush(stderr);
	fseek(stderr, said_before, SEEK_SET);
	said_length = fread(said, 1, sizeof(said) - 1, stderr);
	said[said_length] = '\0';
	said_before += (long) said_length;
	fseek(stderr, said_before, SEEK_SET);
	return said;
}

static void
expect_refusal(bool passed, const char *wanted, const char *name)
{
	const char *message = take_said();

	if (!unit_ok(!passed && strstr(message, wanted) != NULL && strstr(message, SECRET) == NULL &&
					 strchr(message, '\n') == message + strlen(message) - 1,
				 name))
		printf("# %s, and said: %s", passed ? "passed" : "refused", message);
}

static void
expect_passed(bool passed, const char *name)
{
	const char *message = take_said();

	if (!unit_ok(passed && *message == '\0', name))
		printf("# said: %s", message);
}

typedef struct Case
{
	const char *input;
	const char *wanted; /* NULL: passes */
} Case;

static void
test_headers(void)
{
	static const Case cases[] = {
		{"Accept: text/csv", NULL},
		{"X-Empty:", NULL},
		{"X-Tab:\ta\tb", NULL},
		{"X-Latin: caf\xc3\xa9", NULL},
		{"Prefer: timezone=UTC", NULL},
		{"!#$%&'*+-.^_`|~: x", NULL},
		{"", "expected \"Name: value\""},
		{SECRET, "expected \"Name: value\""},
		{": " SECRET, "expected \"Name: value\""},
		{" X: " SECRET, "expected \"Name: value\""},
		{"X : " SECRET, "expected \"Name: value\""},
		{"X(1): " SECRET, "expected \"Name: value\""},
		{"\xc3\x84: " SECRET, "expected \"Name: value\""},
		{"X;", "expected \"Name: value\""},
		{"X: a\r\nY: " SECRET, "the value of X contains a control character"},
		{"X: a\n" SECRET, "the value of X contains a control character"},
		{"Idempotency-Key: " SECRET, "Idempotency-Key is set by the program itself"},
		{"X: \x7f" SECRET, "the value of X contains a control character"},
		{"Content-Length: 5", "Content-Length is set by the program itself"},
		{"transfer-encoding: chunked", "transfer-encoding is set by the program itself"},
		{"Expect: 100-continue", "Expect is set by the program itself"},
		{"Accept-Encoding: br", "Accept-Encoding is set by the program itself"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		char name[100];
		bool passed = http_header_check("--header", cases[i].input);

		snprintf(name, sizeof(name), "header %zu: %.20s", i, cases[i].input);
		name[strcspn(name, "\r\n")] = '\0';
		if (cases[i].wanted == NULL)
			expect_passed(passed, name);
		else
			expect_refusal(passed, cases[i].wanted, name);
	}
}

static void
test_urls(void)
{
	static const Case cases[] = {
		{"http://localhost:3000", NULL},
		{"HTTPS://example.org/api", NULL},
		{"http://[::1]:8000/x?y=1#z", NULL},
		{"http://h/rows?limit={n}&offset={offset}", NULL},
		{"", "--url: the URL has no scheme"},
		{"localhost:3000", "no scheme"},
		{"u:" SECRET "@h/x", "no scheme"},
		{"//h/x", "no scheme"},
		{"file:///etc/passwd", "the scheme \"file\": expected http://"},
		{"gopher://h/x", "the scheme \"gopher\""},
		{"httpx://h/x", "the scheme \"httpx\""},
		{"averyveryverylongschemeindeed://h", "the scheme \"averyveryverylongsch\""},
		{"http://", "malformed"},
		{"http:///path", "names no host"},
		{"http://h:99999/" SECRET, "malformed"},
		{"http://h:x/" SECRET, "malformed"},
		{"http://a b/" SECRET, "malformed"},
		{"http://h/a\nb", "malformed"},
		{"http://user@h/x", "must not contain a user name or password: pass a token with "
							"--token-file"},
		{"http://user:" SECRET "@h/x", "must not contain a user name"},
		{"http://:" SECRET "@h/x", "must not contain a user name"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		char name[100];
		bool passed = http_url_check("--url", cases[i].input);

		snprintf(name, sizeof(name), "URL %zu: %.30s", i, cases[i].input);
		name[strcspn(name, "\n")] = '\0';
		if (cases[i].wanted == NULL)
			expect_passed(passed, name);
		else
			expect_refusal(passed, cases[i].wanted, name);
	}
}

static void
test_proxies(void)
{
	static const Case cases[] = {
		{"http://proxy:3128", NULL},
		{"https://proxy:3128/", NULL},
		{"socks5h://127.0.0.1:1080", NULL},
		{"SOCKS4://127.0.0.1", NULL},
		{"proxy:3128", "no scheme: expected http://"},
		{"gopher://proxy", "the scheme \"gopher\""},
		{"http:///" SECRET, "names no host"},
		{"http://user:" SECRET "@proxy:3128", "must not contain a user name"},
		{"socks5://user:" SECRET "@proxy:3128", "a proxy that asks for them is not supported"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		char name[100];
		bool passed = http_proxy_check("--proxy", cases[i].input);

		snprintf(name, sizeof(name), "proxy %zu: %.30s", i, cases[i].input);
		if (cases[i].wanted == NULL)
			expect_passed(passed, name);
		else
			expect_refusal(passed, cases[i].wanted, name);
	}
}

static void
expect_shown(const char *url, const char *wanted, const char *name)
{
	char *shown = http_url_shown(url);

	unit_equal_bytes(shown, shown == NULL ? 0 : strlen(shown), wanted, name);
	free(shown);
}

static void
test_shown_urls(void)
{
	char longer[1000] = "http://h/";
	char *shown;

	expect_shown("http://user:" SECRET "@h:3000/a/b?key=" SECRET "#" SECRET, "http://h:3000/a/b",
				 "shown: neither user, nor query, nor fragment");
	expect_shown("https://h", "https://h/", "shown: a host alone");
	expect_shown("http://[::1]:8000/x", "http://[::1]:8000/x", "shown: IPv6");
	expect_shown("http://h/caf\xc3\xa9", "http://h/caf??", "shown: printable");
	expect_shown(SECRET, "(a malformed URL)", "shown: no URL");
	expect_shown("http://u:" SECRET "@h:x/", "(a malformed URL)", "shown: a malformed one");
	memset(longer + strlen(longer), 'a', 900);
	shown = http_url_shown(longer);
	unit_equal_int(shown == NULL ? 0 : (int64_t) strlen(shown), 200,
				   "shown: not all of a long one");
	free(shown);
}

static char *
token_of(const char *path, const char *content, mode_t mode)
{
	FILE *file;

	/* the one before may be read-only */
	unlink(path);
	file = fopen(path, "w");
	if (file == NULL)
	{
		perror(path);
		exit(1);
	}
	fputs(content, file);
	fclose(file);
	chmod(path, mode);
	return http_token_from_file("--token-file", path);
}

static void
test_token_files(const char *path)
{
	char *token = token_of(path, "abc.DEF-123~+/=\nsecond line\n", 0600);
	char large[8300];

	unit_equal_bytes(token, token == NULL ? 0 : strlen(token),
					 "abc.DEF-123~+/=", "a token is the first line");
	expect_passed(token != NULL, "without a word");
	free(token);
	token = token_of(path, "abc\r\n", 0400);
	unit_equal_bytes(token, token == NULL ? 0 : strlen(token), "abc", "CRLF, and mode 0400");
	free(token);
	token = token_of(path, "abc", 0600);
	unit_equal_bytes(token, token == NULL ? 0 : strlen(token), "abc", "no line end");
	free(token);

	memset(large, 'x', sizeof(large));
	large[sizeof(large) - 1] = '\0';
	expect_refusal(token_of(path, large, 0600) != NULL, "longer than a token can be",
				   "a line too long is refused");
	large[8192] = '\0';
	token = token_of(path, large, 0600);
	unit_equal_int(token == NULL ? 0 : (int64_t) strlen(token), 8192, "the longest token");
	free(token);

	expect_refusal(token_of(path, SECRET "\n", 0644) != NULL,
				   "has mode 0644: a token file must be for its owner alone; run chmod 600",
				   "a file that others can read is refused");
	expect_refusal(token_of(path, SECRET "\n", 0620) != NULL, "has mode 0620",
				   "so is one that others can write");
	expect_refusal(token_of(path, "", 0600) != NULL, "holds no token", "an empty file");
	expect_refusal(token_of(path, "\n" SECRET "\n", 0600) != NULL, "holds no token",
				   "an empty first line");
	expect_refusal(token_of(path, "Bearer " SECRET "\n", 0600) != NULL, "without \"Bearer\"",
				   "a token with a blank");
	expect_refusal(token_of(path, SECRET "\x01\n", 0600) != NULL, "not printable ASCII",
				   "a token with a control character");
	expect_refusal(token_of(path, SECRET "\xc3\xa9\n", 0600) != NULL, "not printable ASCII",
				   "a token beyond ASCII");
	expect_refusal(http_token_from_file("--token-file", "/nowhere/token") != NULL,
				   "--token-file: could not open \"/nowhere/token\": No such file",
				   "a file that is not there");
	expect_refusal(http_token_from_file("--token-file", "/") != NULL, "\"/\" is a directory",
				   "a directory");
}

static void
test_token_environment(void)
{
	char *token;

	setenv("UNIT_TOKEN", "abc", 1);
	token = http_token_from_environment("--token-env", "UNIT_TOKEN");
	unit_equal_bytes(token, token == NULL ? 0 : strlen(token), "abc", "a token of the environment");
	free(token);
	setenv("UNIT_TOKEN", SECRET " x", 1);
	expect_refusal(http_token_from_environment("--token-env", "UNIT_TOKEN") != NULL, "has a blank",
				   "an unfit one of the environment");
	setenv("UNIT_TOKEN", "", 1);
	expect_refusal(http_token_from_environment("--token-env", "UNIT_TOKEN") != NULL,
				   "UNIT_TOKEN holds no token", "an empty one");
	unsetenv("UNIT_TOKEN");
	expect_refusal(http_token_from_environment("--token-env", "UNIT_TOKEN") != NULL,
				   "--token-env: the environment has no variable \"UNIT_TOKEN\"", "none");
}

int
main(void)
{
	char log[] = "/tmp/http_check_log.XXXXXX";
	char token[] = "/tmp/http_check_token.XXXXXX";
	int log_file = mkstemp(log);
	int token_file = mkstemp(token);

	if (log_file < 0 || token_file < 0 || freopen(log, "w+", stderr) == NULL)
		return 2;
	close(log_file);
	close(token_file);
	test_headers();
	test_urls();
	test_proxies();
	test_shown_urls();
	test_token_files(token);
	test_token_environment();
	unlink(log);
	unlink(token);
	return unit_done();
}
