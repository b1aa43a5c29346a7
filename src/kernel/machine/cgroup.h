/*
 * Control groups for perf_event_open(2): directories of the v1 perf_event hierarchy if it is
 * mounted, else of the v2 hierarchy.
 */
#ifndef PIPA_KERNEL_MACHINE_CGROUP_H
#define PIPA_KERNEL_MACHINE_CGROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct pipa_buf;
struct pipa_error;
struct pipa_root;

/* Where that hierarchy is mounted, from the text of /proc/mounts; -ENOENT when nowhere. */
int pipa_cgroup_mount(const char *mounts, char *ret, size_t size);

/* A mounted hierarchy, v2's or one of v1's. */
struct pipa_cgroup_place {
	bool v2;
	char path[PATH_MAX];
	const char *options; /* borrowed from the text; v1: its controllers are among them */
	size_t options_len;
};

/* Return the next one in the text of /proc/mounts, which moves on; false after the last. */
bool pipa_cgroup_next_place(const char **mounts, struct pipa_cgroup_place *ret);
bool pipa_cgroup_place_has(const struct pipa_cgroup_place *place, const char *controller);

/* Append the text of /proc/mounts. */
int pipa_cgroup_read_mounts(struct pipa_root *root, struct pipa_buf *text);

/*
 * Open the directory of a group named from the top of the hierarchy ("system.slice/ssh.service", "/")
 * or by its full path; the caller closes.
 */
int pipa_cgroup_open(struct pipa_root *root, const char *name, struct pipa_error *err);

#endif
