#include "perf/event_names.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/auto.h"

#define HW(text, other, id)                                                                        \
	{                                                                                          \
		.name = text, .alias = other, .kind = PIPA_EVENT_HW, .type = PERF_TYPE_HARDWARE,   \
		.config = PERF_COUNT_HW_##id                                                       \
	}
#define SW(text, other, id)                                                                        \
	{                                                                                          \
		.name = text, .alias = other, .kind = PIPA_EVENT_SW, .type = PERF_TYPE_SOFTWARE,   \
		.config = PERF_COUNT_SW_##id                                                       \
	}
#define TOOL(text, id)                                                                             \
	{                                                                                          \
		.name = text, .kind = PIPA_EVENT_TOOL, .type = PERF_TYPE_SOFTWARE,                 \
		.tool = PIPA_TOOL_##id                                                             \
	}

static const struct pipa_event_name fixed[] = {
	HW("cycles", "cpu-cycles", CPU_CYCLES),
	HW("instructions", NULL, INSTRUCTIONS),
	HW("cache-references", NULL, CACHE_REFERENCES),
	HW("cache-misses", NULL, CACHE_MISSES),
	HW("branches", "branch-instructions", BRANCH_INSTRUCTIONS),
	HW("branch-misses", NULL, BRANCH_MISSES),
	HW("bus-cycles", NULL, BUS_CYCLES),
	HW("stalled-cycles-frontend", "idle-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HW("stalled-cycles-backend", "idle-cycles-backend", STALLED_CYCLES_BACKEND),
	HW("ref-cycles", NULL, REF_CPU_CYCLES),

	SW("cpu-clock", NULL, CPU_CLOCK),
	SW("task-clock", NULL, TASK_CLOCK),
	SW("page-faults", "faults", PAGE_FAULTS),
	SW("context-switches", "cs", CONTEXT_SWITCHES),
	SW("cpu-migrations", "migrations", CPU_MIGRATIONS),
	SW("minor-faults", NULL, PAGE_FAULTS_MIN),
	SW("major-faults", NULL, PAGE_FAULTS_MAJ),
	SW("alignment-faults", NULL, ALIGNMENT_FAULTS),
	SW("emulation-faults", NULL, EMULATION_FAULTS),
	SW("dummy", NULL, DUMMY),
	SW("bpf-output", NULL, BPF_OUTPUT),
	SW("cgroup-switches", NULL, CGROUP_SWITCHES),

	TOOL("duration_time", DURATION),
	TOOL("user_time", USER),
	TOOL("system_time", SYSTEM),
};

/* The words of the cache matrix; the first spelling is the canonical one. */
enum { SPELLINGS = 5 };

static const char *const caches[][SPELLINGS] = {
	[PERF_COUNT_HW_CACHE_L1D] = { "L1-dcache", "l1-d", "l1d", "L1-data" },
	[PERF_COUNT_HW_CACHE_L1I] = { "L1-icache", "l1-i", "l1i", "L1-instruction" },
	[PERF_COUNT_HW_CACHE_LL] = { "LLC", "L2" },
	[PERF_COUNT_HW_CACHE_DTLB] = { "dTLB", "d-tlb", "Data-TLB" },
	[PERF_COUNT_HW_CACHE_ITLB] = { "iTLB", "i-tlb", "Instruction-TLB" },
	[PERF_COUNT_HW_CACHE_BPU] = { "branch", "branches", "bpu", "btb", "bpc" },
	[PERF_COUNT_HW_CACHE_NODE] = { "node" },
};

static const char *const ops[][SPELLINGS] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = { "load", "loads", "read" },
	[PERF_COUNT_HW_CACHE_OP_WRITE] = { "store", "stores", "write" },
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = { "prefetch", "prefetches", "speculative-read",
					      "speculative-load" },
};

static const char *const results[][SPELLINGS] = {
	[PERF_COUNT_HW_CACHE_RESULT_ACCESS] = { "refs", "Reference", "ops", "access" },
	[PERF_COUNT_HW_CACHE_RESULT_MISS] = { "misses", "miss" },
};

/* Which operations a cache can have: instruction-side ones are only read and prefetched. */
static const unsigned int cache_ops[] = {
	[PERF_COUNT_HW_CACHE_L1D] = 7,	[PERF_COUNT_HW_CACHE_L1I] = 5,
	[PERF_COUNT_HW_CACHE_LL] = 7,	[PERF_COUNT_HW_CACHE_DTLB] = 7,
	[PERF_COUNT_HW_CACHE_ITLB] = 1, [PERF_COUNT_HW_CACHE_BPU] = 1,
	[PERF_COUNT_HW_CACHE_NODE] = 7,
};

const struct pipa_event_name *pipa_event_names(size_t *ret_n)
{
	*ret_n = PIPA_COUNT(fixed);
	return fixed;
}

