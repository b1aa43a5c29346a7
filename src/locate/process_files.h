/*
 * Find perf maps and jitdumps of a process. A process in a container has other paths and another
 * PID there; both are looked up while it lives.
 *
 * These files are in world-writable directories: only those of this user, of root or of the owner
 * of the process are used. For a recording with a bundle only files in the bundle are used, because
 * the PID may be another process here.
 */
#ifndef PIPA_LOCATE_PROCESS_FILES_H
#define PIPA_LOCATE_PROCESS_FILES_H

#include <stdbool.h>
#include <stdint.h>

struct pipa_buf;
struct pipa_file_id;
struct pipa_locate_options;
struct pipa_span;

/*
 * Map the file that the process has at this path; false if it is not available. A kept file of the
 * recording is found by its identity (NULL: unknown).
 */
bool pipa_locate_process_file(const struct pipa_locate_options *options, const char *path,
			      const struct pipa_file_id *file, uint32_t pid, struct pipa_span *ret);

/* Is the process running, with a root directory other than ours? */
bool pipa_locate_is_contained(uint32_t pid);

/* Return the PID of a process in its own PID namespace; `pid` itself if that is unknown. */
uint32_t pipa_locate_ns_pid(uint32_t pid);

/*
 * Append the perf map of a process, given its PID in its own namespace and the process whose root
 * directory contains it (itself, or a parent if it has ended). 0 or a negative errno.
 */
int pipa_locate_perf_map_in(uint32_t root_pid, uint32_t ns_pid, struct pipa_buf *ret);

/*
 * Append the perf map of a process. `directory` NULL: /tmp, in its own root first. 0 or a negative
 * errno.
 */
int pipa_locate_perf_map(const struct pipa_locate_options *options, const char *directory,
			 uint32_t pid, struct pipa_buf *ret);

#endif
