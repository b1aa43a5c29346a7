/*
 * Iterate over the members of a tar archive in memory: ustar, GNU long names, POSIX extended
 * headers. Nothing is extracted; a member is a span of the archive.
 */
#ifndef PIPA_CODEC_TAR_H
#define PIPA_CODEC_TAR_H

#include <stdbool.h>
#include <stddef.h>

enum { PIPA_TAR_NAME_SIZE = 1024 };

struct pipa_tar {
	const unsigned char *pos, *end;
	bool damaged; /* truncated, in a member or before the end-of-archive block, or corrupt */
};

struct pipa_tar_member {
	char name[PIPA_TAR_NAME_SIZE]; /* truncated, if it is longer */
	const void *bytes;
	size_t len;
};

/* Do the bytes begin an archive? */
bool pipa_tar_is(const void *bytes, size_t len);

/* Return the next regular file; false if there is none. */
bool pipa_tar_next(struct pipa_tar *tar, struct pipa_tar_member *ret);

#endif
