#include "locate/process_files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/file/file.h"
#include "codec/decompress.h"
#include "locate/bundle_files.h"
#include "locate/files.h"

/* Open a file if its owner is trusted; -1 otherwise. */
static int open_trusted(const char *path, uint32_t pid)
{
	char process[32];
	struct stat file, owner;
	int fd = pipa_locate_open(path, &file);

	if (fd < 0 || file.st_uid == 0 || file.st_uid == geteuid())
		return fd;
	snprintf(process, sizeof(process), "/proc/%u", pid);
	if (stat(process, &owner) == 0 && owner.st_uid == file.st_uid)
		return fd;
	close(fd);
	return -1;
}

bool pipa_locate_is_contained(uint32_t pid)
{
	struct stat own, other;
	char path[40];

	snprintf(path, sizeof(path), "/proc/%u/root/.", pid);
	return stat("/", &own) == 0 && stat(path, &other) == 0 &&
	       (own.st_dev != other.st_dev || own.st_ino != other.st_ino);
}

/* "NSpid:	4711	7" has the innermost namespace last. */
uint32_t pipa_locate_ns_pid(uint32_t pid)
{
	char text[64 << 10], path[40], *end; /* up to 64 Ki of groups precede it */
	unsigned long number;
	const char *pos;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	if (pipa_file_read_into(path, text, sizeof(text)) < 0)
		return pid;
	pos = strstr(text, "\nNSpid:");
	if (!pos)
		return pid;
	for (pos += strlen("\nNSpid:"); *pos == '\t'; pos = end) {
		number = strtoul(pos, &end, 10);
		if (end == pos || number > UINT32_MAX)
			break;
		pid = (uint32_t)number;
	}
	return pid;
}

static int open_file(const struct pipa_locate_options *o, const char *path, uint32_t pid)
{
	char found[PATH_MAX];
	struct stat st;
	int fd;

	if (o->symfs) {
		snprintf(found, sizeof(found), "%s%s", o->symfs, path);
		return pipa_locate_open(found, &st);
	}
	snprintf(found, sizeof(found), "/proc/%u/root%s", pid, path);
	fd = open_trusted(found, pid);
	return fd < 0 ? open_trusted(path, pid) : fd;
}

static bool map_kept(const struct pipa_bundle_files *kept, const char *name, struct pipa_span *ret)
{
	return pipa_bundle_files_map(kept, name, ret) &&
	       (!pipa_is_compressed(*ret) || pipa_locate_unpack(ret));
}

bool pipa_locate_process_file(const struct pipa_locate_options *o, const char *path,
			      const struct pipa_file_id *file, uint32_t pid, struct pipa_span *ret)
{
	PIPA_AUTO(pipa_fd_close) int fd = -1;
	char name[PATH_MAX];

	if (path[0] != '/')
		return false;
	if (o->kept && file && pipa_bundle_files_file_name(file, path, name, sizeof(name)) &&
	    map_kept(o->kept, name, ret))
		return true;
	if (o->bundle) {
		snprintf(name, sizeof(name), PIPA_BUNDLE_ROOT "%s", path);
		return pipa_bundle_files_map(o->bundle, name, ret);
	}
	fd = open_file(o, path, pid);
	return pipa_locate_map_fd(fd, ret);
}

static int open_perf_map(const struct pipa_locate_options *o, const char *directory, uint32_t pid)
{
	char path[PATH_MAX];
	struct stat st;
	int fd;

	if (directory || o->symfs) {
		snprintf(path, sizeof(path), "%s%s/perf-%u.map", directory ? "" : o->symfs,
			 directory ? directory : "/tmp", pid);
		return pipa_locate_open(path, &st);
	}
	snprintf(path, sizeof(path), "/proc/%u/root/tmp/perf-%u.map", pid, pipa_locate_ns_pid(pid));
	fd = open_trusted(path, pid);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	return open_trusted(path, pid);
}

static int copy_from_bundle(const struct pipa_bundle_files *bundle, uint32_t pid,
			    struct pipa_buf *ret)
{
	struct pipa_span text;
	char name[64];

	snprintf(name, sizeof(name), PIPA_BUNDLE_ROOT "/tmp/perf-%u.map", pid);
	if (!map_kept(bundle, name, &text))
		return -ENOENT;
	pipa_buf_add(ret, text.data, text.size);
	pipa_locate_unmap(&text);
	return ret->status;
}

int pipa_locate_perf_map_in(uint32_t root_pid, uint32_t ns_pid, struct pipa_buf *ret)
{
	PIPA_AUTO(pipa_fd_close) int fd = -1;
	char path[80];

	snprintf(path, sizeof(path), "/proc/%u/root/tmp/perf-%u.map", root_pid, ns_pid);
	fd = open_trusted(path, root_pid);
	return fd < 0 ? -ENOENT : pipa_file_read_fd(fd, ret);
}

int pipa_locate_perf_map(const struct pipa_locate_options *o, const char *directory, uint32_t pid,
			 struct pipa_buf *ret)
{
	PIPA_AUTO(pipa_fd_close) int fd = -1;

	if (o->kept && !directory && !o->symfs && copy_from_bundle(o->kept, pid, ret) == 0)
		return 0;
	if (o->bundle && !directory)
		return copy_from_bundle(o->bundle, pid, ret);
	fd = open_perf_map(o, directory, pid);
	return fd < 0 ? -ENOENT : pipa_file_read_fd(fd, ret);
}
