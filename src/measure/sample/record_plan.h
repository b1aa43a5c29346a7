/* Plan a recording from options: events, rate, stack dumps, target. */
#ifndef PIPA_MEASURE_SAMPLE_RECORD_PLAN_H
#define PIPA_MEASURE_SAMPLE_RECORD_PLAN_H

#include <linux/perf_event.h>

#include "collect/count/resolve.h"
#include "kernel/event/perf_event.h"
#include "measure/target.h"

struct pipa_error;
struct pipa_host;
struct pipa_record_options;

struct pipa_record_plan {
	struct pipa_machine machine;
	struct pipa_events events; /* their attrs complete */
	struct pipa_target_list targets;
	struct pipa_cpus online;
	struct perf_event_attr side;  /* the event that tells of processes */
	uint64_t hz;		      /* 0: by period */
	uint64_t max_hz;	      /* that the kernel permits, 0: it does not say */
	bool clamped;		      /* more was requested */
	uint32_t stack_bytes;	      /* of a stack dump, 0: none */
	uint32_t counted_stack_bytes; /* of events that are sampled each N-th time */
	uint64_t ring_room;	      /* the largest ring for a CPU */
	uint64_t link_reg;	      /* of samples without a stack: the one that has a caller */
	bool unasked;		      /* only of what is sampled by time */
	bool both;		      /* frame pointers are followed too */
	bool live;		      /* unwound before it is written */
	bool by_tree;		      /* CPUs are sampled, the command's processes are meant */
	uint64_t user_regs;	      /* and these registers, by perf's numbers */
	size_t ring_bytes, side_bytes;
};

int pipa_record_plan_make(const struct pipa_record_options *options, const struct pipa_host *host,
			  struct pipa_record_plan *plan, struct pipa_error *err);
void pipa_record_plan_done(struct pipa_record_plan *plan);

#endif
