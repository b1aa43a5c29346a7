/*
 * Files that a process writes for those who watch it: perf maps and jitdumps. A process in a container
 * sees other folders and has another number there, which can be looked through while it lives.
 *
 * Such files lie where everybody may write: only those are taken that belong to us, to root, or to
 * whom the process belongs.
 */
#ifndef PIPA_LOCATE_PROCESS_FILES_H
#define PIPA_LOCATE_PROCESS_FILES_H

#include <stdint.h>

struct pipa_locate_options;

/* The file that the process knows by this path, opened; -1 when it cannot be had. */
int pipa_locate_process_file(const struct pipa_locate_options *options, const char *path,
			     uint32_t pid);

/* Its perf map, opened. folder NULL: /tmp, its own one first. */
int pipa_locate_perf_map(const struct pipa_locate_options *options, const char *folder,
			 uint32_t pid);

#endif
