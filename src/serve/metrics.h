/* Counters of the daemon and their text for Prometheus (exposition format 0.0.4). Any thread. */
#ifndef PIPA_SERVE_METRICS_H
#define PIPA_SERVE_METRICS_H

#include <stdint.h>

#include "net/server/server.h"
#include "store/results/results.h"

struct pipa_buf;
struct pipa_metrics;

/* Values of other modules. */
struct pipa_metrics_gauges {
	const struct pipa_server_counters *server;
	const struct pipa_results_counters *store;
	uint64_t jobs_waiting;
	uint64_t disk_free_bytes, disk_bytes;
	uint64_t database_bytes;
};

/* NULL on allocation failure. */
struct pipa_metrics *pipa_metrics_new(void);
void pipa_metrics_free(struct pipa_metrics *metrics);

void pipa_metrics_count_call(struct pipa_metrics *metrics, const struct pipa_grpc_ended *ended);

/* Append the text. */
void pipa_metrics_write(struct pipa_metrics *metrics, const struct pipa_metrics_gauges *gauges,
			struct pipa_buf *out);

#endif
