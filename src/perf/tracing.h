/*
 * Tracing data: the fields of tracepoint samples as the format files of the events describe them.
 * Nothing is copied: the bytes must outlive the struct.
 *
 *	17 08 44 "tracing" version\0 big? long_size u32 page_size
 *	"header_page\0" u64 size, text | "header_event\0" u64 size, text
 *	u32 n: ftrace's own events, each u64 size, text
 *	u32 n: systems, each name\0, u32 n: events, each u64 size, text
 */
#ifndef PIPA_PERF_TRACING_H
#define PIPA_PERF_TRACING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct pipa_buf;

enum pipa_trace_kind {
	PIPA_TRACE_NUMBER,
	PIPA_TRACE_TEXT,     /* stored in the field, up to a NUL */
	PIPA_TRACE_TEXT_AT,  /* length << 16 | offset from the start of the record */
	PIPA_TRACE_TEXT_REL, /* length << 16 | offset from the end of the field */
	PIPA_TRACE_ARRAY,    /* array of numbers, printed byte by byte */
};

struct pipa_trace_field {
	struct pipa_span name;
	enum pipa_trace_kind kind;
	uint32_t offset, size;
	uint32_t count; /* length of an array, if declared */
	bool is_signed, is_long, is_pointer, is_common;
};

struct pipa_trace_event {
	uint32_t id;
	uint32_t first, n;	/* range of the fields */
	struct pipa_span print; /* text after "print fmt:" */
};

struct pipa_tracing {
	struct {
		struct pipa_trace_event *items;
		size_t n, cap;
	} events;
	struct {
		struct pipa_trace_field *items;
		size_t n, cap;
	} fields;
	bool big; /* byte order of the samples */
};

/*
 * Parse tracing data up to its end or to corrupt data. 0, -ENOMEM, or -EBADMSG if the bytes are not
 * tracing data.
 */
int pipa_tracing_decode(struct pipa_span bytes, struct pipa_tracing *ret);
void pipa_tracing_done(struct pipa_tracing *tracing);

/* Parse one format file and add it. -EBADMSG if it is malformed, -ENOMEM. */
int pipa_trace_format_decode(struct pipa_span text, struct pipa_tracing *tracing);

/* Return the event with an id, which is the config of its attr; NULL if not found. */
const struct pipa_trace_event *pipa_tracing_find(const struct pipa_tracing *tracing, uint32_t id);

/*
 * Format the raw data of a sample with the print format of the event. If the format is not
 * supported, append " name=value" for each field, as perf does.
 */
void pipa_trace_text(const struct pipa_tracing *tracing, const struct pipa_trace_event *event,
		     struct pipa_span raw, struct pipa_buf *out);

#endif
