/*
 * Files of recordings beside a store of results: written under a temporary name, synced, renamed to the SHA-256 of their
 * bytes, and only then attached to a run. The same bytes are stored once.
 */
#ifndef PIPA_STORE_RESULTS_RECORDING_FILES_H
#define PIPA_STORE_RESULTS_RECORDING_FILES_H

#include "store/results/results.h"

struct pipa_recording_upload;

/* Start a file for the run with this hash, which has to exist (-ENOENT). All spans are copied. */
int pipa_recording_begin(struct pipa_results *store, struct pipa_span table, struct pipa_span hash,
			 struct pipa_span name, struct pipa_recording_upload **ret,
			 struct pipa_error *err);

/* Append bytes. */
int pipa_recording_add(struct pipa_recording_upload *upload, struct pipa_span bytes,
		       struct pipa_error *err);

/* An attached recording; strings. */
struct pipa_recording_info {
	char id[PIPA_RESULTS_HASH_CHARS + 1];
	char name[PIPA_RESULTS_FILE_NAME_MAX + 1];
	uint64_t size, upload_time_us;
	bool existed; /* the same bytes were attached to the run before */
};

/*
 * Sync and attach the file; waits for the disk. -EBADMSG if `expected_id` is neither empty nor the SHA-256 of the file,
 * or `expected_size` neither 0 nor its size. The upload must be ended also after a failure.
 */
int pipa_recording_commit(struct pipa_recording_upload *upload, struct pipa_span expected_id,
			  uint64_t expected_size, struct pipa_recording_info *ret,
			  struct pipa_error *err);

/* Free the upload; a file that was not committed is removed. NULL is allowed. */
void pipa_recording_end(struct pipa_recording_upload *upload);

/*
 * Open a recording of a run for reading. Returns a descriptor that the caller closes, or -ENOENT. Bytes that are read from
 * it stay valid when the recording is removed meanwhile.
 */
int pipa_recording_open(struct pipa_results *store, struct pipa_span table, struct pipa_span hash,
			struct pipa_span id, struct pipa_recording_info *ret,
			struct pipa_error *err);

#endif
