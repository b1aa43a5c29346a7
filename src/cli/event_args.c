#include "cli/event_args.h"

#include <errno.h>

#include "base/error.h"
#include "base/vec.h"

int pipa_event_args_add(struct pipa_event_args *args, const char *text, struct pipa_error *err)
{
	struct pipa_event_arg *arg = PIPA_VEC_ADD(args);

	if (!arg)
		return pipa_fail(err, -ENOMEM, "parse options");
	arg->text = text;
	return 0;
}

int pipa_event_args_filter(struct pipa_event_args *args, const char *text, struct pipa_error *err)
{
	if (!args->n) {
		pipa_refuse(err, -EINVAL, "--filter: no preceding -e");
		return pipa_hint(err,
				 "give the tracepoint first: -e sched:sched_switch --filter '...'");
	}
	args->items[args->n - 1].filter = text;
	return 0;
}
