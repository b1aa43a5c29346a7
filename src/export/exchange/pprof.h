/*
 * Write a profile as pprof's profile.proto, uncompressed.
 *
 * Each event is two columns, its samples in "count" and itself in its unit; time on a CPU is called "cpu", as go tool
 * pprof expects. Events of a column group (import/pprof.h) are the columns that they were read from. Threads are
 * the labels pid, tid and comm; the CPU is the label cpu. A stack whose callers are missing gets the outermost frame
 * "[truncated]". Losses are comments.
 */
#ifndef PIPA_EXPORT_EXCHANGE_PPROF_H
#define PIPA_EXPORT_EXCHANGE_PPROF_H

#include <stdbool.h>
#include <stddef.h>

struct pipa_profile;

struct pipa_pprof_format {
	bool no_threads; /* leave out pid, tid and comm: samples of different threads are added up by readers */
};

/*
 * Pass the bytes to put() in pieces that end anywhere; a return below 0 ends it and is returned. Else 0, -ENOMEM, or
 * -ERANGE if a value exceeds 63 bits. Memory beside the profile: a window of 64 KiB, one number per string, and where
 * there are several events, one per sample.
 */
int pipa_pprof_write(const struct pipa_profile *profile, const struct pipa_pprof_format *format,
		     int (*put)(void *ctx, const char *bytes, size_t len), void *ctx);

#endif
