/*
 * body_spool_test.c - bytes in memory, in a file, and across the bound of both.
 */
#include "rows/body_spool.h"

#include "unit.h"

#include <pthread.h>
#include <stdlib.h>

#define BYTES 300000

static char sample[BYTES];

static void
make_sample(void)
{
	for (size_t i = 0; i < BYTES; i++)
		sample[i] = (char) (i * 31 + i / 251);
}

/* Appends the sample in pieces of a size that fits nothing. */
static bool
append_sample(BodySpool *spool, size_t piece)
{
	for (size_t done = 0; done < BYTES; done += piece)
		if (!body_spool_append(spool, sample + done, BYTES - done < piece ? BYTES - done : piece))
			return false;
	return true;
}

/* Reads from every 997th offset, over several sizes. */
static int
wrong_reads(BodySpool *spool)
{
	static const size_t sizes[] = {1, 100, 5000, BYTES, BYTES + 1};
	char *bytes = malloc(BYTES + 1);
	int wrong = 0;

	for (size_t offset = 0; bytes != NULL && offset <= BYTES; offset += 997)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		{
			size_t wanted = sizes[i] < BYTES - offset ? sizes[i] : BYTES - offset;
			ssize_t got = body_spool_read(spool, (int64_t) offset, bytes, sizes[i]);

			wrong += got != (ssize_t) wanted || memcmp(bytes, sample + offset, wanted) != 0;
		}
	free(bytes);
	return bytes == NULL ? -1 : wrong;
}

static void
test_bound(size_t memory_bytes, size_t piece, const char *name)
{
	BodySpool *spool = body_spool_create(memory_bytes);

	unit_ok(spool != NULL && append_sample(spool, piece), name);
	unit_equal_int(body_spool_length(spool), BYTES, name);
	unit_equal_int(wrong_reads(spool), 0, name);

	body_spool_truncate(spool, 0);
	unit_equal_int(body_spool_length(spool), 0, name);
	unit_ok(append_sample(spool, piece + 1), name);
	body_spool_truncate(spool, 200000);
	unit_ok(body_spool_append(spool, sample + 200000, BYTES - 200000), name);
	unit_equal_int(wrong_reads(spool), 0, name);
	unit_equal_bytes(body_spool_problem(spool), strlen(body_spool_problem(spool)), "", name);
	body_spool_free(spool);
}

static void
test_ends(void)
{
	BodySpool *spool = body_spool_create(4);
	char bytes[16];

	unit_equal_int(body_spool_read(spool, 0, bytes, sizeof(bytes)), 0,
				   "an empty spool is at its end");
	unit_ok(body_spool_append(spool, "", 0), "nothing can be appended");
	unit_ok(body_spool_append(spool, "abcdefgh", 8), "over the bound at once");
	unit_equal_int(body_spool_read(spool, 8, bytes, sizeof(bytes)), 0, "the end");
	unit_equal_int(body_spool_read(spool, 100, bytes, sizeof(bytes)), 0, "beyond the end");
	body_spool_truncate(spool, 100);
	unit_equal_int(body_spool_length(spool), 8, "truncating adds nothing");
	body_spool_truncate(spool, 6);
	unit_equal_bytes(bytes, (size_t) body_spool_read(spool, 0, bytes, sizeof(bytes)), "abcdef",
					 "what was cut off in the file is not read");
	body_spool_truncate(spool, 2);
	unit_equal_bytes(bytes, (size_t) body_spool_read(spool, 0, bytes, sizeof(bytes)), "ab",
					 "what was cut off in memory is not read");
	body_spool_free(spool);
	body_spool_free(NULL);
}

static void
test_no_file(void)
{
	BodySpool *spool = body_spool_create(4);
	char kept[256] = "";
	const char *directory = getenv("TMPDIR");

	if (directory != NULL)
		snprintf(kept, sizeof(kept), "%s", directory);
	setenv("TMPDIR", "/nonexistent", 1);
	unit_ok(body_spool_append(spool, "abcd", 4), "what fits into memory needs no file");
	unit_ok(!body_spool_append(spool, "e", 1), "the file cannot be created");
	unit_equal_bytes(body_spool_problem(spool), strlen(body_spool_problem(spool)),
					 "cannot create a temporary file (TMPDIR chooses where): No such file or "
					 "directory",
					 "why");
	unit_equal_int(body_spool_length(spool), 4, "and the length is what was kept");
	if (directory != NULL)
		setenv("TMPDIR", kept, 1);
	else
		unsetenv("TMPDIR");
	body_spool_truncate(spool, 4);
	unit_ok(body_spool_append(spool, "e", 1), "once it can, appending goes on");
	body_spool_free(spool);
}

static void *
read_all(void *spool)
{
	return (void *) (intptr_t) wrong_reads(spool);
}

static void
test_threads(void)
{
	BodySpool *spool = body_spool_create(BYTES / 2);
	pthread_t thread[4];
	intptr_t wrong = 0;

	append_sample(spool, 4096);
	for (int i = 0; i < 4; i++)
		if (pthread_create(&thread[i], NULL, read_all, spool) != 0)
			abort();
	for (int i = 0; i < 4; i++)
	{
		void *result;

		pthread_join(thread[i], &result);
		wrong += (intptr_t) result;
	}
	unit_equal_int(wrong, 0, "four threads read the same");
	body_spool_free(spool);
}

int
main(void)
{
	make_sample();
	test_bound(BYTES, 4097, "all in memory");
	test_bound(1 << 20, 65536, "memory to spare");
	test_bound(0, 4097, "all in the file");
	test_bound(100001, 4097, "the first third in memory");
	test_bound(1, BYTES, "a byte in memory, one piece");
	test_ends();
	test_no_file();
	test_threads();
	return unit_done();
}
