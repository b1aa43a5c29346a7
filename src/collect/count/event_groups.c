#include "collect/count/event_groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"

static const char *const aarch64[] = {
	"cpu-cycles,instructions",
	"branch-misses",
	"l1d_cache,l1d_cache_refill",
	"l2d_cache,l2d_cache_refill",
	"ll_cache_rd,ll_cache_miss_rd",
	"dTLB-load-misses,iTLB-load-misses",
	"page-faults,context-switches,cpu-migrations",
	NULL,
};

/* Generic events that the SBI specification numbers; there are no other common ones. */
static const char *const riscv64[] = {
	"cycles,instructions",
	"cache-references,cache-misses",
	"branch-instructions,branch-misses",
	"stalled-cycles-frontend,stalled-cycles-backend",
	"L1-dcache-loads,L1-dcache-load-misses",
	"L1-dcache-stores,L1-dcache-store-misses",
	"L1-icache-load-misses,LLC-load-misses",
	"dTLB-load-misses,iTLB-load-misses",
	"page-faults,context-switches,cpu-migrations",
	NULL,
};

static const char *const others[] = {
	"cycles,instructions",
	"cache-references,cache-misses",
	"branch-instructions,branch-misses",
	"L1-dcache-loads,L1-dcache-load-misses",
	"LLC-loads,LLC-load-misses",
	"dTLB-loads,dTLB-load-misses",
	"iTLB-loads,iTLB-load-misses",
	"page-faults,context-switches,cpu-migrations",
	NULL,
};

const char *const *pipa_event_groups(const char *architecture)
{
	if (strcmp(architecture, "aarch64") == 0)
		return aarch64;
	if (strcmp(architecture, "riscv64") == 0)
		return riscv64;
	return others;
}

int pipa_event_groups_cut(const char *group, struct pipa_machine *machine,
			  const struct pipa_perf *perf,
			  void (*lacking)(void *ctx, const char *event, enum pipa_probe why),
			  void *ctx, struct pipa_buf *ret, struct pipa_error *err)
{
	PIPA_AUTO(free) char *copy = strdup(group);
	char *rest = copy, *name;
	int n = 0, state = 0;

	if (!copy)
		return pipa_fail(err, -ENOMEM, "choose events");
	while (state >= 0 && (name = strsep(&rest, ","))) {
		state = pipa_probe_name(perf, machine, name);
		if (state == PIPA_PROBE_OK || state == PIPA_PROBE_USER_ONLY)
			pipa_buf_printf(ret, "%s%s", n++ ? "," : "", name);
		else if (state > 0)
			lacking(ctx, name, (enum pipa_probe)state);
	}
	if (ret->status)
		state = ret->status;
	return state < 0 ? pipa_fail(err, state, "choose events") : n;
}
