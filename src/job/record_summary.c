#include "job/record_summary.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/visible.h"
#include "export/text/stack_ends.h"
#include "measure/sample/dump_size.h"
#include "measure/sample/record_job.h"
#include "measure/sample/record_unwind.h"
#include "perf/split.h"

/* Append when sampling was throttled, from the start of the list: "at 0.120 s for 4.1 ms, ..." */
static void list_throttles(const struct pipa_record_job *job, uint32_t event, int cpu,
			   struct pipa_buf *out)
{
	enum { LISTED = 4 };
	const struct pipa_perf_splitter *tally = job->tally;
	size_t i, n = 0;

	for (i = 0; i < tally->n_throttles && n < LISTED; i++) {
		const struct pipa_perf_throttle *one = &tally->throttles[i];

		if (one->event != event || one->cpu != cpu)
			continue;
		pipa_buf_printf(out, "%s at %.3f s", n++ ? "," : ":",
				one->from_ns > job->start_ns ?
					(double)(one->from_ns - job->start_ns) / 1e9 :
					0);
		if (one->to_ns)
			pipa_buf_printf(out, " for %.1f ms",
					(double)(one->to_ns - one->from_ns) / 1e6);
		else
			pipa_buf_puts(out, " until the end");
	}
}

static void note_throttled(const struct pipa_record_job *job, uint32_t event, int cpu,
			   const struct pipa_perf_count *count)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf list = { .max = 4096 };

	list_throttles(job, event, cpu, &list);
	pipa_log_note(&job->o->log,
		      "the kernel throttled %s on CPU %d %" PRIu64
		      " times, %.1f ms in total%s. Use a lower rate%s.",
		      job->plan.events.items[event].name, cpu, count->throttled,
		      (double)count->throttled_ns / 1e6, list.len && !list.status ? list.data : "",
		      job->o->inside ? "" : " (-F)");
}

static void note_loss(const struct pipa_record_job *job, uint32_t event, int cpu)
{
	struct pipa_perf_count count = pipa_perf_splitter_of(job->tally, event, cpu);
	const char *name = job->plan.events.items[event].name;
	uint64_t late = job->late ? job->late[event * job->tally->n_cpus + (size_t)cpu] : 0;

	late = late < count.lost ? late : count.lost;
	if (count.lost > late)
		pipa_log_note(&job->o->log, "lost %" PRIu64 " of %s on CPU %d; %s",
			      count.lost - late, name, cpu,
			      job->o->inside ? "use a lower rate" :
					       "use larger rings (-m) or a lower rate (-F)");
	if (count.throttled)
		note_throttled(job, event, cpu, &count);
}

/* Note timer samples that were due but not taken, on all CPUs. */
static void note_late(const struct pipa_record_job *job, uint32_t event)
{
	bool ended = job->plan.targets.by_task && job->tally->forks;
	uint64_t late = 0;
	size_t i;

	for (i = 0; job->late && i < job->tally->n_cpus; i++)
		late += job->late[event * job->tally->n_cpus + i];
	if (late)
		pipa_log_note(
			&job->o->log, "lost %" PRIu64 " of %s: %s%s", late,
			job->plan.events.items[event].name,
			ended ? "threads exited within a sampling period, or timers fired late" :
				"timers fired late",
			ended && !job->o->inside ? ". Use -a to sample all CPUs." : "");
}

static void note_losses(const struct pipa_record_job *job)
{
	uint64_t sideband = pipa_perf_splitter_of(job->tally, job->plan.events.n, -1).lost;
	size_t e, i;

	for (e = 0; e < job->plan.events.n; e++)
		for (i = 0; i < job->plan.online.n; i++)
			note_loss(job, (uint32_t)e, job->plan.online.items[i]);
	for (e = 0; e < job->plan.events.n; e++)
		note_late(job, (uint32_t)e);
	if (sideband)
		pipa_log_note(&job->o->log,
			      "lost %" PRIu64
			      " side-band records (mmap, comm, fork): symbols may be unresolved",
			      sideband);
	if (job->malformed)
		pipa_log_note(&job->o->log, "lost %" PRIu64 " malformed samples", job->malformed);
}

/* Remove advice that names an option, for callers that do not have the option. */
static void remove_advice(char *line)
{
	char *advice = strstr(line, "; ");

	if (advice && strstr(advice, " --"))
		*advice = '\0';
}

