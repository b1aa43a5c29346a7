/* Events given with -e, each with its optional --filter. */
#ifndef PIPA_CLI_EVENT_ARGS_H
#define PIPA_CLI_EVENT_ARGS_H

#include <stddef.h>

#include "measure/target.h"

struct pipa_error;

/* A vector (base/vec.h); strings are borrowed from argv. */
struct pipa_event_args {
	struct pipa_event_arg *items;
	size_t n, cap;
};

int pipa_event_args_add(struct pipa_event_args *args, const char *text, struct pipa_error *err);

/* Set the filter of the last event. Returns -EINVAL if there is no event. */
int pipa_event_args_filter(struct pipa_event_args *args, const char *text, struct pipa_error *err);

#endif
