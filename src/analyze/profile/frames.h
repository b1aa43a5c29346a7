/*
 * Frames as a report shows them: a function of an object, or an unresolved address. A stack is
 * walked from the innermost frame outwards, inlined functions included.
 */
#ifndef PIPA_ANALYZE_PROFILE_FRAMES_H
#define PIPA_ANALYZE_PROFILE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

/* Bits of a symbol: the rest is the index of a location; the function is inlined there. */
#define PIPA_FRAME_UNRESOLVED (UINT32_C(1) << 31)
#define PIPA_FRAME_INLINED (UINT32_C(1) << 30)

struct pipa_frame {
	uint32_t object; /* the first object of that name: see pipa_object_short() */
	uint32_t symbol; /* a string, or an unresolved location */
	uint32_t place; /* "file.c:12", one of the frames' srclines; 0: unknown, or not requested */
};

/* All frames of a profile, one for each line and one for each location without lines. */
struct pipa_frames {
	const struct pipa_profile *profile;
	struct pipa_frame *items;
	size_t n;
	struct pipa_strings places;
};

/* Make the frames; `places`: with source lines. 0 or -ENOMEM. */
int pipa_frames_make(const struct pipa_profile *profile, bool places, struct pipa_frames *ret);
void pipa_frames_done(struct pipa_frames *frames);

/*
 * Iterator: start with .frames and .stack set; each next() sets the rest and is false after the
 * outermost frame.
 */
struct pipa_frame_walk {
	const struct pipa_frames *frames;
	uint32_t stack;	   /* of the next frame */
	uint32_t inlined;  /* lines of its location returned so far */
	uint32_t location; /* of the frame */
	uint32_t frame;	   /* its index */
};

bool pipa_frame_walk_next(struct pipa_frame_walk *walk);

/*
 * Return the innermost frame of a stack: the one that has the self weight of its samples. Where calls were
 * inlined it is the innermost inlined function, as in pprof.
 */
uint32_t pipa_frame_innermost(const struct pipa_frames *frames, uint32_t stack);

/* Return the suffix of a symbol: " (inlined)" or "". */
const char *pipa_frame_mark(uint32_t symbol);

/* Return the text of a symbol, in buf if it is an address. PIPA_NONE is "[unknown]". */
const char *pipa_frame_text(const struct pipa_profile *profile, uint32_t symbol,
			    char buf[static 64]);

/* Return 'k' for the kernel, '.' for user space, as perf does. */
char pipa_mode_letter(enum pipa_mode mode);

#endif
