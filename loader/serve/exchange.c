#include "serve/exchange.h"
#include "clock.h"
#include "json_text.h"
#include "serve/answer_body.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum ExchangeState
{
	STATE_UNDECIDED,
	STATE_STREAMING,
	STATE_COMPLETE,  /* all bytes are in the buffer */
	STATE_CONCLUDED, /* a document instead */
	STATE_BROKEN,
} ExchangeState;

struct Exchange
{
	ExchangeOptions options; /* constant, but for http_side: NULL once it is gone */
	Upload *upload;          /* NULL for a GET */

	pthread_mutex_t lock; /* over all that follows */
	pthread_cond_t room;  /* the database side waits for it */
	int references;
	bool http_side_sleeps;
	bool unwanted;    /* nobody reads any more, or it was cut */
	int interrupt_fd; /* of the thread at work; -1 for none */
	ExchangeState state;
	int status;
	char *document;
	bool is_replayed;
	bool is_committing;
	bool is_too_slow;
	int64_t waited_ns;
	int64_t waits_since_ns; /* the database side, for room; 0: it does not */
	char server_timing[200];
	AnswerBody body;
	Exchange *refill_link; /* the refiller's, under its lock */
};

Exchange *
exchange_create(const ExchangeOptions *options)
{
	Exchange *exchange = calloc(1, sizeof(Exchange));

	if (exchange == NULL)
		return NULL;
	if (options->has_upload)
	{
		exchange->upload = upload_create(options->sleep, options->wake, options->http_side);
		if (exchange->upload == NULL)
		{
			free(exchange);
			return NULL;
		}
	}
	exchange->options = *options;
	exchange->references = 1;
	exchange->interrupt_fd = -1;
	answer_body_init(&exchange->body, options->max_overflow_bytes);
	pthread_mutex_init(&exchange->lock, NULL);
	pthread_cond_init(&exchange->room, NULL);
	return exchange;
}

void
exchange_hold(Exchange *exchange)
{
	pthread_mutex_lock(&exchange->lock);
	exchange->references++;
	pthread_mutex_unlock(&exchange->lock);
}

void
exchange_release(Exchange *exchange)
{
	bool is_last;

	pthread_mutex_lock(&exchange->lock);
	is_last = --exchange->references == 0;
	pthread_mutex_unlock(&exchange->lock);
	if (!is_last)
		return;
	pthread_cond_destroy(&exchange->room);
	pthread_mutex_destroy(&exchange->lock);
	close(exchange->options.client_fd);
	answer_body_free(&exchange->body);
	upload_free(exchange->upload);
	free(exchange->document);
	free(exchange);
}

const ServeRequest *
exchange_request(const Exchange *exchange)
{
	return &exchange->options.request;
}

const SaveRequest *
exchange_save_request(const Exchange *exchange)
{
	return &exchange->options.save;
}

Upload *
exchange_upload(const Exchange *exchange)
{
	return exchange->upload;
}

int
exchange_client_fd(const Exchange *exchange)
{
	return exchange->options.client_fd;
}

const char *
exchange_server_timing(const Exchange *exchange)
{
	return exchange->server_timing;
}

/* --- under the lock --- */

static void
put_http_side_to_sleep(Exchange *exchange)
{
	exchange->http_side_sleeps = true;
	exchange->options.sleep(exchange->options.http_side);
}

static void
wake_http_side(Exchange *exchange)
{
	if (!exchange->http_side_sleeps || exchange->options.http_side == NULL)
		return;
	exchange->http_side_sleeps = false;
	exchange->options.wake(exchange->options.http_side);
}

static void
stop_database_side(Exchange *exchange)
{
	const uint64_t one = 1;

	exchange->unwanted = true;
	pthread_cond_signal(&exchange->room);
	/* an eventfd takes it unless its counter is full, and then it is readable anyway */
	if (exchange->interrupt_fd >= 0 && write(exchange->interrupt_fd, &one, sizeof(one)) < 0)
		return;
}

