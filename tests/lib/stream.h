/*
 * A stream of records in two forms: as text, a line for each with everything that is known of it,
 * and as the bytes of a perf.data file of either byte order. The bytes are put together here
 * without the help of perf/encode.c, so the reader is held against a second opinion of each
 * layout.
 */
#ifndef PIPA_TESTS_STREAM_H
#define PIPA_TESTS_STREAM_H

#include <stdbool.h>

#include "base/buf.h"
#include "model/record.h"
#include "perf/attr.h"

struct stream {
	struct pipa_record_sink sink; /* first: a reader hands it back */
	const struct pipa_perf_events *events;
	bool swapped; /* write the other byte order */
	bool library; /* write with perf/encode.h what it can write */
	const char
		*arch; /* of the machine that was recorded, as uname(2) names it; NULL: unknown */
	struct pipa_buf others,
		samples; /* recorded, separately: a file's samples come last, a pipe's do not */
	struct pipa_buf records;
};

void stream_init(struct stream *stream, const struct pipa_perf_events *events);
void stream_done(struct stream *stream);

/* The events: what they were asked, their names, ids and groups. */
void stream_tell_events(const struct pipa_perf_events *events, struct pipa_buf *out);

/* The whole file, or what goes through a pipe. Names and groups of a file are in own byte order only. */
void stream_file(const struct stream *stream, struct pipa_buf *out);

#endif
