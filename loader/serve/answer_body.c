#include "serve/answer_body.h"
#include "temporary_file.h"

#include <unistd.h>

#define REFILL_PIECE (64 * 1024) /* bytes; on a stack */

void
answer_body_init(AnswerBody *body, int64_t max_file_bytes)
{
	*body = (AnswerBody){.file = -1, .max_file_bytes = max_file_bytes};
}

void
answer_body_free(AnswerBody *body)
{
	if (body->file >= 0)
		close(body->file);
	byte_ring_close(&body->ring);
}

static size_t
smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

bool
answer_body_has_overflow(const AnswerBody *body)
{
	return body->file_taken < body->file_written;
}

bool
answer_body_may_use_file(const AnswerBody *body, size_t length)
{
	return body->may_overflow && (body->max_file_bytes == 0 ||
								  body->file_written + (int64_t) length <= body->max_file_bytes);
}

bool
answer_body_wants_refill(const AnswerBody *body)
{
	/* half the ring at once: fewer turns between the threads */
	return answer_body_has_overflow(body) && !body->refilling &&
		   byte_ring_room(&body->ring) >= BYTE_RING_SIZE / 2;
}

size_t
answer_body_take(AnswerBody *body, pthread_mutex_t *lock, char *bytes, size_t size)
{
	size_t count = smaller(byte_ring_filled(&body->ring), size);

	if (count == 0)
		return 0;
	pthread_mutex_unlock(lock);
	byte_ring_get(&body->ring, bytes, count);
	pthread_mutex_lock(lock);
	body->ring.taken += count;
	return count;
}

size_t
answer_body_to_ring(AnswerBody *body, pthread_mutex_t *lock, const char *bytes, size_t length)
{
	size_t count = smaller(length, byte_ring_room(&body->ring));

	pthread_mutex_unlock(lock);
	byte_ring_put(&body->ring, bytes, count);
	pthread_mutex_lock(lock);
	body->ring.written += count;
	return count;
}

size_t
answer_body_to_file(AnswerBody *body, pthread_mutex_t *lock, const char *bytes, size_t length)
{
	int64_t offset;
	bool written;

	if (!answer_body_has_overflow(body))
		body->file_written = body->file_taken = 0;
	offset = body->file_written;
	pthread_mutex_unlock(lock);
	if (body->file < 0)
		body->file = temporary_file_open();
	written = body->file >= 0 && temporary_file_write(body->file, bytes, length, offset);
	pthread_mutex_lock(lock);
	if (!written)
	{
		/* the client is waited for again, as if nobody else had asked */
		body->may_overflow = false;
		return 0;
	}
	body->file_written += (int64_t) length;
	return length;
}

bool
answer_body_refill(AnswerBody *body, pthread_mutex_t *lock)
{
	char piece[REFILL_PIECE];
	size_t count = smaller(smaller(sizeof(piece), byte_ring_room(&body->ring)),
						   (size_t) (body->file_written - body->file_taken));
	bool read;

	pthread_mutex_unlock(lock);
	read = temporary_file_read(body->file, piece, count, body->file_taken) == (ssize_t) count;
	if (read)
		byte_ring_put(&body->ring, piece, count);
	pthread_mutex_lock(lock);
	if (!read)
	{
		body->file_taken = body->file_written;
		return false;
	}
	body->ring.written += count;
	body->file_taken += (int64_t) count;
	return true;
}