static void
ask_for_refill(Exchange *exchange)
{
	if (exchange->unwanted || !answer_body_wants_refill(&exchange->body))
		return;
	exchange->body.refilling = true;
	exchange->references++;
	exchange->options.refill(exchange->options.refiller, exchange);
}

static bool
has_ended(const Exchange *exchange)
{
	return exchange->state > STATE_STREAMING;
}

/* Whatever the end is: the rest of what the client sends is of no use. */
static void
end(Exchange *exchange, ExchangeState state)
{
	exchange->state = state;
	wake_http_side(exchange);
	if (exchange->upload != NULL)
		upload_discard(exchange->upload);
}

static void
end_with_error(Exchange *exchange, int status, const char *detail)
{
	if (has_ended(exchange))
		return;
	if (exchange->state == STATE_UNDECIDED)
	{
		exchange->status = status;
		exchange->document = exchange_error_body(serve_status_text(status), detail);
		end(exchange, STATE_CONCLUDED);
	}
	else
		end(exchange, STATE_BROKEN);
}

/* --- the HTTP side --- */

bool
exchange_answer(Exchange *exchange, ExchangeAnswer *answer)
{
	bool is_decided;

	pthread_mutex_lock(&exchange->lock);
	is_decided = exchange->state != STATE_UNDECIDED;
	if (is_decided)
	{
		answer->status = exchange->status;
		answer->document = exchange->document;
		answer->is_replayed = exchange->is_replayed;
	}
	else
		put_http_side_to_sleep(exchange);
	pthread_mutex_unlock(&exchange->lock);
	return is_decided;
}

/* What is to be said where the buffer is empty. */
static ssize_t
read_nothing(Exchange *exchange)
{
	if (exchange->state == STATE_STREAMING ||
		(answer_body_has_overflow(&exchange->body) && !exchange->unwanted))
	{
		put_http_side_to_sleep(exchange);
		return 0;
	}
	return exchange->state == STATE_COMPLETE ? EXCHANGE_END : EXCHANGE_BROKEN;
}

ssize_t
exchange_read(Exchange *exchange, char *bytes, size_t size)
{
	ssize_t result;

	pthread_mutex_lock(&exchange->lock);
	result = (ssize_t) answer_body_take(&exchange->body, &exchange->lock, bytes, size);
	if (result == 0)
		result = read_nothing(exchange);
	else
	{
		pthread_cond_signal(&exchange->room);
		ask_for_refill(exchange);
	}
	pthread_mutex_unlock(&exchange->lock);
	return result;
}

void
exchange_abandon(Exchange *exchange)
{
	pthread_mutex_lock(&exchange->lock);
	exchange->options.http_side = NULL;
	stop_database_side(exchange);
	if (exchange->upload != NULL)
		upload_abandon(exchange->upload);
	pthread_mutex_unlock(&exchange->lock);
}

/* --- the database side --- */

bool
exchange_attach(Exchange *exchange, int interrupt_fd)
{
	bool is_wanted;

	pthread_mutex_lock(&exchange->lock);
	is_wanted = !exchange->unwanted && !has_ended(exchange);
	if (is_wanted)
		exchange->interrupt_fd = interrupt_fd;
	pthread_mutex_unlock(&exchange->lock);
	return is_wanted;
}

void
exchange_detach(Exchange *exchange)
{
	pthread_mutex_lock(&exchange->lock);
	exchange->interrupt_fd = -1;
	pthread_mutex_unlock(&exchange->lock);
}

bool
exchange_decide(Exchange *exchange, int status)
{
	bool is_decided = false;
	ByteRing ring;

	if (!byte_ring_open(&ring))
		return false;
	pthread_mutex_lock(&exchange->lock);
	if (exchange->state == STATE_UNDECIDED)
	{
		exchange->body.ring = ring;
		exchange->status = status;
		exchange->state = STATE_STREAMING;
		wake_http_side(exchange);
		is_decided = true;
	}
	pthread_mutex_unlock(&exchange->lock);
	if (!is_decided)
		byte_ring_close(&ring);
	return is_decided;
}

