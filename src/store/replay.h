/*
 * The statistics in a directory, an archive or a single file: history files, CSV files, or sar's
 * text. Archives and single files may be compressed by gzip or zstd. Histories are detected by
 * content.
 */
#ifndef PIPA_STORE_REPLAY_H
#define PIPA_STORE_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_archive;
struct pipa_error;
struct pipa_sadf_result;
struct pipa_section;
struct pipa_series_sink;
struct pipa_zone;

/* Name of sar's text in a directory or archive. */
#define PIPA_SAR_FILE "sar.txt"

struct pipa_replay_part {
	enum { PIPA_PART_CSV, PIPA_PART_HISTORY, PIPA_PART_SAR } kind;
	char *name;	   /* for messages; the path, if it is read from there */
	const char *bytes; /* NULL: read from the path */
	size_t len;
	uint64_t wall_ns; /* start of a history */
	bool one_day;	  /* ends on the day on which it starts */
};

struct pipa_replay {
	struct pipa_replay_part *items;
	size_t n, cap;
	struct pipa_archive *archive; /* that contains the bytes; NULL: borrowed from the caller */
	bool cut;		      /* truncated or corrupt */
};

struct pipa_replay_options {
	const char *path;
	/* open archive of the path, borrowed until closed; or NULL */
	const struct pipa_archive *archive;
	const char *day; /* of several histories; NULL: the last */
	bool all_days;	 /* all histories, in the order of their starts */
	/* whose CSV files are wanted, in this order */
	const struct pipa_section *const *sections;
	size_t n_sections;
};

int pipa_replay_open(const struct pipa_replay_options *options, struct pipa_replay *ret,
		     struct pipa_error *err);
void pipa_replay_close(struct pipa_replay *recording);

/* Refuse a day that the path has no data of, with the first and the last day that it has data of. */
int pipa_replay_no_such_day(const char *path, int64_t day, int64_t first, int64_t last,
			    struct pipa_error *err);

/*
 * Pass the rows of a CSV part to a sink: see pipa_sadf_decode(). A file is read in windows and may be
 * larger than memory. The error is set unless the sink failed.
 */
int pipa_replay_csv(const struct pipa_replay_part *part, const struct pipa_zone *zone,
		    struct pipa_series_sink *sink, struct pipa_sadf_result *ret,
		    struct pipa_error *err);

static inline void pipa_replay_close_auto(struct pipa_replay *recording)
{
	pipa_replay_close(recording);
}

#endif
