/*
 * Control groups that perf_event_open() can count in: directories of the v1 perf_event hierarchy
 * where it is mounted, else of the v2 one.
 */
#ifndef PIPA_KERNEL_CGROUP_H
#define PIPA_KERNEL_CGROUP_H

#include <stddef.h>

struct pipa_error;
struct pipa_root;

/* Where that hierarchy is mounted, from the text of /proc/mounts; -ENOENT when nowhere. */
int pipa_cgroup_mount(const char *mounts, char *ret, size_t size);

/*
 * Open the directory of a group named from the top of the hierarchy ("system.slice/ssh.service", "/")
 * or by its full path; the caller closes.
 */
int pipa_cgroup_open(struct pipa_root *root, const char *name, struct pipa_error *err);

#endif