void
exchange_conclude(Exchange *exchange, int status, char *document, bool is_replayed)
{
	pthread_mutex_lock(&exchange->lock);
	if (exchange->state == STATE_UNDECIDED)
	{
		exchange->status = status;
		exchange->document = document;
		exchange->is_replayed = is_replayed;
		document = NULL;
		end(exchange, STATE_CONCLUDED);
	}
	pthread_mutex_unlock(&exchange->lock);
	free(document);
}

bool
exchange_begin_commit(Exchange *exchange)
{
	bool is_wanted;

	pthread_mutex_lock(&exchange->lock);
	is_wanted = exchange->is_committing = !exchange->unwanted && !has_ended(exchange);
	pthread_mutex_unlock(&exchange->lock);
	return is_wanted;
}

bool
exchange_is_wanted(Exchange *exchange)
{
	bool is_wanted;

	pthread_mutex_lock(&exchange->lock);
	is_wanted = !exchange->unwanted && !has_ended(exchange);
	pthread_mutex_unlock(&exchange->lock);
	return is_wanted;
}

void
exchange_break(Exchange *exchange)
{
	pthread_mutex_lock(&exchange->lock);
	if (!has_ended(exchange))
		end(exchange, STATE_BROKEN);
	pthread_mutex_unlock(&exchange->lock);
}

typedef enum Place
{
	PLACE_NOWHERE, /* nobody reads any more */
	PLACE_BUFFER,
	PLACE_FILE,
} Place;

/* Waits until bytes can be written somewhere. */
static Place
wait_for_place(Exchange *exchange, size_t length)
{
	Place place = PLACE_NOWHERE;
	/* once it was full, half of it at once: fewer turns between the threads */
	size_t enough = byte_ring_room(&exchange->body.ring) > 0 ? 1 : BYTE_RING_SIZE / 2;

	while (!exchange->unwanted && !has_ended(exchange))
	{
		if (!answer_body_has_overflow(&exchange->body) &&
			byte_ring_room(&exchange->body.ring) >= enough)
		{
			place = PLACE_BUFFER;
			break;
		}
		if (answer_body_may_use_file(&exchange->body, length))
		{
			place = PLACE_FILE;
			break;
		}
		if (exchange->waits_since_ns == 0)
			exchange->waits_since_ns = clock_now_ns();
		pthread_cond_wait(&exchange->room, &exchange->lock);
	}
	if (exchange->waits_since_ns != 0)
		exchange->waited_ns += clock_now_ns() - exchange->waits_since_ns;
	exchange->waits_since_ns = 0;
	return place;
}

/* Both are called with the lock held, and let go of it while they copy; bytes written. */
static size_t
write_to_buffer(Exchange *exchange, const char *bytes, size_t length)
{
	size_t count = answer_body_to_ring(&exchange->body, &exchange->lock, bytes, length);

	wake_http_side(exchange);
	return count;
}

static size_t
write_to_file(Exchange *exchange, const char *bytes, size_t length)
{
	int64_t start_ns = clock_now_ns();
	size_t count = answer_body_to_file(&exchange->body, &exchange->lock, bytes, length);

	exchange->waited_ns += clock_now_ns() - start_ns;
	ask_for_refill(exchange);
	return count;
}

bool
exchange_write(Exchange *exchange, const char *bytes, size_t length)
{
	/* nobody takes the body of a HEAD */
	if (exchange->options.request.head_only)
		return true;
	pthread_mutex_lock(&exchange->lock);
	while (length > 0)
	{
		Place place = wait_for_place(exchange, length);
		size_t count;

		if (place == PLACE_NOWHERE)
			break;
		count = place == PLACE_FILE ? write_to_file(exchange, bytes, length)
									: write_to_buffer(exchange, bytes, length);
		bytes += count;
		length -= count;
	}
	pthread_mutex_unlock(&exchange->lock);
	return length == 0;
}

