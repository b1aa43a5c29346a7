#include "export/graph/graph_style.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "export/graph/graph_text.h"
#include "export/text/number.h"

#define LONGEST_NAME 400 /* characters, if there is space */

/* ---- numbers ---------------------------------------------------------------------------------------- */

const char *pipa_graph_amount(const struct pipa_graph_style *style, uint64_t weight,
			      char text[static 32])
{
	static const char *const times[] = { "ns", "us", "ms", "s" };
	double value = (double)weight;
	const char *prefix;
	int i;

	if (strcmp(style->unit, "ns") != 0) {
		value = pipa_number_rate(value, &prefix);
		snprintf(text, 32, "%.*f%s%s", *prefix ? 2 : 0, value, *prefix ? " " : "", prefix);
		return text;
	}
	for (i = 0; i < 3 && value >= 1000; i++)
		value /= 1000;
	snprintf(text, 32, "%.*f %s", i ? 2 : 0, value, times[i]);
	return text;
}

const char *pipa_graph_share(const struct pipa_callgraph *g, uint64_t weight, char text[static 32])
{
	double percent = pipa_callgraph_percent(g, weight);

	if (weight && percent < 0.01)
		snprintf(text, 32, "<0.01 %%");
	else
		snprintf(text, 32, "%.*f %%", weight && percent < 0.1 ? 2 : 1, percent);
	return text;
}

static const char *total_weight(uint64_t value, char text[static 32])
{
	return pipa_number_text((double)value, 0, false, text, 32);
}

/* ---- names ------------------------------------------------------------------------------------------ */

const char *pipa_graph_library(const struct pipa_callgraph *g, uint32_t node)
{
	return pipa_object_short(g->profile, g->nodes.items[node].object);
}

void pipa_graph_name(const struct pipa_callgraph *g, uint32_t node, size_t most,
		     struct pipa_buf *out)
{
	uint32_t symbol = g->nodes.items[node].symbol;
	char buf[64];

	if (symbol == PIPA_NONE)
		pipa_buf_puts(out, "[no stack]");
	else
		pipa_graph_symbol(out, pipa_frame_text(g->profile, symbol, buf), most);
	pipa_buf_puts(out, pipa_frame_mark(symbol));
}

/* Is the weight the number of samples, as in folded stacks? Then it is not printed again. */
static bool weighs_samples(const struct pipa_graph_style *style, const struct pipa_weight *weight)
{
	return !style->event[0] && weight->weight == weight->count;
}

static void put_amount(const struct pipa_callgraph *g, const struct pipa_graph_style *style,
		       const char *what, const struct pipa_weight *weight, struct pipa_buf *out)
{
	char amount[32], share[32], count[32];

	pipa_buf_printf(out, "%s%s (", what, pipa_graph_share(g, weight->weight, share));
	if (!weighs_samples(style, weight))
		pipa_buf_printf(out, "%s, ", pipa_graph_amount(style, weight->weight, amount));
	pipa_buf_printf(out, "%s %s)", total_weight(weight->count, count),
			weight->count == 1 ? "sample" : "samples");
}

void pipa_graph_about_node(const struct pipa_callgraph *g, const struct pipa_graph_style *style,
			   uint32_t node, struct pipa_buf *out)
{
	const struct pipa_callgraph_node *n = &g->nodes.items[node];

	pipa_graph_name(g, node, LONGEST_NAME, out);
	pipa_buf_puts(out, "\n");
	pipa_graph_text(out, pipa_graph_library(g, node), LONGEST_NAME);
	put_amount(g, style, "\nself ", &n->self, out);
	put_amount(g, style, "\ntotal ", &n->total, out);
}

void pipa_graph_about_edge(const struct pipa_callgraph *g, const struct pipa_graph_style *style,
			   uint32_t edge, struct pipa_buf *out)
{
	const struct pipa_callgraph_edge *e = &g->edges.items[edge];

	pipa_graph_name(g, e->from, LONGEST_NAME, out);
	pipa_buf_puts(out, " \xe2\x86\x92 ");
	pipa_graph_name(g, e->to, LONGEST_NAME, out);
	put_amount(g, style, "\n", &e->weight, out);
	if (!e->direct)
		pipa_buf_puts(out, "\nvia functions not shown");
}

/* ---- facts ------------------------------------------------------------------------------------------ */

/* Append the limits after a number, without needless digits: "below 0.5 %". */
static void put_limits(const struct pipa_callgraph *g, const struct pipa_graph_style *style,
		       struct pipa_buf *out)
{
	char n[32];

	if (style->limits.max_nodes && g->nodes.n >= style->limits.max_nodes &&
	    g->nodes.n < g->n_functions)
		pipa_buf_printf(out, "not among the top %s", total_weight(g->nodes.n, n));
	else
		pipa_buf_printf(out, "below %g %%", style->limits.min_node);
	pipa_buf_printf(out, " (calls: %g %%)", style->limits.min_edge);
}

