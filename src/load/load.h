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
	bool no_names;	     /* places are enough: no file is looked for */
	bool offline;	     /* no server is requested files */
	bool timeline;	     /* when each sample was, too */
	bool folded_weights; /* the numbers of folded stacks are weights, no counts of samples */
	bool keep_ingest;    /* of a recording: for those who look at its samples again */
	size_t threads;	     /* that read a recording; 0: as many as are worth it */
	struct pipa_log log;
};

struct pipa_loaded {
	enum pipa_kind kind;
	struct pipa_profile profile;
	struct pipa_timeline timeline;	    /* sorted; empty unless it was requested */
	struct pipa_recording recording;    /* empty where the kind has none */
	struct pipa_symbolizer *symbolizer; /* of the profile: where the files of its code are */
	struct pipa_ingest *ingest; /* if it was to be kept; it points to the profile above */
	struct pipa_input *input;   /* of pipa_load(): files of its bundle are read from it */
};

/*
 * Damage is counted in the profile's losses and told by the recording, and is not a failure; a kind
 * that holds no stacks is one. What is loaded is the caller's: pipa_loaded_done().
 */
int pipa_load(const struct pipa_load_options *options, struct pipa_loaded *ret,
	      struct pipa_error *err);

/* The same of an input that is open, whatever the options' path. `ret` is empty after a failure. */
int pipa_load_input(const struct pipa_load_options *options, const struct pipa_input *input,
		    struct pipa_loaded *ret, struct pipa_error *err);

/* Move it to another place, where nothing is loaded; not together with an ingest that was kept. */
void pipa_loaded_move(struct pipa_loaded *to, struct pipa_loaded *from);

void pipa_loaded_done(struct pipa_loaded *loaded);

#endif