int64_t
exchange_waited_ns(const Exchange *exchange)
{
	return exchange->waited_ns;
}

void
exchange_finish(Exchange *exchange, const char *server_timing)
{
	pthread_mutex_lock(&exchange->lock);
	if (exchange->state == STATE_STREAMING)
	{
		snprintf(exchange->server_timing, sizeof(exchange->server_timing), "%s", server_timing);
		exchange->state = STATE_COMPLETE;
		wake_http_side(exchange);
	}
	pthread_mutex_unlock(&exchange->lock);
}

/* --- whoever looks after the connections --- */

void
exchange_relieve(Exchange *exchange, int64_t stalled_ns)
{
	pthread_mutex_lock(&exchange->lock);
	if (exchange->waits_since_ns != 0 && clock_now_ns() - exchange->waits_since_ns >= stalled_ns)
	{
		exchange->body.may_overflow = true;
		pthread_cond_signal(&exchange->room);
	}
	pthread_mutex_unlock(&exchange->lock);
}

bool
exchange_end_slow_upload(Exchange *exchange)
{
	bool is_slow;

	if (exchange->upload == NULL)
		return false;
	pthread_mutex_lock(&exchange->lock);
	is_slow = !has_ended(exchange) && upload_is_slow(exchange->upload);
	if (is_slow)
	{
		exchange->is_too_slow = true;
		end_with_error(exchange, SERVE_STATUS_BUSY, "the body came too slowly while others waited");
	}
	pthread_mutex_unlock(&exchange->lock);
	return is_slow;
}

bool
exchange_is_too_slow(Exchange *exchange)
{
	bool is_too_slow;

	pthread_mutex_lock(&exchange->lock);
	is_too_slow = exchange->is_too_slow;
	pthread_mutex_unlock(&exchange->lock);
	return is_too_slow;
}

void
exchange_refill(Exchange *exchange)
{
	AnswerBody *body = &exchange->body;

	pthread_mutex_lock(&exchange->lock);
	while (answer_body_has_overflow(body) && byte_ring_room(&body->ring) > 0 && !exchange->unwanted)
	{
		if (answer_body_refill(body, &exchange->lock))
			continue;
		/* a body with a hole must not go on */
		exchange->state = STATE_BROKEN;
		stop_database_side(exchange);
	}
	body->refilling = false;
	wake_http_side(exchange);
	pthread_cond_signal(&exchange->room);
	pthread_mutex_unlock(&exchange->lock);
}

Exchange **
exchange_refill_link(Exchange *exchange)
{
	return &exchange->refill_link;
}

/* --- both --- */

void
exchange_fail(Exchange *exchange, int status, const char *detail)
{
	pthread_mutex_lock(&exchange->lock);
	end_with_error(exchange, status, detail);
	pthread_mutex_unlock(&exchange->lock);
}

void
exchange_cut(Exchange *exchange, int status, const char *detail)
{
	pthread_mutex_lock(&exchange->lock);
	/* also a body that is complete here and still on its way to a slow client */
	if (exchange->state == STATE_COMPLETE)
		exchange->state = STATE_BROKEN;
	if (exchange->is_committing && !has_ended(exchange))
		end(exchange, STATE_BROKEN);
	end_with_error(exchange, status, detail);
	stop_database_side(exchange);
	wake_http_side(exchange);
	pthread_mutex_unlock(&exchange->lock);
}

char *
exchange_error_body(const char *error, const char *detail)
{
	JsonText text;

	if (!json_text_open(&text))
		return NULL;
	json_text_key(&text, "{", "error");
	json_text_string(&text, error);
	json_text_key(&text, ",", "detail");
	json_text_string(&text, detail);
	json_encode_literal(&text.encoder, "}\n");
	return json_text_close(&text);
}
