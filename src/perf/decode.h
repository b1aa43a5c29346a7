/*
 * Decode one record of a ring or of a perf.data file to the model. The layout depends on the
 * perf_event_attr of its event, which an id in the record selects.
 */
#ifndef PIPA_PERF_DECODE_H
#define PIPA_PERF_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/record.h"
#include "perf/attr.h"

enum { PIPA_PERF_RECORD_MAX = 64 << 10 }; /* its size has 16 bits */

/* A record in memory, its body 8-byte aligned. */
struct pipa_perf_raw {
	uint32_t type;
	uint16_t misc;
	const uint8_t *body;
	size_t len;
	bool swapped;
	uint64_t at; /* offset of its header in the file */
};

struct pipa_perf_decoder;

/* The events may still grow: new events and ids are used. Borrowed, like `raw`. */
int pipa_perf_decoder_new(const struct pipa_perf_events *events, struct pipa_perf_decoder **ret);
void pipa_perf_decoder_free(struct pipa_perf_decoder *decoder);

/* Whose it is and when. Returns 0, or -EBADMSG when the record is shorter than it must be. */
int pipa_perf_decode_id(const struct pipa_perf_decoder *decoder, const struct pipa_perf_raw *raw,
			struct pipa_rec_id *id);

/*
 * The record to the sink's callback for it, if it has one. Returns what that returned, or -EBADMSG
 * when the record's content does not fit its size.
 */
int pipa_perf_decode(struct pipa_perf_decoder *decoder, const struct pipa_perf_raw *raw,
		     const struct pipa_rec_id *id, struct pipa_record_sink *sink);

/* "SAMPLE", "MMAP2"; "type 99" in buf where it has no name. */
const char *pipa_perf_record_name(uint32_t type, char buf[static 24]);

#endif
