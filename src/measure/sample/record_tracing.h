/*
 * Collect the tracing data of a recording with tracepoints: the format files of tracefs, so that
 * any reader can print the fields.
 */
#ifndef PIPA_MEASURE_SAMPLE_RECORD_TRACING_H
#define PIPA_MEASURE_SAMPLE_RECORD_TRACING_H

struct pipa_buf;
struct pipa_error;
struct pipa_events;
struct pipa_root;

/* Append the tracing data; nothing if no event is a tracepoint. */
int pipa_record_trace(struct pipa_root *root, const struct pipa_events *events,
		      struct pipa_buf *out, struct pipa_error *err);

#endif
