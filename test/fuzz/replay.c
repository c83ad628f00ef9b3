/*
 * replay.c - runs a fuzz target on its seeds, as a unit test: a seed that the target does not
 * survive ends the program, and its name is the last that was printed.
 *
 *   REPLAY_SEEDS   directory of the seeds, below the top of the project
 *
 * Files named on the command line are replayed instead.
 */
#include "../unit/unit.h"
#include "fuzz.h"

#include <dirent.h>
#include <stdlib.h>

/* A block as long as the file, so that what reads behind it is noticed; NULL when it cannot be
 * read. */
static uint8_t *
read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = NULL;
	long length;

	if (file == NULL)
		return NULL;
	if (fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) >= 0)
	{
		rewind(file);
		*size = (size_t) length;
		bytes = fuzz_allocate(*size);
		if (fread(bytes, 1, *size, file) != *size)
		{
			free(bytes);
			bytes = NULL;
		}
	}
	fclose(file);
	return bytes;
}

static void
replay(const char *path)
{
	size_t size = 0;
	uint8_t *bytes;

	printf("# %s\n", path);
	fflush(stdout);
	bytes = read_file(path, &size);
	if (bytes != NULL)
		LLVMFuzzerTestOneInput(bytes, size);
	unit_ok(bytes != NULL, path);
	free(bytes);
}

static int
is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int
main(int count, char **paths)
{
	struct dirent **names = NULL;
	int seeds = count > 1 ? 0 : scandir(REPLAY_SEEDS, &names, is_visible, alphasort);

	for (int i = 1; i < count; i++)
		replay(paths[i]);
	for (int i = 0; i < seeds; i++)
	{
		char path[1024];

		snprintf(path, sizeof(path), "%s/%s", REPLAY_SEEDS, names[i]->d_name);
		replay(path);
		free(names[i]);
	}
	free(names);
	if (count <= 1)
		unit_ok(seeds > 0, "there are seeds in " REPLAY_SEEDS);
	return unit_done();
}
