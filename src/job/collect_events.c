#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/vec.h"
#include "collect/counters.h"
#include "job/collect_own.h"
#include "job/counting.h"
#include "job/follow.h"
#include "job/stat.h"

/*
 * The original's groups by architecture. It had none for riscv64; these are the events that the SBI
 * defines for every implementation, so that a board that counts at all counts them.
 */
#if defined(__aarch64__)
static const char groups[] = "cpu-cycles,instructions,branch-misses,l1d_cache,l1d_cache_refill,"
			     "l2d_cache,l2d_cache_refill,ll_cache_rd,ll_cache_miss_rd,"
			     "dTLB-load-misses,iTLB-load-misses,"
			     "page-faults,context-switches,cpu-migrations";
#elif defined(__riscv)
static const char groups[] = "cycles,instructions,cache-references,cache-misses,"
			     "branch-instructions,branch-misses,stalled-cycles-frontend,"
			     "stalled-cycles-backend,L1-dcache-loads,L1-dcache-load-misses,"
			     "L1-icache-loads,L1-icache-load-misses,dTLB-load-misses,"
			     "iTLB-load-misses,page-faults,context-switches,cpu-migrations";
#else
static const char groups[] = "cycles,instructions,cache-references,cache-misses,"
			     "branch-instructions,branch-misses,"
			     "L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses,"
			     "dTLB-loads,dTLB-load-misses,iTLB-loads,iTLB-load-misses,"
			     "page-faults,context-switches,cpu-migrations";
#endif

/* Cut at the commas that are in no group, PMU or modifier's braces. */
static int cut_list(struct pipa_collection *c)
{
	struct pipa_event_arg *slot;
	char *at = c->event_text, *start = at;
	int depth = 0;
	bool in_pmu = false;

	for (;; at++) {
		char was = *at;

		depth += was == '{';
		depth -= was == '}';
		in_pmu ^= was == '/';
		if (was && (was != ',' || depth || in_pmu))
			continue;
		*at = '\0';
		if (*start) {
			slot = PIPA_VEC_ADD(&c->events);
			if (!slot)
				return pipa_fail(c->err, -ENOMEM, "choose events");
			*slot = (struct pipa_event_arg){ .text = start };
		}
		if (!was)
			return 0;
		start = at + 1;
	}
}

/* Does the machine count it, and may we? Opened on all CPUs, closed at once. */
static int try_event(struct pipa_collection *c, const struct pipa_event_arg *event,
		     struct pipa_error *err)
{
	const struct pipa_stat_options options = { .system_wide = true,
						   .events = event,
						   .n_events = 1 };
	struct pipa_follow nobody = { .err = err };
	struct pipa_counting counting = {
		.o = &options, .perf = c->perf, .root = c->root, .follow = &nobody, .err = err
	};
	int rc = pipa_counting_plan(&counting);
	size_t i;

	if (!rc)
		rc = pipa_counting_open(&counting);
	for (i = 0; !rc && i < counting.plan.events.n; i++)
		if (!pipa_counters_supported(counting.counters, i))
			rc = pipa_refuse(err, -EOPNOTSUPP, "this machine does not count them");
	pipa_counting_done(&counting);
	return rc;
}

/* What the machine lacks is told in one line for each reason. */
static void tell_left_out(struct pipa_collection *c, struct pipa_error *whys, size_t n)
{
	size_t i, k;

	for (i = 0; i < n; i++) {
		PIPA_AUTO(pipa_buf_done) struct pipa_buf names = { 0 };

		if (!whys[i].code)
			continue;
		for (k = i; k < n; k++) {
			if (!whys[k].code || (k > i && strcmp(whys[k].what, whys[i].what) != 0))
				continue;
			pipa_buf_printf(&names, "%s%s", names.len ? ", " : "",
					c->events.items[k].text);
			if (k > i)
				whys[k].code = 0;
		}
		pipa_collect_log(c, PIPA_COLLECT_WARN, "not counted: %s (%s)", pipa_buf_str(&names),
				 whys[i].what);
	}
}

int pipa_collect_choose_events(struct pipa_collection *c)
{
	PIPA_AUTO(free) struct pipa_error *whys = NULL;
	PIPA_AUTO(free) bool *counts = NULL;
	size_t i, kept = 0;
	int rc;

	c->event_text = strdup(c->o->events ? c->o->events : groups);
	if (!c->event_text)
		return pipa_fail(c->err, -ENOMEM, "choose events");
	rc = cut_list(c);
	if (rc < 0)
		return rc;
	whys = calloc(c->events.n + 1, sizeof(*whys));
	counts = calloc(c->events.n + 1, sizeof(*counts));
	if (!whys || !counts)
		return pipa_fail(c->err, -ENOMEM, "choose events");
	for (i = 0; i < c->events.n; i++)
		counts[i] = try_event(c, &c->events.items[i], &whys[i]) == 0;
	tell_left_out(c, whys, c->events.n);
	for (i = 0; i < c->events.n; i++)
		if (counts[i])
			c->events.items[kept++] = c->events.items[i];
	c->events.n = kept;
	return 0;
}
