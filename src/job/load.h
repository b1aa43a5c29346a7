/*
 * A profile out of a file of any kind that pipa knows, found by its content: opened, read, put
 * together. The one door for all commands that look at recordings.
 */
#ifndef PIPA_JOB_LOAD_H
#define PIPA_JOB_LOAD_H

#include "ingest/ingest.h"
#include "model/profile.h"
#include "model/recording.h"

struct pipa_error;

struct pipa_load_options {
	const char *path; /* "-": standard input */
	struct pipa_ingest_options ingest;
};

struct pipa_loaded {
	struct pipa_profile profile;
	struct pipa_recording recording;
};

int pipa_load(const struct pipa_load_options *options, struct pipa_loaded *ret,
	      struct pipa_error *err);
void pipa_loaded_done(struct pipa_loaded *loaded);

#endif
