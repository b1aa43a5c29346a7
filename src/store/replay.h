/*
 * The statistics in a directory, an archive or a single file: history files, CSV files, or sar's text.
 * Archives and single files may be compressed by gzip or zstd. Histories are known by their content.
 */
#ifndef PIPA_STORE_REPLAY_H
#define PIPA_STORE_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_archive;
struct pipa_error;
struct pipa_section;

/* The name of sar's text in a directory or archive. */
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
	struct pipa_archive *archive; /* that the bytes are in; NULL: the caller's */
	bool cut;		      /* it is truncated or corrupt */
};

struct pipa_replay_options {
	const char *path;
	const struct pipa_archive
		*archive; /* that is open at the path, borrowed until closed; or NULL */
	const char *day;  /* of several histories; NULL: the last one */
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
