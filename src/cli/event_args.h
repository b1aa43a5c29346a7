/* Events as the command line names them, each with the filter that may stand behind it. */
#ifndef PIPA_CLI_EVENT_ARGS_H
#define PIPA_CLI_EVENT_ARGS_H

#include <stddef.h>

#include "measure/target.h"

struct pipa_error;

/* items, n, cap: see base/vec.h; texts are loans. */
struct pipa_event_args {
	struct pipa_event_arg *items;
	size_t n, cap;
};

int pipa_event_args_add(struct pipa_event_args *args, const char *text, struct pipa_error *err);

/* The filter of the event that was added last; refused where there is none. */
int pipa_event_args_filter(struct pipa_event_args *args, const char *text, struct pipa_error *err);

#endif
