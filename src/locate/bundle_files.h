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

#include "base/file/file_id.h"
#include "base/span.h"

struct pipa_buf;
struct pipa_bytes;
struct pipa_bundle_files;

#define PIPA_BUNDLE_CACHE ".debug"
#define PIPA_BUNDLE_ROOT "root"

/*
 * Create an index over an open file, which the caller owns and leaves open. NULL on allocation
 * failure.
 */
struct pipa_bundle_files *pipa_bundle_files_new(int fd);
/*
 * Create an index over borrowed bytes, which are read when a member is opened. NULL on allocation
 * failure.
 */
struct pipa_bundle_files *pipa_bundle_files_new_bytes(const struct pipa_bytes *bytes);
void pipa_bundle_files_free(struct pipa_bundle_files *bundle);

/* Add a member; the name is copied. 0 or -ENOMEM. */
int pipa_bundle_files_add(struct pipa_bundle_files *bundle, const char *name, uint64_t offset,
			  uint64_t size);

/* Sort the index when all members have been added. Of several with one name the first is used. */
void pipa_bundle_files_index(struct pipa_bundle_files *bundle);

bool pipa_bundle_files_find(const struct pipa_bundle_files *bundle, const char *name,
			    uint64_t *ret_offset, uint64_t *ret_size);

/* Map a member; false if it is missing or empty. End it with pipa_locate_unmap(). */
bool pipa_bundle_files_map(const struct pipa_bundle_files *bundle, const char *name,
			   struct pipa_span *ret);

/*
 * Format the name of a file with a build id: "elf", "debug", "vdso" or "kallsyms" below a
 * directory, as in perf's cache and in a bundle. False if the id is too short or too long.
 */
bool pipa_bundle_files_id_name(const char *directory, struct pipa_span id, const char *what,
			       char *ret, size_t size);

/* Format the name of a kept file without a build id: by its identity and path. */
bool pipa_bundle_files_file_name(const struct pipa_file_id *file, const char *path, char *ret,
				 size_t size);

/* Format the name of the debug file that the image at a path links to. False if it has no link. */
bool pipa_bundle_files_link_name(const char *path, struct pipa_span image, char *ret, size_t size);

static inline void pipa_bundle_files_free_auto(struct pipa_bundle_files **bundle)
{
	pipa_bundle_files_free(*bundle);
}

#endif
