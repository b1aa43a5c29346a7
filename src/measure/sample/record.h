/*
 * Sample a command, processes, CPUs or cgroups into a perf.data file, a pipe or lines of text: options
 * in, outcome out. Messages go to the log of the options.
 */
#ifndef PIPA_MEASURE_SAMPLE_RECORD_H
#define PIPA_MEASURE_SAMPLE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/log.h"
#include "measure/target.h"

struct pipa_child_signals;
struct pipa_error;
struct pipa_host;

enum {
	PIPA_RECORD_HZ = 997,
	PIPA_KEEP_BYTES = 256 << 20,
	PIPA_STACK_BYTES = 8192,
	PIPA_STACK_BYTES_MAX = 65528, /* a record's size has 16 bits, and the kernel takes words */
};

/* How callers are found. */
enum pipa_calls {
	PIPA_CALLS_NONE,
	PIPA_CALLS_FP,	  /* by the kernel, along frame pointers */
	PIPA_CALLS_DWARF, /* by us, in a piece of the stack that each sample has */
	PIPA_CALLS_AUTO,  /* by us where samples are taken by time and not too often, else fp */
};

/* State of a recording, for a front end that shows it. */
struct pipa_record_progress {
	uint64_t elapsed_ns;
	uint64_t samples, lost, bytes;
};

struct pipa_record_options {
	struct pipa_target_spec target;
	const struct pipa_child_signals *command_signals; /* NULL: those of this thread */
	bool no_inherit;
	bool user_only, kernel_only; /* of events that do not say themselves */
	bool exclude_self;	     /* leave out samples of this process */
	bool tree_only;		     /* of whole CPUs the command and what it starts, into a file */
	bool kernel_build_ids;	     /* the kernel reads the build ids of mapped files */

	const struct pipa_event_arg *events; /* none: cycles, or cpu-clock where there are none */
	size_t n_events;
	uint64_t hz; /* samples a second, 0: not given; UINT64_MAX: as many as the kernel permits */
	uint64_t period; /* or every that many events, 0: not given */
	enum pipa_calls calls;
	bool keep_stacks;     /* write the pieces, not what is found in them */
	uint32_t stack_bytes; /* of the piece, a multiple of 8; 0: as large as it need be */
	bool branches, addresses, raw, switches;

	uint64_t duration_ns; /* stop after, 0: never */
	uint64_t delay_ns;    /* sample from then on */
	uint64_t max_bytes;   /* of the file, 0: as long as there is room */
	uint64_t ring_bytes;  /* 0: by the rate */
	uint64_t keep_bytes;  /* of files that only the recorded processes can reach; 0: none */

	const char *output; /* a file, "-" for a pipe on out_fd; NULL: none */
	unsigned int level; /* of compression, 0: none */
	bool print;	    /* samples as lines on out_fd */
	int out_fd;	    /* standard output of the front end */
	/* called several times per second; with NULL once, before the last messages; may be NULL */
	void (*progress)(void *ctx, const struct pipa_record_progress *progress);
	void *progress_ctx;

	/* the command is blocked and inherits nothing that is changed from now on; may be NULL */
	void (*held)(void *ctx);

	bool inside; /* another command takes these samples: nothing that is said names our options */
	const char *const *argv; /* how pipa was called, for the file */
	size_t argc;
	const char *version;

	struct pipa_log log;
};

struct pipa_record_outcome {
	bool exec_failed; /* the command could not be started: err->code says why */
	int status;	  /* what to exit with: the command's own, 128 + n for a signal */
	uint64_t samples, lost, bytes;
};

int pipa_record_run(const struct pipa_host *host, const struct pipa_record_options *options,
		    struct pipa_record_outcome *ret, struct pipa_error *err);

#endif
