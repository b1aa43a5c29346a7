/*
 * How long a sample takes from the ring to the queue of `pipa record --otlp`, while a command is recorded:
 *
 *	handover HZ COMMAND [ARGS]
 *
 * The time of a sample starts when it is read from the ring, after the record before it, and ends when it is in the queue
 * with its call chain unwound. Another thread empties the queue. Prints the number of samples, then median, 99th, 99.9th
 * percentile and maximum in microseconds, then the number above a millisecond, then the number that the kernel lost, then
 * the same median, 99.9th percentile and maximum from the start of the drain, which include the samples read before.
 */
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/thread/message_queue.h"
#include "base/thread/worker.h"
#include "kernel/event/host.h"
#include "measure/sample/record.h"

enum { SAMPLES_MAX = 4 << 20, QUEUE_BYTES = 32 << 20 };

static struct pipa_message_queue *queue;
static uint64_t drain_ns, last_ns;
static uint64_t *times, *drain_times; /* [n_times] */
static size_t n_times;
static _Atomic bool is_over;

static int begin(void *ctx, const struct pipa_perf_events *events, struct pipa_error *err)
{
	(void)ctx;
	(void)events;
	(void)err;
	return 0;
}

/* As pipa record does: before the other processes compute. */
static void raise_priority(void *ctx)
{
	(void)ctx;
	setpriority(PRIO_PROCESS, 0, -10);
}

static void begin_drain(void *ctx)
{
	(void)ctx;
	drain_ns = last_ns = pipa_clock_ns();
}

static void put(void *ctx, const void *bytes, size_t len)
{
	struct perf_event_header header;
	uint64_t now;

	(void)ctx;
	memcpy(&header, bytes, sizeof(header));
	if (!pipa_message_queue_put(queue, bytes, len, 0))
		fprintf(stderr, "handover: the queue is full\n");
	now = pipa_clock_ns();
	if (header.type == PERF_RECORD_SAMPLE && n_times < SAMPLES_MAX) {
		drain_times[n_times] = now - drain_ns;
		times[n_times++] = now - last_ns;
	}
	last_ns = now;
}

static void end_drain(void *ctx)
{
	(void)ctx;
	pipa_message_queue_wake(queue);
}

static void empty_queue(void *ctx)
{
	bool last;

	(void)ctx;
	do {
		last = is_over;
		while (pipa_message_queue_first(queue).data)
			pipa_message_queue_drop(queue);
		if (!last)
			pipa_message_queue_wait(queue, 100);
	} while (!last);
}

static int compare_times(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static double time_at(const uint64_t *sorted, double part)
{
	return n_times ? (double)sorted[(size_t)((double)(n_times - 1) * part)] / 1e3 : 0;
}

int main(int argc, char **argv)
{
	const struct pipa_record_feed feed = { begin, begin_drain, put, end_drain, NULL };
	struct pipa_record_options options = { .calls = PIPA_CALLS_AUTO, .feed = &feed };
	struct pipa_record_outcome outcome = { 0 };
	struct pipa_worker thread = { 0 };
	struct pipa_error err = { 0 };
	struct pipa_host host;
	size_t i, late = 0;
	int rc;

	if (argc < 3) {
		fprintf(stderr, "usage: handover HZ COMMAND [ARGS]\n");
		return 2;
	}
	options.hz = strtoull(argv[1], NULL, 10);
	options.target.command = argv + 2;
	options.target.verb = "record";
	options.held = raise_priority;
	times = calloc(SAMPLES_MAX, sizeof(*times));
	drain_times = calloc(SAMPLES_MAX, sizeof(*drain_times));
	queue = pipa_message_queue_new(QUEUE_BYTES);
	if (!times || !drain_times || !queue || pipa_host_open(&host, &err) < 0 ||
	    pipa_worker_start(&thread, "reader", PIPA_WORKER_STACK_IO, empty_queue, NULL) < 0)
		return 1;
	rc = pipa_record_run(&host, &options, &outcome, &err);
	is_over = true;
	pipa_message_queue_wake(queue);
	pipa_worker_join(&thread);
	pipa_host_close(&host);
	if (rc < 0) {
		fprintf(stderr, "handover: %s\n", err.what);
		return 1;
	}
	qsort(times, n_times, sizeof(*times), compare_times);
	qsort(drain_times, n_times, sizeof(*drain_times), compare_times);
	for (i = 0; i < n_times; i++)
		late += times[i] >= PIPA_NS_PER_MS;
	printf("%zu %.1f %.1f %.1f %.1f %zu %llu %.1f %.1f %.1f\n", n_times, time_at(times, 0.5),
	       time_at(times, 0.99), time_at(times, 0.999), time_at(times, 1), late,
	       (unsigned long long)outcome.lost, time_at(drain_times, 0.5),
	       time_at(drain_times, 0.999), time_at(drain_times, 1));
	pipa_message_queue_free(queue);
	free(times);
	free(drain_times);
	return 0;
}
