/*
 * Run `pipa heap`: record the heap of a command or take a snapshot of a running process, write its profile,
 * and report.
 */
#ifndef PIPA_JOB_HEAP_HEAP_H
#define PIPA_JOB_HEAP_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/process/child.h"
#include "measure/heap/heap_record.h"
#include "symbolize/symbolize.h"

struct pipa_buf;
struct pipa_error;
struct pipa_host;

struct pipa_heap_options {
	struct pipa_heap_record_options record; /* follow is set by the job */
	const struct pipa_child_signals *command_signals;
	struct pipa_symbolize_options symbols;
	const char *output; /* profile; NULL: none */
	const char *chart;  /* growth over the snapshots; NULL: none */
	bool json;	    /* the report */
	bool by_process;
	size_t max_rows;
	struct pipa_log log;
};

struct pipa_heap_outcome {
	int status; /* of the command */
	bool exec_failed;
	bool ended;	 /* the command was started and has ended */
	bool unsearched; /* leaks were requested, and not all processes could be searched */
	bool complete;
	size_t processes; /* that were recorded */
	uint64_t samples;
	uint64_t lost_objects, lost_bytes; /* leaks */
	size_t snapshots;
};

/*
 * Record a command. Appends the report also after a failure of the output. 0 or a negative errno with err
 * filled.
 */
int pipa_heap_run(const struct pipa_host *host, const struct pipa_heap_options *options,
		  struct pipa_buf *report, struct pipa_heap_outcome *ret, struct pipa_error *err);

/* Report the allocations of a running process so far. 0 or a negative errno. */
int pipa_heap_snapshot(uint32_t pid, const struct pipa_heap_options *options,
		       struct pipa_buf *report, struct pipa_error *err);

#endif
