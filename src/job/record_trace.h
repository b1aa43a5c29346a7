/*
 * The tracing data of a recording with tracepoints: how their fields lie, as tracefs describes them,
 * so that any reader can print them on any machine.
 */
#ifndef PIPA_JOB_RECORD_TRACE_H
#define PIPA_JOB_RECORD_TRACE_H

struct pipa_buf;
struct pipa_error;
struct pipa_events;
struct pipa_root;

/* Nothing is appended when no event is a tracepoint. */
int pipa_record_trace(struct pipa_root *root, const struct pipa_events *events,
		      struct pipa_buf *out, struct pipa_error *err);

#endif
