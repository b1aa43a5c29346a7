/*
 * Samples of a profile as viewers show them: one track per thread and event, the samples of a track in time order,
 * frames as functions with a name of their own, and the time intervals in which samples were lost or throttled.
 *
 * A profile without times has the same tracks; their samples are sums in the order of the profile. Memory beside the
 * profile and its timeline: 4 bytes per sample, and a row per track, function, line and interval.
 */
#ifndef PIPA_EXPORT_EXCHANGE_TRACKS_H
#define PIPA_EXPORT_EXCHANGE_TRACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/profile/frames.h"
#include "model/intern.h"
#include "model/timeline.h"

struct pipa_buf;

/* Samples of a thread and event. */
struct pipa_track {
	uint32_t thread; /* PIPA_NONE: unknown */
	uint32_t event;
	size_t first, n;     /* samples: see pipa_tracks_sample() */
	uint64_t start, end; /* times of the first and the last sample; 0: no times */
	uint64_t weight, count;
	/* longest time that a sample covers if its weight is not a time; 0: unknown */
	uint64_t step_ns;
};

/* A function, or the unresolved code of an object. Equal ones are one row. */
struct pipa_track_function {
	uint32_t name;	     /* one of `names`: "main", "[libc.so.6]", "[truncated]" */
	uint32_t file;	     /* source file, a string of the profile; "": unknown */
	uint32_t object;     /* of the profile; PIPA_NONE: unknown */
	uint32_t start_line; /* 0: unknown */
	bool is_kernel;
};

enum pipa_track_interval_kind {
	PIPA_TRACK_LOST,	 /* records of any type were lost */
	PIPA_TRACK_LOST_SAMPLES, /* samples were lost */
	PIPA_TRACK_THROTTLED,	 /* the kernel stopped the event */
};

/* A time interval without samples for a reason other than the program. */
struct pipa_track_interval {
	enum pipa_track_interval_kind kind;
	uint64_t start, end; /* equal if the start is unknown */
	uint64_t lost;
	uint32_t cpu;	   /* PIPA_NONE: unknown */
	uint32_t pid, tid; /* of the task that ran at the end; PIPA_UNKNOWN32: unknown */
};

struct pipa_tracks {
	const struct pipa_profile *profile;
	const struct pipa_timeline *timeline;
	bool timed;		  /* samples have times */
	struct pipa_track *items; /* sorted by PID, TID, comm and event; none is empty */
	size_t n;
	uint64_t start, end;	   /* times of all tracks */
	struct pipa_frames frames; /* lines of the profile, and its locations without lines */
	uint32_t *frame_functions; /* [frame] its function */
	PIPA_TABLE(pipa_track_function) functions;
	struct pipa_strings names;
	uint32_t truncated, no_stack; /* functions "[truncated]" and "[no stack]" */
	struct {
		struct pipa_track_interval *items;
		size_t n, cap;
	} intervals;	 /* sorted by start */
	uint32_t *order; /* entries of the timeline or samples of the profile, by track */
};

/*
 * Make the tracks of an event, PIPA_NONE: of all events. The profile and the timeline must outlive them. A timeline
 * that is NULL, empty or incomplete (`untimed`) is not used. 0 or -ENOMEM; nothing needs to be freed on failure.
 */
int pipa_tracks_make(const struct pipa_profile *profile, const struct pipa_timeline *timeline,
		     uint32_t event, struct pipa_tracks *ret);
void pipa_tracks_done(struct pipa_tracks *tracks);

/* A sample of a track. */
struct pipa_track_sample {
	uint64_t time; /* 0: no times */
	uint64_t weight, count;
	uint32_t stack; /* PIPA_NONE: not recorded */
	uint32_t cpu;	/* PIPA_NONE: unknown */
	uint32_t labels;
};

/* Read a sample, 0 to track->n - 1, in time order. */
void pipa_tracks_sample(const struct pipa_tracks *tracks, const struct pipa_track *track, size_t i,
			struct pipa_track_sample *ret);

/*
 * Return the time at which a sample's share of the time begins; it ends at the sample's time. It is the sample's weight if
 * that is in nanoseconds, else the time since the sample before it, at most track->step_ns; it never begins before
 * `previous`, the time of the sample before it.
 */
uint64_t pipa_tracks_sample_start(const struct pipa_tracks *tracks, const struct pipa_track *track,
				  const struct pipa_track_sample *sample, uint64_t previous);

/* A frame of a stack. */
struct pipa_track_frame {
	uint32_t function; /* of the tracks */
	uint32_t frame; /* a line of the profile, or lines.n plus a location; PIPA_NONE: neither */
};

struct pipa_track_stack {
	struct pipa_track_frame *items;
	size_t n, cap;
};

/* List the frames of a stack, outermost first; `stack` is reused. 0 or -ENOMEM. Free items. */
int pipa_tracks_stack(const struct pipa_tracks *tracks, uint32_t number,
		      struct pipa_track_stack *stack);

/* Append the name of a track: "comm-PID/TID", and the event if there are several. */
void pipa_tracks_put_name(const struct pipa_tracks *tracks, const struct pipa_track *track,
			  struct pipa_buf *out);

/* Append the losses as text: "12 samples lost, throttled 3 times"; nothing if there are none. */
void pipa_tracks_put_losses(const struct pipa_tracks *tracks, struct pipa_buf *out);

static inline const char *pipa_tracks_name(const struct pipa_tracks *tracks, uint32_t function)
{
	return pipa_strings_get(&tracks->names, tracks->functions.items[function].name);
}

static inline void pipa_tracks_done_auto(struct pipa_tracks *tracks)
{
	pipa_tracks_done(tracks);
}

#endif
