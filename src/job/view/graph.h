/* Draw the call graph of a file of any kind. */
#ifndef PIPA_JOB_VIEW_GRAPH_H
#define PIPA_JOB_VIEW_GRAPH_H

#include <stdbool.h>

#include "analyze/profile/callgraph.h"
#include "job/view/selection.h"
#include "load/load.h"

struct pipa_error;

enum pipa_graph_form {
	PIPA_GRAPH_SVG,
	PIPA_GRAPH_DOT,
	PIPA_GRAPH_HTML,
};

struct pipa_graph_options {
	struct pipa_load_options load;
	struct pipa_profile_selection selection; /* its all_values is set by the job */
	const char *output;			 /* a file; NULL: out_fd */
	int out_fd;
	enum pipa_graph_form form;
	const char *event;		     /* only this event; NULL: the first */
	const char *title;		     /* NULL: the name of the file */
	struct pipa_callgraph_options graph; /* .event is found by name */
	struct pipa_callgraph_limits limits;
	bool by_library;
};

/* Draw the call graph. -EINVAL if the input has no stacks, or nothing that was requested. */
int pipa_graph_run(const struct pipa_graph_options *options, struct pipa_error *err);

#endif
