/*
 * Write tracks of one event as a .cpuprofile, the format of V8 and Chrome DevTools: a tree of nodes, and a list of nodes with
 * the time since the one before.
 *
 * The format has one thread. Of several tracks each one follows the one before on the time axis, below a node with the
 * name of the thread. A sample covers the time before it (pipa_tracks_sample_start()); the rest is the node "(idle)".
 * Without times, samples follow each other with their weights as times: nanoseconds, or microseconds for events that are
 * not times.
 */
#ifndef PIPA_EXPORT_EXCHANGE_CPUPROFILE_H
#define PIPA_EXPORT_EXCHANGE_CPUPROFILE_H

#include <stddef.h>

#include "base/pieces.h"

struct pipa_tracks;

/*
 * Pass the text to put() in pieces that end anywhere; a return below 0 ends it and is returned. Else 0 or -ENOMEM. Memory
 * beside the tracks: a piece, and a row per node.
 */
int pipa_cpuprofile_write(const struct pipa_tracks *tracks, pipa_put_fn *put, void *ctx);

#endif
