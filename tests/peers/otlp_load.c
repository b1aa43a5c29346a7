/*
 * Send payloads through the sender at a fixed rate, for tests/cli/test_long_otlp.sh.
 *
 *	otlp_load URL RATE SECONDS BYTES
 *
 * When the queue is nearly full it waits: a busy machine takes longer than SECONDS.
 *
 * Prints "delivered N dropped N refused N rss_kib START END", the second after the first tenth of the time.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "net/otlp/endpoint.h"
#include "net/otlp/sender.h"

static unsigned long resident_kib(void)
{
	FILE *file;
	unsigned long size = 0, resident = 0;

	malloc_trim(0); /* of a queue that was longer */
	file = fopen("/proc/self/statm", "r");
	if (file) {
		if (fscanf(file, "%lu %lu", &size, &resident) != 2)
			resident = 0;
		fclose(file);
	}
	return resident * (unsigned long)sysconf(_SC_PAGESIZE) / 1024;
}

enum { QUEUE_MAX = 1000 };

/* Wait until the queue has less than `limit` of the `n` requests that have been put into it, for a minute at most. */
static void wait_for_queue(struct pipa_otlp_sender *sender, uint64_t n, uint64_t limit)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	uint64_t until_ns = pipa_clock_ns() + 60 * PIPA_NS_PER_SEC;
	struct pipa_otlp_counts counts;

	for (;;) {
		pipa_otlp_sender_counts(sender, &counts);
		if (n - counts.delivered - counts.refused - counts.dropped < limit ||
		    pipa_clock_ns() >= until_ns)
			return;
		nanosleep(&pause, NULL);
	}
}

int main(int argc, char **argv)
{
	struct pipa_otlp_options options = { .url = argc > 1 ? argv[1] : NULL };
	struct pipa_otlp_endpoint endpoint;
	struct pipa_otlp_sender_options o = { .endpoint = &endpoint,
					      .version = "0",
					      .max_requests = QUEUE_MAX,
					      .max_bytes = 64 << 20,
					      .retry_ns = 10 * PIPA_NS_PER_SEC };
	struct pipa_otlp_sender *sender;
	struct pipa_otlp_counts counts;
	struct pipa_error err = { 0 };
	unsigned long n, i, rate, bytes, start_kib = 0;
	uint64_t start_ns;

	if (argc != 5 || pipa_otlp_endpoint_init(&options, NULL, &endpoint, &err) < 0 ||
	    pipa_otlp_sender_start(&o, &sender, &err) < 0) {
		fprintf(stderr, "otlp_load: %s\n", err.what);
		return 2;
	}
	rate = strtoul(argv[2], NULL, 10);
	n = rate * strtoul(argv[3], NULL, 10);
	bytes = strtoul(argv[4], NULL, 10);
	start_ns = pipa_clock_ns();
	for (i = 0; i < n; i++) {
		uint64_t at = start_ns + i * PIPA_NS_PER_SEC / rate;
		struct timespec when = { .tv_sec = (time_t)(at / PIPA_NS_PER_SEC),
					 .tv_nsec = (long)(at % PIPA_NS_PER_SEC) };
		char *payload = malloc(bytes);

		if (!payload)
			return 2;
		memset(payload, (int)(i & 255), bytes);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
		wait_for_queue(sender, i, QUEUE_MAX * 9 / 10);
		pipa_otlp_sender_put(sender, payload, bytes, 1);
		if (i == n / 10) {
			wait_for_queue(sender, i + 1, 1);
			start_kib = resident_kib();
		}
	}
	pipa_otlp_sender_finish(sender, pipa_clock_ns() + 10 * PIPA_NS_PER_SEC, &counts);
	printf("delivered %llu dropped %llu refused %llu rss_kib %lu %lu\n",
	       (unsigned long long)counts.delivered, (unsigned long long)counts.dropped,
	       (unsigned long long)(counts.refused + counts.undelivered), start_kib,
	       resident_kib());
	pipa_otlp_sender_free(sender);
	pipa_otlp_endpoint_done(&endpoint);
	return 0;
}
