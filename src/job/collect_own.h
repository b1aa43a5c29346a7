/* Shared by the parts of collect: the collection while it is made. */
#ifndef PIPA_JOB_COLLECT_OWN_H
#define PIPA_JOB_COLLECT_OWN_H

#include "base/auto.h"
#include "base/error.h"
#include "job/collect.h"
#include "job/collect_lock.h"
#include "job/target.h"

struct pipa_outfile;

struct pipa_collection {
	const struct pipa_collect_options *o;
	struct pipa_error *err;
	const struct pipa_perf *perf;
	struct pipa_root *root, *own_root;
	struct pipa_collect_lock lock;
	char host[256];
	char id[9];
	char machine[128];
	uint64_t begun_s; /* epoch */

	char *work;    /* folder in which it is made */
	char *session; /* attach_session in it */
	char *archive;
	struct pipa_outfile *log;

	struct {
		struct pipa_event_arg *items;
		size_t n, cap;
	} events;
	char *event_text; /* what they are cut from */
	bool interrupted;
};

PIPA_PRINTF(3, 4)
void pipa_collect_log(struct pipa_collection *c, enum pipa_collect_level level, const char *fmt,
		      ...);

/* The events of this architecture, or those that were asked for, without what the machine lacks. */
int pipa_collect_choose_events(struct pipa_collection *c);

/* Count, sample, or both, until the time is over or somebody interrupts. */
int pipa_collect_phase(struct pipa_collection *c, bool count, bool sample);

/* "PATH/NAME", to be freed; NULL without memory. */
char *pipa_collect_path(const char *dir, const char *name);

#endif
