/*
 * Code files of a profile's objects, by the index of the object: the single owner of located files,
 * symbols, unwind tables and DWARF. Each file is located when it is first requested, and mapped
 * once.
 */
#ifndef PIPA_SYMBOLIZE_CODE_FILES_H
#define PIPA_SYMBOLIZE_CODE_FILES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/profile.h"
#include "model/recording.h"
#include "symbolize/code_file.h"

struct pipa_code_files;

/*
 * Create the table. All arguments are borrowed. `recording` has build ids, architecture and kernel;
 * NULL: the profile is of running processes. NULL on allocation failure.
 */
struct pipa_code_files *pipa_code_files_new(const struct pipa_locate_options *locate,
					    const struct pipa_profile *profile,
					    const struct pipa_recording *recording);
void pipa_code_files_free(struct pipa_code_files *files);

/*
 * Set a profile and recording that were moved or extended. A file is located again if the build id
 * of its object has changed; the previous one stays open, because unwinding may refer to it.
 */
void pipa_code_files_set_profile(struct pipa_code_files *files, const struct pipa_profile *profile,
				 const struct pipa_recording *recording);

/* Set the kernel image given by the user; borrowed, NULL: search for one. */
void pipa_code_files_set_vmlinux(struct pipa_code_files *files, const char *path);

/* Set the lock to hold while a file is located, for use by several threads; NULL: none. */
void pipa_code_files_set_lock(struct pipa_code_files *files, pthread_mutex_t *lock);

const struct pipa_profile *pipa_code_files_profile(const struct pipa_code_files *files);
const struct pipa_recording *pipa_code_files_recording(const struct pipa_code_files *files);
const struct pipa_locate_options *pipa_code_files_locate(const struct pipa_code_files *files);

/*
 * Get the file of an object, located but not read: its status tells whether it exists. Valid until
 * it is released. NULL on allocation failure.
 */
struct pipa_code_file *pipa_code_files_get(struct pipa_code_files *files, uint32_t object);

/* Return the build id of an object, or the one that the recording has for its path. */
struct pipa_build_id pipa_code_files_build_id(const struct pipa_code_files *files, uint32_t object);

/*
 * Exclude the unwind table of an object, with `image` also its symbols, from
 * pipa_code_files_release(), because unwinding uses them.
 */
void pipa_code_files_keep(struct pipa_code_files *files, uint32_t object, bool image);

/* Undo all pipa_code_files_keep(): unwinding has ended. */
void pipa_code_files_keep_none(struct pipa_code_files *files);

/* Free the data of an object's file, or of all, that is not kept. It is read again on request. */
void pipa_code_files_release(struct pipa_code_files *files, uint32_t object);
void pipa_code_files_release_all(struct pipa_code_files *files);

#endif
