/*
 * option_text_fuzz.c - short texts that a person or the kernel writes: counts and sizes of options, the
 * list of --order-by, a line of /proc/PID/stat. The first byte of the input says which.
 */
#include "fuzz.h"
#include "database/order_by.h"
#include "measure/process_stat.h"
#include "options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

	if (read_list(text, &written))
	{
		char *copy = fuzz_text(written.bytes, written.length);

		fuzz_require(read_list(copy, &again), "refused once it is written out: %s", copy);
		fuzz_require_same(&again, &written, "the list of --order-by");
		free(copy);
	}
	fuzz_log_free(&written);
	fuzz_log_free(&again);
}

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
		case 'p':
			check_process_stat(text);
			break;
		default:
			check_number(text, false);
	}
	free(text);
	return 0;
}
