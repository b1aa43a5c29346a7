#include "serve/metrics.h"

#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "lib/test.h"

static const struct pipa_grpc_method upload = { .path = "/a.B/Upload" };
static struct pipa_server_counters server;
static struct pipa_results_counters store;

static void count(struct pipa_metrics *metrics, const struct pipa_grpc_method *method,
		  enum pipa_grpc_code code, uint64_t us)
{
	const struct pipa_grpc_ended ended = { .method = method,
					       .code = code,
					       .duration_ns = us * 1000,
					       .bytes_in = 10,
					       .bytes_out = 3 };

	pipa_metrics_count_call(metrics, &ended);
}

/* Every line is a comment or "name{labels} number", as Prometheus reads it. */
static void check_lines(const char *text)
{
	const char *at, *end, *space;

	for (at = text; *at; at = end + 1) {
		end = strchr(at, '\n');
		CHECK(end);
		if (*at == '#')
			continue;
		CHECK(strncmp(at, "pipad_", 6) == 0);
		space = memrchr(at, ' ', (size_t)(end - at));
		CHECK(space && space[1] >= '0' && space[1] <= '9');
	}
}

TEST(calls_are_counted_by_method_and_status)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct pipa_metrics *metrics = pipa_metrics_new();
	const struct pipa_metrics_gauges gauges = {
		.server = &server, .store = &store, .jobs_waiting = 3, .disk_free_bytes = 77
	};

	CHECK(metrics);
	atomic_store(&server.open, 2);
	atomic_store(&store.changes, 9);
	count(metrics, &upload, PIPA_GRPC_OK, 200);
	count(metrics, &upload, PIPA_GRPC_OK, 100);
	count(metrics, &upload, PIPA_GRPC_UNAUTHENTICATED, 90000000);
	count(metrics, NULL, PIPA_GRPC_UNIMPLEMENTED, 1);
	pipa_metrics_write(metrics, &gauges, &text);
	check_lines(pipa_buf_str(&text));
	CHECK_HAS(pipa_buf_str(&text), "pipad_calls_total{method=\"/a.B/Upload\",code=\"OK\"} 2\n");
	CHECK_HAS(pipa_buf_str(&text),
		  "pipad_calls_total{method=\"/a.B/Upload\",code=\"UNAUTHENTICATED\"} 1\n");
	CHECK_HAS(pipa_buf_str(&text),
		  "pipad_calls_total{method=\"unknown\",code=\"UNIMPLEMENTED\"} 1\n");
	CHECK_HAS(pipa_buf_str(&text),
		  "pipad_received_message_bytes_total{method=\"/a.B/Upload\"} 30\n");
	/* buckets hold the calls up to their bound */
	CHECK_HAS(pipa_buf_str(&text), "seconds_bucket{method=\"/a.B/Upload\",le=\"0.0001\"} 1\n");
	CHECK_HAS(pipa_buf_str(&text), "seconds_bucket{method=\"/a.B/Upload\",le=\"0.00025\"} 2\n");
	CHECK_HAS(pipa_buf_str(&text), "seconds_bucket{method=\"/a.B/Upload\",le=\"60\"} 2\n");
	CHECK_HAS(pipa_buf_str(&text), "seconds_bucket{method=\"/a.B/Upload\",le=\"+Inf\"} 3\n");
	CHECK_HAS(pipa_buf_str(&text), "seconds_count{method=\"/a.B/Upload\"} 3\n");
	CHECK_HAS(pipa_buf_str(&text), "\npipad_connections 2\n");
	CHECK_HAS(pipa_buf_str(&text), "\npipad_store_changes_total 9\n");
	CHECK_HAS(pipa_buf_str(&text), "\npipad_jobs_waiting 3\n");
	CHECK_HAS(pipa_buf_str(&text), "\npipad_disk_free_bytes 77\n");
	pipa_metrics_free(metrics);
}

TEST(methods_beyond_the_table_are_counted_as_unknown)
{
	static struct pipa_grpc_method many[60];
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct pipa_metrics *metrics = pipa_metrics_new();
	const struct pipa_metrics_gauges gauges = { .server = &server, .store = &store };
	size_t i;

	for (i = 0; i < PIPA_COUNT(many); i++) {
		many[i].path = "/a.B/C";
		count(metrics, &many[i], PIPA_GRPC_OK, 1);
	}
	pipa_metrics_write(metrics, &gauges, &text);
	check_lines(pipa_buf_str(&text));
	CHECK_HAS(pipa_buf_str(&text), "{method=\"unknown\",code=\"OK\"} 21\n");
	pipa_metrics_free(metrics);
}
