/*
 * answer_body.h - the bytes of an answer on their way to the client: a ring, and behind it
 * a temporary file once the database side may go on without its client.
 *
 * The owner's lock guards all of it and is held in every call; functions that are given it
 * let go of it while they copy.
 */
#ifndef TRANSFERBENCH_ANSWER_BODY_H
#define TRANSFERBENCH_ANSWER_BODY_H

#include "serve/byte_ring.h"

#include <pthread.h>

typedef struct AnswerBody
{
	ByteRing ring;
	/* Bytes [file_taken, file_written) of the file come after those of the ring. While there are
	 * any, only refill writes into the ring; the database side goes on writing to the file. */
	bool may_overflow;
	bool refilling; /* asked for, or under way; the owner's to set */
	int file;       /* -1 until it is needed */
	int64_t file_written;
	int64_t file_taken;
	int64_t max_file_bytes; /* 0: no limit */
} AnswerBody;

extern void answer_body_init(AnswerBody *body, int64_t max_file_bytes);
extern void answer_body_free(AnswerBody *body);

extern bool answer_body_has_overflow(const AnswerBody *body);
extern bool answer_body_may_use_file(const AnswerBody *body, size_t length);
/* Whether so much of the ring is free that bytes of the file should be moved into it. */
extern bool answer_body_wants_refill(const AnswerBody *body);

/* The HTTP side's: takes up to `size` bytes; 0 when the ring is empty. */
extern size_t answer_body_take(AnswerBody *body, pthread_mutex_t *lock, char *bytes, size_t size);
/* The database side's; bytes written. The ring takes what fits. The file takes all or, when it
 * fails, nothing, and is not to be used again. */
extern size_t answer_body_to_ring(AnswerBody *body, pthread_mutex_t *lock, const char *bytes,
								  size_t length);
extern size_t answer_body_to_file(AnswerBody *body, pthread_mutex_t *lock, const char *bytes,
								  size_t length);
/* Moves some bytes from the file to the ring; false when they cannot be read, and are dropped. */
extern bool answer_body_refill(AnswerBody *body, pthread_mutex_t *lock);

#endif
