/*
 * Files that running processes have mapped, opened while the mappings exist.
 *
 * A path in an MMAP2 record is a name in the mount namespace of the process; here it may lead to nothing or
 * to another file. So each file is opened when its first mapping is reported, and what was opened is
 * compared with the inode and device of the record: by its path, then through /proc/PID/map_files and
 * /proc/PID/root, then through the roots of the parents of a process that has ended already. overlayfs
 * and btrfs report another device in the record than fstat(2) does: for these the inode decides, and only
 * where the file was opened through the process.
 *
 * A file that its path does not lead to from here (a container's, or one that was deleted) stays open, so
 * that it can be read after the process has ended; the number of these is limited.
 */
#ifndef PIPA_LOCATE_MAPPED_FILES_H
#define PIPA_LOCATE_MAPPED_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file_id.h"
#include "base/span.h"

enum { PIPA_MAPPED_ID_MAX = 20 };

/* One mapping of a file, as a record reports it. */
struct pipa_file_mapping {
	uint32_t pid;
	uint64_t start, end;
	const char *path;
	struct pipa_file_id file; /* inode 0: the record has a build id instead */
	struct pipa_span build_id;
};

enum pipa_mapped_state {
	PIPA_MAPPED_NOT_FOUND,	/* could not be opened */
	PIPA_MAPPED_OTHER_FILE, /* the path leads to another file, and the process has ended */
	PIPA_MAPPED_UNVERIFIED, /* same inode number, but the device cannot be compared any more */
	PIPA_MAPPED_VERIFIED,	/* it is the file that was mapped */
};

struct pipa_mapped_file {
	char *path;
	struct pipa_file_id file;
	enum pipa_mapped_state state;
	uint8_t build_id[PIPA_MAPPED_ID_MAX];
	uint8_t build_id_len; /* 0: it has none, or is not verified */
	bool outside;	      /* verified, but the path does not lead to it from here */
	bool dropped;	      /* it is outside, and too many such files are open */
	uint32_t pid;	      /* the process that mapped it last */
	uint32_t tries;
	int fd; /* of a file that is outside; -1 for all others */
};

struct pipa_mapped_files;

/* NULL on allocation failure. At most `max_open` files are kept open. */
struct pipa_mapped_files *pipa_mapped_files_new(size_t max_open);
void pipa_mapped_files_free(struct pipa_mapped_files *files);

/* Remember the parent of a process, whose root is searched once the process has ended. */
void pipa_mapped_files_fork(struct pipa_mapped_files *files, uint32_t pid, uint32_t parent);

/* The parent of a process, 0: not known. */
uint32_t pipa_mapped_files_parent(const struct pipa_mapped_files *files, uint32_t pid);

/*
 * Open the file of a mapping, unless that was done before. Returns NULL if it is not a file, and on
 * allocation failure. Valid until the next call.
 */
const struct pipa_mapped_file *pipa_mapped_files_add(struct pipa_mapped_files *files,
						     const struct pipa_file_mapping *mapping);

/* Find a file by its path and its build id, or without one by its identity. NULL: not seen. */
const struct pipa_mapped_file *pipa_mapped_files_find(const struct pipa_mapped_files *files,
						      const char *path, struct pipa_span build_id,
						      const struct pipa_file_id *file);

/* Return the one of a path's files whose build id is used for the path; NULL: none has one. */
const struct pipa_mapped_file *pipa_mapped_files_of_path(const struct pipa_mapped_files *files,
							 const char *path);

size_t pipa_mapped_files_count(const struct pipa_mapped_files *files);
const struct pipa_mapped_file *pipa_mapped_files_get(const struct pipa_mapped_files *files,
						     size_t i);

#endif
