#include "job/exchange/record_send.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/thread/message_queue.h"
#include "base/thread/worker.h"
#include "export/exchange/otlp.h"
#include "job/exchange/otlp_encode.h"
#include "job/exchange/otlp_resource.h"
#include "kernel/event/host.h"
#include "measure/live/live_stream.h"
#include "measure/sample/record.h"
#include "model/profile.h"
#include "net/otlp/endpoint.h"
#include "net/otlp/sender.h"
#include "perf/attr.h"
#include "perf/encode.h"

enum {
	QUEUE_BYTES = 32 << 20,	  /* of records: some seconds of many CPUs */
	SIDEBAND_BYTES = 8 << 20, /* of them only for records other than samples */
	REQUESTS_MAX = 64,	  /* waiting for the server */
	REQUESTS_BYTES = 64 << 20,
	COLUMNS = 2, /* profiles of an event: the number of samples, and their periods */
	WAKE_MS = 1000,
	WAKE_BYTES = 1 << 20, /* of records that wake the encoder without FINISHED_ROUND */
};

#define RETRY_NS (30 * PIPA_NS_PER_SEC)
#define LAST_NS (5 * PIPA_NS_PER_SEC)	  /* to deliver the rest after a signal */
#define EARLY_NS PIPA_NS_PER_SEC	  /* shortest time between two batches */
#define ABANDON_NS (500 * PIPA_NS_PER_MS) /* time to end for the threads, after the deadline */
#define CHECK_NS (20 * PIPA_NS_PER_MS)

/* Shared by the threads. Not freed if the encoding thread had to be abandoned. */
struct sending {
	struct pipa_record_send_options o;
	struct pipa_log log;
	struct pipa_otlp_endpoint endpoint;
	struct pipa_otlp_resource_list resource;
	struct pipa_otlp_format format;
	struct utsname host;
	struct pipa_message_queue *queue;
	struct pipa_otlp_sender *sender;
	struct pipa_worker encoder;
	int done_fd;	 /* eventfd: the encoding thread has ended */
	clockid_t clock; /* of the records */

	/* of the thread that drains the rings */
	struct pipa_buf round; /* a FINISHED_ROUND record */
	size_t unwoken;	       /* bytes since the encoding thread was woken */
	uint64_t queued, refused_samples, refused_records;

	/* set before `is_open` or `is_over`, which the encoding thread reads */
	struct pipa_perf_events events;
	_Atomic bool is_open, is_over;
	_Atomic uint64_t until_ns; /* deadline after a signal */

	uint64_t interval_samples; /* of the encoding thread: records since the last interval */

	/* results of the encoding thread */
	_Atomic uint64_t encoded; /* samples of requests that were given to the sender */
	_Atomic uint64_t unencoded;
	struct pipa_error err; /* of a failure to make profiles, valid once the thread has ended */

	/* of the main thread, at the end */
	struct pipa_loop *loop;
	uint64_t give_up_ns;
	unsigned int signals;
	bool is_done;
};

/* ---- draining the rings ---------------------------------------------------------------------------- */

static int copy_events(void *ctx, const struct pipa_perf_events *events, struct pipa_error *err)
{
	struct sending *s = ctx;

	if (pipa_perf_events_copy(&s->events, events) < 0)
		return pipa_fail(err, -ENOMEM, "send profiles");
	atomic_store(&s->is_open, true);
	return 0;
}

static void queue_record(void *ctx, const void *bytes, size_t len)
{
	struct perf_event_header header;
	struct sending *s = ctx;
	bool is_sample;

	memcpy(&header, bytes, sizeof(header));
	is_sample = header.type == PERF_RECORD_SAMPLE;
	if (pipa_message_queue_put(s->queue, bytes, len, is_sample ? SIDEBAND_BYTES : 0))
		s->queued += is_sample;
	else if (is_sample)
		s->refused_samples++;
	else
		s->refused_records++;
	s->unwoken += len;
	if (s->unwoken >= WAKE_BYTES) {
		s->unwoken = 0;
		pipa_message_queue_wake(s->queue);
	}
}

static void end_round(void *ctx)
{
	struct sending *s = ctx;

	pipa_message_queue_put(s->queue, s->round.data, s->round.len, 0);
	pipa_message_queue_wake(s->queue);
}

/* ---- encoding -------------------------------------------------------------------------------------- */

