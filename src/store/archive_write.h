/*
 * Write a compressed tar archive member by member to an outfile, which is replaced atomically: end
 * the archive, then commit the outfile.
 */
#ifndef PIPA_STORE_ARCHIVE_WRITE_H
#define PIPA_STORE_ARCHIVE_WRITE_H

#include "base/span.h"

struct pipa_archive_writer;
struct pipa_bytes;
struct pipa_error;
struct pipa_outfile;

enum pipa_archive_packing { PIPA_ARCHIVE_ZSTD, PIPA_ARCHIVE_GZIP };

/* Create a writer. `out` is borrowed and must outlive it. */
int pipa_archive_writer_new(struct pipa_outfile *out, enum pipa_archive_packing packing, int level,
			    struct pipa_archive_writer **ret, struct pipa_error *err);
void pipa_archive_writer_free(struct pipa_archive_writer *writer);

int pipa_archive_put(struct pipa_archive_writer *writer, const char *member, struct pipa_span bytes,
		     struct pipa_error *err);

/* Add a member from bytes of a known size; fewer are an error. `name` is used in messages. */
int pipa_archive_put_bytes(struct pipa_archive_writer *writer, const char *member,
			   const struct pipa_bytes *bytes, const char *name,
			   struct pipa_error *err);

/* Add a regular file with its current size. */
int pipa_archive_put_file(struct pipa_archive_writer *writer, const char *member, const char *path,
			  struct pipa_error *err);

/*
 * Add all regular files below a directory, sorted by name, with "./" for the directory itself.
 * Other file types and levels deeper than 8 directories are skipped.
 */
int pipa_archive_put_directory(struct pipa_archive_writer *writer, const char *directory,
			       struct pipa_error *err);

/* Write the end of the archive and flush it. */
int pipa_archive_end(struct pipa_archive_writer *writer, struct pipa_error *err);

static inline void pipa_archive_writer_free_auto(struct pipa_archive_writer **writer)
{
	pipa_archive_writer_free(*writer);
}

#endif
