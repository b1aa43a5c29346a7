#include "export/graph/graph_dot.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "export/graph/graph_text.h"

#define NAME_LENGTH 60

/*
 * Append lines within quotes:
 *  is DOT's own escape, \l ends a left-aligned line.
 */
static void put_lines(struct pipa_buf *out, const char *text, const char *end)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf line = { 0 };
	size_t len;

	for (; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		pipa_buf_reset(&line);
		pipa_buf_add(&line, text, len);
		pipa_graph_dot_text(out, pipa_buf_str(&line));
		if (end[0] || text[len])
			pipa_buf_puts(out, end[0] ? end : "\\n");
		pipa_graph_pass_failure(&line, out);
	}
}

/* Return the saturation for a share: white for 0, orange for 100 %. */
static double heat(const struct pipa_callgraph *g, uint64_t weight)
{
	return sqrt(pipa_callgraph_percent(g, weight) / 100);
}

static void put_node(const struct pipa_callgraph *g, const struct pipa_graph_style *style,
		     uint32_t node, struct pipa_buf *out)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	const struct pipa_callgraph_node *n = &g->nodes.items[node];
	char self[32], total[32];

	pipa_graph_name(g, node, NAME_LENGTH, &text);
	pipa_buf_putc(&text, '\n');
	if (style->by_library) {
		pipa_graph_text(&text, pipa_graph_library(g, node), NAME_LENGTH);
		pipa_buf_putc(&text, '\n');
	}
	if (n->self.weight)
		pipa_buf_printf(&text, "self %s, ", pipa_graph_share(g, n->self.weight, self));
	pipa_buf_printf(&text, "total %s", pipa_graph_share(g, n->total.weight, total));
	pipa_buf_printf(out, "n%u [label=\"", node);
	put_lines(out, pipa_buf_str(&text), "");
	pipa_graph_pass_failure(&text, out);
	pipa_buf_puts(out, "\" tooltip=\"");
	pipa_buf_reset(&text);
	pipa_graph_about_node(g, style, node, &text);
	put_lines(out, pipa_buf_str(&text), "");
	pipa_graph_pass_failure(&text, out);
	pipa_buf_printf(out, "\" fontsize=%.0f fillcolor=\"0.09 %.3f 1.0\"]\n",
			10 + 10 * heat(g, n->total.weight), heat(g, n->self.weight));
}

static void put_nodes(const struct pipa_callgraph *g, const struct pipa_graph_style *style,
		      const struct pipa_graph_libraries *libraries, struct pipa_buf *out)
{
	uint32_t library, i;

	for (library = 0; library < (style->by_library ? libraries->n : 1); library++) {
		if (style->by_library) {
			PIPA_AUTO(pipa_buf_done) struct pipa_buf name = { 0 };

			pipa_graph_text(&name,
					pipa_graph_library(g, libraries->items[library].node),
					NAME_LENGTH);
			pipa_buf_printf(out, "subgraph cluster_%u {\nlabel=\"", library);
			pipa_graph_dot_text(out, pipa_buf_str(&name));
			pipa_graph_pass_failure(&name, out);
			pipa_buf_puts(out, "\"\n");
		}
		for (i = 0; i < g->nodes.n; i++)
			if (!style->by_library || libraries->of_node[i] == library)
				put_node(g, style, i, out);
		if (style->by_library)
			pipa_buf_puts(out, "}\n");
	}
}

static void put_edge(const struct pipa_callgraph *g, const struct pipa_graph_style *style,
		     uint32_t edge, struct pipa_buf *out)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	const struct pipa_callgraph_edge *e = &g->edges.items[edge];
	double share = pipa_callgraph_percent(g, e->weight.weight) / 100;
	char label[32];

	pipa_graph_about_edge(g, style, edge, &text);
	pipa_buf_printf(out, "n%u -> n%u [label=\" %s\" weight=%d penwidth=%.2f", e->from, e->to,
			pipa_graph_share(g, e->weight.weight, label), 1 + (int)(share * 100),
			0.6 + 6 * share);
	pipa_buf_puts(out, e->direct ? "" : " style=dashed");
	pipa_buf_puts(out, " tooltip=\"");
	put_lines(out, pipa_buf_str(&text), "");
	pipa_graph_pass_failure(&text, out);
	pipa_buf_puts(out, "\"]\n");
}

int pipa_graph_dot(const struct pipa_callgraph *g, const struct pipa_graph_style *style,
		   struct pipa_buf *out)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf title = { 0 };
	PIPA_AUTO(pipa_graph_libraries_done) struct pipa_graph_libraries libraries = { 0 };
	int rc = pipa_graph_libraries_find(g, &libraries);
	uint32_t i;

	if (rc < 0)
		return rc;
	pipa_graph_text(&title, style->title, 200);
	pipa_buf_putc(&title, '\n');
	pipa_graph_facts(g, style, &title);
	pipa_buf_puts(out, "digraph \"call graph\" {\n"
			   "graph [charset=\"UTF-8\" fontname=\"sans-serif\" labelloc=t "
			   "labeljust=l ranksep=0.5 label=\"");
	put_lines(out, pipa_buf_str(&title), "\\l");
	pipa_buf_puts(out, "\"]\nnode [shape=box style=\"rounded,filled\" fillcolor=white "
			   "color=\"#5b6470\" fontname=\"sans-serif\"]\n"
			   "edge [color=\"#5b6470\" fontname=\"sans-serif\" fontsize=9]\n");
	put_nodes(g, style, &libraries, out);
	for (i = 0; i < g->edges.n; i++)
		put_edge(g, style, i, out);
	pipa_buf_puts(out, "}\n");
	pipa_graph_pass_failure(&title, out);
	return out->status;
}
