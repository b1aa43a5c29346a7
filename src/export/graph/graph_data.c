#include "export/graph/graph_data.h"

#include <math.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "codec/doc.h"
#include "export/graph/graph_svg_own.h"
#include "export/graph/graph_text.h"

#define LONGEST_NAME 400 /* characters */
#define LABEL 38	 /* characters of the name in a box, as in an image */

static void add_weight(struct pipa_doc *doc, const struct pipa_weight *weight)
{
	pipa_doc_u64(doc, NULL, weight->weight);
	pipa_doc_u64(doc, NULL, weight->count);
}

/* Tenths of a pixel are enough at any zoom. */
static void add_pixels(struct pipa_doc *doc, double value)
{
	pipa_doc_double(doc, NULL, round(value * 10) / 10);
}

/* [name, label, library, x, y, width, height, self, samples, total, samples]; x, y: the centre */
static void add_node(const struct pipa_graph_drawing *d, uint32_t number, struct pipa_doc *doc)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf name = { 0 }, label = { 0 };
	const struct pipa_graph_layout_node *at = &d->layout.nodes[number];
	const struct pipa_callgraph_node *node = &d->graph->nodes.items[number];

	pipa_graph_name(d->graph, number, LONGEST_NAME, &name);
	pipa_graph_name(d->graph, number, LABEL, &label);
	pipa_doc_list(doc, NULL);
	pipa_doc_str(doc, NULL, pipa_buf_str(&name));
	pipa_doc_str(doc, NULL, pipa_buf_str(&label));
	pipa_doc_u64(doc, NULL, d->libraries.of_node[number]);
	add_pixels(doc, at->x);
	add_pixels(doc, at->y);
	add_pixels(doc, at->width - (d->loops[number] ? 2 * PIPA_GRAPH_LOOP : 0));
	add_pixels(doc, at->height);
	add_weight(doc, &node->self);
	add_weight(doc, &node->total);
	pipa_doc_end(doc);
	pipa_graph_pass_failure(&name, doc->out);
	pipa_graph_pass_failure(&label, doc->out);
}

/* [from, to, weight, samples, direct, x, y, x, y...]: the points as in graph_layout.h, none of a loop */
static void add_edge(const struct pipa_graph_drawing *d, uint32_t number, struct pipa_doc *doc)
{
	const struct pipa_graph_layout_edge *at = &d->layout.edges[number];
	const struct pipa_callgraph_edge *edge = &d->graph->edges.items[number];
	uint32_t i;

	pipa_doc_list(doc, NULL);
	pipa_doc_u64(doc, NULL, edge->from);
	pipa_doc_u64(doc, NULL, edge->to);
	add_weight(doc, &edge->weight);
	pipa_doc_u64(doc, NULL, edge->direct);
	for (i = 0; i < at->n; i++) {
		add_pixels(doc, d->layout.points[at->first + i].x);
		add_pixels(doc, d->layout.points[at->first + i].y);
	}
	pipa_doc_end(doc);
}

static void add_libraries(const struct pipa_graph_drawing *d, struct pipa_doc *doc)
{
	size_t i;

	pipa_doc_list(doc, "libraries");
	for (i = 0; i < d->libraries.n; i++) {
		PIPA_AUTO(pipa_buf_done) struct pipa_buf name = { 0 };

		pipa_graph_text(&name, pipa_graph_library(d->graph, d->libraries.items[i].node),
				LONGEST_NAME);
		pipa_doc_str(doc, NULL, pipa_buf_str(&name));
		pipa_graph_pass_failure(&name, doc->out);
	}
	pipa_doc_end(doc);
}

static void add_facts(const struct pipa_graph_drawing *d, struct pipa_doc *doc)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf facts = { 0 }, line = { 0 };
	const char *text, *end;

	pipa_graph_facts(d->graph, d->style, &facts);
	pipa_doc_list(doc, "facts");
	for (text = pipa_buf_str(&facts); (end = strchr(text, '\n')); text = end + 1) {
		pipa_buf_reset(&line);
		pipa_buf_add(&line, text, (size_t)(end - text));
		pipa_doc_str(doc, NULL, pipa_buf_str(&line));
	}
	pipa_doc_end(doc);
	pipa_graph_pass_failure(&facts, doc->out);
	pipa_graph_pass_failure(&line, doc->out);
}

static void write_graph(const struct pipa_graph_drawing *d, bool only, struct pipa_buf *out)
{
	struct pipa_doc doc;
	uint32_t i;

	pipa_doc_begin(&doc, PIPA_DOC_JSON_LINE, out);
	pipa_doc_bool(&doc, "only", only);
	pipa_doc_u64(&doc, "all", d->graph->all.weight);
	pipa_doc_double(&doc, "width", ceil(d->layout.width));
	pipa_doc_double(&doc, "height", ceil(d->layout.height));
	add_facts(d, &doc);
	add_libraries(d, &doc);
	pipa_doc_list(&doc, "nodes");
	for (i = 0; i < d->layout.n_nodes; i++)
		add_node(d, i, &doc);
	pipa_doc_end(&doc);
	pipa_doc_list(&doc, "edges");
	for (i = 0; i < d->layout.n_edges; i++)
		add_edge(d, i, &doc);
	pipa_doc_end(&doc);
	pipa_doc_finish(&doc);
}

int pipa_graph_data(const struct pipa_callgraph *graph, const struct pipa_graph_style *style,
		    bool only, struct pipa_buf *out)
{
	struct pipa_graph_drawing d = { .graph = graph, .style = style, .out = out };
	int rc = pipa_graph_drawing_lay_out(&d);

	if (!rc)
		write_graph(&d, only, out);
	pipa_graph_drawing_done(&d);
	return rc ? rc : out->status;
}
