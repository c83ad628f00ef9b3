#include "serve/upload.h"
#include "serve/byte_ring.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

/* How fast bytes come while they are waited for: judged again and again, so that nobody can live on
 * what was sent long ago. */
typedef struct Pace
{
	int64_t waits_since_ns; /* 0: nobody waits */
	int64_t waited_ns;      /* before that; 0: the next wait begins a new judgement */
	int64_t bytes;          /* came meanwhile */
	bool was_slow;          /* by the last judgement */
} Pace;

struct Upload
{
	UploadHook sleep, wake;

	pthread_mutex_t lock; /* over all that follows */
	pthread_cond_t more;  /* the database side waits for it */
	void *http_side;      /* NULL once it is gone */
	bool http_side_sleeps;
	bool has_ended;
	bool is_unwanted;
	Pace pace;
	ByteRing ring;
	size_t lent; /* to the database side, not yet taken off the ring */
};

Upload *
upload_create(UploadHook sleep, UploadHook wake, void *http_side)
{
	Upload *upload = calloc(1, sizeof(Upload));

	if (upload == NULL || !byte_ring_open(&upload->ring))
	{
		free(upload);
		return NULL;
	}
	upload->sleep = sleep;
	upload->wake = wake;
	upload->http_side = http_side;
	pthread_mutex_init(&upload->lock, NULL);
	pthread_cond_init(&upload->more, NULL);
	return upload;
}

void
upload_free(Upload *upload)
{
	if (upload == NULL)
		return;
	pthread_cond_destroy(&upload->more);
	pthread_mutex_destroy(&upload->lock);
	byte_ring_close(&upload->ring);
	free(upload);
}

/* --- under the lock --- */

static bool
is_below_pace(int64_t bytes, int64_t waited_ns)
{
	return (double) bytes * CLOCK_NS_PER_S < (double) UPLOAD_MIN_BYTES_PER_S * (double) waited_ns;
}

static void
wait_for_more(Upload *upload)
{
	Pace *pace = &upload->pace;

	pace->waits_since_ns = clock_now_ns();
	if (pace->waited_ns == 0)
		pace->bytes = 0;
	pthread_cond_wait(&upload->more, &upload->lock);
	pace->waited_ns += clock_now_ns() - pace->waits_since_ns;
	pace->waits_since_ns = 0;
	if (pace->waited_ns < UPLOAD_PACE_NS)
		return;
	pace->was_slow = is_below_pace(pace->bytes, pace->waited_ns);
	pace->waited_ns = 0;
}

static void
wake_http_side(Upload *upload)
{
	if (!upload->http_side_sleeps || upload->http_side == NULL)
		return;
	upload->http_side_sleeps = false;
	upload->wake(upload->http_side);
}

bool
upload_put(Upload *upload, const char *bytes, size_t length, size_t *taken)
{
	bool is_wanted;

	*taken = 0;
	pthread_mutex_lock(&upload->lock);
	while ((is_wanted = !upload->is_unwanted) && *taken < length)
	{
		size_t room = byte_ring_room(&upload->ring);
		size_t count = length - *taken < room ? length - *taken : room;

		/* room is looked at and sleep begun under one hold of the lock: else the last to make room
		 * would find nobody to wake */
		if (count == 0)
		{
			upload->http_side_sleeps = true;
			upload->sleep(upload->http_side);
			break;
		}
		pthread_mutex_unlock(&upload->lock);
		byte_ring_put(&upload->ring, bytes + *taken, count);
		pthread_mutex_lock(&upload->lock);
		upload->ring.written += count;
		upload->pace.bytes += (int64_t) count;
		*taken += count;
		pthread_cond_signal(&upload->more);
	}
	pthread_mutex_unlock(&upload->lock);
	return is_wanted;
}

void
upload_end(Upload *upload)
{
	pthread_mutex_lock(&upload->lock);
	upload->has_ended = true;
	pthread_cond_signal(&upload->more);
	pthread_mutex_unlock(&upload->lock);
}

UploadResult
upload_take(Upload *upload, const char **bytes, size_t *length)
{
	UploadResult result = UPLOAD_BYTES;
	size_t filled;

	pthread_mutex_lock(&upload->lock);
	upload->ring.taken += upload->lent;
	upload->lent = 0;
	if (byte_ring_room(&upload->ring) >= BYTE_RING_SIZE / 2)
		wake_http_side(upload);
	while ((filled = byte_ring_filled(&upload->ring)) == 0 && !upload->has_ended &&
		   !upload->is_unwanted)
		wait_for_more(upload);
	if (upload->is_unwanted)
		result = UPLOAD_GONE;
	else if (filled == 0)
		result = UPLOAD_END;
	else
	{
		*bytes = byte_ring_peek(&upload->ring, filled, length);
		upload->lent = *length;
	}
	pthread_mutex_unlock(&upload->lock);
	return result;
}

bool
upload_is_slow(Upload *upload)
{
	const Pace *pace = &upload->pace;
	bool is_slow = false;

	pthread_mutex_lock(&upload->lock);
	if (pace->waits_since_ns != 0)
	{
		int64_t waited_ns = pace->waited_ns + clock_now_ns() - pace->waits_since_ns;

		is_slow = (pace->was_slow || waited_ns >= UPLOAD_PACE_NS) &&
				  is_below_pace(pace->bytes, waited_ns);
	}
	pthread_mutex_unlock(&upload->lock);
	return is_slow;
}

void
upload_discard(Upload *upload)
{
	pthread_mutex_lock(&upload->lock);
	upload->is_unwanted = true;
	pthread_cond_signal(&upload->more);
	wake_http_side(upload);
	pthread_mutex_unlock(&upload->lock);
}

void
upload_abandon(Upload *upload)
{
	pthread_mutex_lock(&upload->lock);
	upload->is_unwanted = true;
	upload->http_side = NULL;
	pthread_cond_signal(&upload->more);
	pthread_mutex_unlock(&upload->lock);
}
