#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "export/stack_ends.h"
#include "job/record_job.h"
#include "job/record_live.h"
#include "perf/tally.h"

static void say_losses(const struct pipa_record_job *job)
{
	bool inside = job->o->inside;
	size_t e, i;

	for (e = 0; e < job->plan.events.n; e++)
		for (i = 0; i < job->plan.online.n; i++) {
			int cpu = job->plan.online.items[i];
			struct pipa_perf_count count = pipa_perf_tally_of(job->tally, e, cpu);
			const char *name = job->plan.events.items[e].name;

			if (count.lost)
				pipa_record_say(job, "lost %" PRIu64 " of %s on CPU %d; %s",
						count.lost, name, cpu,
						inside ? "a lower rate helps" :
							 "bigger rings (-m) or a lower rate "
							 "(-F) help");
			if (count.throttled)
				pipa_record_say(job,
						"the kernel throttled %s on CPU %d %" PRIu64
						" times; a lower rate%s helps",
						name, cpu, count.throttled, inside ? "" : " (-F)");
		}
}

/* Advice that names an option is of no use to who has not got it. */
static void cut_advice(char *line)
{
	char *advice = strstr(line, "; what helps: ");

	if (advice && strstr(advice, " --"))
		*advice = '\0';
}

/* Stacks that were unwound on the way and are not whole, if they are some: how many, and the main reason. */
static void say_stacks(const struct pipa_record_job *job)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = 1 << 20 };
	const struct pipa_profile *profile = job->live ? pipa_record_live_profile(job->live) : NULL;
	char *line, *rest;
	int lines = 2;

	if (!profile || profile->losses.unwound_cut * 100 < profile->losses.unwound ||
	    !profile->losses.unwound_cut)
		return;
	pipa_stack_ends_text(profile, &text);
	if (text.status)
		return;
	for (line = strtok_r(text.data, "\n", &rest); line && lines--;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (job->o->inside)
			cut_advice(line);
		pipa_record_say(job, "%s", line + strspn(line, "# "));
	}
}

static void say_unverified(const struct pipa_record_job *job)
{
	const char *first;
	size_t n = pipa_record_maps_unverified(job->maps, &first);

	if (n)
		pipa_record_say(job,
				"%zu mapped file%s could not be verified before the process ended "
				"(%s%s): no build id",
				n, n == 1 ? "" : "s", first, n > 1 ? ", ..." : "");
}

void pipa_record_say_end(const struct pipa_record_job *job)
{
	say_losses(job);
	say_stacks(job);
	say_unverified(job);
}
