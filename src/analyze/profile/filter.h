/*
 * Select samples and frames of a profile as pprof does: focus, ignore, hide, show, show_from and
 * labels, and further by process, thread, command, CPU, time and trace id.
 *
 * Expressions are searched in function names, source file names and paths of DSOs, not in linkage
 * names. focus and ignore select samples by any frame of their stack; inlined functions of one
 * address are judged together. hide and show remove single inlined functions, and all of an address
 * if the DSO matches. show_from removes the callers of the outermost match. Samples that lose all
 * frames are removed.
 */
#ifndef PIPA_ANALYZE_PROFILE_FILTER_H
#define PIPA_ANALYZE_PROFILE_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_error;
struct pipa_profile;
struct pipa_timeline;

enum { PIPA_FILTER_LABELS_MAX = 16 };

/* Only samples and frames that pass all of these; NULL: not given. */
struct pipa_filter_options {
	const char *focus, *ignore, *hide, *show,
		*show_from;		/* regular expressions: base/regex.h */
	const char *pids, *tids, *cpus; /* "1,7,12-15" */
	const char *comms;		/* comma-separated */
	struct {
		const char *items[PIPA_FILTER_LABELS_MAX]; /* see analyze/profile/label_match.h */
		size_t n;
	} labels;
	const char *trace_id; /* 32 hexadecimal digits */
	/* of the timeline's clock; until 0: no end. Both 0: not given */
	uint64_t from_ns, until_ns;
};

/* Description of what a filter found, for notes. */
struct pipa_filter_result {
	bool focus, ignore, hide, show, show_from; /* the expression matched a frame */
	bool has_trace_ids;
	uint64_t before, after; /* number of samples */
};

/* Is any filter given? */
bool pipa_filter_is_set(const struct pipa_filter_options *options);

/* Check the syntax of all expressions, lists and ids. 0, -EINVAL or -ENOMEM. */
int pipa_filter_check(const struct pipa_filter_options *options, struct pipa_error *err);

/*
 * Remove samples from the profile and its timeline and frames from stacks. Locations and functions
 * stay, so that other indexes remain valid; pipa_profile_compact() removes those that are unused.
 * Sums of events are those of the remaining samples, beside the unfiltered ones. On failure the
 * profile can only be freed.
 */
int pipa_filter_apply(const struct pipa_filter_options *options, struct pipa_profile *profile,
		      struct pipa_timeline *timeline, struct pipa_filter_result *ret,
		      struct pipa_error *err);

#endif
