/* Calls that read a store which has rows without an end: one client in memory, which cancels them. */
#include "serve/read.h"

#include <errno.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/error.h"
#include "lib/test.h"
#include "net/h2.h"
#include "net/server/server.h"
#include "serve/jobs.h"
#include "serve/services.h"
#include "store/results/results.h"

/* ---- the store --------------------------------------------------------------------------------------------- */

static atomic_int scans, rows;
static atomic_bool read_all;
static uint64_t end_ns; /* of the rows */
static struct pipa_results_run run;

static int begin_scan(struct pipa_results *store PIPA_UNUSED,
		      const struct pipa_results_filter *filter PIPA_UNUSED,
		      struct pipa_results_scan **ret, struct pipa_error *err PIPA_UNUSED)
{
	atomic_fetch_add(&scans, 1);
	*ret = (struct pipa_results_scan *)&run;
	return 0;
}

static int next_row(struct pipa_results_scan *scan PIPA_UNUSED, const struct pipa_results_run **ret,
		    struct pipa_error *err PIPA_UNUSED)
{
	atomic_fetch_add(&rows, 1);
	usleep(1000);
	if (pipa_clock_ns() > end_ns) {
		read_all = true;
		return 0;
	}
	*ret = &run;
	return 1;
}

static void end_scan(struct pipa_results_scan *scan PIPA_UNUSED)
{
	atomic_fetch_sub(&scans, 1);
}

static const struct pipa_results_ops ops = { .scan = begin_scan,
					     .next = next_row,
					     .end = end_scan };
static struct pipa_results store = { .ops = &ops };

/* ---- a client ---------------------------------------------------------------------------------------------- */

static const struct pipa_grpc_method *const methods[] = { &pipa_read_download_full_table,
							  &pipa_read_download, NULL };
static struct pipa_services services = { .store = &store };
static struct pipa_grpc_budget budget = { .max = 1 << 20 };
static const struct pipa_grpc_service service = {
	.methods = methods,
	.services = &services,
	.limits = { .header_bytes = 4096, .streams = 100, .max_message = 100000 },
	.budget = &budget,
};
static struct pipa_grpc_session *session;
static struct pipa_h2 *h2;

static int on_field(void *ctx PIPA_UNUSED, int32_t stream PIPA_UNUSED,
		    struct pipa_span name PIPA_UNUSED, struct pipa_span value PIPA_UNUSED)
{
	return 0;
}

static int on_data(void *ctx PIPA_UNUSED, int32_t stream PIPA_UNUSED,
		   struct pipa_span bytes PIPA_UNUSED)
{
	return 0;
}

static void on_closed(void *ctx PIPA_UNUSED, int32_t stream PIPA_UNUSED, uint32_t code PIPA_UNUSED)
{
}

static void ignore_wake(void *peer PIPA_UNUSED)
{
}

static void exchange(void)
{
	struct pipa_span span;
	size_t n;

	do {
		n = 0;
		while (pipa_h2_output(h2, &span) == 0 && span.size) {
			n += span.size;
			CHECK_EQ(pipa_grpc_session_receive(session, span, 1), 0);
		}
		while (pipa_grpc_session_output(session, &span) == 0 && span.size) {
			n += span.size;
			CHECK_EQ(pipa_h2_receive(h2, span), 0);
		}
	} while (n);
}

static void start(void)
{
	static const struct pipa_h2_events events = { .field = on_field,
						      .data = on_data,
						      .closed = on_closed };
	const struct pipa_h2_limits limits = { .header_bytes = 8192, .streams = 100 };
	const struct pipa_server_options server = { .max_buffered = 1 << 20 };

	end_ns = pipa_clock_ns() + 20 * PIPA_NS_PER_SEC;
	CHECK_EQ(pipa_server_new(&server, &services.server, NULL), 0);
	services.jobs = pipa_jobs_new(1, 10);
	services.downloads = pipa_jobs_new(1, 10);
	session = pipa_grpc_session_new(&service, NULL, ignore_wake, 1);
	h2 = pipa_h2_new(PIPA_H2_CLIENT, &limits, &events, NULL);
	CHECK(services.jobs && services.downloads && session && h2);
	exchange();
}

static void stop(void)
{
	pipa_h2_free(h2);
	pipa_grpc_session_free(session);
	pipa_jobs_stop(services.jobs);
	pipa_jobs_stop(services.downloads);
	pipa_server_run_tasks(services.server);
	pipa_server_free(services.server);
	pipa_jobs_free(services.jobs);
	pipa_jobs_free(services.downloads);
	CHECK_EQ(scans, 0);
	CHECK(!read_all);
}

static int32_t call(const char *path)
{
	static const char full[] = "\0\0\0\0\16\x1a\7example\x22\3csv";
	static const char empty[] = "\0\0\0\0\0";
	static struct pipa_h2_body bodies[20];
	static size_t n;
	const struct pipa_h2_field fields[] = {
		{ ":method", "POST", false },
		{ ":scheme", "http", false },
		{ ":authority", "x", false },
		{ ":path", path, false },
		{ "content-type", "application/grpc", false },
	};
	bool is_full = strcmp(path, pipa_read_download_full_table.path) == 0;
	int32_t stream;

	bodies[n].pieces[0] = (struct pipa_span){ (const uint8_t *)(is_full ? full : empty),
						  is_full ? sizeof(full) - 1 : 5 };
	stream = pipa_h2_request(h2, fields, PIPA_COUNT(fields), &bodies[n++]);
	CHECK(stream > 0);
	exchange();
	return stream;
}

static void cancel(int32_t stream)
{
	CHECK_EQ(pipa_h2_reset(h2, stream, PIPA_H2_CANCEL), 0);
	exchange();
}

static void check_cancelled(const char *path, struct pipa_jobs *(*jobs)(void))
{
	int32_t first, others[5];
	size_t i;

	start();
	first = call(path);
	while (atomic_load(&rows) < 10)
		usleep(1000);
	for (i = 0; i < PIPA_COUNT(others); i++)
		others[i] = call(path);
	CHECK_EQ(pipa_jobs_waiting(jobs()), PIPA_COUNT(others));
	for (i = 0; i < PIPA_COUNT(others); i++)
		cancel(others[i]);
	CHECK_EQ(pipa_jobs_waiting(jobs()), 0);
	CHECK_EQ(scans, 1);
	cancel(first);
	while (atomic_load(&scans))
		usleep(1000);
	call(path);
	call(path);
	stop(); /* the connection is lost */
}

static struct pipa_jobs *jobs_of_services(void)
{
	return services.jobs;
}

static struct pipa_jobs *downloads_of_services(void)
{
	return services.downloads;
}

TEST(a_call_that_is_cancelled_reads_no_more)
{
	check_cancelled(pipa_read_download_full_table.path, jobs_of_services);
}

TEST(a_stream_that_is_cancelled_reads_no_more)
{
	check_cancelled(pipa_read_download.path, downloads_of_services);
}