static void put_pruned(const struct pipa_callgraph *g, const struct pipa_graph_style *style,
		       struct pipa_buf *out)
{
	size_t functions = g->n_functions - g->nodes.n, calls = g->n_calls, i;
	char a[32], b[32], c[32], d[32];

	for (i = 0; i < g->edges.n; i++)
		calls -= g->edges.items[i].direct && calls;
	if (!functions && !calls)
		return;
	pipa_buf_printf(out, "%s of %s functions and %s of %s calls not shown: ",
			total_weight(functions, a), total_weight(g->n_functions, b),
			total_weight(calls, c), total_weight(g->n_calls, d));
	put_limits(g, style, out);
	pipa_buf_putc(out, '\n');
}

static void put_losses(const struct pipa_callgraph *g, struct pipa_buf *out)
{
	const struct pipa_losses *losses = &g->profile->losses;
	char a[32];

	if (losses->lost_samples)
		pipa_buf_printf(out, "%s samples lost\n", total_weight(losses->lost_samples, a));
	if (losses->unwound_truncated)
		pipa_buf_printf(out, "%s stacks truncated: some callers are missing\n",
				total_weight(losses->unwound_truncated, a));
}

static void put_selection(const char *what, const char *value, struct pipa_buf *out)
{
	if (!value)
		return;
	pipa_buf_printf(out, "%s ", what);
	pipa_graph_text(out, value, 100);
	pipa_buf_putc(out, '\n');
}

void pipa_graph_facts(const struct pipa_callgraph *g, const struct pipa_graph_style *style,
		      struct pipa_buf *out)
{
	char amount[32], count[32], share[32];

	pipa_buf_printf(out, "%s %s", total_weight(g->all.count, count),
			g->all.count == 1 ? "sample" : "samples");
	if (!weighs_samples(style, &g->all))
		pipa_buf_printf(out, ", %s", pipa_graph_amount(style, g->all.weight, amount));
	if (style->event[0]) {
		pipa_buf_puts(out, " of ");
		pipa_graph_text(out, style->event, 100);
	}
	if (g->chosen.count != g->all.count)
		pipa_buf_printf(out, "; %s (%s samples) shown",
				pipa_graph_share(g, g->chosen.weight, share),
				total_weight(g->chosen.count, count));
	pipa_buf_putc(out, '\n');
	put_selection("commands:", g->o.comms, out);
	put_selection("stacks with", g->o.focus, out);
	put_selection("callers of", g->o.callers_of, out);
	put_selection("callees of", g->o.callees_of, out);
	if (!g->chosen.count)
		pipa_buf_puts(out, "no samples to show\n");
	put_pruned(g, style, out);
	put_losses(g, out);
}

/* ---- libraries -------------------------------------------------------------------------------------- */

bool pipa_graph_has_libraries(const struct pipa_callgraph *g)
{
	uint32_t i;

	for (i = 0; i < g->nodes.n; i++)
		if (strcmp(pipa_graph_library(g, i), "[unknown]") != 0)
			return true;
	return false;
}

void pipa_graph_libraries_done(struct pipa_graph_libraries *l)
{
	free(l->of_node);
	free(l->items);
	*l = (struct pipa_graph_libraries){ 0 };
}

static int by_self(const void *a, const void *b)
{
	const struct pipa_graph_library *x = a, *y = b;

	if (x->self != y->self)
		return x->self > y->self ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* Nodes of one library share an object id: see analyze/profile/frames.h. */
int pipa_graph_libraries_find(const struct pipa_callgraph *g, struct pipa_graph_libraries *ret)
{
	size_t n = g->nodes.n, n_objects = g->profile->objects.n;
	PIPA_AUTO(free) uint32_t *found = malloc((n_objects + 1) * sizeof(*found));
	uint32_t i, object;

	*ret = (struct pipa_graph_libraries){ .of_node = malloc((n + 1) * sizeof(*ret->of_node)),
					      .items = calloc(n + 1, sizeof(*ret->items)) };
	if (!found || !ret->of_node || !ret->items)
		return -ENOMEM;
	memset(found, 0xff, (n_objects + 1) * sizeof(*found));
	for (i = 0; i < n; i++) {
		object = g->nodes.items[i].object;
		object = object < n_objects ? object : (uint32_t)n_objects;
		if (found[object] == PIPA_NONE) {
			found[object] = (uint32_t)ret->n;
			ret->items[ret->n++].node = i;
		}
		ret->items[found[object]].self += g->nodes.items[i].self.weight;
	}
	if (ret->n)
		qsort(ret->items, ret->n, sizeof(*ret->items), by_self);
	for (i = 0; i < ret->n; i++) {
		object = g->nodes.items[ret->items[i].node].object;
		found[object < n_objects ? object : n_objects] = i;
	}
	for (i = 0; i < n; i++) {
		object = g->nodes.items[i].object;
		ret->of_node[i] = found[object < n_objects ? object : n_objects];
	}
	return 0;
}
