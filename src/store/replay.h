/*
 * What a path holds that can be replayed: a folder of history files, of CSV or of sar's text, an archive
 * of the original's, a single file; packed by gzip or zstd or not. Files are told by what is in them.
 */
#ifndef PIPA_STORE_REPLAY_H
#define PIPA_STORE_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

struct pipa_error;
struct pipa_section;

/* What sar printed has this name in a folder of the original's. */
#define PIPA_SAR_FILE "sar.txt"

struct pipa_replay_part {
	enum { PIPA_PART_CSV, PIPA_PART_HISTORY, PIPA_PART_SAR } kind;
	char *name;	   /* for messages; the path, if it is to be read from there */
	const char *bytes; /* NULL: read it from the path */
	size_t len;
	uint64_t wall_ns; /* of a history: when it begins */
	bool one_day;	  /* it does not go on into the next day */
};

struct pipa_replay {
	struct pipa_replay_part *items;
	size_t n, cap;
	struct pipa_span memory; /* of an archive or a compressed file; mapped */
	bool cut;		 /* and is not all that there was */
};

struct pipa_replay_options {
	const char *path;
	const char *day; /* of a folder of histories; NULL: the last that it has */
	const struct pipa_section *const *sections; /* whose CSV files are wanted, in this order */
	size_t n_sections;
};

int pipa_replay_open(const struct pipa_replay_options *options, struct pipa_replay *ret,
		     struct pipa_error *err);
void pipa_replay_close(struct pipa_replay *recording);

static inline void pipa_replay_close_auto(struct pipa_replay *recording)
{
	pipa_replay_close(recording);
}

#endif