/* Pass the samples of an interval to the sender, as requests of limited size. 0 or a negative errno. */
static int send_interval(struct sending *s, const struct pipa_live_interval *interval)
{
	const struct pipa_profile *p = interval->profile;
	struct pipa_otlp_format format = s->format;
	size_t from = 0, n = p->samples.n, i;
	int rc;

	format.times = interval->times;
	format.utc_offset_ns = pipa_clock_wall_ns() - pipa_clock_read(s->clock);

	while (from < p->samples.n) {
		PIPA_AUTO(pipa_buf_done) struct pipa_buf payload = { 0 };
		uint64_t samples = 0;
		size_t len;

		if (n > p->samples.n - from)
			n = p->samples.n - from;
		rc = pipa_otlp_encode(p, &format, from, &n, &payload);
		if (rc < 0)
			return pipa_fail(&s->err, rc, "encode the profile");
		for (i = from; i < from + n; i++)
			samples += p->samples.items[i].count;
		len = payload.len;
		/* a refused request is counted by the sender */
		pipa_otlp_sender_put(s->sender, pipa_buf_take(&payload), len, samples);
		atomic_fetch_add(&s->encoded, samples);
		from += n;
	}
	return 0;
}

/* End an interval. If it cannot be ended, its samples remain for the next one; samples not encoded are counted. */
static void end_interval(struct sending *s, struct pipa_live_stream *stream)
{
	struct pipa_live_interval interval = { 0 };
	uint64_t before = atomic_load(&s->encoded);
	int rc = pipa_live_stream_take(stream, &interval, &s->err);

	if (rc < 0)
		return;
	if (send_interval(s, &interval) < 0)
		atomic_fetch_add(&s->unencoded,
				 interval.samples - (atomic_load(&s->encoded) - before));
	s->interval_samples = 0;
}

/*
 * Add records of the queue to the stream, or drop them if it is NULL. Returns whether the queue is empty. It returns
 * also while records keep coming, so that the caller can check the time.
 */
static bool read_queue(struct sending *s, struct pipa_live_stream *stream)
{
	enum { RECORDS_MAX = 100000 };
	struct pipa_span record;
	int rc, n;

	if (stream)
		pipa_live_stream_read_dumps(stream);
	for (n = 0; n < RECORDS_MAX; n++) {
		struct perf_event_header header;

		record = pipa_message_queue_first(s->queue);
		if (!record.data)
			return true;
		memcpy(&header, record.data, sizeof(header));
		rc = stream ? pipa_live_stream_put(stream, record) : -ENOMEM;
		if (header.type == PERF_RECORD_SAMPLE) {
			if (rc < 0)
				atomic_fetch_add(&s->unencoded, 1);
			else
				s->interval_samples++;
		}
		if (rc < 0 && !s->err.code)
			pipa_fail(&s->err, rc, "make profiles");
		pipa_message_queue_drop(s->queue);
	}
	return false;
}

static bool is_batch_due(const struct sending *s, const struct pipa_live_stream *stream,
			 uint64_t start_ns, uint64_t now)
{
	uint64_t interval = s->o.interval_ns ? s->o.interval_ns :
					       PIPA_RECORD_SEND_INTERVAL_S * PIPA_NS_PER_SEC;
	uint64_t profiles = s->o.batch_profiles ? s->o.batch_profiles : PIPA_RECORD_SEND_PROFILES;

	return now - start_ns >= interval ||
	       (now - start_ns >= EARLY_NS &&
		(pipa_live_stream_pairs(stream) * COLUMNS >= profiles ||
		 pipa_live_stream_is_full(stream)));
}

/* Make profiles of the queue until the recording is over. */
static void encode_until_over(struct sending *s)
{
	struct pipa_live_stream *stream = NULL;
	uint64_t start_ns = pipa_clock_ns(), now;
	bool is_over, is_empty;

	do {
		is_over = atomic_load(&s->is_over); /* before the queue is read for the last time */
		if (!stream && !s->err.code && atomic_load(&s->is_open)) {
			pipa_live_stream_new(
				&(struct pipa_live_stream_options){ .events = &s->events,
								    .times = s->o.times },
				&stream, &s->err);
			start_ns = pipa_clock_ns();
		}
		is_empty = stream || s->err.code ? read_queue(s, stream) : true;
		now = pipa_clock_ns();
		if (stream && ((is_over && is_empty) || is_batch_due(s, stream, start_ns, now))) {
			end_interval(s, stream);
			start_ns = now;
		}
		if (!is_over && is_empty)
			pipa_message_queue_wait(s->queue, WAKE_MS);
	} while (!is_over || !is_empty);
	atomic_fetch_add(&s->unencoded,
			 s->interval_samples); /* not 0 if the last interval failed */
	pipa_live_stream_free(stream);
}

