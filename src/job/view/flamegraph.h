/* Draw a flame graph of a file of any kind, or of the difference of two. */
#ifndef PIPA_JOB_VIEW_FLAMEGRAPH_H
#define PIPA_JOB_VIEW_FLAMEGRAPH_H

#include <stdbool.h>

#include "analyze/profile/flame.h"
#include "export/view/flame_svg.h"
#include "export/view/view.h"
#include "load/load.h"

struct pipa_error;

enum pipa_flamegraph_form { PIPA_FLAMEGRAPH_HTML, PIPA_FLAMEGRAPH_SVG };

struct pipa_flamegraph_options {
	struct pipa_load_options load; /* its note is told of losses too */
	const char *base;	       /* a file to compare with; NULL: none */
	const char *output;	       /* a file; NULL: out_fd */
	int out_fd;
	const char *event; /* NULL: the first that was sampled */
	const char *title; /* NULL: the file's name */
	enum pipa_flamegraph_form form;
	enum pipa_flame_by by;
	bool reverse;
	struct pipa_view_show show;
	struct pipa_flame_svg_style svg;
};

/* The file is complete or was not written at all. -EINVAL when the input holds no stacks. */
int pipa_flamegraph_run(const struct pipa_flamegraph_options *options, struct pipa_error *err);

#endif
