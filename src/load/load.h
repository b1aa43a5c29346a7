/*
 * Load a profile from a file of any known kind, detected by its content. Every command that shows
 * recordings uses it.
 */
#ifndef PIPA_LOAD_LOAD_H
#define PIPA_LOAD_LOAD_H

#include "base/log.h"
#include "import/kind.h"
#include "ingest/ingest.h"
#include "model/profile.h"
#include "model/recording.h"
#include "model/timeline.h"
#include "symbolize/symbolize.h"

struct pipa_error;
struct pipa_input;

struct pipa_load_options {
	const char *path; /* NULL and "-": standard input */
	struct pipa_ingest_options ingest;
	struct pipa_symbolize_options symbols;
	bool no_names;	     /* do not symbolize: addresses are enough */
	bool offline;	     /* do not request files from debuginfod */
	bool timeline;	     /* fill the timeline */
	size_t timeline_max; /* entries of the timeline before samples are merged; 0: the default */
	bool drop_frames;    /* hide the frames that a pprof profile asks to hide */
	bool folded_weights; /* numbers of folded stacks are weights, not counts of samples */
	bool keep_ingest;    /* for a second pass over the samples of a recording */
	size_t threads;	     /* to read a recording; 0: as many as are useful */
	struct pipa_log log;
};

struct pipa_loaded {
	enum pipa_kind kind;
	struct pipa_profile profile;
	struct pipa_timeline timeline;	    /* sorted; empty unless requested */
	struct pipa_recording recording;    /* empty for kinds other than recordings */
	struct pipa_symbolizer *symbolizer; /* of the profile */
	struct pipa_ingest *ingest;	    /* if keep_ingest; refers to the profile */
	struct pipa_input *input; /* of pipa_load(): files of its bundle are read from it */
};

/*
 * Load a profile. Returns 0 even if the file is corrupt: see profile.losses and recording.damage.
 * -EINVAL if the kind has no stacks. Free with pipa_loaded_done().
 */
int pipa_load(const struct pipa_load_options *options, struct pipa_loaded *ret,
	      struct pipa_error *err);

/* Like pipa_load() for an open input; options->path is ignored. `ret` is empty after a failure. */
int pipa_load_input(const struct pipa_load_options *options, const struct pipa_input *input,
		    struct pipa_loaded *ret, struct pipa_error *err);

/*
 * Are the samples of such a file selected by options.ingest.from_ns and until_ns while it is read?
 * Others are loaded completely with their timeline.
 */
bool pipa_load_selects_times(enum pipa_kind kind);

/* Is it a kind of profile, with sums and without the records of single samples? */
bool pipa_load_has_only_sums(enum pipa_kind kind);

/* Move a loaded profile to `to`, which must be empty. Not for one with an ingest. */
void pipa_loaded_move(struct pipa_loaded *to, struct pipa_loaded *from);

void pipa_loaded_done(struct pipa_loaded *loaded);

#endif