static void run_encoder(void *ctx)
{
	struct sending *s = ctx;
	struct pipa_otlp_counts counts;
	const uint64_t one = 1;
	uint64_t until_ns;
	ssize_t n;

	encode_until_over(s);
	until_ns = pipa_clock_ns() + (s->o.retry_ns ? s->o.retry_ns : RETRY_NS);
	if (until_ns > atomic_load(&s->until_ns))
		until_ns = atomic_load(&s->until_ns);
	pipa_otlp_sender_finish(s->sender, until_ns, &counts);
	n = write(s->done_fd, &one, sizeof(one));
	(void)n;
}

/* ---- delivering the rest --------------------------------------------------------------------------- */

static void set_deadline(struct sending *s, uint64_t until_ns)
{
	uint64_t now = pipa_clock_ns();

	if (until_ns >= atomic_load(&s->until_ns))
		return;
	atomic_store(&s->until_ns, until_ns);
	s->give_up_ns = (until_ns > now ? until_ns : now) + ABANDON_NS;
	pipa_otlp_sender_hurry(s->sender, until_ns);
}

/* Bring the deadline forward, to LAST_NS after the first signal, and to now after the second. */
static void check_signals(struct sending *s)
{
	unsigned int n = pipa_interrupt_count();

	if (n == s->signals)
		return;
	s->signals = n;
	set_deadline(s, n > 1 ? 0 : pipa_clock_ns() + LAST_NS);
}

/*
 * Set the deadline after signals that arrived before the end of the recording. With a command they count as one: the
 * user may have sent several SIGINT from the terminal to a command that handles them, such as a shell.
 */
static void check_earlier_signals(struct sending *s, bool has_command)
{
	unsigned int n = pipa_interrupt_count();

	if (!has_command || n < 2) {
		check_signals(s);
		return;
	}
	s->signals = n;
	set_deadline(s, pipa_clock_ns() + LAST_NS);
}

static int on_signal(void *ctx, const struct signalfd_siginfo *info PIPA_UNUSED,
		     struct pipa_error *err PIPA_UNUSED)
{
	check_signals(ctx);
	return 0;
}

static int on_done(void *ctx, struct pipa_error *err PIPA_UNUSED)
{
	struct sending *s = ctx;

	s->is_done = true;
	pipa_loop_unwatch(s->loop, s->done_fd);
	pipa_loop_stop(s->loop);
	return 0;
}

/* Check for signals that arrived before the loop watched them, and for threads that do not end. */
static int on_check(void *ctx, uint64_t expirations PIPA_UNUSED, struct pipa_error *err PIPA_UNUSED)
{
	struct sending *s = ctx;

	check_signals(s);
	if (pipa_clock_ns() >= s->give_up_ns)
		pipa_loop_stop(s->loop);
	return 0;
}

/* List the signals that end the delivery, without those that are ignored (nohup). */
static void list_stop_signals(sigset_t *ret)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction action;
	size_t i;

	sigemptyset(ret);
	for (i = 0; i < PIPA_COUNT(signals); i++)
		if (sigaction(signals[i], NULL, &action) < 0 || action.sa_handler != SIG_IGN)
			sigaddset(ret, signals[i]);
}

/* Wait until the rest is delivered, or until the deadline. */
static int deliver_rest(struct sending *s, bool owns_process, bool has_command,
			struct pipa_error *err)
{
	PIPA_AUTO(pipa_loop_free) struct pipa_loop *loop = NULL;
	sigset_t set;
	int rc = pipa_loop_new(&loop, err);

	check_earlier_signals(s, has_command);
	atomic_store(&s->is_over, true);
	pipa_message_queue_wake(s->queue);
	if (rc < 0)
		return rc;
	s->loop = loop;
	list_stop_signals(&set);
	if (owns_process)
		rc = pipa_loop_signals(loop, &set, on_signal, s, err);
	if (!rc)
		rc = pipa_loop_watch(loop, s->done_fd, on_done, s, err);
	if (!rc)
		rc = pipa_loop_timer(loop, pipa_clock_ns() + CHECK_NS, CHECK_NS, on_check, s, err);
	return rc ? rc : pipa_loop_run(loop, err);
}

