/*
 * Write the call graph of a profile as JSON: functions, calls and modules with the values of all
 * events. docs/format/graph.schema.json describes it.
 *
 * Functions and calls count once per stack in spite of recursion (analyze/profile/callgraph.h).
 */
#ifndef PIPA_EXPORT_EXCHANGE_GRAPH_JSON_H
#define PIPA_EXPORT_EXCHANGE_GRAPH_JSON_H

#include <stddef.h>

struct pipa_profile;

/*
 * Pass the text to put() in pieces that end anywhere. Returns 0, -ENOMEM, or the first negative
 * result of put(), which ends the writing.
 */
int pipa_graph_json_write(const struct pipa_profile *profile,
			  int (*put)(void *ctx, const char *bytes, size_t len), void *ctx);

#endif
