/*
 * Files that a process writes for those who watch it: perf maps and jitdumps. A process in a container
 * sees other folders and has another number there, which can be looked through while it lives.
 *
 * Such files lie where everybody may write: only those are taken that belong to us, to root, or to
 * whom the process belongs. Those that came along with a recording are the only ones of it: a process
 * of another machine has no number here.
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
 * The file that the process knows by this path, mapped; false when it cannot be had. One that the recording
 * holds is known by its identity (NULL: not known).
 */
bool pipa_locate_process_file(const struct pipa_locate_options *options, const char *path,
			      const struct pipa_file_id *file, uint32_t pid, struct pipa_span *ret);

/* Does the process run, with a root directory that is not ours? */
bool pipa_locate_is_contained(uint32_t pid);

/* Its process id in its own PID namespace; `pid` itself when that is not known. */
uint32_t pipa_locate_ns_pid(uint32_t pid);

/*
 * The perf map of a process that has this id in its own namespace, in the root directory of a process (itself, or
 * a parent when it has ended), appended. 0 or a negative errno.
 */
int pipa_locate_perf_map_in(uint32_t root_pid, uint32_t ns_pid, struct pipa_buf *ret);

/* Its perf map, appended. folder NULL: /tmp, its own one first. 0 or a negative errno. */
int pipa_locate_perf_map(const struct pipa_locate_options *options, const char *folder,
			 uint32_t pid, struct pipa_buf *ret);

#endif