/* Note truncated stacks of live unwinding, if there are many: their share and the main reason. */
static void note_truncated(const struct pipa_record_job *job)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = 1 << 20 };
	const struct pipa_profile *profile = job->live ? pipa_record_unwind_profile(job->live) :
							 NULL;
	char *line, *rest;
	int lines = 2;

	if (!profile || profile->losses.unwound_truncated * 100 < profile->losses.unwound ||
	    !profile->losses.unwound_truncated)
		return;
	pipa_stack_ends_text(profile, &text);
	if (text.status)
		return;
	for (line = strtok_r(text.data, "\n", &rest); line && lines--;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (job->o->inside)
			remove_advice(line);
		pipa_log_note(&job->o->log, "%s", line + strspn(line, "# "));
	}
}

static uint64_t count_truncated(const struct pipa_profile *profile)
{
	uint64_t count = 0;
	size_t i;

	for (i = 0; i < profile->truncated_stacks.n; i++)
		if (profile->truncated_stacks.items[i].why == PIPA_STACK_TRUNCATED)
			count += profile->truncated_stacks.items[i].count;
	return count;
}

/*
 * Note the rate at which stack dumps would be large enough, if the rate determined their size. The
 * deepest truncated stack decides, if its depth is known: the outermost frame of its thread was
 * seen in another sample.
 */
static void note_rate(const struct pipa_record_job *job)
{
	const struct pipa_profile *profile = job->live ? pipa_record_unwind_profile(job->live) :
							 NULL;
	uint64_t truncated = profile ? count_truncated(profile) : 0, needed, hz;
	double percent;

	if (!truncated || job->o->stack_bytes || truncated * 100 < profile->losses.unwound)
		return;
	percent = 100 * (double)truncated / (double)profile->losses.unwound;
	needed = profile->losses.stack_needed;
	hz = pipa_record_stack_rate(needed, job->plan.ring_room) / job->plan.events.n;
	if (needed > PIPA_STACK_BYTES_MAX)
		pipa_log_note(&job->o->log,
			      "%.1f %% of stacks are truncated: they need up to %" PRIu64
			      " bytes, a sample holds at most %d",
			      percent, needed, PIPA_STACK_BYTES_MAX);
	else if (hz && hz < job->plan.hz)
		pipa_log_note(&job->o->log,
			      "%.1f %% of stacks are truncated at %" PRIu64 " Hz; up to %" PRIu64
			      " Hz would be complete",
			      percent, job->plan.hz, hz);
}

/* Note stacks completed with outer frames of another sample, if they are 1 % or more. */
static void note_joined(const struct pipa_record_job *job)
{
	const struct pipa_profile *profile = job->live ? pipa_record_unwind_profile(job->live) :
							 NULL;
	uint64_t joined = profile ? profile->losses.unwound_joined : 0;

	if (joined && joined * 100 >= profile->losses.unwound)
		pipa_log_note(
			&job->o->log,
			"%.1f %% of stacks were longer than the stack dump and completed with "
			"outer frames of an earlier sample of the same thread",
			100 * (double)joined / (double)profile->losses.unwound);
}

static void note_unverified(const struct pipa_record_job *job)
{
	const char *first;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf name = { .max = 8 << 10 };
	size_t n = pipa_record_maps_unverified(job->maps, &first);

	if (!n)
		return;
	pipa_visible_put(&name, first);
	pipa_log_note(&job->o->log,
		      "%zu mapped file%s could not be opened and verified (%s%s): no build ID", n,
		      n == 1 ? "" : "s", pipa_buf_str(&name), n > 1 ? ", ..." : "");
}

/* Note frames found by frame-pointer fallback, if there are many. */
static void note_fallback(const struct pipa_record_job *job)
{
	const struct pipa_profile *profile = job->live ? pipa_record_unwind_profile(job->live) :
							 NULL;
	const struct pipa_losses *l = profile ? &profile->losses : NULL;

	if (!l || !l->unwound_fp_fallback || l->unwound_fp_fallback * 10 < l->unwound)
		return;
	pipa_log_note(
		&job->o->log,
		"%.2f%% of stacks have frames found by frame-pointer fallback (code without call "
		"frame information)%s",
		100 * (double)l->unwound_fp_fallback / (double)l->unwound,
		job->o->inside ?
			"" :
			"; debug packages may contain it; --call-graph fp records the kernel's "
			"call chains");
}

void pipa_record_summarize(const struct pipa_record_job *job)
{
	note_losses(job);
	note_truncated(job);
	note_rate(job);
	note_joined(job);
	note_fallback(job);
	note_unverified(job);
}