/* ---- result ---------------------------------------------------------------------------------------- */

/* Append "N THINGS TEXT" to the list of reasons unless N is 0. */
static void add_reason(struct pipa_buf *out, uint64_t n, const char *thing, const char *text)
{
	if (n)
		pipa_buf_printf(out, "%s%llu %s%s %s", out->len ? ", " : "", (unsigned long long)n,
				thing, n == 1 ? "" : "s", text);
}

/* Count the samples that were queued, but are in no request. */
static uint64_t count_unencoded(const struct sending *s)
{
	uint64_t encoded = atomic_load(&s->encoded);

	if (s->is_done)
		return atomic_load(&s->unencoded);
	return s->queued > encoded ? s->queued - encoded : 0;
}

static int report(const struct sending *s, const struct pipa_otlp_counts *counts,
		  struct pipa_record_sent *sent, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf why = { .max = 1000 };
	uint64_t unencoded = count_unencoded(s), total;
	bool is_interrupted = s->signals && (!s->is_done || unencoded || counts->undelivered);
	const char *prefix = is_interrupted ? "interrupted: " : "";
	char what[600], tail[160];

	snprintf(sent->url, sizeof(sent->url), "%s", s->endpoint.text);
	sent->samples = counts->delivered_samples;
	sent->requests = counts->delivered;
	sent->wire_bytes = counts->wire_bytes;
	total = atomic_load(&s->encoded) + unencoded + s->refused_samples;
	sent->undelivered = total - sent->samples;
	if (s->refused_records)
		pipa_log_note(&s->log,
			      "lost %llu side-band records (mmap, comm, fork) on the way to the "
			      "receiver: symbols may be unresolved",
			      (unsigned long long)s->refused_records);
	if (counts->rejected_profiles && !sent->undelivered)
		return pipa_refuse(err, -EREMOTEIO, "%s rejected %llu profiles%s%s",
				   s->endpoint.text, (unsigned long long)counts->rejected_profiles,
				   counts->message[0] ? ": " : "", counts->message);
	if (counts->message[0])
		pipa_log_put(&s->log, PIPA_LOG_WARN, "%s: %s", s->endpoint.text, counts->message);
	if (!sent->undelivered)
		return 0;
	snprintf(what, sizeof(what), "cannot send profiles to %s", s->endpoint.text);
	add_reason(&why, s->refused_samples, "sample", "recorded faster than encoded");
	add_reason(&why, unencoded, "sample", "not encoded");
	add_reason(&why, counts->dropped, "request", "dropped from a full queue");
	add_reason(&why, counts->refused, "request", "refused");
	add_reason(&why, counts->undelivered, "request", "not sent in time");
	add_reason(&why, counts->rejected_profiles, "profile", "rejected");
	if (!why.len)
		pipa_buf_printf(&why, "a request was being sent");
	snprintf(tail, sizeof(tail), ": not delivered: %llu of %llu samples (%s)",
		 (unsigned long long)sent->undelivered, (unsigned long long)total,
		 pipa_buf_str(&why));
	/* the numbers first: the text of a server may fill the message */
	pipa_refuse(err,
		    is_interrupted   ? -EINTR :
		    counts->err.code ? counts->err.code :
				       -EREMOTEIO,
		    "%s%.*s%s", prefix,
		    (int)(sizeof(err->what) - 1 - strlen(prefix) - strlen(tail)),
		    counts->err.code	      ? counts->err.what :
		    s->is_done && s->err.code ? s->err.what :
						what,
		    tail);
	if (counts->err.hint[0] && !is_interrupted)
		pipa_hint(err, "%s", counts->err.hint);
	return err->code;
}

/* ---- start and end --------------------------------------------------------------------------------- */

static void free_sending(struct sending *s)
{
	if (!s)
		return;
	pipa_otlp_sender_free(s->sender);
	pipa_message_queue_free(s->queue);
	pipa_perf_events_done(&s->events);
	pipa_buf_done(&s->round);
	pipa_fd_close(s->done_fd);
	free(s->resource.strings);
	pipa_otlp_endpoint_done(&s->endpoint);
	free(s);
}

