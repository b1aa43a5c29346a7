#include "measure/sample/record_account.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "measure/sample/record_job.h"
#include "perf/encode.h"

enum { CLOCK_LEAST_NS = 10000 }; /* minimum period of the kernel's timers */

static bool is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
						    attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

/*
 * Is it a software event, counted exactly by the kernel? The interrupt of a PMU comes late and can
 * skid.
 */
static bool is_counted_by_code(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_TRACEPOINT ||
	       (attr->type == PERF_TYPE_SOFTWARE && !is_clock(attr));
}

/* Does the event exclude a mode? A clock still counts there. */
static bool excludes_any(const struct perf_event_attr *attr)
{
	return attr->exclude_user || attr->exclude_kernel || attr->exclude_idle;
}

/* Return the missing samples; one less than counted can be an unfinished period. */
static uint64_t missing_of(uint64_t samples, const struct pipa_record_balance *b)
{
	uint64_t missing = samples > b->seen.samples ? samples - b->seen.samples : 0;

	return missing > b->counted.lost + 1 ? missing : b->counted.lost;
}

uint64_t pipa_record_missing(const struct perf_event_attr *attr,
			     const struct pipa_record_balance *b)
{
	uint64_t period = attr->sample_period, left;

	if (is_clock(attr) && !excludes_any(attr)) {
		period = attr->freq ?
				 PIPA_NS_PER_SEC / (attr->sample_freq ? attr->sample_freq : 1) :
				 period;
		return missing_of(
			b->counted.count / (period > CLOCK_LEAST_NS ? period : CLOCK_LEAST_NS), b);
	}
	if (attr->freq || !period || !is_counted_by_code(attr))
		return b->counted.lost;
	if (!(attr->sample_type & PERF_SAMPLE_PERIOD))
		return period > 1 ? missing_of(b->counted.count / period, b) :
		       b->counted.count > b->seen.samples ? b->counted.count - b->seen.samples :
							    0;
	left = b->counted.count > b->seen.weight ? b->counted.count - b->seen.weight : 0;
	/*
	 * a tracepoint can count several at once (__perf_count): then there are fewer samples than
	 * counts
	 */
	if (b->seen.weight != b->seen.samples)
		return left && !b->counted.lost ? 1 : b->counted.lost;
	return left;
}

/* ---- at the end of a recording ------------------------------------------------------------------- */

/* Write a LOST_SAMPLES record of an event, as the kernel does. */
static int put_lost(struct pipa_record_job *job, uint32_t event, int cpu, uint64_t n)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf record = { 0 };
	const struct pipa_rec_id id = { .cpu = (uint32_t)cpu,
					.time = pipa_clock_read(pipa_record_clock(job->o)),
					.id = pipa_record_id(job, event) };
	const struct pipa_rec_lost lost = { .samples = event < job->plan.events.n, .lost = n };

	pipa_perf_put_lost(&record, &job->events.items[event].attr, &id, &lost);
	if (record.status)
		return record.status;
	return pipa_record_put(job, cpu, (const uint8_t *)record.data, record.len);
}

/*
 * Write the unreported losses of a data ring, for the event that misses most. 0 or a negative
 * errno.
 */
static int account_ring(struct pipa_record_job *job, const struct pipa_sampler_count *counts,
			int cpu)
{
	const size_t n_cpus = job->tally->n_cpus;
	uint64_t known = 0, missing = 0, most = 0;
	uint32_t e, worst = 0;

	for (e = 0; e < job->plan.events.n; e++) {
		struct pipa_record_balance b = {
			.counted = counts[e * n_cpus + (size_t)cpu],
			.seen = pipa_perf_splitter_of(job->tally, e, cpu),
		};
		uint64_t one, late;

		one = pipa_record_missing(&job->plan.events.items[e].attr, &b);
		late = one > b.counted.lost && is_clock(&job->plan.events.items[e].attr) ?
			       one - b.counted.lost :
			       0;
		job->late[e * n_cpus + (size_t)cpu] = late;
		known += b.seen.lost;
		missing += one;
		if (one > b.seen.lost && one - b.seen.lost > most) {
			most = one - b.seen.lost;
			worst = e;
		}
	}
	return missing > known ? put_lost(job, worst, cpu, missing - known) : 0;
}

/* Write the unreported losses of the side-band ring. */
static int account_sideband(struct pipa_record_job *job, const struct pipa_sampler_count *counts,
			    int cpu)
{
	const uint32_t side = (uint32_t)job->plan.events.n;
	uint64_t dropped = counts[side * job->tally->n_cpus + (size_t)cpu].lost;
	uint64_t known = pipa_perf_splitter_of(job->tally, side, cpu).lost;

	return dropped > known ? put_lost(job, side, cpu, dropped - known) : 0;
}

int pipa_record_account(struct pipa_record_job *job, struct pipa_error *err)
{
	const size_t n_cpus = job->tally->n_cpus;
	PIPA_AUTO(free)
	struct pipa_sampler_count *counts = calloc((job->plan.events.n + 1) * n_cpus,
						   sizeof(*counts));
	size_t i;
	int rc;

	job->late = calloc((job->plan.events.n + 1) * n_cpus, sizeof(*job->late));
	rc = counts && job->late ? 0 : -ENOMEM;
	if (!rc)
		pipa_sampler_counts(job->sampler, counts, n_cpus);
	for (i = 0; !rc && i < job->plan.online.n; i++) {
		rc = account_ring(job, counts, job->plan.online.items[i]);
		if (!rc)
			rc = account_sideband(job, counts, job->plan.online.items[i]);
	}
	if (!rc && job->malformed)
		rc = put_lost(job, 0, job->plan.online.items[0], job->malformed);
	return rc < 0 ? pipa_fail(err, rc, "count samples") : 0;
}
