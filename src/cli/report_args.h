/* Parse values of `pipa report` that have a syntax of their own: perf's -g and -F. */
#ifndef PIPA_CLI_REPORT_ARGS_H
#define PIPA_CLI_REPORT_ARGS_H

#include <stdbool.h>

#include "job/view/report.h"

struct pipa_error;

/* Values of -g: all that is not given keeps its default. */
struct pipa_call_graph_args {
	bool given, none;
	bool has_order, callees;
	bool has_threshold;
	double threshold;
};

/* Is each comma-separated part of the text a print type, order, key, value or number of perf's -g? */
bool pipa_call_graph_is_spec(const char *text);

/* Parse the value of -g; NULL: the defaults. Tree values go to the job's options. */
int pipa_call_graph_parse(const char *text, struct pipa_call_graph_args *ret,
			  struct pipa_report_options *job, struct pipa_error *err);

/* Parse sort keys into the options of the table. */
int pipa_sort_keys_parse(const char *text, struct pipa_top_options *top, struct pipa_error *err);

/* Parse the fields of -F; `ret_more`: they are added to the default ones ("+period"). */
int pipa_report_fields_parse(const char *text, struct pipa_report_fields *ret, bool *ret_more,
			     struct pipa_error *err);

/*
 * Complete fields and keys: fields without sort keys define the keys, sort keys without a field are
 * appended. Values of children need children.
 */
void pipa_report_fields_finish(struct pipa_report_options *job, bool more, bool sorted);

#endif
