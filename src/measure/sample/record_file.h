/*
 * Write the perf.data file or pipe: records as they come or compressed, the header completed at
 * the end. A full disk or a size limit ends the records, not the file: it is truncated to its last
 * complete record and stays readable.
 */
#ifndef PIPA_MEASURE_SAMPLE_RECORD_FILE_H
#define PIPA_MEASURE_SAMPLE_RECORD_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/attr.h"
#include "perf/file_write.h"

struct pipa_error;
struct pipa_record_file;
struct pipa_record_keep;

struct pipa_record_file_options {
	const char *path;    /* "-": out_fd */
	int out_fd;	     /* standard output, duplicated */
	uint64_t max_bytes;  /* 0: as long as there is room */
	unsigned int level;  /* of packing, 0: none */
	uint32_t ring_bytes; /* the most that is put in one piece, for whoever decompresses it */
};

/* How records ended. */
enum pipa_record_end {
	PIPA_RECORD_OPEN,   /* they have not */
	PIPA_RECORD_LIMIT,  /* max_bytes are reached */
	PIPA_RECORD_GONE,   /* whoever read the pipe has gone */
	PIPA_RECORD_FAILED, /* the disk is full, say: finishing returns why */
};

/*
 * Open the output. A file with content that is there stays as it is until pipa_record_file_keep(): records go
 * into a temporary file beside it.
 */
int pipa_record_file_open(const struct pipa_record_file_options *options,
			  struct pipa_record_file **ret, struct pipa_error *err);

/*
 * The recording has begun and will stay: it gets its name, and a file that had it gets ".old" appended. 0
 * or a negative errno; harmless the second time.
 */
int pipa_record_file_keep(struct pipa_record_file *file, struct pipa_error *err);

/* As if it had never been opened, unless it was finished or kept. */
void pipa_record_file_free(struct pipa_record_file *file);

/* Is it a pipe, so that everything has to be said at the beginning? */
bool pipa_record_file_piped(const struct pipa_record_file *file);

/* Before the first record; events must stay as they are from then on. */
int pipa_record_file_begin(struct pipa_record_file *file, const struct pipa_perf_events *events,
			   struct pipa_perf_about *about, struct pipa_error *err);

/*
 * Records, or a part of one that goes on in the next piece: `whole` says that bytes begin with a record.
 * A failure ends the records; from then on nothing is written.
 */
void pipa_record_file_put(struct pipa_record_file *file, const void *bytes, size_t len, bool whole);

/* The same, compressed where that was requested. 0 or a failure to pack. */
int pipa_record_file_pack(struct pipa_record_file *file, const void *bytes, size_t len, bool whole,
			  struct pipa_error *err);

enum pipa_record_end pipa_record_file_ended(const struct pipa_record_file *file);
uint64_t pipa_record_file_size(const struct pipa_record_file *file);

/*
 * Features and header, and the files to be kept (NULL: none). A failure to write records is returned here,
 * with the file finished; that files cannot be kept is not a failure.
 */
int pipa_record_file_finish(struct pipa_record_file *file, const struct pipa_perf_events *events,
			    struct pipa_perf_about *about, struct pipa_record_keep *keep,
			    struct pipa_error *err);

#endif
