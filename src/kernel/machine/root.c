#include "kernel/machine/root.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/mount.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/error.h"
#include "base/str.h"

enum { NOT_TRIED = -1 };

struct pipa_root {
	char *prefix;
	int dirs[PIPA_TREE_NR]; /* descriptor, NOT_TRIED, or a negative errno below -1 */
};

int pipa_root_open(const char *prefix, struct pipa_root **ret, struct pipa_error *err)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = calloc(1, sizeof(*root));
	int i;

	if (!root)
		return pipa_fail(err, -ENOMEM, "open /proc and /sys");
	for (i = 0; i < PIPA_TREE_NR; i++)
		root->dirs[i] = NOT_TRIED;
	if (prefix) {
		root->prefix = strdup(prefix);
		if (!root->prefix)
			return pipa_fail(err, -ENOMEM, "open /proc and /sys");
	}
	*ret = PIPA_TAKE(root);
	return 0;
}

void pipa_root_close(struct pipa_root *root)
{
	int i;

	if (!root)
		return;
	for (i = 0; i < PIPA_TREE_NR; i++)
		pipa_fd_close(root->dirs[i]);
	free(root->prefix);
	free(root);
}

/* Kernel 5.2 and CAP_SYS_ADMIN: a mount that is attached nowhere. */
static int mount_detached(const char *type)
{
	PIPA_AUTO(pipa_fd_close) int fs = (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);

	if (fs < 0 || syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -errno;
	return (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
}

static int open_tracefs(void)
{
	static const char *const places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	int fd, denied = 0;
	size_t i;

	for (i = 0; i < PIPA_COUNT(places); i++) {
		fd = open(places[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0 && faccessat(fd, "events", F_OK, 0) == 0)
			return fd;
		if (errno == EACCES)
			denied = -EACCES;
		pipa_fd_close(fd);
	}
	fd = mount_detached("tracefs");
	if (fd >= 0)
		return fd;
	return denied ? denied : -ENOENT;
}

int pipa_root_dir(struct pipa_root *root, enum pipa_tree tree)
{
	static const char *const names[] = { "proc", "sys", "trace", "etc", "usr" };
	char path[PATH_MAX];
	int fd;

	if (root->dirs[tree] != NOT_TRIED)
		return root->dirs[tree];

	if (tree == PIPA_TRACE && !root->prefix) {
		fd = open_tracefs();
	} else {
		snprintf(path, sizeof(path), "%s/%s", root->prefix ? root->prefix : "",
			 names[tree]);
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			fd = -errno;
	}
	if (fd == -EPERM) /* -1 would read as NOT_TRIED */
		fd = -EACCES;
	return root->dirs[tree] = fd;
}

PIPA_PRINTF(4, 0)
static int open_path(struct pipa_root *root, enum pipa_tree tree, int flags, const char *fmt,
		     va_list ap)
{
	char path[PATH_MAX];
	int dir = pipa_root_dir(root, tree);
	int fd, n = vsnprintf(path, sizeof(path), fmt, ap);

	if (dir < 0)
		return dir;
	if (n >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = openat(dir, path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

PIPA_PRINTF(5, 0)
static ssize_t read_path(struct pipa_root *root, enum pipa_tree tree, char *buf, size_t size,
			 const char *fmt, va_list ap)
{
	PIPA_AUTO(pipa_fd_close) int fd = open_path(root, tree, O_RDONLY, fmt, ap);
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		return fd;
	do {
		n = read(fd, buf + len, size - 1 - len);
		if (n < 0)
			return -errno;
		len += (size_t)n;
	} while (n > 0 && len < size - 1);
	if (len && buf[len - 1] == '\n')
		len--;
	buf[len] = '\0';
	return (ssize_t)len;
}

ssize_t pipa_root_read(struct pipa_root *root, enum pipa_tree tree, char *buf, size_t size,
		       const char *fmt, ...)
{
	va_list ap;
	ssize_t n;

	va_start(ap, fmt);
	n = read_path(root, tree, buf, size, fmt, ap);
	va_end(ap);
	return n;
}

int pipa_root_read_u64(struct pipa_root *root, enum pipa_tree tree, uint64_t *ret, const char *fmt,
		       ...)
{
	char text[64];
	va_list ap;
	ssize_t n;

	va_start(ap, fmt);
	n = read_path(root, tree, text, sizeof(text), fmt, ap);
	va_end(ap);
	return n < 0 ? (int)n : pipa_str_u64(text, ret);
}

int pipa_root_read_int(struct pipa_root *root, enum pipa_tree tree, int *ret, const char *fmt, ...)
{
	char text[64];
	uint64_t value;
	va_list ap;
	ssize_t n;
	int rc;

	va_start(ap, fmt);
	n = read_path(root, tree, text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n < 0)
		return (int)n;
	rc = pipa_str_u64(text + (text[0] == '-'), &value);
	if (rc < 0 || value > INT_MAX)
		return rc < 0 ? rc : -ERANGE;
	*ret = text[0] == '-' ? -(int)value : (int)value;
	return 0;
}

bool pipa_root_has(struct pipa_root *root, enum pipa_tree tree, const char *fmt, ...)
{
	va_list ap;
	int fd;

	va_start(ap, fmt);
	fd = open_path(root, tree, O_PATH, fmt, ap);
	va_end(ap);
	pipa_fd_close(fd);
	return fd >= 0;
}

int pipa_root_file(struct pipa_root *root, enum pipa_tree tree, int flags, const char *fmt, ...)
{
	va_list ap;
	int fd;

	va_start(ap, fmt);
	fd = open_path(root, tree, O_RDONLY | flags, fmt, ap);
	va_end(ap);
	return fd;
}

DIR *pipa_root_list(struct pipa_root *root, enum pipa_tree tree, const char *fmt, ...)
{
	va_list ap;
	DIR *dir;
	int fd;

	va_start(ap, fmt);
	fd = open_path(root, tree, O_RDONLY | O_DIRECTORY, fmt, ap);
	va_end(ap);
	if (fd < 0) {
		errno = -fd;
		return NULL;
	}
	dir = fdopendir(fd);
	if (!dir)
		close(fd);
	return dir;
}
