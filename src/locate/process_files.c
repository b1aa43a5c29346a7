#include "locate/process_files.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/file.h"
#include "locate/files.h"

/* Opened, if what is in it may be believed. */
static int take(const char *path, uint32_t pid)
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

/* Its number where it lives: "NSpid:	4711	7" has the innermost last. */
static uint32_t own_pid(uint32_t pid)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = 64 << 10 };
	unsigned long number;
	const char *pos;
	char path[40], *end;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	if (pipa_file_read(path, &text, NULL) < 0)
		return pid;
	pos = strstr(pipa_buf_str(&text), "\nNSpid:");
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

int pipa_locate_process_file(const struct pipa_locate_options *o, const char *path, uint32_t pid)
{
	char found[PATH_MAX];
	struct stat st;
	int fd;

	if (path[0] != '/')
		return -1;
	if (o->symfs) {
		snprintf(found, sizeof(found), "%s%s", o->symfs, path);
		return pipa_locate_open(found, &st);
	}
	snprintf(found, sizeof(found), "/proc/%u/root%s", pid, path);
	fd = take(found, pid);
	return fd < 0 ? take(path, pid) : fd;
}

int pipa_locate_perf_map(const struct pipa_locate_options *o, const char *folder, uint32_t pid)
{
	char path[PATH_MAX];
	struct stat st;
	int fd;

	if (folder || o->symfs) {
		snprintf(path, sizeof(path), "%s%s/perf-%u.map", folder ? "" : o->symfs,
			 folder ? folder : "/tmp", pid);
		return pipa_locate_open(path, &st);
	}
	snprintf(path, sizeof(path), "/proc/%u/root/tmp/perf-%u.map", pid, own_pid(pid));
	fd = take(path, pid);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	return take(path, pid);
}
