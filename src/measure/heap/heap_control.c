#include "measure/heap/heap_control.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/str.h"
#include "kernel/text/maps_text.h"
#include "preload/abi.h"

/* Does a mapped path name a recording, which may have been removed since? */
static bool is_recording(const struct pipa_map_line *line, char path[static PIPA_MAP_PATH])
{
	static const char suffix[] = ".heap", removed[] = " (deleted)";
	size_t n;

	snprintf(path, PIPA_MAP_PATH, "%s", line->path);
	n = strlen(path);
	if (n > strlen(removed) && strcmp(path + n - strlen(removed), removed) == 0)
		path[n -= strlen(removed)] = '\0';
	return line->shared && path[0] == '/' && n > strlen(suffix) &&
	       strcmp(path + n - strlen(suffix), suffix) == 0;
}

/* Open a path if it is the mapped file, with a complete header of the process. -ECHILD: of another process. */
static int open_if_same(const char *path, const struct pipa_map_line *line, uint32_t pid)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct pipa_heap_header header;
	struct stat st;
	int rc = -ENOENT;

	if (fd < 0 && errno == ELOOP) /* an entry of map_files is a link */
		fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_ino == line->inode &&
	    pread(fd, &header, sizeof(header), 0) == sizeof(header) &&
	    header.magic == PIPA_HEAP_MAGIC && header.version == PIPA_HEAP_VERSION && header.ready)
		rc = header.pid == pid ? fd : -ECHILD;
	if (rc < 0)
		close(fd);
	return rc;
}

/* Return the PID as the process sees it, in the innermost namespace: the last number of NSpid. */
static uint32_t inner_pid(uint32_t pid)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	char path[64], *line, *end, *number;
	uint64_t inner;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", pid);
	if (pipa_file_read(path, &text, NULL) < 0 || !text.data)
		return pid;
	line = strstr(text.data, "\nNSpid:");
	end = line ? strchr(line + 1, '\n') : NULL;
	if (!end)
		return pid;
	*end = '\0';
	number = strrchr(line, '\t');
	return number && pipa_str_u64(number + 1, &inner) == 0 ? (uint32_t)inner : pid;
}

/* Open a mapped recording. Returns the descriptor, -ECHILD, -EACCES or -ENOENT. */
static int open_line(uint32_t pid, uint32_t inner, const struct pipa_map_line *line,
		     const char *path)
{
	char name[PIPA_MAP_PATH + 64];
	int fd = open_if_same(path, line, inner), other;

	if (fd >= 0 || fd == -ECHILD)
		return fd;
	snprintf(name, sizeof(name), "/proc/%" PRIu32 "/root%s", pid, path);
	other = open_if_same(name, line, inner);
	if (other >= 0 || other == -ECHILD)
		return other;
	snprintf(name, sizeof(name), "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, pid,
		 line->start, line->end);
	other = open_if_same(name, line, inner);
	if (other >= 0 || other == -ECHILD)
		return other;
	return fd == -EACCES || other == -EACCES || other == -EPERM ? -EACCES : -ENOENT;
}

int pipa_heap_control_open(uint32_t pid, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	PIPA_AUTO(free) struct pipa_map_line *line = malloc(sizeof(*line));
	PIPA_AUTO(free) char *path = malloc(PIPA_MAP_PATH);
	uint32_t inner = inner_pid(pid);
	char maps[64];
	const char *next;
	int rc, worst = -ENOENT;

	if (!line || !path)
		return pipa_fail(err, -ENOMEM, "find the recording of process %" PRIu32, pid);
	snprintf(maps, sizeof(maps), "/proc/%" PRIu32 "/maps", pid);
	rc = pipa_file_read(maps, &text, NULL);
	if (rc < 0) {
		pipa_fail(err, rc == -ENOENT ? -ESRCH : rc, "control process %" PRIu32, pid);
		return rc == -ENOENT ? -ESRCH :
				       pipa_hint(err, "run pipa as the user of the process");
	}
	next = pipa_buf_str(&text);
	while (pipa_map_line_next(&next, line)) {
		if (!is_recording(line, path))
			continue;
		rc = open_line(pid, inner, line, path);
		if (rc >= 0)
			return rc;
		if (rc == -EACCES || (rc == -ECHILD && worst == -ENOENT))
			worst = rc;
	}
	if (worst == -ECHILD) {
		pipa_refuse(err, -ECHILD,
			    "cannot control process %" PRIu32
			    ": it was forked, and its recording begins with its first sample",
			    pid);
		return pipa_hint(err, "try again when it has allocated more; with a smaller --rate "
				      "the first sample comes earlier");
	}
	if (worst == -EACCES) {
		pipa_fail(err, -EACCES, "open the heap recording of process %" PRIu32, pid);
		return pipa_hint(err, "run pipa as the user of the process, or as root");
	}
	pipa_refuse(err, -ENOENT,
		    "cannot control process %" PRIu32 ": libpipa-heap.so was not preloaded into it",
		    pid);
	return pipa_hint(err,
			 "start it with pipa heap -- COMMAND; attaching to an existing process is "
			 "not possible");
}

int pipa_heap_control_switch(int fd, bool on, struct pipa_error *err)
{
	uint32_t value = on;

	if (pwrite(fd, &value, sizeof(value),
		   PIPA_HEAP_CONTROL_AT + (off_t)offsetof(struct pipa_heap_control, on)) !=
	    sizeof(value))
		return pipa_fail(err, -errno, "write the heap recording");
	return 0;
}
