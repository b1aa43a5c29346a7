/*
 * Access to the machine as files: /proc, /sys, tracefs, /etc and /usr after one object, so that
 * tests pass in a recorded or invented machine.
 *
 * If tracefs is not mounted and this process may mount it, it is mounted detached: visible only to
 * this process, and gone with it.
 */
#ifndef PIPA_KERNEL_MACHINE_ROOT_H
#define PIPA_KERNEL_MACHINE_ROOT_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/auto.h"

struct pipa_error;
struct pipa_root;

enum pipa_tree { PIPA_PROC, PIPA_SYS, PIPA_TRACE, PIPA_ETC, PIPA_USR, PIPA_TREE_NR };

/*
 * prefix holds proc/, sys/, trace/, etc/ and usr/; NULL is the running machine. Opens nothing yet.
 */
int pipa_root_open(const char *prefix, struct pipa_root **ret, struct pipa_error *err);
void pipa_root_close(struct pipa_root *root);

/* Return the descriptor of a tree's top directory, borrowed, or a negative errno. */
int pipa_root_dir(struct pipa_root *root, enum pipa_tree tree);

/* Read a small file into buf, NUL-terminated, without its last newline. Length or negative errno. */
ssize_t pipa_root_read(struct pipa_root *root, enum pipa_tree tree, char *buf, size_t size,
		       const char *fmt, ...) PIPA_PRINTF(5, 6);

/* Read a file that holds one decimal or 0x number. */
int pipa_root_read_u64(struct pipa_root *root, enum pipa_tree tree, uint64_t *ret, const char *fmt,
		       ...) PIPA_PRINTF(4, 5);

/* The same for numbers that may be negative (perf_event_paranoid, physical_package_id). */
int pipa_root_read_int(struct pipa_root *root, enum pipa_tree tree, int *ret, const char *fmt, ...)
	PIPA_PRINTF(4, 5);

bool pipa_root_has(struct pipa_root *root, enum pipa_tree tree, const char *fmt, ...)
	PIPA_PRINTF(3, 4);

/* Open for reading with the given extra flags (O_DIRECTORY...): the caller closes. */
int pipa_root_file(struct pipa_root *root, enum pipa_tree tree, int flags, const char *fmt, ...)
	PIPA_PRINTF(4, 5);

/* A directory to walk; the caller calls closedir(). NULL with errno set. */
DIR *pipa_root_list(struct pipa_root *root, enum pipa_tree tree, const char *fmt, ...)
	PIPA_PRINTF(3, 4);

static inline void pipa_root_close_auto(struct pipa_root **root)
{
	pipa_root_close(*root);
}

static inline void closedir_auto(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

#endif
