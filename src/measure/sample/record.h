/*
 * Sample a command, processes, CPUs or cgroups into a perf.data file, a pipe or lines of text: options
 * in, outcome out. Messages go to the log of the options.
 */
#ifndef PIPA_MEASURE_SAMPLE_RECORD_H
#define PIPA_MEASURE_SAMPLE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/log.h"
#include "measure/target.h"

struct pipa_child_signals;
struct pipa_error;
struct pipa_host;
struct pipa_perf_events;

enum {
	PIPA_RECORD_HZ = 997,
	PIPA_KEEP_BYTES = 256 << 20,
	PIPA_STACK_BYTES = 8192,
	PIPA_STACK_BYTES_MAX = 65528, /* the size of a record has 16 bits, and dumps are in words */
};

/* How callers are found. */
enum pipa_calls {
	PIPA_CALLS_NONE,
	PIPA_CALLS_FP,	  /* by the kernel, from frame pointers */
	PIPA_CALLS_DWARF, /* by pipa, from a stack dump in each sample */
	PIPA_CALLS_AUTO,  /* DWARF for timer-based events at moderate rates, else fp */
};

/* State of a recording, for a front end that shows it. */
struct pipa_record_progress {
	uint64_t elapsed_ns;
	uint64_t samples, lost, bytes;
};

/*
 * A second consumer of the records, beside the file. All functions are called by the thread that drains the rings and
 * must not wait for anything.
 */
struct pipa_record_feed {
	/* the events as the records have them, borrowed until it returns; 0 or a negative errno with err filled */
	int (*begin)(void *ctx, const struct pipa_perf_events *events, struct pipa_error *err);
	void (*begin_drain)(void *ctx); /* the rings are going to be read; may be NULL */
	/* one complete record as the file has it, aligned to 8 bytes, also a synthesized one */
	void (*put)(void *ctx, const void *bytes, size_t len);
	void (*end_drain)(void *ctx); /* records were put */
	void *ctx;
};

struct pipa_record_options {
	struct pipa_target_spec target;
	const struct pipa_child_signals *command_signals; /* NULL: those of this thread */
	bool no_inherit;
	bool user_only, kernel_only; /* for events without a modifier */
	bool exclude_self;	     /* omit samples of this process */
	bool tree_only; /* sample whole CPUs but keep only the command and its descendants; needs a file */
	bool kernel_build_ids; /* the kernel reads the build IDs of mapped files */

	/* none: cycles, or cpu-clock if there are no hardware counters */
	const struct pipa_event_arg *events;
	size_t n_events;
	/* samples per second, 0: not given; UINT64_MAX: the maximum that the kernel permits */
	uint64_t hz;
	uint64_t period; /* or one sample per this many events, 0: not given */
	enum pipa_calls calls;
	bool keep_stacks;     /* write stack dumps instead of the unwound chains */
	uint32_t stack_bytes; /* of a stack dump, a multiple of 8; 0: by the rate */
	bool branches, addresses, raw, switches;
	bool thread_counts; /* write the counts of each thread when it ends */
	bool has_clock;	    /* use `clock` for times, not CLOCK_MONOTONIC, which jitdumps have */
	clockid_t clock;

	uint64_t duration_ns; /* stop after, 0: never */
	uint64_t delay_ns;    /* start sampling after */
	uint64_t max_bytes;   /* of the file, 0: no limit */
	uint64_t ring_bytes;  /* 0: by the rate */
	/* of stored files that only the recorded processes can reach; 0: none */
	uint64_t keep_bytes;

	const char *output;		     /* a file, "-" for a pipe on out_fd, or NULL */
	unsigned int level;		     /* of compression, 0: none */
	bool print;			     /* samples as lines on out_fd */
	int out_fd;			     /* standard output of the front end */
	const struct pipa_record_feed *feed; /* borrowed; may be NULL */
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

static inline clockid_t pipa_record_clock(const struct pipa_record_options *options)
{
	return options->has_clock ? options->clock : CLOCK_MONOTONIC;
}

struct pipa_record_outcome {
	bool exec_failed; /* the command could not be started: err->code says why */
	int status;	  /* exit status: that of the command, 128 + n for a signal */
	uint64_t samples, lost, bytes;
};

int pipa_record_run(const struct pipa_host *host, const struct pipa_record_options *options,
		    struct pipa_record_outcome *ret, struct pipa_error *err);

#endif