bool pipa_event_cache_name(unsigned int cache, unsigned int op, unsigned int result, char *text,
			   size_t size)
{
	bool miss = result == PERF_COUNT_HW_CACHE_RESULT_MISS;

	if (cache >= PIPA_COUNT(caches) || op >= PIPA_COUNT(ops) || result >= PIPA_COUNT(results) ||
	    !(cache_ops[cache] >> op & 1))
		return false;
	/* "dTLB-load-misses" against "dTLB-loads" */
	snprintf(text, size, "%s-%s%s", caches[cache][0], ops[op][miss ? 0 : 1],
		 miss ? "-misses" : "");
	return true;
}

void pipa_event_cache_each(void (*fn)(void *ctx, const char *name, uint64_t config), void *ctx)
{
	unsigned int cache, op, result;
	char name[64];

	for (cache = 0; cache < PIPA_COUNT(caches); cache++)
		for (op = 0; op < PIPA_COUNT(ops); op++)
			for (result = 0; result < PIPA_COUNT(results); result++)
				if (pipa_event_cache_name(cache, op, result, name, sizeof(name)))
					fn(ctx, name, cache | op << 8 | result << 16);
}

/*
 * The longest spelling that text starts with, ended by '-' or the end. Returns its row and moves
 * *text past it and the dash, or returns -1.
 */
static int take_word(const char **text, const char *const table[][SPELLINGS], size_t n)
{
	size_t row, col, len, best_len = 0;
	int best = -1;

	for (row = 0; row < n; row++)
		for (col = 0; col < SPELLINGS && table[row][col]; col++) {
			len = strlen(table[row][col]);
			if (len <= best_len || strncasecmp(*text, table[row][col], len) != 0 ||
			    ((*text)[len] && (*text)[len] != '-'))
				continue;
			best = (int)row;
			best_len = len;
		}
	if (best >= 0) {
		*text += best_len;
		if (**text == '-' && (*text)[1])
			(*text)++;
	}
	return best;
}

/* cache[-op][-result] or cache[-result][-op]; without an op it is a load, without a result all. */
static bool parse_cache(const char *text, struct pipa_event_name *ret)
{
	int cache = take_word(&text, caches, PIPA_COUNT(caches));
	int op = -1, result = -1, i;

	if (cache < 0)
		return false;
	for (i = 0; i < 2 && *text; i++) {
		if (op < 0)
			op = take_word(&text, ops, PIPA_COUNT(ops));
		if (*text && result < 0)
			result = take_word(&text, results, PIPA_COUNT(results));
	}
	if (*text || (op < 0 && result < 0))
		return false;
	op = op < 0 ? PERF_COUNT_HW_CACHE_OP_READ : op;
	result = result < 0 ? PERF_COUNT_HW_CACHE_RESULT_ACCESS : result;
	if (!(cache_ops[cache] >> op & 1))
		return false;
	*ret = (struct pipa_event_name){ .kind = PIPA_EVENT_CACHE,
					 .type = PERF_TYPE_HW_CACHE,
					 .config = (unsigned int)(cache | op << 8 | result << 16) };
	return true;
}

bool pipa_event_name_find(const char *text, struct pipa_event_name *ret)
{
	size_t i;

	for (i = 0; i < PIPA_COUNT(fixed); i++)
		if (strcmp(text, fixed[i].name) == 0 ||
		    (fixed[i].alias && strcmp(text, fixed[i].alias) == 0)) {
			*ret = fixed[i];
			return true;
		}
	return parse_cache(text, ret);
}

#define CACHE(cache, op, result)                                                                   \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 |                          \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

const char *pipa_event_arm_name(uint32_t type, uint64_t config)
{
	static const struct {
		uint32_t type;
		uint32_t config;
		const char *name;
	} names[] = {
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cpu_cycles" },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "inst_retired" },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, "l1d_cache" },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, "l1d_cache_refill" },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "br_retired" },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, "br_mis_pred" },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, "bus_cycles" },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, "stall_frontend" },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, "stall_backend" },
		{ PERF_TYPE_HW_CACHE, CACHE(L1D, READ, ACCESS), "l1d_cache" },
		{ PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS), "l1d_cache_refill" },
		{ PERF_TYPE_HW_CACHE, CACHE(L1I, READ, ACCESS), "l1i_cache" },
		{ PERF_TYPE_HW_CACHE, CACHE(L1I, READ, MISS), "l1i_cache_refill" },
		{ PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, ACCESS), "l1d_tlb" },
		{ PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, MISS), "l1d_tlb_refill" },
		{ PERF_TYPE_HW_CACHE, CACHE(ITLB, READ, ACCESS), "l1i_tlb" },
		{ PERF_TYPE_HW_CACHE, CACHE(ITLB, READ, MISS), "l1i_tlb_refill" },
		{ PERF_TYPE_HW_CACHE, CACHE(BPU, READ, ACCESS), "br_pred" },
		{ PERF_TYPE_HW_CACHE, CACHE(BPU, READ, MISS), "br_mis_pred" },
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(names); i++)
		if (names[i].type == type && names[i].config == config)
			return names[i].name;
	return NULL;
}
