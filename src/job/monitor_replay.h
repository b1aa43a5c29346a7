/* A recording shown as if it were happening: our own folders, the original's archives unpacked, or
 * anything that sadf -d wrote.
 */
#ifndef PIPA_JOB_MONITOR_REPLAY_H
#define PIPA_JOB_MONITOR_REPLAY_H

struct pipa_buf;
struct pipa_error;
struct pipa_monitor_filter;
struct pipa_monitor_options;
struct pipa_series_writer;

/* Rows go through the filter, the averages behind them straight to the writer, text to `text`. */
int pipa_monitor_replay(const struct pipa_monitor_options *options,
			struct pipa_monitor_filter *filter, struct pipa_series_writer *writer,
			struct pipa_buf *text, struct pipa_error *err);

#endif
