/*
 * fuzz.h - what the fuzz targets share. A target is one file, NAME_fuzz.c, with one
 * LLVMFuzzerTestOneInput; its seeds lie in seeds/NAME, and json.dict and the like hold words for
 * the fuzzer to play with.
 *
 * `make fuzz` runs them under libFuzzer; the unit tests replay the seeds by replay.c, with the
 * ordinary compiler. All that a target does follows from its input alone, so that what was found
 * can be seen again.
 */
#ifndef TRANSFERBENCH_FUZZ_H
#define TRANSFERBENCH_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Says what does not hold, with printf's arguments, and aborts: the input is a finding. */
#define fuzz_require(holds, ...)                                                                   \
	do                                                                                             \
	{                                                                                              \
		if (!(holds))                                                                              \
			fuzz_fail(__FILE__, __LINE__, __VA_ARGS__);                                            \
	} while (0)
extern void fuzz_fail(const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4), noreturn));

/* malloc that does not fail, nor return NULL for no byte. */
extern void *fuzz_allocate(size_t size);
/* A copy in a block of its own, so that a byte read behind its end is noticed; fuzz_text's is
 * terminated, and ends at the first NUL. The caller frees. */
extern char *fuzz_copy(const void *bytes, size_t length);
extern char *fuzz_text(const void *bytes, size_t length);
/* Takes the first line off an input, without its line break; all of it where there is none. */
extern char *fuzz_take_line(const uint8_t **data, size_t *size);

/* --- what came out, to be compared --------------------------------------------------------- */

typedef struct FuzzLog
{
	char *bytes;
	size_t length, capacity;
} FuzzLog;

/* Also of no byte: log->bytes is not NULL afterwards. */
extern void fuzz_log_bytes(FuzzLog *log, const void *bytes, size_t length);
extern void fuzz_log(FuzzLog *log, const char *format, ...) __attribute__((format(printf, 2, 3)));
extern void fuzz_log_free(FuzzLog *log);
/* Fails, and shows both from where they part, unless they are the same. */
extern void fuzz_require_same(const FuzzLog *got, const FuzzLog *wanted, const char *what);

/* --- an input in pieces -------------------------------------------------------------------- */

typedef enum FuzzCut
{
	FUZZ_WHOLE,
	FUZZ_BYTES, /* byte by byte */
	FUZZ_DRAWN, /* sizes that follow from the input, pieces of nothing among them */
} FuzzCut;

#define FUZZ_CUTS 3

typedef struct FuzzPieces
{
	const uint8_t *at, *end;
	FuzzCut cut;
	uint64_t random;
	char *block; /* pieces lie at its end */
	size_t block_size;
} FuzzPieces;

extern void fuzz_pieces_begin(FuzzPieces *pieces, const uint8_t *data, size_t size, FuzzCut cut);
/* The next piece, which ends where its block ends, and is overwritten at the next call; false at the
 * end. */
extern bool fuzz_pieces_next(FuzzPieces *pieces, const char **bytes, size_t *length);
/* In any case. */
extern void fuzz_pieces_end(FuzzPieces *pieces);
/* A number below `bound` that follows from the input. */
extern size_t fuzz_choice(const uint8_t *data, size_t size, size_t bound);

#endif
