/* Write samples over time as a page: heat map, flame chart, flame graphs of time ranges. */
#ifndef PIPA_JOB_VIEW_HEATMAP_H
#define PIPA_JOB_VIEW_HEATMAP_H

#include "analyze/profile/flame.h"
#include "export/view/view.h"
#include "job/view/choose_event.h"
#include "job/view/selection.h"
#include "load/load.h"

struct pipa_error;

struct pipa_heatmap_options {
	struct pipa_load_options load;		 /* its timeline is set by the job */
	struct pipa_profile_selection selection; /* its all_values is set by the job */
	const char *event;			 /* NULL: the first */
	const char *title;			 /* NULL: the file's name */
	const char *view;			 /* initial view: "heatmap", "chart" */
	const char *rows;	    /* initial rows of the heat map: "cpu", "thread", "offset" */
	enum pipa_flame_by by;	    /* grouping of the flame graph */
	struct pipa_view_show show; /* initial options of the flame graph */
	const char *output;	    /* NULL: out_fd */
	int out_fd;
};

/* Write the page. -EINVAL if the input has no stacks or no timestamps, or none of that event. */
int pipa_heatmap_run(const struct pipa_heatmap_options *options, struct pipa_error *err);

#endif
