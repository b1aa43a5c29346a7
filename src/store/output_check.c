#include "store/output_check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "import/history.h"
#include "kernel/machine/root.h"

enum { MAX_DEPTH = 2 }; /* DIR/attach_session/perf.data/data */

static bool is_standard(const char *path)
{
	return !path || strcmp(path, "-") == 0;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return S_ISREG(a->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_history(int dir, const char *name)
{
	PIPA_AUTO(pipa_fd_close) int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char bytes[512];
	ssize_t n = fd < 0 ? -1 : pread(fd, bytes, sizeof(bytes), 0);

	return n > 0 && pipa_history_is(bytes, (size_t)n);
}

/* Do commands read this file of a directory? Earlier reports in it are not read. */
static bool is_read(int dir, const char *name)
{
	static const char *const read[] = { "data",	     "data.*",	    "perf.data*",
					    "perf-stat.csv", "perf_stat.*", "stdout.txt",
					    "stderr.txt",    "sar*.txt",    "sar*.csv" };
	size_t i;

	for (i = 0; i < PIPA_COUNT(read); i++)
		if (fnmatch(read[i], name, 0) == 0)
			return true;
	return is_history(dir, name);
}

/* Search the directory fd for the output, and close it. */
static bool is_in_directory(int fd, const struct stat *output, int depth)
{
	PIPA_AUTO(closedir) DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	bool found = false;
	struct stat st;

	if (!dir) {
		pipa_fd_close(fd);
		return false;
	}
	while (!found && (entry = readdir(dir))) {
		const char *name = entry->d_name;

		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
		    fstatat(dirfd(dir), name, &st, 0) < 0)
			continue;
		if (S_ISDIR(st.st_mode) && depth < MAX_DEPTH)
			found = is_in_directory(openat(dirfd(dir), name,
						       O_RDONLY | O_DIRECTORY | O_CLOEXEC),
						output, depth + 1);
		else
			found = is_same(output, &st) && is_read(dirfd(dir), name);
	}
	return found;
}

static bool is_input(const struct stat *output, const char *input)
{
	struct stat st;

	if ((is_standard(input) ? fstat(STDIN_FILENO, &st) : stat(input, &st)) < 0)
		return false;
	if (!S_ISDIR(st.st_mode))
		return is_same(output, &st);
	return is_in_directory(open(input, O_RDONLY | O_DIRECTORY | O_CLOEXEC), output, 0);
}

int pipa_output_check(const char *output, int fd, const char *const inputs[], size_t n,
		      struct pipa_error *err)
{
	struct stat st;
	size_t i;

	if ((is_standard(output) ? fstat(fd, &st) : stat(output, &st)) < 0 || !S_ISREG(st.st_mode))
		return 0;
	for (i = 0; i < n; i++)
		if (inputs[i] && is_input(&st, inputs[i]))
			return pipa_refuse(err, -EINVAL, "cannot write %s: it is the input file",
					   is_standard(output) ? "standard output" : output);
	return 0;
}

/* Read the status of the directory of a file. */
static int stat_directory(const char *path, struct stat *ret)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX];

	if (snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - path) + 1 : 1,
		     slash ? path : ".") >= (int)sizeof(dir))
		return -1;
	return stat(dir, ret);
}

bool pipa_output_is_same(const char *a, const char *b)
{
	const char *x = strrchr(a, '/'), *y = strrchr(b, '/');
	struct stat s, t;
	bool is_new = stat(a, &s) < 0;

	if (is_new != (stat(b, &t) < 0))
		return false;
	if (!is_new)
		return S_ISREG(s.st_mode) && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
	return strcmp(x ? x + 1 : a, y ? y + 1 : b) == 0 && stat_directory(a, &s) == 0 &&
	       stat_directory(b, &t) == 0 && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}
