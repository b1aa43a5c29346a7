/*
 * Write samples in the processed format of the Firefox Profiler, version 60.
 *
 * A track (export/exchange/tracks.h) is a thread. A sample counts 1, or its weight if the source has only weights.
 * Frames have the categories User, Kernel, JIT and Other. Lost and throttled intervals are markers, as are the
 * times that a thread spent on each CPU.
 */
#ifndef PIPA_EXPORT_EXCHANGE_FIREFOX_H
#define PIPA_EXPORT_EXCHANGE_FIREFOX_H

#include <stddef.h>

#include "base/pieces.h"

struct pipa_recording;
struct pipa_tracks;

struct pipa_firefox_format {
	const struct pipa_recording *recording; /* empty for files of other kinds */
	const char *version;			/* of pipa */
};

/*
 * Pass the text to put() in pieces that end anywhere. Returns 0, -ENOMEM, or the first negative result of put(), which
 * ends the writing. Memory beside the tracks: a number per stack and string, and a row per line and symbol.
 */
int pipa_firefox_write(const struct pipa_tracks *tracks, const struct pipa_firefox_format *format,
		       pipa_put_fn *put, void *ctx);

#endif
