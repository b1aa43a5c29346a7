/*
 * Index of the members of a tar archive: their names and positions. For an archive with a recording
 * also the recording and, if `pipa bundle` made it, the files for its symbols. Nothing is
 * extracted: no name in an archive decides where anything is written or read.
 */
#ifndef PIPA_STORE_TAR_INDEX_H
#define PIPA_STORE_TAR_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file/bytes.h"

struct pipa_tar_index;
struct pipa_error;
struct pipa_bundle_files;

/* Names of members: the recording, or the directory of its files; `pipa collect` has it in its session. */
#define PIPA_BUNDLE_RECORDING "perf.data"
#define PIPA_BUNDLE_MANIFEST "manifest.json"

/* A regular file in the archive; offset and size are those in the indexed file. */
struct pipa_tar_entry {
	char *name;
	uint64_t offset, size;
};

/*
 * Index an open regular file, which is borrowed until the index is closed; `name` is for messages.
 * -EFBIG above the limit of members.
 */
int pipa_tar_index_open(int fd, const char *name, struct pipa_tar_index **ret,
			struct pipa_error *err);
void pipa_tar_index_close(struct pipa_tar_index *archive);

/* Return all members in the order of the archive; borrowed. */
const struct pipa_tar_entry *pipa_tar_index_entries(const struct pipa_tar_index *archive,
						    size_t *ret_n);

/* Return the recording, borrowed; NULL if there is none. */
const struct pipa_bytes *pipa_tar_index_recording(const struct pipa_tar_index *archive);
const struct pipa_bytes *pipa_tar_index_parts(const struct pipa_tar_index *archive, size_t *ret_n);

/* Return all members as files of a bundle, borrowed. */
const struct pipa_bundle_files *pipa_tar_index_files(const struct pipa_tar_index *archive);

/* Is the end of a member, or the zero block at the end of the archive, missing? */
bool pipa_tar_index_is_truncated(const struct pipa_tar_index *archive);

#endif
