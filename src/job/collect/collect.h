/*
 * Collect counts, statistics, samples and the description of a machine into one archive, which
 * `pipa run --from` and the Python tool PIPA can read. Counting comes first, then sampling; or both
 * at once.
 */
#ifndef PIPA_JOB_COLLECT_COLLECT_H
#define PIPA_JOB_COLLECT_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/log.h"

struct pipa_buf;
struct pipa_error;
struct pipa_host;

struct pipa_collect_options {
	const char *output;	/* NULL: pipa-collection-YYYYmmdd_HHMMSS.tar.gz in output_dir */
	const char *output_dir; /* NULL: the current directory */
	uint64_t stat_ns, record_ns;
	bool no_stat, no_record;
	uint64_t stat_interval_ns, sar_interval_ns;
	uint64_t hz;
	const char *events;	   /* instead of the architecture's groups, or NULL */
	const char *record_events; /* sampled instead of cpu-clock, or NULL */
	/* Both phases at once until a signal ends them, which then does not count as an interruption. */
	bool until_stopped;
	const char *const *remarks; /* notes on a configuration file, for the log */
	size_t n_remarks;
	bool together;	  /* both phases at once */
	bool keep_stacks; /* the recording has stack dumps, as perf writes them */
	bool no_spec;	  /* no description of the machine */
	bool fresh_spec;  /* discard the stored description */
	const char *data_dir, *run_dir;
	bool is_detached; /* stderr is not read: store failures for pipa_collect_failure() */
	const char *version;

	struct pipa_log log; /* receives the lines of the log file; errors are also returned */
	/* Called once when measuring has started, after the messages of the start. May be NULL. */
	void (*begun)(void *ctx);
	void *ctx;
};

struct pipa_collect_outcome {
	bool interrupted; /* the archive is incomplete */
	char *archive;	  /* its path; the caller frees it */
};

int pipa_collect_run(const struct pipa_host *host, const struct pipa_collect_options *options,
		     struct pipa_collect_outcome *ret, struct pipa_error *err);

/*
 * Append the stored failure of the last collection. False if the collection did not fail or its
 * failure was already reported.
 */
bool pipa_collect_failure(const char *run_dir, struct pipa_buf *text);

/* End the collection of this directory with SIGTERM and wait; *ret_pid is 0 if none is running. */
int pipa_collect_stop(const char *run_dir, pid_t *ret_pid, struct pipa_error *err);

#endif
