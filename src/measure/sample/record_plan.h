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
	struct pipa_events events; /* with complete attrs */
	struct pipa_target_list targets;
	struct pipa_cpus online;
	struct perf_event_attr side;  /* the side-band event */
	uint64_t hz;		      /* 0: by period */
	uint64_t max_hz;	      /* maximum that the kernel permits, 0: unknown */
	uint64_t refused_hz;	      /* rate that was lowered to max_hz, 0: none was */
	uint32_t stack_bytes;	      /* of a stack dump, 0: none */
	uint32_t counted_stack_bytes; /* likewise for events that are sampled every N-th time */
	uint64_t ring_room;	      /* the largest ring per CPU */
	uint64_t link_reg;	      /* register of samples without a dump that has a caller */
	bool auto_mode;	     /* call chains by default: dumps only for timer-based events */
	bool also_fp;	     /* the kernel follows frame pointers, too */
	bool live;	     /* unwind before writing */
	bool filter_by_tree; /* sample CPUs, keep only the command's process tree */
	uint64_t user_regs;  /* registers of a sample, by perf's numbers */
	size_t ring_bytes, side_bytes;
};

int pipa_record_plan_make(const struct pipa_record_options *options, const struct pipa_host *host,
			  struct pipa_record_plan *plan, struct pipa_error *err);
void pipa_record_plan_done(struct pipa_record_plan *plan);

#endif
