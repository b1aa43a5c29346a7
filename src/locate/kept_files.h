/*
 * Read the section of a recording that holds files which their path does not lead to, such as those
 * of containers (docs/format/kept-files.md). Pure: bytes in, an index of members out.
 */
#ifndef PIPA_LOCATE_KEPT_FILES_H
#define PIPA_LOCATE_KEPT_FILES_H

#include <stdbool.h>
#include <stdint.h>

struct pipa_bytes;
struct pipa_bundle_files;

#define PIPA_KEPT_MAGIC "PIPAFILE"

enum {
	PIPA_KEPT_MAGIC_SIZE = 8,
	/* offset of the index, number of members, magic */
	PIPA_KEPT_TRAILER = 16 + PIPA_KEPT_MAGIC_SIZE,
};

/*
 * Read the index of a section. Members are read later from `bytes`, which is borrowed. 0, -EBADMSG
 * if the section is malformed, or -ENOMEM.
 */
int pipa_kept_files_open(const struct pipa_bytes *bytes, uint64_t at, uint64_t size, bool swapped,
			 struct pipa_bundle_files **ret);

#endif
