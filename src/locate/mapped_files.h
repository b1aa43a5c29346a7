/*
 * Files that running processes have mapped, opened while the mappings exist.
 *
 * A path in an MMAP2 record is a name in the mount namespace of the process; here it may lead to
 * nothing or to another file. So each file is opened when its first mapping is reported, and
 * compared with the inode and device of the record: by its path, then through /proc/PID/map_files
 * and /proc/PID/root, then through the roots of the parents of a process that has ended. overlayfs
 * and btrfs report another device in the record than fstat(2) does: for these the inode is
 * compared, and only if the file was opened through the process.
 *
 * A file that its path does not lead to from here (of a container, or deleted) stays open, so that
 * it can be read after the process has ended; the number of these is limited.
 */
#ifndef PIPA_LOCATE_MAPPED_FILES_H
#define PIPA_LOCATE_MAPPED_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file/file_id.h"
#include "base/span.h"

enum { PIPA_MAPPED_ID_MAX = 20 };

/* A mapping of a file, from a record. */
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
	PIPA_MAPPED_UNVERIFIED, /* same inode number, but the device is not comparable */
	PIPA_MAPPED_VERIFIED,	/* it is the file that was mapped */
};

struct pipa_mapped_file {
	char *path;
	struct pipa_file_id file;
	enum pipa_mapped_state state;
	uint8_t build_id[PIPA_MAPPED_ID_MAX];
	uint8_t build_id_len; /* 0: none, or not verified */
	bool outside;	      /* verified, but its path does not lead to it from here */
	bool dropped;	      /* outside and closed, because too many such files are open */
	uint32_t pid;	      /* process that mapped it last */
	uint32_t tries;
	int fd; /* of an outside file; -1: others */
};

struct pipa_mapped_files;

/* Create a table that keeps at most `max_open` files open. NULL on allocation failure. */
struct pipa_mapped_files *pipa_mapped_files_new(size_t max_open);
void pipa_mapped_files_free(struct pipa_mapped_files *files);

/* Store the parent of a process, whose root is searched after the process has ended. */
void pipa_mapped_files_fork(struct pipa_mapped_files *files, uint32_t pid, uint32_t parent);

/* Return the parent of a process, 0: unknown. */
uint32_t pipa_mapped_files_parent(const struct pipa_mapped_files *files, uint32_t pid);

/*
 * Open the file of a mapping at its first occurrence. Returns NULL if it is not a file, or on
 * allocation failure. Valid until the next call.
 */
const struct pipa_mapped_file *pipa_mapped_files_add(struct pipa_mapped_files *files,
						     const struct pipa_file_mapping *mapping);

/* Find a file by its path and build id, or without one by its identity; NULL if there is none. */
const struct pipa_mapped_file *pipa_mapped_files_find(const struct pipa_mapped_files *files,
						      const char *path, struct pipa_span build_id,
						      const struct pipa_file_id *file);

/* Return the file whose build id is used for a path; NULL: none has one. */
const struct pipa_mapped_file *pipa_mapped_files_of_path(const struct pipa_mapped_files *files,
							 const char *path);

size_t pipa_mapped_files_count(const struct pipa_mapped_files *files);
const struct pipa_mapped_file *pipa_mapped_files_get(const struct pipa_mapped_files *files,
						     size_t i);

#endif
