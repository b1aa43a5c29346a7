/*
 * Any graph can be laid out, and its nodes and edges are where they should be; any bytes are a text that a
 * picture can hold.
 *
 * The first byte is the number of nodes, the next two their sizes; then each pair of bytes is an edge.
 */
#include "../lib/graph_checks.h"
#include "base/buf.h"
#include "base/utf8.h"
#include "export/graph/graph_layout.h"
#include "export/graph/graph_text.h"
#include "fuzz.h"

static void lay_out(const uint8_t *data, size_t size)
{
	struct pipa_graph_layout l = { .node_gap = 20, .rank_gap = 50 };
	size_t i;

	l.n_nodes = data[0];
	l.nodes = calloc(l.n_nodes + 1, sizeof(*l.nodes));
	l.edges = calloc(size, sizeof(*l.edges));
	MUST(l.nodes && l.edges);
	for (i = 0; i < l.n_nodes; i++) {
		l.nodes[i].width = 10 + (double)(data[1] * (i + 1) % 300);
		l.nodes[i].height = 10 + (double)(data[2] * (i + 1) % 90);
	}
	for (i = 3; l.n_nodes && i + 1 < size; i += 2)
		l.edges[l.n_edges++] = (struct pipa_graph_layout_edge){
			.from = data[i] % (uint32_t)l.n_nodes,
			.to = data[i + 1] % (uint32_t)l.n_nodes,
			.weight = (data[i] ^ data[i + 1]) / 255.0,
		};
	MUST(pipa_graph_layout_make(&l) == 0);
	MUST(!graph_nodes_wrong(&l));
	MUST(!graph_edges_wrong(&l));
	pipa_graph_layout_done(&l);
	free(l.nodes);
	free(l.edges);
}

static size_t count(const char *text)
{
	size_t n = 0, len;

	for (; *text; text += len, n++) {
		len = pipa_utf8_len((const unsigned char *)text);
		MUST(len);
		MUST((unsigned char)*text >= ' ' && *text != 0x7f);
	}
	return n;
}

/* As text, as a function's name, and both as XML and DOT. */
static void write_text(const char *text, size_t most)
{
	struct pipa_buf plain = { 0 }, symbol = { 0 }, form = { 0 };

	pipa_graph_text(&plain, text, most);
	MUST(count(pipa_buf_str(&plain)) <= most);
	MUST(pipa_graph_width(pipa_buf_str(&plain)) <= 1.1 * (double)most);
	pipa_graph_symbol(&symbol, text, most);
	MUST(count(pipa_buf_str(&symbol)) <= most);
	pipa_graph_xml(&form, pipa_buf_str(&plain));
	MUST(!strpbrk(pipa_buf_str(&form), "<>\"'"));
	pipa_buf_reset(&form);
	pipa_graph_dot_text(&form, pipa_buf_str(&symbol));
	MUST(!strchr(pipa_buf_str(&form), '"') || strstr(pipa_buf_str(&form), "\\\""));
	pipa_buf_done(&plain);
	pipa_buf_done(&symbol);
	pipa_buf_done(&form);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (size < 4)
		return 0;
	lay_out(data, size);
	text = calloc(size + 1, 1);
	MUST(text);
	memcpy(text, data + 1, size - 1);
	write_text(text, data[0]);
	free(text);
	return 0;
}
