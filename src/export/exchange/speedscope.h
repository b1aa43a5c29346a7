/*
 * Write tracks as a speedscope file (https://www.speedscope.app/file-format-schema.json): one profile per thread and event.
 *
 * Sampled profiles have the samples in time order, each with its stack and weight. Evented profiles have frames that open
 * and close at times since the start of the recording: a sample covers the time before it (pipa_tracks_sample_start()).
 *
 * Keys of pipa, which speedscope ignores: "dso" and "kernel" of a frame, and "pipa" of a profile and of the file with the event, the
 * thread, the counts of samples and the losses, so that the file can be read back.
 */
#ifndef PIPA_EXPORT_EXCHANGE_SPEEDSCOPE_H
#define PIPA_EXPORT_EXCHANGE_SPEEDSCOPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/pieces.h"

struct pipa_tracks;

struct pipa_speedscope_format {
	const char *name;    /* of the file; NULL: none */
	const char *version; /* of pipa; NULL: none */
	bool evented;	     /* only for tracks with times; others are sampled */
};

/*
 * Pass the text to put() in pieces that end anywhere; a return below 0 ends it and is returned. Else 0 or -ENOMEM. Memory
 * beside the tracks: a piece, and the longest stack.
 */
int pipa_speedscope_write(const struct pipa_tracks *tracks,
			  const struct pipa_speedscope_format *format, pipa_put_fn *put, void *ctx);

#endif
