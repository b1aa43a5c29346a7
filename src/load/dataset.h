/*
 * Load everything that an analysis can use from earlier measurements: archives of `pipa collect`
 * and `run --keep`, archives and directories of PIPA (attach_session/, perf-stat.csv with sar.txt),
 * recordings of `monitor` and `stat -I`, sysstat's text and CSV, and single files. All statistics
 * and counters become one set of series; recordings of samples are listed, not loaded.
 *
 * A member is classified by its content. One that is missing, empty, truncated or foreign is noted
 * and is not a failure. Text is read in windows, so that memory depends on the compressed series only; sar's text
 * and the JSON of `pipa stat` are read whole, up to 256 MiB.
 *
 * The statistics of each directory of an input are a source. Sources of one machine that follow each other in time
 * become one; others are noted, because findings are those of one source.
 */
#ifndef PIPA_LOAD_DATASET_H
#define PIPA_LOAD_DATASET_H

#include <stdbool.h>
#include <stddef.h>

#include "import/kind.h"
#include "model/facts.h"
#include "model/hardware.h"
#include "model/series_set.h"

struct pipa_archive;
struct pipa_error;
struct pipa_zone;

enum pipa_dataset_problem {
	PIPA_DATASET_MISSING,
	PIPA_DATASET_EMPTY,
	PIPA_DATASET_TRUNCATED, /* the end is missing; the rest was used */
	PIPA_DATASET_DAMAGED,	/* malformed parts were skipped; the rest was used */
	PIPA_DATASET_UNKNOWN,	/* not a file that pipa reads */
	PIPA_DATASET_UNREADABLE,
	PIPA_DATASET_TOO_LARGE, /* beyond the limit of memory; the part before it was used */
	PIPA_DATASET_UNUSED,	/* shown, but not the source of findings */
	PIPA_DATASET_PROBLEM_NR,
};

/* A member that could not be used, or not completely. */
struct pipa_dataset_note {
	enum pipa_dataset_problem problem;
	char *name; /* path, or path and member; owned */
	char *text; /* "3 malformed lines skipped"; owned */
};

/* A recording of samples or stacks. */
struct pipa_dataset_recording {
	size_t input; /* index of the input */
	char *path;   /* file, if it is not a member of a tar archive; owned */
	enum pipa_kind kind;
};

struct pipa_dataset_input {
	char *path;
	const char *name; /* in notes and as source of series: the path, or pipa_dataset.name */
	struct pipa_archive *archive; /* stays open for its recording */
};

struct pipa_dataset {
	const struct pipa_zone *zone; /* of times without a zone; NULL: UTC. Set by the caller */
	/* Name of the inputs, if their paths are of no use to the reader; NULL: the paths. Set by the caller, borrowed */
	const char *name;

	struct pipa_series_set series;
	struct pipa_facts facts; /* description of the machine */
	struct pipa_hardware hardware;
	bool has_facts;
	struct {
		struct pipa_dataset_input *items;
		size_t n, cap;
	} inputs;
	struct {
		struct pipa_dataset_recording *items;
		size_t n, cap;
	} recordings;
	struct {
		struct pipa_dataset_note *items;
		size_t n, cap;
	} notes;
	size_t unnoted; /* notes beyond their limit; the last note has their number */
	struct {
		struct pipa_dataset_host {
			char name[64]; /* "": unknown */
		} * items;
		size_t n, cap;
	} hosts; /* by source of the series */
};

/*
 * Add the contents of a path. Fails only if the path cannot be opened at all or memory is
 * exhausted; a path without usable contents leaves notes.
 */
int pipa_dataset_add(struct pipa_dataset *dataset, const char *path, struct pipa_error *err);

/*
 * Complete the series after the last path. -ENODATA with a message if there is neither a series
 * nor a recording.
 */
int pipa_dataset_finish(struct pipa_dataset *dataset, struct pipa_error *err);
void pipa_dataset_done(struct pipa_dataset *dataset);

/* Note that a path or recording could not be used. 0 or -ENOMEM. */
int pipa_dataset_note_unusable(struct pipa_dataset *dataset, const char *name, const char *text);

const char *pipa_dataset_problem_name(enum pipa_dataset_problem problem);

static inline void pipa_dataset_done_auto(struct pipa_dataset *dataset)
{
	pipa_dataset_done(dataset);
}

#endif
