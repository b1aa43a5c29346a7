/*
 * Write a compressed tar archive member by member into an outfile, which is replaced completely or
 * not at all: end it, then commit the outfile.
 */
#ifndef PIPA_STORE_ARCHIVE_WRITE_H
#define PIPA_STORE_ARCHIVE_WRITE_H

#include "base/span.h"

struct pipa_archive_writer;
struct pipa_bytes;
struct pipa_error;
struct pipa_outfile;

enum pipa_archive_packing { PIPA_ARCHIVE_ZSTD, PIPA_ARCHIVE_GZIP };

/* `out` is borrowed that has to outlive it. */
int pipa_archive_writer_new(struct pipa_outfile *out, enum pipa_archive_packing packing, int level,
			    struct pipa_archive_writer **ret, struct pipa_error *err);
void pipa_archive_writer_free(struct pipa_archive_writer *writer);

int pipa_archive_put(struct pipa_archive_writer *writer, const char *member, struct pipa_span bytes,
		     struct pipa_error *err);

/* The same from bytes of a known size; all of them have to come. `name` appears in messages. */
int pipa_archive_put_bytes(struct pipa_archive_writer *writer, const char *member,
			   const struct pipa_bytes *bytes, const char *name,
			   struct pipa_error *err);

/* As many bytes of a regular file as it has now. */
int pipa_archive_put_file(struct pipa_archive_writer *writer, const char *member, const char *path,
			  struct pipa_error *err);

/*
 * All regular files below a directory, sorted by name, the directory's own name as "./". What is
 * neither file nor directory is left out; so is what lies deeper than 8 directories.
 */
int pipa_archive_put_directory(struct pipa_archive_writer *writer, const char *folder,
			       struct pipa_error *err);

/* The end of the archive, all of which is on the disk then. */
int pipa_archive_end(struct pipa_archive_writer *writer, struct pipa_error *err);

static inline void pipa_archive_writer_free_auto(struct pipa_archive_writer **writer)
{
	pipa_archive_writer_free(*writer);
}

#endif
