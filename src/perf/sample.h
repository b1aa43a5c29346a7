/* Layout of a sample, and of the sample id at the end of other records. Private to perf/. */
#ifndef PIPA_PERF_SAMPLE_H
#define PIPA_PERF_SAMPLE_H

#include "base/cursor.h"
#include "model/record.h"
#include "perf/attr.h"

enum { PIPA_PERF_USER_TYPES = 64 }; /* first type of records that tools write */

/*
 * Buffer for lists that cannot be borrowed from the record because of its byte order or layout. A
 * record is at most 64 KiB, so no list can be longer.
 */
struct pipa_perf_scratch {
	uint64_t words[3][8192]; /* chain, user registers, interrupt registers */
	struct pipa_branch branches[2730];
	struct pipa_rec_value values[4096];
};

/* Return the id of a sample, by the layout of any of the events; PIPA_UNKNOWN if it has no id. */
uint64_t pipa_perf_sample_peek_id(const struct perf_event_attr *attr, struct pipa_cursor c);

/* Decode the sample id part of a sample: identity and time. */
int pipa_perf_sample_id(const struct perf_event_attr *attr, const struct pipa_cursor *from,
			struct pipa_rec_id *id);

/* Decode the sample_id at the end of another record. */
int pipa_perf_trailer_id(const struct perf_event_attr *attr, const uint8_t *body, size_t len,
			 bool swapped, struct pipa_rec_id *id);

/* Decode a sample. Sets only the fields that samples of the event have. 0 or -EBADMSG. */
int pipa_perf_sample_decode(const struct perf_event_attr *attr, struct pipa_cursor *c,
			    struct pipa_perf_scratch *scratch, struct pipa_rec_sample *s);

#endif
