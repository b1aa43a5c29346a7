/*
 * Names for a profile's locations, late and in batches: each object's files are found once, its
 * offsets resolved in one walk. What stays without a name says why.
 */
#ifndef PIPA_SYMBOLIZE_SYMBOLIZE_H
#define PIPA_SYMBOLIZE_SYMBOLIZE_H

#include <stdbool.h>

#include "locate/files.h"
#include "model/profile.h"
#include "model/recording.h"

struct pipa_error;
struct pipa_background_read;
struct pipa_jitdumps;

/* What is told of a place beside the name of its function. */
enum pipa_lines {
	PIPA_LINES_NONE,
	PIPA_LINES_STACKS, /* as inlined for recordings with stacks, where perf has them, else none */
	PIPA_LINES_PLAIN,   /* its source line */
	PIPA_LINES_INLINED, /* and what was inlined there, as frames of its own */
};

struct pipa_symbolize_options {
	struct pipa_locate_options locate;
	const char *vmlinux;   /* the kernel's image, NULL: its kallsyms */
	const char *kallsyms;  /* NULL: /proc/kallsyms, if the recording is of the running kernel */
	const char *map_dir;   /* of perf-PID.map; NULL: /tmp */
	bool mangled;	       /* leave names as they are in the files */
	uint32_t first;	       /* location: those before it were asked about already, */
	const uint32_t *again; /* but for these, that may have a name by now */
	size_t n_again;
	enum pipa_lines lines;
	bool no_places;			      /* of what was inlined the names alone */
	const struct pipa_jitdumps *jitdumps; /* that were opened, NULL: none */
	struct pipa_background_read
		*kallsyms_read; /* /proc/kallsyms, if somebody began to read it */
	struct pipa_background_read *kallsyms_copy_read; /* the same of perf's copy of it */
};

/* 0 or -ENOMEM; files that are not there are no failure. */
int pipa_symbolize(struct pipa_profile *profile, const struct pipa_recording *recording,
		   const struct pipa_symbolize_options *options, struct pipa_error *err);

#endif
