/*
 * Store mapped files in the recording that their path does not lead to (containers, deleted
 * files), so that a report works after the processes have ended. They are a section of a private
 * feature (docs/format/kept-files.md).
 */
#ifndef PIPA_MEASURE_SAMPLE_RECORD_KEEP_H
#define PIPA_MEASURE_SAMPLE_RECORD_KEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_mapped_files;
struct pipa_record_jit;

struct pipa_record_keep {
	const struct pipa_mapped_files *files;
	const bool *used;		    /* [file] it has samples; NULL: unknown */
	uint64_t max_bytes;		    /* of all files, uncompressed */
	const struct pipa_record_jit *jits; /* processes whose perf maps are stored, too */
	size_t n_jits;
	size_t n_kept, n_left_out;
};

/* Is there any file to store? */
bool pipa_record_keep_any(const struct pipa_record_keep *keep);

/* Write the section at an offset. Returns 0 and its size, or a negative errno. */
int pipa_record_keep_write(struct pipa_record_keep *keep, int fd, uint64_t at, uint64_t *ret_size);

#endif
