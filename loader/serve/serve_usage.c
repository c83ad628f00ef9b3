#include "serve/serve_usage.h"
#include "json_text.h"
#include "resource_usage.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define US_PER_S INT64_C(1000000)

typedef struct Memory
{
	int64_t resident_bytes, peak_bytes, shared_bytes; /* or RESOURCE_USAGE_UNKNOWN */
} Memory;

/* "VmRSS:	    8192 kB" */
static void
take_line(const char *line, const char *name, int64_t *bytes)
{
	long long kb;

	if (strncmp(line, name, strlen(name)) == 0 && sscanf(line + strlen(name), "%lld kB", &kb) == 1)
		*bytes = kb * 1024;
}

static void
read_memory(Memory *memory)
{
	FILE *status = fopen("/proc/self/status", "re");
	char line[256];

	memory->resident_bytes = memory->peak_bytes = memory->shared_bytes = RESOURCE_USAGE_UNKNOWN;
	if (status == NULL)
		return;
	while (fgets(line, sizeof(line), status) != NULL)
	{
		take_line(line, "VmRSS:", &memory->resident_bytes);
		take_line(line, "VmHWM:", &memory->peak_bytes);
		take_line(line, "RssShmem:", &memory->shared_bytes);
	}
	fclose(status);
}

static int64_t
cpu_us(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage) != 0)
		return RESOURCE_USAGE_UNKNOWN;
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * US_PER_S + usage.ru_utime.tv_usec +
		   usage.ru_stime.tv_usec;
}

static void
put_number(JsonText *text, const char *before, const char *key, int64_t value)
{
	json_text_key(text, before, key);
	if (value < 0)
		json_encode_literal(&text->encoder, "null");
	else
		json_encode_int64(&text->encoder, value);
}

static int64_t
without(int64_t bytes, int64_t shared)
{
	return bytes < 0 || shared < 0 ? RESOURCE_USAGE_UNKNOWN : bytes - shared;
}

char *
serve_usage_document(const int *backend_pids, int backends)
{
	JsonText text;
	Memory memory;

	if (!json_text_open(&text))
		return NULL;
	read_memory(&memory);
	put_number(&text, "{", "pid", getpid());
	put_number(&text, ",", "cpu_us", cpu_us());
	put_number(&text, ",", "resident_bytes", without(memory.resident_bytes, memory.shared_bytes));
	put_number(&text, ",", "peak_bytes", without(memory.peak_bytes, memory.shared_bytes));
	json_text_key(&text, ",", "backend_pids");
	json_encode_char(&text.encoder, '[');
	for (int i = 0; i < backends; i++)
	{
		if (i > 0)
			json_encode_char(&text.encoder, ',');
		json_encode_int64(&text.encoder, backend_pids[i]);
	}
	json_encode_literal(&text.encoder, "]}\n");
	return json_text_close(&text);
}

void
serve_usage_reset_peak(void)
{
	ResourceUsageStart ignored;

	resource_usage_start(&ignored);
}
