/*
 * unit_output.h - what a piece of code writes to standard output or standard error.
 */
#ifndef TRANSFERBENCH_UNIT_OUTPUT_H
#define TRANSFERBENCH_UNIT_OUTPUT_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum
{
	OUTPUT_BYTES = 1 << 16
};

typedef struct Output
{
	char text[OUTPUT_BYTES]; /* what was written, cut where it does not fit */
	FILE *stream, *file;
	int saved_fd;
} Output;

static inline void
output_begin(Output *output, FILE *stream)
{
	output->stream = stream;
	output->file = tmpfile();
	fflush(stream);
	output->saved_fd = dup(fileno(stream));
	if (output->file == NULL || output->saved_fd < 0 ||
		dup2(fileno(output->file), fileno(stream)) < 0)
	{
		perror("cannot redirect a stream");
		exit(2);
	}
}

static inline void
output_end(Output *output)
{
	size_t length;

	fflush(output->stream);
	rewind(output->file);
	length = fread(output->text, 1, sizeof(output->text) - 1, output->file);
	output->text[length] = '\0';
	fclose(output->file);
	dup2(output->saved_fd, fileno(output->stream));
	close(output->saved_fd);
}

#endif
