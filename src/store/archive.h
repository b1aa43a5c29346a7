/*
 * The files of an earlier measurement, by name: in a directory, in a tar archive, or in one
 * compressed by gzip or zstd. A compressed archive is decompressed once, into an unnamed temporary
 * file, and mapped; members are ranges of the mapping and are never extracted.
 *
 * Directories are listed with their subdirectories, three levels deep; symbolic links to directories and hidden
 * files are not followed. `pipa collect` stores its files in the directory PIPA_SESSION_DIR;
 * the name of PIPA's starts with it.
 */
#ifndef PIPA_STORE_ARCHIVE_H
#define PIPA_STORE_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

struct pipa_archive;
struct pipa_buf;
struct pipa_error;
struct pipa_input;

enum pipa_archive_kind {
	PIPA_ARCHIVE_DIRECTORY,
	PIPA_ARCHIVE_TAR,
	PIPA_ARCHIVE_FILE, /* a single file, maybe compressed, without members */
};

struct pipa_archive_member {
	char *name;		/* in the archive, or relative to the directory */
	char *path;		/* path of a file in a directory; else NULL */
	struct pipa_span bytes; /* of a member of an archive; empty in a directory */
};

/* Open a directory, archive or file. The path is borrowed. */
int pipa_archive_open(const char *path, struct pipa_archive **ret, struct pipa_error *err);
void pipa_archive_close(struct pipa_archive *archive);

const char *pipa_archive_path(const struct pipa_archive *archive);
enum pipa_archive_kind pipa_archive_kind(const struct pipa_archive *archive);

/* Is the end of the archive, of a member or of the compressed file missing or corrupt? */
bool pipa_archive_is_truncated(const struct pipa_archive *archive);

/* Return the bytes of a PIPA_ARCHIVE_FILE, decompressed; valid until the archive is closed. */
struct pipa_span pipa_archive_bytes(const struct pipa_archive *archive);

/* Return the descriptor of the decompressed archive or file, borrowed; -1 for a directory. */
int pipa_archive_fd(const struct pipa_archive *archive);

/* Return member `index`, NULL after the last; valid until the archive is closed. */
const struct pipa_archive_member *pipa_archive_member(const struct pipa_archive *archive,
						      size_t index);

/*
 * Find the first member at or after *index whose name without its directory is `name`, and set
 * *index to the one after it. Of a directory only its own files and those of its session, in this order, are
 * found. NULL if there is none.
 */
const struct pipa_archive_member *pipa_archive_find(const struct pipa_archive *archive,
						    const char *name, size_t *index);

/*
 * Append the bytes of the first member of that name, at most 1 GiB. -ENOENT without a message if
 * there is none.
 */
int pipa_archive_read(const struct pipa_archive *archive, const char *name, struct pipa_buf *ret,
		      struct pipa_error *err);

/* Open the recording of a PIPA_ARCHIVE_TAR, which is borrowed: see pipa_input_open_index(). */
int pipa_archive_open_recording(const struct pipa_archive *archive, struct pipa_input **ret,
				struct pipa_error *err);

static inline void pipa_archive_close_auto(struct pipa_archive **archive)
{
	pipa_archive_close(*archive);
}

#endif
