#include "job/exchange/otlp_send.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/thread/worker.h"
#include "export/exchange/otlp.h"
#include "job/exchange/otlp_encode.h"
#include "model/profile.h"
#include "net/otlp/client.h"
#include "net/otlp/endpoint.h"
#include "net/stream.h"

#define RETRY_NS (30 * PIPA_NS_PER_SEC)
#define LAST_NS (5 * PIPA_NS_PER_SEC) /* to deliver the rest after a signal */

/* The work of the sending thread. */
struct delivery {
	const struct pipa_otlp_send_options *o;
	const struct pipa_profile *profile;
	struct pipa_otlp_endpoint endpoint;
	struct pipa_otlp_client *client;
	struct pipa_stop stop;
	int done_fd; /* eventfd: the thread has ended */
	/* results */
	uint64_t requests, wire_bytes, rejected;
	size_t samples; /* delivered */
	char message[200];
	struct pipa_error err;
	int rc;
	/* of the caller's loop */
	struct pipa_loop *loop;
	int signal;
};

/* ---- sending --------------------------------------------------------------------------------------------- */

static int send_all(struct delivery *d)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf payload = { 0 };
	uint64_t retry_ns = d->o->retry_ns ? d->o->retry_ns : RETRY_NS;
	size_t from = 0, n = d->profile->samples.n;
	struct pipa_otlp_sent sent;
	int rc;

	while (from < d->profile->samples.n) {
		if (n > d->profile->samples.n - from)
			n = d->profile->samples.n - from;
		rc = pipa_otlp_encode(d->profile, d->o->format, from, &n, &payload);
		if (rc < 0)
			return pipa_fail(&d->err, rc, "encode the profile");
		rc = pipa_otlp_send(d->client,
				    (struct pipa_span){ (uint8_t *)payload.data, payload.len },
				    pipa_clock_ns() + retry_ns, &sent, &d->err);
		if (rc < 0)
			return rc;
		d->requests++;
		d->wire_bytes += sent.wire_bytes;
		d->rejected += sent.rejected;
		if (sent.message[0])
			snprintf(d->message, sizeof(d->message), "%s", sent.message);
		from += n;
		d->samples = from;
	}
	return 0;
}

static void run_delivery(void *ctx)
{
	struct delivery *d = ctx;
	const uint64_t one = 1;
	ssize_t n;

	d->rc = send_all(d);
	n = write(d->done_fd, &one, sizeof(one));
	(void)n;
}

/* ---- waiting --------------------------------------------------------------------------------------------- */

static int on_done(void *ctx, struct pipa_error *err PIPA_UNUSED)
{
	struct delivery *d = ctx;

	pipa_loop_unwatch(d->loop, d->done_fd);
	pipa_loop_stop(d->loop);
	return 0;
}

/* Set the deadline to LAST_NS after the first signal, and to now after the second. */
static int on_signal(void *ctx, const struct signalfd_siginfo *info,
		     struct pipa_error *err PIPA_UNUSED)
{
	struct delivery *d = ctx;

	pipa_stop_at(&d->stop, d->signal ? 0 : pipa_clock_ns() + LAST_NS);
	d->signal = (int)info->ssi_signo;
	return 0;
}

/* Run the thread and wait for its end; signals arrive meanwhile. */
static int wait_for_delivery(struct delivery *d, struct pipa_error *err)
{
	PIPA_AUTO(pipa_loop_free) struct pipa_loop *loop = NULL;
	struct pipa_worker thread = { 0 };
	sigset_t set;
	int rc = pipa_loop_new(&loop, err);

	if (rc < 0)
		return rc;
	d->loop = loop;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	if (d->o->owns_process)
		rc = pipa_loop_signals(loop, &set, on_signal, d, err);
	if (!rc)
		rc = pipa_loop_watch(loop, d->done_fd, on_done, d, err);
	if (rc < 0)
		return rc;
	/* a large stack: it parses certificates, and calls modules of the name service */
	rc = pipa_worker_start(&thread, "pipa-otlp", PIPA_WORKER_STACK_PARSE, run_delivery, d);
	if (rc < 0)
		return pipa_fail(err, rc, "start a thread");
	rc = pipa_loop_run(loop, err);
	if (rc < 0)
		pipa_stop_at(&d->stop, 0);
	pipa_worker_join(&thread);
	return rc;
}

static int report(const struct delivery *d, struct pipa_error *err)
{
	size_t total = d->profile->samples.n;
	char part[80] = "";
	int rc;

	if (d->rc < 0) {
		if (d->requests)
			snprintf(part, sizeof(part), "; delivered: %zu of %zu samples", d->samples,
				 total);
		rc = pipa_refuse(err, d->signal ? -EINTR : d->rc, "%s%s%s",
				 d->signal ? "interrupted: " : "", d->err.what, part);
		if (d->err.hint[0] && !d->signal)
			pipa_hint(err, "%s", d->err.hint);
		return rc;
	}
	if (d->rejected)
		return pipa_refuse(err, -EREMOTEIO, "%s rejected %llu profiles%s%s",
				   d->endpoint.text, (unsigned long long)d->rejected,
				   d->message[0] ? ": " : "", d->message);
	if (d->message[0])
		pipa_log_put(d->o->log, PIPA_LOG_WARN, "%s: %s", d->endpoint.text, d->message);
	pipa_log_note(d->o->log, "sent %llu request%s, %llu bytes, to %s",
		      (unsigned long long)d->requests, d->requests == 1 ? "" : "s",
		      (unsigned long long)d->wire_bytes, d->endpoint.text);
	return 0;
}

int pipa_otlp_send_profile(const struct pipa_otlp_send_options *o,
			   const struct pipa_profile *profile, struct pipa_error *err)
{
	struct delivery d = { .o = o, .profile = profile, .done_fd = -1 };
	int rc = pipa_otlp_endpoint_init(o->endpoint, o->log, &d.endpoint, err);

	if (rc < 0)
		return rc;
	rc = pipa_stop_init(&d.stop);
	if (!rc) {
		d.done_fd = eventfd(0, EFD_CLOEXEC);
		rc = d.done_fd < 0 ? -errno : 0;
	}
	if (!rc) {
		d.client = pipa_otlp_client_new(&d.endpoint, o->format->version, &d.stop);
		rc = d.client ? 0 : -ENOMEM;
	}
	if (rc < 0)
		pipa_fail(err, rc, "start sending");
	else
		rc = wait_for_delivery(&d, err);
	if (!rc)
		rc = report(&d, err);
	pipa_otlp_client_free(d.client);
	pipa_fd_close(d.done_fd);
	pipa_stop_done(&d.stop);
	pipa_otlp_endpoint_done(&d.endpoint);
	return rc;
}
