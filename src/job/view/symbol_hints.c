#include "job/view/symbol_hints.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/visible.h"
#include "locate/debug_package.h"
#include "model/profile.h"

enum { HINTS_MAX = 3 };

#define SHARE_MIN 1.0 /* percent */

/*
 * Add up the weight of the first event in code without a symbol, per object, and in JIT code without a perf map.
 * Returns the weight of all samples.
 */
static uint64_t sum_unresolved(const struct pipa_profile *p, uint64_t *weights, uint64_t *ret_jit)
{
	uint64_t all = 0;
	uint32_t event = 0;
	size_t i;

	while (event < p->events.n && !p->events.items[event].count)
		event++;
	for (i = 0; i < p->samples.n; i++) {
		const struct pipa_sample *s = &p->samples.items[i];
		const struct pipa_location *at;

		if (s->event != event)
			continue;
		all += s->weight;
		if (s->stack == PIPA_NONE)
			continue;
		at = &p->locations.items[p->stacks.items[s->stack].location];
		if (at->unresolved == PIPA_UNRESOLVED_JIT_NO_MAP)
			*ret_jit += s->weight;
		if (at->unresolved == PIPA_UNRESOLVED_NO_SYMBOL && at->object < p->objects.n &&
		    p->objects.items[at->object].kind == PIPA_OBJECT_FILE)
			weights[at->object] += s->weight;
	}
	return all;
}

int pipa_symbol_hints_text(const struct pipa_profile *p, const char *root, struct pipa_buf *out)
{
	PIPA_AUTO(free) uint64_t *weights = calloc(p->objects.n + 1, sizeof(*weights));
	const char *urls = getenv("DEBUGINFOD_URLS");
	bool servers = urls && urls[0];
	char package[PIPA_DEBUG_PACKAGE_MAX];
	unsigned int hints;
	uint64_t all, jit = 0;
	size_t i;

	if (!weights)
		return -ENOMEM;
	all = sum_unresolved(p, weights, &jit);
	if (all && 100 * (double)jit / (double)all >= SHARE_MIN)
		pipa_buf_printf(
			out,
			"# %.2f%% in JIT code without symbols: run node with --perf-basic-prof, "
			"java with -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit, python "
			"with -X perf\n",
			100 * (double)jit / (double)all);
	for (hints = 0; all && hints < HINTS_MAX; hints++) {
		size_t most = 0;
		const struct pipa_object *object;
		double share;

		for (i = 1; i < p->objects.n; i++)
			most = weights[i] > weights[most] ? i : most;
		share = 100 * (double)weights[most] / (double)all;
		if (most >= p->objects.n || share < SHARE_MIN)
			break;
		weights[most] = 0;
		object = &p->objects.items[most];
		pipa_debug_package_find(root, pipa_profile_string(p, object->path),
					object->build_id.bytes, object->build_id.len, package);
		if (!package[0])
			continue;
		pipa_buf_printf(out, "# %.2f%% in code of ", share);
		pipa_visible_put(out, pipa_object_short(p, (uint32_t)most));
		pipa_buf_printf(out, " without symbols: install %s", package);
		if (!servers) /* once is enough */
			pipa_buf_printf(out, " or set DEBUGINFOD_URLS=%s", pipa_debug_server(root));
		servers = true;
		pipa_buf_putc(out, '\n');
	}
	return 0;
}
