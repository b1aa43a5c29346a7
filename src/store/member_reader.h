/*
 * Read a member of an archive or directory from start to end with pread(2), so that neither its
 * size nor a failing disk matters: nothing of it is mapped.
 */
#ifndef PIPA_STORE_MEMBER_READER_H
#define PIPA_STORE_MEMBER_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pipa_archive;
struct pipa_archive_member;

struct pipa_member_reader {
	int fd;
	bool is_own;	 /* the reader closes fd */
	uint64_t offset; /* of the next byte in the file */
	uint64_t left;
};

/*
 * Open a member of the archive, which is borrowed; NULL: the file of a PIPA_ARCHIVE_FILE. 0,
 * -EISDIR for a directory, -EINVAL for other files that are not regular, or the errno of open(2).
 */
int pipa_member_reader_open(struct pipa_member_reader *reader, const struct pipa_archive *archive,
			    const struct pipa_archive_member *member);
int pipa_member_reader_open_path(struct pipa_member_reader *reader, const char *path);
void pipa_member_reader_close(struct pipa_member_reader *reader);

/* Read up to `size` bytes. Returns fewer only at the end; or a negative errno. */
ssize_t pipa_member_reader_fill(struct pipa_member_reader *reader, void *buf, size_t size);

static inline void pipa_member_reader_close_auto(struct pipa_member_reader *reader)
{
	pipa_member_reader_close(reader);
}

#endif
