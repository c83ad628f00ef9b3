/*
 * temporary_file.h - a file without a name, gone when it is closed or the program
 * ends in whatever way.
 */
#ifndef TRANSFERBENCH_TEMPORARY_FILE_H
#define TRANSFERBENCH_TEMPORARY_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* In TMPDIR, or /tmp. A descriptor, or -1 and errno. */
extern int temporary_file_open(void);
/* All of it or false and errno; what was written before stays. */
extern bool temporary_file_write(int file, const char *bytes, size_t length, int64_t offset);
/* Bytes read: fewer than `length` only where the file ends; or -1 and errno. */
extern ssize_t temporary_file_read(int file, char *bytes, size_t length, int64_t offset);

#endif
