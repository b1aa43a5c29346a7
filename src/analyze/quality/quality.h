/*
 * Quality of measured data: every defect that a conclusion could depend on, with its place, its
 * effect and whether it was repaired. Each lowers the confidence of the series that it touches.
 */
#ifndef PIPA_ANALYZE_QUALITY_QUALITY_H
#define PIPA_ANALYZE_QUALITY_QUALITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "model/rules.h"
#include "model/series_set.h"

enum pipa_defect_kind {
	PIPA_DEFECT_GAP,	 /* intervals are missing */
	PIPA_DEFECT_DUPLICATE,	 /* rows of the same time; the first is used */
	PIPA_DEFECT_CLOCK_BACK,	 /* rows of an earlier time; they are dropped */
	PIPA_DEFECT_CLOCK_JUMP,	 /* the wall clock advanced by less than the interval */
	PIPA_DEFECT_RESTART,	 /* of the machine or the collector */
	PIPA_DEFECT_SUSPENDED,	 /* the machine was suspended */
	PIPA_DEFECT_LATE,	 /* the collector missed intervals */
	PIPA_DEFECT_MULTIPLEXED, /* a counter ran for a part of the time; its counts are scaled */
	PIPA_DEFECT_NOT_COUNTED, /* a counter has intervals without a count */
	PIPA_DEFECT_NEGATIVE,	 /* impossible values; they are treated as missing */
	PIPA_DEFECT_OVER_100,
	PIPA_DEFECT_COUNTER_RESET,
	PIPA_DEFECT_LOST_SAMPLES,
	PIPA_DEFECT_THROTTLED,
	PIPA_DEFECT_FEW_INTERVALS, /* too few to tell a short peak from a lasting load */
	PIPA_DEFECT_NO_CLOCK, /* the start of a source is unknown; repaired if it was derived from another */
	PIPA_DEFECT_NR,
};

struct pipa_defect {
	enum pipa_defect_kind kind;
	size_t group;		    /* of the series; SIZE_MAX: not of series */
	const char *section;	    /* "cpu", "counters", "samples"; "": all but counters */
	const char *instance;	    /* "" : all of the section */
	const char *column;	    /* "": all columns */
	uint64_t from_ns, until_ns; /* first occurrence, and the end of the last */
	uint64_t count;		    /* occurrences: intervals, rows or values */
	double share;		    /* of the data that is affected, 0 to 1 */
	size_t instances;	    /* of the section, if the defect is of one of them; else 0 */
	bool is_repaired;
};

struct pipa_quality {
	struct pipa_defect *items;
	size_t n, cap;
	struct pipa_arena arena; /* of the strings */
	uint64_t unlisted;	 /* defects beyond the limit */
};

/* Samples of a recording, for pipa_quality_add_samples(). */
struct pipa_sample_losses {
	uint64_t samples, lost, throttled;
	const char *name; /* of the recording */
};

/* Find the defects of all series, which must be finished. 0 or -ENOMEM. */
int pipa_quality_init(struct pipa_quality *quality, const struct pipa_series_set *set);
void pipa_quality_done(struct pipa_quality *quality);

/* Add lost and throttled samples of a recording. 0 or -ENOMEM. */
int pipa_quality_add_samples(struct pipa_quality *quality, const struct pipa_sample_losses *losses);

/*
 * Return the confidence in conclusions from a section, 0.1 to 1: the product of 1 - weight x share
 * over its defects. `instance` NULL: the section as a whole, in which a defect of one instance counts
 * as much as that instance; else the defects of the whole section and of that instance.
 */
double pipa_quality_confidence(const struct pipa_quality *quality, const char *section,
			       const char *instance);

const char *pipa_defect_name(enum pipa_defect_kind kind); /* "multiplexed", for keys */

/* Return a sentence for the report. */
const char *pipa_defect_effect(enum pipa_defect_kind kind, enum pipa_language language);

static inline void pipa_quality_done_auto(struct pipa_quality *quality)
{
	pipa_quality_done(quality);
}

#endif
