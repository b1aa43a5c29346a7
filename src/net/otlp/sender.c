#include "net/otlp/sender.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/thread/worker.h"
#include "net/otlp/client.h"
#include "net/otlp/endpoint.h"
#include "net/stream.h"

struct request {
	struct request *next;
	void *payload;
	size_t len;
	uint64_t samples;
};

struct pipa_otlp_sender {
	struct pipa_otlp_sender_options o;
	struct pipa_otlp_client *client; /* used by the thread only */
	struct pipa_stop stop;
	struct pipa_worker thread;
	pthread_mutex_t lock;
	pthread_cond_t change; /* a request was queued, or the end was requested */
	/* with the lock held */
	struct request *first, **last;
	size_t n, bytes;
	bool ending;
	struct pipa_otlp_counts counts;
};

static struct request *take_request(struct pipa_otlp_sender *s)
{
	struct request *rq;

	pthread_mutex_lock(&s->lock);
	while (!s->first && !s->ending)
		pthread_cond_wait(&s->change, &s->lock);
	rq = s->first;
	if (rq) {
		s->first = rq->next;
		if (!s->first)
			s->last = &s->first;
		s->n--;
		s->bytes -= rq->len;
	}
	pthread_mutex_unlock(&s->lock);
	return rq;
}

static void free_request(struct request *rq)
{
	free(rq->payload);
	free(rq);
}

static void send_request(struct pipa_otlp_sender *s, struct request *rq)
{
	struct pipa_otlp_sent sent = { 0 };
	struct pipa_error err = { 0 };
	uint64_t now = pipa_clock_ns();
	bool late = pipa_stop_min(&s->stop, UINT64_MAX) <= now;
	int rc = late ? -ETIMEDOUT :
			pipa_otlp_send(s->client, (struct pipa_span){ rq->payload, rq->len },
				       now + s->o.retry_ns, &sent, &err);

	late = pipa_stop_min(&s->stop, UINT64_MAX) != UINT64_MAX && rc != -EREMOTEIO;
	pthread_mutex_lock(&s->lock);
	s->counts.attempts += sent.attempts;
	if (!rc) {
		s->counts.delivered++;
		s->counts.delivered_samples += rq->samples;
		s->counts.wire_bytes += sent.wire_bytes;
		s->counts.rejected_profiles += sent.rejected;
		if (sent.message[0])
			snprintf(s->counts.message, sizeof(s->counts.message), "%s", sent.message);
	} else {
		if (late)
			s->counts.undelivered++;
		else
			s->counts.refused++;
		if (err.code)
			s->counts.err = err;
	}
	pthread_mutex_unlock(&s->lock);
}

static void run_thread(void *ctx)
{
	struct pipa_otlp_sender *s = ctx;
	struct request *rq;

	while ((rq = take_request(s))) {
		send_request(s, rq);
		free_request(rq);
	}
}

int pipa_otlp_sender_start(const struct pipa_otlp_sender_options *o, struct pipa_otlp_sender **ret,
			   struct pipa_error *err)
{
	struct pipa_otlp_sender *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return pipa_fail(err, -ENOMEM, "start the sender");
	s->o = *o;
	s->last = &s->first;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->change, NULL);
	rc = pipa_stop_init(&s->stop);
	if (!rc) {
		s->client = pipa_otlp_client_new(o->endpoint, o->version, &s->stop);
		rc = s->client ? 0 : -ENOMEM;
	}
	/* the thread parses certificates and looks up names */
	if (!rc)
		rc = pipa_worker_start(&s->thread, "pipa-otlp", 1 << 20, run_thread, s);
	if (rc < 0) {
		pipa_otlp_sender_free(s);
		return pipa_fail(err, rc, "start the sender");
	}
	*ret = s;
	return 0;
}

int pipa_otlp_sender_put(struct pipa_otlp_sender *s, void *payload, size_t len, uint64_t samples)
{
	struct request *rq = calloc(1, sizeof(*rq));
	bool full;

	pthread_mutex_lock(&s->lock);
	full = !rq || s->ending || s->n >= s->o.max_requests || len > s->o.max_bytes - s->bytes;
	if (full) {
		s->counts.dropped++;
	} else {
		*rq = (struct request){ .payload = payload, .len = len, .samples = samples };
		*s->last = rq;
		s->last = &rq->next;
		s->n++;
		s->bytes += len;
		pthread_cond_signal(&s->change);
	}
	pthread_mutex_unlock(&s->lock);
	if (!full)
		return 0;
	free(payload);
	free(rq);
	return -ENOBUFS;
}

void pipa_otlp_sender_counts(struct pipa_otlp_sender *s, struct pipa_otlp_counts *ret)
{
	pthread_mutex_lock(&s->lock);
	*ret = s->counts;
	pthread_mutex_unlock(&s->lock);
}

void pipa_otlp_sender_hurry(struct pipa_otlp_sender *s, uint64_t until_ns)
{
	pthread_mutex_lock(&s->lock);
	if (until_ns < pipa_stop_min(&s->stop, UINT64_MAX))
		pipa_stop_at(&s->stop, until_ns);
	pthread_mutex_unlock(&s->lock);
}

void pipa_otlp_sender_finish(struct pipa_otlp_sender *s, uint64_t until_ns,
			     struct pipa_otlp_counts *ret)
{
	pthread_mutex_lock(&s->lock);
	s->ending = true;
	pthread_cond_signal(&s->change);
	pthread_mutex_unlock(&s->lock);
	pipa_otlp_sender_hurry(s, until_ns);
	pipa_worker_join(&s->thread);
	pipa_otlp_sender_counts(s, ret);
}

void pipa_otlp_sender_free(struct pipa_otlp_sender *s)
{
	struct pipa_otlp_counts counts;
	struct request *rq;

	if (!s)
		return;
	if (s->thread.running)
		pipa_otlp_sender_finish(s, 0, &counts);
	while ((rq = s->first)) {
		s->first = rq->next;
		free_request(rq);
	}
	pipa_otlp_client_free(s->client);
	pipa_stop_done(&s->stop);
	pthread_cond_destroy(&s->change);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
