/*
 * Identity of a file as the kernel reports it in MMAP2 records: device and inode of the
 * superblock, and the inode's generation, which distinguishes files that reused an inode number.
 */
#ifndef PIPA_BASE_FILE_FILE_ID_H
#define PIPA_BASE_FILE_FILE_ID_H

#include <stdbool.h>
#include <stdint.h>

struct pipa_file_id {
	uint32_t major, minor;
	uint64_t inode;	     /* 0: not known */
	uint64_t generation; /* 0: not known */
};

/* Compare two identities; a generation counts only where both are known. */
static inline bool pipa_file_id_equal(const struct pipa_file_id *a, const struct pipa_file_id *b)
{
	return a->inode == b->inode && a->major == b->major && a->minor == b->minor &&
	       (!a->generation || !b->generation || a->generation == b->generation);
}

#endif
