#include "kernel/machine/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "kernel/machine/root.h"

/* Is `option` one of the comma-separated words of `options`? */
static bool has_option(const char *options, size_t len, const char *option)
{
	size_t want = strlen(option);
	const char *p = options, *end = options + len;

	while (p < end) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		size_t word = (size_t)((comma ? comma : end) - p);

		if (word == want && memcmp(p, option, want) == 0)
			return true;
		p += word + 1;
	}
	return false;
}

/* A line is "device place type options 0 0", blank-separated, spaces inside written as \040. */
static bool split_line(const char *line, const char *field[4], size_t len[4])
{
	int i;

	for (i = 0; i < 4; i++) {
		field[i] = line;
		len[i] = strcspn(line, " \n");
		if (!len[i] || (i < 3 && line[len[i]] != ' '))
			return false;
		line += len[i] + 1;
	}
	return true;
}

/* Copy a field with its \NNN turned back into characters; ret has room for len bytes and a NUL. */
static void unescape(const char *field, size_t len, char *ret)
{
	size_t i;

	for (i = 0; i < len; i++) {
		const char *p = field + i;

		if (len - i > 3 && p[0] == '\\' && p[1] >= '0' && p[1] <= '3' && p[2] >= '0' &&
		    p[2] <= '7' && p[3] >= '0' && p[3] <= '7') {
			*ret++ = (char)((p[1] - '0') << 6 | (p[2] - '0') << 3 | (p[3] - '0'));
			i += 3;
		} else {
			*ret++ = *p;
		}
	}
	*ret = '\0';
}

int pipa_cgroup_mount(const char *mounts, char *ret, size_t size)
{
	const char *field[4], *line;
	size_t len[4];
	bool found = false;

	for (line = mounts; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		bool v1, v2;

		if (!split_line(line, field, len) || len[1] >= size)
			continue;
		v1 = len[2] == 6 && memcmp(field[2], "cgroup", 6) == 0 &&
		     has_option(field[3], len[3], "perf_event");
		v2 = len[2] == 7 && memcmp(field[2], "cgroup2", 7) == 0;
		if (!v1 && (!v2 || found))
			continue;
		unescape(field[1], len[1], ret);
		found = true;
		if (v1)
			return 0;
	}
	return found ? 0 : -ENOENT;
}

bool pipa_cgroup_next_place(const char **mounts, struct pipa_cgroup_place *ret)
{
	const char *field[4], *line;
	size_t len[4];

	while (**mounts) {
		line = *mounts;
		*mounts += strcspn(line, "\n");
		*mounts += **mounts == '\n';
		if (!split_line(line, field, len) || len[1] >= sizeof(ret->path))
			continue;
		ret->v2 = len[2] == 7 && memcmp(field[2], "cgroup2", 7) == 0;
		if (!ret->v2 && (len[2] != 6 || memcmp(field[2], "cgroup", 6) != 0))
			continue;
		unescape(field[1], len[1], ret->path);
		ret->options = field[3];
		ret->options_len = len[3];
		return true;
	}
	return false;
}

bool pipa_cgroup_place_has(const struct pipa_cgroup_place *place, const char *controller)
{
	return has_option(place->options, place->options_len, controller);
}

int pipa_cgroup_read_mounts(struct pipa_root *root, struct pipa_buf *text)
{
	PIPA_AUTO(pipa_fd_close) int fd = pipa_root_file(root, PIPA_PROC, 0, "mounts");
	char chunk[4096];
	ssize_t n;

	if (fd < 0)
		return fd;
	while ((n = read(fd, chunk, sizeof(chunk))) > 0)
		pipa_buf_add(text, chunk, (size_t)n);
	return n < 0 ? -errno : text->status;
}

int pipa_cgroup_open(struct pipa_root *root, const char *name, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf mounts = { 0 };
	char top[PATH_MAX], path[2 * PATH_MAX];
	int rc = pipa_cgroup_read_mounts(root, &mounts), fd;

	if (rc < 0)
		return pipa_fail(err, rc, "read /proc/mounts");
	rc = pipa_cgroup_mount(pipa_buf_str(&mounts), top, sizeof(top));
	if (rc < 0) {
		pipa_refuse(err, rc, "no cgroup hierarchy that perf events can use is mounted");
		return pipa_hint(err, "mount it with: sudo mount -t cgroup2 none /sys/fs/cgroup");
	}
	if (pipa_str_starts(name, top))
		snprintf(path, sizeof(path), "%s", name);
	else
		snprintf(path, sizeof(path), "%s/%s", top, name + (name[0] == '/'));
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		rc = pipa_fail(err, -errno, "open cgroup %s", name);
		pipa_hint(err, "cgroup names are relative to %s; list them with: find %s -type d",
			  top, top);
		return rc;
	}
	return fd;
}
