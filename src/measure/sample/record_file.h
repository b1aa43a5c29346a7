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
	uint64_t max_bytes;  /* 0: no limit */
	unsigned int level;  /* of compression, 0: none */
	uint32_t ring_bytes; /* maximum size of a chunk, for the reader's decompression buffer */
};

/* How the records ended. */
enum pipa_record_end {
	PIPA_RECORD_OPEN,   /* not ended */
	PIPA_RECORD_LIMIT,  /* max_bytes is reached */
	PIPA_RECORD_GONE,   /* the reader closed the pipe */
	PIPA_RECORD_FAILED, /* a write failed, e.g. on a full disk: finishing returns the error */
};

/*
 * Open the output. An existing file with content stays unchanged until pipa_record_file_keep():
 * records go into a temporary file beside it.
 */
int pipa_record_file_open(const struct pipa_record_file_options *options,
			  struct pipa_record_file **ret, struct pipa_error *err);

/*
 * Rename the temporary file when the recording has started; an existing file gets the suffix
 * ".old". 0 or a negative errno; no effect when called again.
 */
int pipa_record_file_keep(struct pipa_record_file *file, struct pipa_error *err);

/* Close the file, and remove it unless it was finished or kept. */
void pipa_record_file_free(struct pipa_record_file *file);

/* Is it a pipe, where the header comes first? */
bool pipa_record_file_piped(const struct pipa_record_file *file);

/* Write what precedes the first record; the events must not change afterwards. */
int pipa_record_file_begin(struct pipa_record_file *file, const struct pipa_perf_events *events,
			   struct pipa_perf_about *about, struct pipa_error *err);

/*
 * Write records, or a part of one that continues in the next call: `whole` is set if the bytes
 * begin with a record. A failure ends the records; nothing more is written.
 */
void pipa_record_file_put(struct pipa_record_file *file, const void *bytes, size_t len, bool whole);

/* Write records likewise, compressed if requested. 0 or a compression failure. */
int pipa_record_file_pack(struct pipa_record_file *file, const void *bytes, size_t len, bool whole,
			  struct pipa_error *err);

enum pipa_record_end pipa_record_file_ended(const struct pipa_record_file *file);
uint64_t pipa_record_file_size(const struct pipa_record_file *file);

/*
 * Write features and header, and the files to store (NULL: none). A failure to write records is
 * returned here, with the file finished; a failure to store files is ignored.
 */
int pipa_record_file_finish(struct pipa_record_file *file, const struct pipa_perf_events *events,
			    struct pipa_perf_about *about, struct pipa_record_keep *keep,
			    struct pipa_error *err);

#endif
