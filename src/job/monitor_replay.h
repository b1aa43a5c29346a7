/* Show recorded statistics: histories, directories, archives, output of sadf -d and sar. */
#ifndef PIPA_JOB_MONITOR_REPLAY_H
#define PIPA_JOB_MONITOR_REPLAY_H

struct pipa_error;
struct pipa_monitor_options;
struct pipa_series_writer;

/* Write the buffered text of a replay. */
typedef int (*pipa_monitor_flush_fn)(void *ctx, struct pipa_error *err);

/* Write the selected rows and then their averages; calls flush now and then. */
int pipa_monitor_replay(const struct pipa_monitor_options *options,
			struct pipa_series_writer *writer, pipa_monitor_flush_fn flush, void *ctx,
			struct pipa_error *err);

#endif
