/*
 * Decode one record of a ring or of a perf.data file to the model. The layout depends on the
 * perf_event_attr of the event, which is found by the id in the record.
 */
#ifndef PIPA_PERF_DECODE_H
#define PIPA_PERF_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/record.h"
#include "perf/attr.h"

enum { PIPA_PERF_RECORD_MAX = 64 << 10 }; /* the size field of a record has 16 bits */

/* A record in memory; the body is aligned to 8 bytes. */
struct pipa_perf_raw {
	uint32_t type;
	uint16_t misc;
	const uint8_t *body;
	size_t len;
	bool swapped;
	uint64_t at; /* offset of the header in the file */
};

struct pipa_perf_decoder;

/* Create a decoder. `events` is borrowed; events and ids added to it later are used. */
int pipa_perf_decoder_new(const struct pipa_perf_events *events, struct pipa_perf_decoder **ret);
void pipa_perf_decoder_free(struct pipa_perf_decoder *decoder);

/*
 * Decode the sample_id of a record: event, thread, time, CPU. -EBADMSG if the record is too short.
 */
int pipa_perf_decode_id(const struct pipa_perf_decoder *decoder, const struct pipa_perf_raw *raw,
			struct pipa_rec_id *id);

/*
 * Decode a record and pass it to the callback of the sink for its type, if there is one. Returns
 * the result of the callback, or -EBADMSG if the content of the record exceeds its size.
 */
int pipa_perf_decode(struct pipa_perf_decoder *decoder, const struct pipa_perf_raw *raw,
		     const struct pipa_rec_id *id, struct pipa_record_sink *sink);

/* Decode a record and its sample_id: both steps above. */
int pipa_perf_decode_record(struct pipa_perf_decoder *decoder, const struct pipa_perf_raw *raw,
			    struct pipa_record_sink *sink);

/*
 * Pass a record to the callback for records of other types, also one that could not be decoded. 0 without such a
 * callback.
 */
int pipa_perf_decode_other(const struct pipa_perf_decoder *decoder, const struct pipa_perf_raw *raw,
			   const struct pipa_rec_id *id, bool malformed,
			   struct pipa_record_sink *sink);

/* Return the name of a record type: "SAMPLE", "MMAP2"; "type 99", in buf, for an unknown type. */
const char *pipa_perf_record_name(uint32_t type, char buf[static 24]);

#endif
