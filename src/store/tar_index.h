/*
 * A tar archive with a recording in it and, if `pipa bundle` made it, the files that its names are in:
 * an index of where its members lie. Nothing of it is written anywhere. Inside job/ only.
 */
#ifndef PIPA_STORE_TAR_INDEX_H
#define PIPA_STORE_TAR_INDEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

struct pipa_tar_index;
struct pipa_error;
struct pipa_bundle_files;

/* What its members are called: the recording, or its files where it is a folder. */
#define PIPA_BUNDLE_RECORDING "perf.data"
#define PIPA_BUNDLE_MANIFEST "manifest.json"
/* and in an archive of `pipa collect` or the original's */
#define PIPA_COLLECTION_RECORDING "attach_session/perf.data"

/* Over an open regular file, which stays the caller's and open; `name` is for messages. */
int pipa_tar_index_open(int fd, const char *name, struct pipa_tar_index **ret,
			struct pipa_error *err);
void pipa_tar_index_close(struct pipa_tar_index *archive);

/* Its recording, a loan; NULL: there is none in it. */
const struct pipa_bytes *pipa_tar_index_recording(const struct pipa_tar_index *archive);
const struct pipa_bytes *pipa_tar_index_parts(const struct pipa_tar_index *archive, size_t *ret_n);

/* All of its members, a loan. */
const struct pipa_bundle_files *pipa_tar_index_files(const struct pipa_tar_index *archive);

/* Does it end before its end? */
bool pipa_tar_index_is_truncated(const struct pipa_tar_index *archive);

#endif
