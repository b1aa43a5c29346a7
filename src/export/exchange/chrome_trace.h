/*
 * Write samples as slices in the Trace Event format, for Perfetto, chrome://tracing and speedscope.
 *
 * A track (export/exchange/tracks.h) is a thread. A sample stands for the time before it: its weight if that is a
 * time, else the time since the sample before it, at most the usual distance of two samples. A frame that
 * consecutive samples share is one slice, from the begin (B) to the end (E) event; a gap between samples ends all
 * slices. Times are microseconds from the start of the first slice, with three digits after the point: nanoseconds.
 * Tracks of further events of a thread get a TID of their own.
 */
#ifndef PIPA_EXPORT_EXCHANGE_CHROME_TRACE_H
#define PIPA_EXPORT_EXCHANGE_CHROME_TRACE_H

#include <stddef.h>

#include "base/pieces.h"

struct pipa_tracks;

/*
 * Pass the text to put() in pieces that end anywhere. Returns 0, -ENOMEM, -ENODATA if the samples have no times, or
 * the first negative result of put(), which ends the writing. Memory beside the tracks: the frames of a stack.
 */
int pipa_chrome_trace_write(const struct pipa_tracks *tracks, const char *version, pipa_put_fn *put,
			    void *ctx);

#endif
