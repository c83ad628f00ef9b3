#include "exchange.h"
#include "clock.h"
#include "json_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum ExchangeState
{
	STATE_UNDECIDED,
	STATE_STREAMING,
	STATE_COMPLETE, /* all bytes are in the buffer */
	STATE_REFUSED,  /* an error body instead */
	STATE_BROKEN,
} ExchangeState;

struct Exchange
{
	const ServeRequest request;
	const int client_fd;
	const ExchangeHook sleep;
	const ExchangeHook wake;

	pthread_mutex_t lock; /* over all that follows, but see buffer */
	pthread_cond_t room;  /* the database side waits for it */
	int references;
	void *http_side; /* NULL once it is gone */
	bool http_side_sleeps;
	bool unwanted;    /* nobody reads any more, or it was cut */
	int interrupt_fd; /* of the thread at work; -1 for none */
	ExchangeState state;
	int status;
	char *error_body;
	int64_t waited_ns;
	char server_timing[200];
	/* A ring: byte i of the body is at i modulo its size. Bytes [taken, written) are the HTTP
	 * side's, the others the database side's, so both copy without the lock. */
	char *buffer;
	uint64_t written;
	uint64_t taken;
};

Exchange *
exchange_create(const ServeRequest *request, int client_fd, ExchangeHook sleep, ExchangeHook wake,
				void *http_side)
{
	Exchange start = {.request = *request,
					  .client_fd = client_fd,
					  .sleep = sleep,
					  .wake = wake,
					  .references = 1,
					  .http_side = http_side,
					  .interrupt_fd = -1};
	Exchange *exchange = malloc(sizeof(Exchange));

	if (exchange == NULL)
		return NULL;
	memcpy(exchange, &start, sizeof(start));
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
	close(exchange->client_fd);
	free(exchange->error_body);
	free(exchange->buffer);
	free(exchange);
}

const ServeRequest *
exchange_request(const Exchange *exchange)
{
	return &exchange->request;
}

int
exchange_client_fd(const Exchange *exchange)
{
	return exchange->client_fd;
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
	exchange->sleep(exchange->http_side);
}

static void
wake_http_side(Exchange *exchange)
{
	if (!exchange->http_side_sleeps || exchange->http_side == NULL)
		return;
	exchange->http_side_sleeps = false;
	exchange->wake(exchange->http_side);
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

static bool
has_ended(const Exchange *exchange)
{
	return exchange->state > STATE_STREAMING;
}

static void
end_with_error(Exchange *exchange, int status, const char *detail)
{
	if (has_ended(exchange))
		return;
	if (exchange->state == STATE_UNDECIDED)
	{
		exchange->status = status;
		exchange->error_body = exchange_error_body(status, detail);
		exchange->state = STATE_REFUSED;
	}
	else
		exchange->state = STATE_BROKEN;
	wake_http_side(exchange);
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
		answer->error_body = exchange->error_body;
	}
	else
		put_http_side_to_sleep(exchange);
	pthread_mutex_unlock(&exchange->lock);
	return is_decided;
}

static size_t
smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

ssize_t
exchange_read(Exchange *exchange, char *bytes, size_t size)
{
	size_t count, at, until_wrap;

	pthread_mutex_lock(&exchange->lock);
	count = smaller((size_t) (exchange->written - exchange->taken), size);
	if (count == 0)
	{
		ssize_t result = exchange->state == STATE_COMPLETE    ? EXCHANGE_END
						 : exchange->state == STATE_STREAMING ? 0
															  : EXCHANGE_BROKEN;

		if (result == 0)
			put_http_side_to_sleep(exchange);
		pthread_mutex_unlock(&exchange->lock);
		return result;
	}
	pthread_mutex_unlock(&exchange->lock);

	at = (size_t) (exchange->taken % EXCHANGE_BUFFER);
	until_wrap = smaller(count, EXCHANGE_BUFFER - at);
	memcpy(bytes, exchange->buffer + at, until_wrap);
	memcpy(bytes + until_wrap, exchange->buffer, count - until_wrap);

	pthread_mutex_lock(&exchange->lock);
	exchange->taken += count;
	pthread_cond_signal(&exchange->room);
	pthread_mutex_unlock(&exchange->lock);
	return (ssize_t) count;
}

void
exchange_abandon(Exchange *exchange)
{
	pthread_mutex_lock(&exchange->lock);
	exchange->http_side = NULL;
	stop_database_side(exchange);
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
	char *buffer = malloc(EXCHANGE_BUFFER);

	pthread_mutex_lock(&exchange->lock);
	if (buffer != NULL && exchange->state == STATE_UNDECIDED)
	{
		exchange->buffer = buffer;
		exchange->status = status;
		exchange->state = STATE_STREAMING;
		wake_http_side(exchange);
		is_decided = true;
	}
	pthread_mutex_unlock(&exchange->lock);
	if (!is_decided)
		free(buffer);
	return is_decided;
}

bool
exchange_is_decided(Exchange *exchange)
{
	bool is_decided;

	pthread_mutex_lock(&exchange->lock);
	is_decided = exchange->state != STATE_UNDECIDED;
	pthread_mutex_unlock(&exchange->lock);
	return is_decided;
}

/* Waits until there is room; how much, or 0 when nobody reads any more. Takes the lock itself. */
static size_t
wait_for_room(Exchange *exchange)
{
	size_t room = 0;

	pthread_mutex_lock(&exchange->lock);
	if (exchange->written - exchange->taken == EXCHANGE_BUFFER && !exchange->unwanted)
	{
		int64_t start_ns = clock_now_ns();

		/* half the buffer at once: fewer turns between the threads */
		while (exchange->written - exchange->taken > EXCHANGE_BUFFER / 2 && !exchange->unwanted)
			pthread_cond_wait(&exchange->room, &exchange->lock);
		exchange->waited_ns += clock_now_ns() - start_ns;
	}
	if (!exchange->unwanted && exchange->state == STATE_STREAMING)
		room = EXCHANGE_BUFFER - (size_t) (exchange->written - exchange->taken);
	pthread_mutex_unlock(&exchange->lock);
	return room;
}

bool
exchange_write(Exchange *exchange, const char *bytes, size_t length)
{
	/* nobody takes the body of a HEAD */
	if (exchange->request.head_only)
		return true;
	while (length > 0)
	{
		size_t count = smaller(wait_for_room(exchange), length);
		size_t at = (size_t) (exchange->written % EXCHANGE_BUFFER);
		size_t until_wrap = smaller(count, EXCHANGE_BUFFER - at);

		if (count == 0)
			return false;
		memcpy(exchange->buffer + at, bytes, until_wrap);
		memcpy(exchange->buffer, bytes + until_wrap, count - until_wrap);
		bytes += count;
		length -= count;

		pthread_mutex_lock(&exchange->lock);
		exchange->written += count;
		wake_http_side(exchange);
		pthread_mutex_unlock(&exchange->lock);
	}
	return true;
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
	end_with_error(exchange, status, detail);
	stop_database_side(exchange);
	pthread_mutex_unlock(&exchange->lock);
}

char *
exchange_error_body(int status, const char *detail)
{
	JsonText text;

	if (!json_text_open(&text))
		return NULL;
	json_text_key(&text, "{", "error");
	json_text_string(&text, serve_status_text(status));
	json_text_key(&text, ",", "detail");
	json_text_string(&text, detail);
	json_encode_literal(&text.encoder, "}\n");
	return json_text_close(&text);
}
