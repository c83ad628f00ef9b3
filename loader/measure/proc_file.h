/*
 * proc_file.h - reads a small file of /proc in one piece.
 */
#ifndef TRANSFERBENCH_PROC_FILE_H
#define TRANSFERBENCH_PROC_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Up to capacity - 1 bytes and a zero byte; what is beyond is left out. False, and "", when the
 * file cannot be read. */
extern bool proc_file_read(const char *path, char *buffer, size_t capacity);
/* /proc/PID/NAME likewise */
extern bool proc_file_read_of(int pid, const char *name, char *buffer, size_t capacity);

#endif
