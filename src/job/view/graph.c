#include "job/view/graph.h"

#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "codec/deflate.h"
#include "export/graph/graph_data.h"
#include "export/graph/graph_dot.h"
#include "export/graph/graph_svg.h"
#include "export/text/event_unit.h"
#include "export/view/view.h"
#include "job/view/choose_event.h"
#include "job/view/filter_notes.h"

/*
 * Write the graph as a page. The flame graph and the list of functions are those of all samples, so a graph
 * of some of them is the only view.
 */
static int write_page(const struct pipa_callgraph *graph, const struct pipa_graph_style *style,
		      const struct pipa_loaded *loaded, struct pipa_buf *out)
{
	PIPA_AUTO(pipa_flame_done) struct pipa_flame flame = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf data = { .max = out->max };
	struct pipa_flame_options options = { .event = graph->o.event };
	bool only = graph->o.comms || graph->o.focus || graph->o.callers_of || graph->o.callees_of;
	struct pipa_view_part part = { .name = "graph" };
	const struct pipa_view view = { .view = "graph",
					.title = style->title,
					.event = style->event,
					.unit = style->unit,
					.flame = &flame,
					.profile = &loaded->profile,
					.recording = &loaded->recording,
					.pack = pipa_deflate,
					.parts = &part,
					.n_parts = 1 };
	int rc = pipa_graph_data(graph, style, only, &data);

	if (!rc && !only)
		rc = pipa_flame_make(&loaded->profile, &options, &flame);
	if (rc < 0)
		return rc;
	part.json = pipa_buf_str(&data);
	part.len = data.len;
	pipa_view_write_page(&view, out);
	return out->status;
}

static int write_graph(const struct pipa_graph_options *o, const struct pipa_loaded *loaded,
		       struct pipa_callgraph *graph, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = 1 << 30 };
	const struct pipa_profile *p = graph->profile;
	struct pipa_graph_style style = {
		.title = pipa_choose_title(o->title, o->load.path),
		.event = graph->o.event == PIPA_NONE ?
				 "" :
				 pipa_profile_string(p, p->events.items[graph->o.event].name),
		.unit = pipa_event_unit_text(p, graph->o.event),
		.limits = o->limits,
	};
	int rc = pipa_callgraph_prune(graph, &o->limits);

	style.by_library = o->by_library && pipa_graph_has_libraries(graph);
	if (!rc && o->form == PIPA_GRAPH_HTML)
		rc = write_page(graph, &style, loaded, &text);
	else if (!rc)
		rc = o->form == PIPA_GRAPH_DOT ? pipa_graph_dot(graph, &style, &text) :
						 pipa_graph_svg(graph, &style, &text);
	return rc < 0 ? pipa_fail(err, rc, "draw the call graph") :
			pipa_outfile_write(o->output, o->out_fd, text.data, text.len, err);
}

static bool has_samples(const struct pipa_callgraph *graph)
{
	size_t i;

	for (i = 0; i < graph->nodes.n; i++)
		if (graph->nodes.items[i].total.count)
			return true;
	return false;
}

static int make_graph(const struct pipa_graph_options *o, const struct pipa_loaded *loaded,
		      struct pipa_error *err)
{
	PIPA_AUTO(pipa_callgraph_done) struct pipa_callgraph graph = { 0 };
	struct pipa_callgraph_options options = o->graph;
	int rc = pipa_choose_event(&loaded->profile, o->event, &o->load.log, &options.event, err);

	if (rc < 0)
		return rc;
	pipa_note_losses(loaded, NULL, &o->load.log);
	pipa_note_empty(&loaded->profile, options.event, &o->load.log);
	rc = pipa_callgraph_make(&loaded->profile, &options, &graph, err);
	if (!rc && !has_samples(&graph))
		pipa_note_filters(&loaded->profile,
				  &(struct pipa_filter_names){ .comms = options.comms,
							       .time = o->load.ingest.from_ns ||
								       o->load.ingest.until_ns },
				  &o->load.log);
	return rc < 0 ? rc : write_graph(o, loaded, &graph, err);
}

int pipa_graph_run(const struct pipa_graph_options *o, struct pipa_error *err)
{
	struct pipa_profile_selection selection = o->selection;
	struct pipa_loaded loaded;
	struct pipa_load_options load = o->load;
	int rc;

	load.drop_frames = true;
	selection.all_values = o->event != NULL;
	rc = pipa_load_selected(&load, &selection, &loaded, err);
	if (rc < 0)
		return rc;
	rc = make_graph(o, &loaded, err);
	pipa_loaded_done(&loaded);
	return rc;
}