/* Describe this machine, and read the attributes of the environment. */
static int make_format(struct sending *s)
{
	struct pipa_otlp_resource_text host[4];
	size_t n = 0;
	int rc;

	if (uname(&s->host) == 0) {
		host[n++] = (struct pipa_otlp_resource_text){ "host.name", s->host.nodename };
		host[n++] = (struct pipa_otlp_resource_text){ "os.version", s->host.release };
		host[n++] = (struct pipa_otlp_resource_text){
			"host.arch", pipa_otlp_arch_name(s->host.machine)
		};
		host[n++] = (struct pipa_otlp_resource_text){ "os.type", "linux" };
	}
	rc = pipa_otlp_resource_read(host, n, &s->log, &s->resource);
	s->format = (struct pipa_otlp_format){
		.layout = s->o.endpoint->layout_1_9 ? PIPA_OTLP_1_9 : PIPA_OTLP_1_10,
		.version = s->o.version,
		.resource = s->resource.items,
		.n_resource = s->resource.n,
	};
	return rc;
}

/*
 * Start the threads, before the priority of the thread that drains the rings is raised: they do not inherit it.
 */
static int start_threads(struct sending *s, struct pipa_error *err)
{
	const struct pipa_otlp_sender_options options = {
		.endpoint = &s->endpoint,
		.version = s->o.version,
		.max_requests = REQUESTS_MAX,
		.max_bytes = REQUESTS_BYTES,
		.retry_ns = s->o.retry_ns ? s->o.retry_ns : RETRY_NS,
	};
	int rc = pipa_otlp_sender_start(&options, &s->sender, err);

	if (rc < 0)
		return rc;
	rc = pipa_worker_start(&s->encoder, "pipa-encode", PIPA_WORKER_STACK_PARSE, run_encoder, s);
	return rc < 0 ? pipa_fail(err, rc, "start a thread") : 0;
}

static int open_sending(const struct pipa_record_send_options *o, const struct pipa_log *log,
			struct sending **ret, struct pipa_error *err)
{
	struct sending *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return pipa_fail(err, -ENOMEM, "send profiles");
	s->o = *o;
	s->until_ns = s->give_up_ns = UINT64_MAX;
	s->log = *log;
	s->done_fd = eventfd(0, EFD_CLOEXEC);
	rc = pipa_otlp_endpoint_init(o->endpoint, log, &s->endpoint, err);
	if (!rc) {
		pipa_perf_put_round(&s->round);
		s->queue = pipa_message_queue_new(QUEUE_BYTES);
		if (s->round.status || !s->queue || s->done_fd < 0 || make_format(s) < 0)
			rc = pipa_fail(err, -ENOMEM, "send profiles");
	}
	if (!rc)
		rc = start_threads(s, err);
	if (rc < 0)
		free_sending(s);
	else
		*ret = s;
	return rc;
}

int pipa_record_send_run(const struct pipa_host *host, const struct pipa_record_options *record,
			 const struct pipa_record_send_options *o, struct pipa_record_outcome *ret,
			 struct pipa_record_sent *ret_sent, struct pipa_error *err)
{
	struct pipa_record_options options = *record;
	struct pipa_error send_err = { 0 };
	struct pipa_otlp_counts counts;
	struct pipa_record_feed feed;
	struct sending *s = NULL;
	int rc = open_sending(o, &record->log, &s, err), sent_rc;

	if (rc < 0)
		return rc;
	feed = (struct pipa_record_feed){
		.begin = copy_events, .put = queue_record, .end_drain = end_round, .ctx = s
	};
	options.feed = &feed;
	s->clock = pipa_record_clock(record);
	rc = pipa_record_run(host, &options, ret, err);
	ret_sent->is_recorded = rc >= 0;
	sent_rc = deliver_rest(s, host->owns_process, record->target.command != NULL, &send_err);
	if (s->is_done)
		pipa_worker_join(&s->encoder);
	pipa_otlp_sender_counts(s->sender, &counts);
	if (!sent_rc)
		sent_rc = report(s, &counts, ret_sent, &send_err);
	ret_sent->is_abandoned = !s->is_done;
	if (s->is_done)
		free_sending(s);
	if (rc >= 0 && sent_rc < 0)
		*err = send_err;
	else if (sent_rc < 0)
		pipa_log_put(&record->log, PIPA_LOG_WARN, "%s", send_err.what);
	return rc < 0 ? rc : sent_rc;
}
