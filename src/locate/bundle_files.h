/*
 * Files in the bundle of a recording, by name. They are searched before those of the machine.
 *
 * Names (docs/format/bundle.md): below PIPA_BUNDLE_CACHE files with a build id, as in perf's
 * cache; below PIPA_BUNDLE_ROOT files known only by path. Members are looked up by name and never
 * extracted: no name in an archive decides where anything is written or read on this machine.
 */
#ifndef PIPA_LOCATE_BUNDLE_FILES_H
#define PIPA_LOCATE_BUNDLE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file_id.h"
#include "base/span.h"

struct pipa_buf;
struct pipa_bytes;
struct pipa_bundle_files;

#define PIPA_BUNDLE_CACHE ".debug"
#define PIPA_BUNDLE_ROOT "root"

/*
 * Create an index over an open file, which stays the caller's and open. NULL on allocation failure.
 */
struct pipa_bundle_files *pipa_bundle_files_new(int fd);
/*
 * Create an index over bytes that are read when a member is opened; borrowed. NULL on allocation
 * failure.
 */
struct pipa_bundle_files *pipa_bundle_files_new_bytes(const struct pipa_bytes *bytes);
void pipa_bundle_files_free(struct pipa_bundle_files *pack);

/* A member; the name is copied. 0 or -ENOMEM. */
int pipa_bundle_files_add(struct pipa_bundle_files *pack, const char *name, uint64_t offset,
			  uint64_t size);

/* When all are there. Of several with one name the first one counts. */
void pipa_bundle_files_index(struct pipa_bundle_files *pack);

bool pipa_bundle_files_find(const struct pipa_bundle_files *pack, const char *name,
			    uint64_t *ret_offset, uint64_t *ret_size);

/* Mapped, if it is there and not empty; pipa_locate_unmap() ends it. */
bool pipa_bundle_files_map(const struct pipa_bundle_files *pack, const char *name,
			   struct pipa_span *ret);

/*
 * Name of a file with a build id: "elf", "debug", "vdso" or "kallsyms" below a directory, the same
 * in perf's cache and in a bundle. False if the id is too short or too long.
 */
bool pipa_bundle_files_id_name(const char *folder, struct pipa_span id, const char *what, char *ret,
			       size_t size);

/* The name of a file without a build id that a recording holds: by its identity and path. */
bool pipa_bundle_files_file_name(const struct pipa_file_id *file, const char *path, char *ret,
				 size_t size);

/* The name of the debug file that an image at a path links to. False when it names none. */
bool pipa_bundle_files_link_name(const char *path, struct pipa_span image, char *ret, size_t size);

static inline void pipa_bundle_files_free_auto(struct pipa_bundle_files **pack)
{
	pipa_bundle_files_free(*pack);
}

#endif
