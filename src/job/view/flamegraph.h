/* Draw a flame graph of a file of any kind, or of the difference of two. */
#ifndef PIPA_JOB_VIEW_FLAMEGRAPH_H
#define PIPA_JOB_VIEW_FLAMEGRAPH_H

#include <stdbool.h>

#include "analyze/profile/flame.h"
#include "export/view/flame_svg.h"
#include "export/view/view.h"
#include "job/view/selection.h"
#include "load/load.h"

struct pipa_error;

enum pipa_flamegraph_form { PIPA_FLAMEGRAPH_HTML, PIPA_FLAMEGRAPH_SVG };

struct pipa_flamegraph_options {
	struct pipa_load_options load;		 /* its log gets notes on losses, too */
	struct pipa_profile_selection selection; /* its all_values is set by the job */
	const char *base;			 /* baseline file, or NULL */
	const char *output;			 /* a file; NULL: out_fd */
	int out_fd;
	const char *event; /* NULL: the first that was sampled */
	const char *title; /* NULL: the file's name */
	enum pipa_flamegraph_form form;
	enum pipa_flame_by by;
	bool reverse;
	struct pipa_view_show show;
	struct pipa_flame_svg_style svg;
};

/*
 * Draw the flame graph. The file is complete or not written at all. -EINVAL if the input has no
 * stacks.
 */
int pipa_flamegraph_run(const struct pipa_flamegraph_options *options, struct pipa_error *err);

#endif
