#include "serve/refiller.h"

#include <errno.h>
#include <stdlib.h>

struct Refiller
{
	pthread_t thread;
	pthread_mutex_t lock; /* over all that follows; no other is taken under it */
	pthread_cond_t work;
	Exchange *first;
	Exchange **last;
	bool stopping;
};

/* Takes the first of the list; the lock is held. */
static Exchange *
take_first(Refiller *refiller)
{
	Exchange *exchange = refiller->first;

	refiller->first = *exchange_refill_link(exchange);
	if (refiller->first == NULL)
		refiller->last = &refiller->first;
	return exchange;
}

static void *
run(void *context)
{
	Refiller *refiller = context;

	pthread_mutex_lock(&refiller->lock);
	for (;;)
	{
		Exchange *exchange;

		while (refiller->first == NULL && !refiller->stopping)
			pthread_cond_wait(&refiller->work, &refiller->lock);
		if (refiller->stopping)
			break;
		exchange = take_first(refiller);
		pthread_mutex_unlock(&refiller->lock);
		exchange_refill(exchange);
		exchange_release(exchange);
		pthread_mutex_lock(&refiller->lock);
	}
	pthread_mutex_unlock(&refiller->lock);
	return NULL;
}

Refiller *
refiller_start(void)
{
	Refiller *refiller = calloc(1, sizeof(Refiller));
	int problem;

	if (refiller == NULL)
		return NULL;
	refiller->last = &refiller->first;
	pthread_mutex_init(&refiller->lock, NULL);
	pthread_cond_init(&refiller->work, NULL);
	problem = pthread_create(&refiller->thread, NULL, run, refiller);
	if (problem == 0)
		return refiller;
	pthread_cond_destroy(&refiller->work);
	pthread_mutex_destroy(&refiller->lock);
	free(refiller);
	errno = problem;
	return NULL;
}

void
refiller_add(void *context, Exchange *exchange)
{
	Refiller *refiller = context;

	pthread_mutex_lock(&refiller->lock);
	*exchange_refill_link(exchange) = NULL;
	*refiller->last = exchange;
	refiller->last = exchange_refill_link(exchange);
	pthread_cond_signal(&refiller->work);
	pthread_mutex_unlock(&refiller->lock);
}

void
refiller_stop(Refiller *refiller)
{
	if (refiller == NULL)
		return;
	pthread_mutex_lock(&refiller->lock);
	refiller->stopping = true;
	pthread_cond_signal(&refiller->work);
	pthread_mutex_unlock(&refiller->lock);
	pthread_join(refiller->thread, NULL);
	while (refiller->first != NULL)
		exchange_release(take_first(refiller));
	pthread_cond_destroy(&refiller->work);
	pthread_mutex_destroy(&refiller->lock);
	free(refiller);
}
