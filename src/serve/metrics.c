#include "serve/metrics.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "net/grpc.h"

/* Upper bounds of the histogram in microseconds; the last is without bound. */
static const uint64_t bounds_us[] = { 100,     250,	500,	 1000,	   2500,     5000,
				      10000,   25000,	50000,	 100000,   250000,   500000,
				      1000000, 2500000, 5000000, 10000000, 60000000, UINT64_MAX };

enum { METHODS_MAX = 40 };

/* Counts of one method. */
struct method {
	const struct pipa_grpc_method *method; /* NULL: unknown ones */
	uint64_t codes[PIPA_GRPC_CODE_NR];
	uint64_t buckets[PIPA_COUNT(bounds_us)];
	uint64_t sum_ns, bytes_in, bytes_out;
};

struct pipa_metrics {
	pthread_mutex_t lock;
	struct method methods[METHODS_MAX];
	size_t n;
};

struct pipa_metrics *pipa_metrics_new(void)
{
	struct pipa_metrics *metrics = calloc(1, sizeof(*metrics));

	if (!metrics)
		return NULL;
	pthread_mutex_init(&metrics->lock, NULL);
	metrics->n = 1; /* the unknown ones */
	return metrics;
}

void pipa_metrics_free(struct pipa_metrics *metrics)
{
	if (!metrics)
		return;
	pthread_mutex_destroy(&metrics->lock);
	free(metrics);
}

static struct method *find_method(struct pipa_metrics *metrics,
				  const struct pipa_grpc_method *method)
{
	size_t i;

	for (i = 0; i < metrics->n; i++)
		if (metrics->methods[i].method == method)
			return &metrics->methods[i];
	if (metrics->n == METHODS_MAX)
		return &metrics->methods[0];
	metrics->methods[metrics->n].method = method;
	return &metrics->methods[metrics->n++];
}

void pipa_metrics_count_call(struct pipa_metrics *metrics, const struct pipa_grpc_ended *ended)
{
	struct method *m;
	size_t i = 0;

	pthread_mutex_lock(&metrics->lock);
	m = find_method(metrics, ended->method);
	m->codes[ended->code < PIPA_GRPC_CODE_NR ? ended->code : PIPA_GRPC_UNKNOWN]++;
	while (ended->duration_ns / 1000 > bounds_us[i])
		i++;
	m->buckets[i]++;
	m->sum_ns += ended->duration_ns;
	m->bytes_in += ended->bytes_in;
	m->bytes_out += ended->bytes_out;
	pthread_mutex_unlock(&metrics->lock);
}

static const char *path_of(const struct method *m)
{
	return m->method ? m->method->path : "unknown";
}

