/*
 * The files of a profile's objects, by the number of the object: the one owner of located files,
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
 * All is borrowed. `recording` has build ids, the machine and the kernel; NULL: the profile is of processes that
 * run now. Return NULL on allocation failure.
 */
struct pipa_code_files *pipa_code_files_new(const struct pipa_locate_options *locate,
					    const struct pipa_profile *profile,
					    const struct pipa_recording *recording);
void pipa_code_files_free(struct pipa_code_files *files);

/*
 * Profile and recording have moved, or more is known of the recording. A file is located again if its object's
 * build id is another one by now; the one before stays open, as unwinding may point to it.
 */
void pipa_code_files_set_profile(struct pipa_code_files *files, const struct pipa_profile *profile,
				 const struct pipa_recording *recording);

/* Use the image that the user named for the kernel; borrowed, NULL: look for one. */
void pipa_code_files_set_vmlinux(struct pipa_code_files *files, const char *path);

/* Hold the lock while a file is looked for, which several threads do; NULL: none. */
void pipa_code_files_set_lock(struct pipa_code_files *files, pthread_mutex_t *lock);

const struct pipa_profile *pipa_code_files_profile(const struct pipa_code_files *files);
const struct pipa_recording *pipa_code_files_recording(const struct pipa_code_files *files);
const struct pipa_locate_options *pipa_code_files_locate(const struct pipa_code_files *files);

/*
 * Get an object's file, located but not read yet: its status says whether there is one. Valid until it is
 * released. NULL on allocation failure.
 */
struct pipa_code_file *pipa_code_files_get(struct pipa_code_files *files, uint32_t object);

/* Return the object's own build id, or the one that the recording's list has for its path. */
struct pipa_build_id pipa_code_files_build_id(const struct pipa_code_files *files, uint32_t object);

/* Keep the unwind table of an object, with `image` also its symbols, until all is freed: unwinding uses them. */
void pipa_code_files_keep(struct pipa_code_files *files, uint32_t object, bool image);

/* Keep nothing any more: unwinding is over. */
void pipa_code_files_keep_none(struct pipa_code_files *files);

/* Free what is not kept of an object's file, or of all. They are opened again when they are requested. */
void pipa_code_files_release(struct pipa_code_files *files, uint32_t object);
void pipa_code_files_release_all(struct pipa_code_files *files);

#endif
