/*
 * option_text_fuzz.c - short texts that a person, a client or the kernel writes: counts and sizes of
 * options, the lists of --order-by and --columns, a parameter of GET /load_from_db, a line of
 * /proc/PID/stat. The first byte of the input says which.
 */
#include "columns_option.h"
#include "database/order_by.h"
#include "fuzz.h"
#include "http/postgrest_order.h"
#include "measure/process_stat.h"
#include "options.h"
#include "serve/serve_request.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- numbers --------------------------------------------------------------------------------- */

/* The same by floating point: exact enough to tell a wrong power. */
static void
check_number(const char *text, bool is_bytes)
{
	static const char letters[] = "kMGT";
	size_t digits = strspn(text, "0123456789");
	char unit = text[digits] == 'K' ? 'k' : text[digits];
	const char *letter = unit == '\0' ? NULL : strchr(letters, unit);
	int64_t value = -1;
	long double wanted;
	bool is_taken = is_bytes ? option_bytes("--x", text, 0, INT64_MAX, &value)
							 : option_count("--x", text, 0, INT64_MAX, &value);

	if (!is_taken)
		return;
	fuzz_require(digits > 0 && value >= 0, "%s: %lld", text, (long long) value);
	wanted = strtold(text, NULL); /* reads 1e6 as well */
	if (letter != NULL)
		wanted *= powl(text[digits + 1] == 'i' ? 1024 : 1000, (long double) (letter - letters + 1));
	fuzz_require(fabsl(wanted - (long double) value) <= fabsl(wanted) * 1e-15L, "%s: %lld", text,
				 (long long) value);
}

/* --- --order-by ------------------------------------------------------------------------------ */

/* Written out again, with every name quoted, it is the same list. */
static void
put_item(FuzzLog *to, const OrderByItem *item)
{
	static const char *const nulls[] = {" NULLS FIRST", "", " NULLS LAST"};

	fuzz_log(to, "\"");
	for (const char *byte = item->name; *byte != '\0'; byte++)
		fuzz_log(to, *byte == '"' ? "\"\"" : "%c", *byte);
	fuzz_log(to, "\"%s%s", item->descending ? " DESC" : "", nulls[item->nulls + 1]);
}

static bool
read_list(const char *text, FuzzLog *to)
{
	const char *start = text;

	for (;;)
	{
		OrderByItem item;
		bool is_taken = order_by_next(&text, &item);

		fuzz_require(text >= start && text <= start + strlen(start), "outside of the text");
		if (is_taken)
			put_item(to, &item);
		free(item.name);
		if (!is_taken || *text == '\0')
			return is_taken;
		fuzz_log(to, ", ");
	}
}

static void
check_order_by(const char *text)
{
	FuzzLog written = {0}, again = {0};
	char *order = postgrest_order(text);
	bool is_taken = read_list(text, &written);

	fuzz_require((order != NULL) == (is_taken || *text == '\0'), "PostgREST's order of %s", text);
	free(order);
	if (is_taken)
	{
		char *copy = fuzz_text(written.bytes, written.length);

		fuzz_require(read_list(copy, &again), "refused once it is written out: %s", copy);
		fuzz_require_same(&again, &written, "the list of --order-by");
		free(copy);
	}
	fuzz_log_free(&written);
	fuzz_log_free(&again);
}

/* --- --columns ------------------------------------------------------------------------------- */

static void
put_columns(FuzzLog *to, const RowType *type)
{
	for (int i = 0; i < type->columns; i++)
	{
		fuzz_log(to, i > 0 ? ", \"" : "\"");
		for (const char *byte = type->column[i].name; *byte != '\0'; byte++)
			fuzz_log(to, *byte == '"' ? "\"\"" : "%c", *byte);
		fuzz_log(to, "\" %s", type->column[i].type_name);
	}
}

/* Outside of quotes there is nothing in a type's name that could end a statement. */
static void
check_type_name(const char *name)
{
	bool is_quoted = false;

	for (; *name != '\0'; name++)
	{
		is_quoted ^= *name == '"';
		fuzz_require(is_quoted || strchr(";'-/*\\$\n", *name) == NULL, "%s as a type", name);
	}
	fuzz_require(!is_quoted, "a quote without its partner");
}

static void
check_columns(const char *text)
{
	RowType *type = columns_option_read("--columns", text);
	FuzzLog written = {0}, again = {0};
	RowType *same;
	char *copy;

	if (type == NULL)
		return;
	for (int i = 0; i < type->columns; i++)
		check_type_name(type->column[i].type_name);
	put_columns(&written, type);
	copy = fuzz_text(written.bytes, written.length);
	same = columns_option_read("--columns", copy);
	fuzz_require(same != NULL, "refused once it is written out: %s", copy);
	put_columns(&again, same);
	fuzz_require_same(&again, &written, "the list of --columns");
	free(copy);
	row_type_free(same);
	row_type_free(type);
	fuzz_log_free(&written);
	fuzz_log_free(&again);
}

/* --- a parameter ----------------------------------------------------------------------------- */

/* name=value, each in a block of its own. */
static void
check_parameter(const uint8_t *data, size_t size)
{
	const uint8_t *equals = size > 0 ? memchr(data, '=', size) : NULL;
	size_t key_length = equals == NULL ? size : (size_t) (equals - data);
	size_t value_length = equals == NULL ? 0 : size - key_length - 1;
	char *key = fuzz_copy(data, key_length);
	char *value = equals == NULL ? NULL : fuzz_copy(equals + 1, value_length);
	ServeRequest request;
	ServeRequestError error = {.status = 0};

	serve_request_init(&request);
	if (serve_request_take(&request, key, key_length, value, value_length, &error))
		fuzz_require(
			request.row_limit >= 0 && request.offset >= 0 && request.format != NULL &&
				!serve_request_take(&request, key, key_length, value, value_length, &error),
			"a parameter that may come twice");
	fuzz_require(error.status >= 400, "status %d", error.status);
	for (const char *byte = error.detail; *byte != '\0'; byte++)
		fuzz_require(*byte >= ' ' && *byte <= '~', "the byte 0x%02x", (unsigned char) *byte);
	free(key);
	free(value);
}

/* --- the kernel ------------------------------------------------------------------------------ */

static void
check_process_stat(const char *text)
{
	ProcessStat stat;
	int pid;
	char state;
	const char *rest = strrchr(text, ')');

	if (!process_stat_parse(text, &stat))
		return;
	fuzz_require(sscanf(text, "%d", &pid) == 1 && pid == stat.pid, "pid %d", stat.pid);
	fuzz_require(rest != NULL && sscanf(rest, ") %c", &state) == 1 &&
					 stat.has_ended == (strchr("ZXx", state) != NULL),
				 "the state");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (size < 1)
		return 0;
	text = fuzz_text(data + 1, size - 1);
	switch (data[0])
	{
		case 'b':
			check_number(text, true);
			break;
		case 'o':
			check_order_by(text);
			break;
		case 'l':
			check_columns(text);
			break;
		case 's':
			check_parameter(data + 1, size - 1);
			break;
		case 'p':
			check_process_stat(text);
			break;
		default:
			check_number(text, false);
	}
	free(text);
	return 0;
}