static void put_family(struct pipa_buf *out, const char *name, const char *type, const char *help)
{
	pipa_buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void put_value(struct pipa_buf *out, const char *name, const char *type, const char *help,
		      uint64_t value)
{
	put_family(out, name, type, help);
	pipa_buf_printf(out, "%s %" PRIu64 "\n", name, value);
}

static void put_calls(const struct pipa_metrics *metrics, struct pipa_buf *out)
{
	const struct method *m;
	int code;

	put_family(out, "pipad_calls_total", "counter", "gRPC calls that ended, by status.");
	for (m = metrics->methods; m < metrics->methods + metrics->n; m++)
		for (code = 0; code < PIPA_GRPC_CODE_NR; code++)
			if (m->codes[code])
				pipa_buf_printf(out,
						"pipad_calls_total{method=\"%s\",code=\"%s\"} "
						"%" PRIu64 "\n",
						path_of(m), pipa_grpc_code_name(code),
						m->codes[code]);
	put_family(out, "pipad_received_message_bytes_total", "counter",
		   "Bytes of request messages.");
	for (m = metrics->methods; m < metrics->methods + metrics->n; m++)
		pipa_buf_printf(out,
				"pipad_received_message_bytes_total{method=\"%s\"} %" PRIu64 "\n",
				path_of(m), m->bytes_in);
	put_family(out, "pipad_sent_message_bytes_total", "counter", "Bytes of response messages.");
	for (m = metrics->methods; m < metrics->methods + metrics->n; m++)
		pipa_buf_printf(out, "pipad_sent_message_bytes_total{method=\"%s\"} %" PRIu64 "\n",
				path_of(m), m->bytes_out);
}

static void put_latency(const struct pipa_metrics *metrics, struct pipa_buf *out)
{
	static const char name[] = "pipad_call_duration_seconds";
	const struct method *m;
	uint64_t sum;
	size_t i;

	put_family(out, name, "histogram", "Time from the header fields of a call to its end.");
	for (m = metrics->methods; m < metrics->methods + metrics->n; m++) {
		for (i = 0, sum = 0; i < PIPA_COUNT(bounds_us); i++) {
			sum += m->buckets[i];
			pipa_buf_printf(out, "%s_bucket{method=\"%s\",le=\"", name, path_of(m));
			if (bounds_us[i] == UINT64_MAX)
				pipa_buf_puts(out, "+Inf");
			else
				pipa_buf_printf(out, "%g", (double)bounds_us[i] / 1e6);
			pipa_buf_printf(out, "\"} %" PRIu64 "\n", sum);
		}
		pipa_buf_printf(out, "%s_sum{method=\"%s\"} %.9g\n", name, path_of(m),
				(double)m->sum_ns / 1e9);
		pipa_buf_printf(out, "%s_count{method=\"%s\"} %" PRIu64 "\n", name, path_of(m),
				sum);
	}
}

static uint64_t read_counter(const _Atomic uint64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

void pipa_metrics_write(struct pipa_metrics *metrics, const struct pipa_metrics_gauges *g,
			struct pipa_buf *out)
{
	const struct pipa_server_counters *s = g->server;

	pthread_mutex_lock(&metrics->lock);
	put_calls(metrics, out);
	put_latency(metrics, out);
	pthread_mutex_unlock(&metrics->lock);
	put_value(out, "pipad_connections", "gauge", "gRPC connections that are open.",
		  read_counter(&s->open));
	put_value(out, "pipad_connections_accepted_total", "counter",
		  "gRPC connections that were accepted.", read_counter(&s->accepted));
	put_value(out, "pipad_connections_refused_total", "counter",
		  "gRPC connections refused at the limit or in the TLS handshake.",
		  read_counter(&s->refused));
	put_value(out, "pipad_connections_flooded_total", "counter",
		  "gRPC connections closed for floods of frames.", read_counter(&s->flooded));
	put_value(out, "pipad_connections_timed_out_total", "counter",
		  "gRPC connections closed because the client was too slow.",
		  read_counter(&s->timed_out));
	put_value(out, "pipad_received_bytes_total", "counter", "Bytes received on gRPC sockets.",
		  read_counter(&s->bytes_received));
	put_value(out, "pipad_sent_bytes_total", "counter", "Bytes sent on gRPC sockets.",
		  read_counter(&s->bytes_sent));
	put_value(out, "pipad_store_queued", "gauge", "Changes that wait for the store.",
		  read_counter(&g->store->queued));
	put_value(out, "pipad_store_changes_total", "counter", "Changes that were committed.",
		  read_counter(&g->store->changes));
	put_value(out, "pipad_store_commits_total", "counter",
		  "Transactions of the store, each with one wait for the disk.",
		  read_counter(&g->store->commits));
	put_value(out, "pipad_store_failures_total", "counter",
		  "Transactions of the store that failed.", read_counter(&g->store->failures));
	put_value(out, "pipad_jobs_waiting", "gauge",
		  "Queries and downloads that wait for a thread.", g->jobs_waiting);
	put_value(out, "pipad_disk_free_bytes", "gauge", "Free bytes of the store's file system.",
		  g->disk_free_bytes);
	put_value(out, "pipad_disk_size_bytes", "gauge", "Size of the store's file system.",
		  g->disk_bytes);
	put_value(out, "pipad_database_bytes", "gauge", "Size of the SQLite file.",
		  g->database_bytes);
}
