/* Writer of the Firefox Profiler's format: shared by the firefox*.c files only. */
#ifndef PIPA_EXPORT_EXCHANGE_FIREFOX_OWN_H
#define PIPA_EXPORT_EXCHANGE_FIREFOX_OWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pieces.h"
#include "export/exchange/firefox.h"
#include "export/exchange/tracks.h"
#include "model/intern.h"

struct pipa_firefox_frame;
struct pipa_firefox_symbol;

enum {
	PIPA_FIREFOX_TRUNCATED_ROW = 0, /* of the tables of stacks and frames: "[truncated]" */
	PIPA_FIREFOX_NO_STACK_ROW = 1,	/* "[no stack]" */
	PIPA_FIREFOX_FIXED_ROWS,
};

/* Rows of the tables that all threads share. */
struct pipa_firefox_tables {
	struct pipa_firefox_frame *frames;
	size_t n_frames;
	uint32_t *row_of_frame; /* [frame] its row in the file */
	uint32_t *row_of_stack; /* [stack] row of its innermost frame */
	PIPA_TABLE(pipa_firefox_symbol) symbols;
	uint32_t *source_of; /* [string of the profile] PIPA_NONE: not a source file */
	uint32_t *sources;   /* strings of the profile */
	uint32_t n_sources;
};

/* Kinds of markers: those of enum pipa_track_interval_kind, then this one. */
enum { PIPA_FIREFOX_MARKER_CPU = PIPA_TRACK_THROTTLED + 1, PIPA_FIREFOX_MARKER_NR };

extern const char *const pipa_firefox_marker_names[PIPA_FIREFOX_MARKER_NR];

/* Intervals in which samples were lost, by the track that each is shown with. */
struct pipa_firefox_markers {
	size_t *intervals;	/* their numbers, by track */
	size_t *first_interval; /* [track] its first in `intervals`; a last entry has their number */
};

struct pipa_firefox_threads {
	uint32_t *processes; /* main threads, sorted by PID */
	size_t n_processes;
	bool several_events;
	unsigned int same_tid; /* tracks of the same thread before the one that is written */
};

struct pipa_firefox_writer {
	const struct pipa_tracks *t;
	const struct pipa_profile *p;
	const struct pipa_firefox_format *format;
	struct pipa_firefox_tables tables;
	struct pipa_firefox_markers markers;
	struct pipa_firefox_threads threads;
	struct pipa_pieces to;
};

/* Return a time since the first sample. */
static inline uint64_t pipa_firefox_since_start(const struct pipa_firefox_writer *w, uint64_t time)
{
	return time > w->t->start ? time - w->t->start : 0;
}

/* ---- tables of all threads (firefox_tables.c) ------------------------------------------------ */

/* Number the frames, stacks, symbols and source files of the file. 0 or -ENOMEM. */
int pipa_firefox_tables_make(struct pipa_firefox_writer *w);
void pipa_firefox_tables_done(struct pipa_firefox_tables *tables);

/* Return the string that names a kind of markers. */
uint64_t pipa_firefox_marker_string(const struct pipa_firefox_writer *w, size_t kind);

/* Write the member `shared`. */
void pipa_firefox_put_shared(struct pipa_firefox_writer *w);

/* ---- markers (firefox_markers.c) ------------------------------------------------------------- */

/* Sort the intervals by track: that of their thread, the first if it is unknown. 0 or -ENOMEM. */
int pipa_firefox_markers_make(struct pipa_firefox_writer *w);
void pipa_firefox_markers_done(struct pipa_firefox_markers *markers);

/* Write the table of a track's markers: its lost and throttled intervals, then the CPUs that it ran on. */
void pipa_firefox_put_markers(struct pipa_firefox_writer *w, const struct pipa_track *track);

/* ---- threads (firefox_threads.c) ------------------------------------------------------------- */

/* List the processes. 0 or -ENOMEM. */
int pipa_firefox_threads_make(struct pipa_firefox_writer *w);
void pipa_firefox_threads_done(struct pipa_firefox_threads *threads);

/* Return the name of a thread's process: that of its first thread, else of its executable. */
const char *pipa_firefox_process_name(const struct pipa_firefox_writer *w,
				      const struct pipa_thread *thread);

/* Write a thread per track, with its samples and markers. */
void pipa_firefox_put_threads(struct pipa_firefox_writer *w);

#endif
