/*
 * All control groups of the machine and their statistics, v1, v2 or both. The files of a group
 * stay open as far as the descriptor limit permits; the tree is listed again when the number of
 * groups changes, when one has vanished, and from time to time.
 */
#ifndef PIPA_KERNEL_MACHINE_CGROUP_TREE_H
#define PIPA_KERNEL_MACHINE_CGROUP_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/text/cgroup_text.h"

struct pipa_raw;
struct pipa_root;

enum { PIPA_CGROUP_HIERARCHIES = 16, PIPA_CGROUP_OPEN_FILES = 16 };

/* A hierarchy and the selected kinds of files. */
struct pipa_cgroup_hierarchy {
	int fd; /* root directory of the hierarchy */
	bool v2;
	const char *controller; /* v1 only: controller name as in /proc/PID/cgroup */
	const struct pipa_cgroup_file *files[PIPA_CGROUP_OPEN_FILES];
	size_t n_files;
};

struct pipa_cgroup_hierarchies {
	struct pipa_cgroup_hierarchy items[PIPA_CGROUP_HIERARCHIES];
	size_t n;
};

/*
 * Find the hierarchies below /sys that have files for one of the purposes in the bit mask `why`
 * (PIPA_CGROUP_USE and so on). To find none is not a failure. Returns a negative errno if the
 * mounts cannot be read.
 */
int pipa_cgroup_hierarchies_open(struct pipa_root *root, unsigned int why,
				 struct pipa_cgroup_hierarchies *ret);
void pipa_cgroup_hierarchies_close(struct pipa_cgroup_hierarchies *hierarchies);

struct pipa_cgroup_tree;

/* Open the tree; root is borrowed. 0, -ENOENT without control groups, or another negative errno. */
int pipa_cgroup_tree_open(struct pipa_root *root, struct pipa_cgroup_tree **ret);
void pipa_cgroup_tree_close(struct pipa_cgroup_tree *tree);

/* Read every group into a row of CG_FIELDS numbers; 0 or -ENOMEM. */
int pipa_cgroup_tree_read(struct pipa_cgroup_tree *tree, struct pipa_raw *raw);

/* Return the path of a row's group ("/", "system.slice/ssh.service"); borrowed. */
const char *pipa_cgroup_tree_path(struct pipa_cgroup_tree *tree, const char *row);

#endif
