#include "collect/sample/synth.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/str.h"
#include "collect/sample/synth_own.h"
#include "kernel/machine/root.h"
#include "perf/encode.h"

enum { FLUSH = 256 << 10 };

int pipa_synth_new(const struct pipa_synth_options *options, struct pipa_synth **ret)
{
	struct pipa_synth *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->o = *options;
	s->id = (struct pipa_rec_id){ .id = options->id, .stream_id = options->id };
	*ret = s;
	return 0;
}

void pipa_synth_free(struct pipa_synth *s)
{
	if (!s)
		return;
	pipa_buf_done(&s->out);
	pipa_buf_done(&s->text);
	pipa_index_done(&s->tids);
	free(s);
}

int pipa_synth_flush(struct pipa_synth *s, size_t least)
{
	int rc = s->out.status;

	if (!rc && s->out.len && s->out.len >= least) {
		rc = s->o.put(s->o.ctx, s->out.data, s->out.len);
		pipa_buf_reset(&s->out);
	}
	return rc;
}

int pipa_synth_read(int fd, struct pipa_buf *text, size_t most)
{
	char chunk[16384];
	ssize_t n = 1;

	while (n && most && !text->status) {
		n = read(fd, chunk, most < sizeof(chunk) ? most : sizeof(chunk));
		if (n < 0)
			return -errno;
		pipa_buf_add(text, chunk, (size_t)n);
		most -= (size_t)n;
	}
	return text->status;
}

int pipa_synth_load(struct pipa_synth *s, const char *path)
{
	PIPA_AUTO(pipa_fd_close) int fd = pipa_root_file(s->o.root, PIPA_PROC, 0, "%s", path);

	pipa_buf_reset(&s->text);
	return fd < 0 ? fd : pipa_synth_read(fd, &s->text, SIZE_MAX);
}

/* ---- processes ------------------------------------------------------------------------------------- */

static void put_user_map(struct pipa_synth *s, uint32_t pid, const struct pipa_map_line *line)
{
	struct pipa_rec_map map = {
		.pid = pid,
		.tid = pid,
		.start = line->start,
		.len = line->end - line->start,
		.file_offset = line->offset,
		.major = line->major,
		.minor = line->minor,
		.inode = line->inode,
		.prot = (line->readable ? PROT_READ : 0U) | (line->writable ? PROT_WRITE : 0U) |
			(line->executable ? PROT_EXEC : 0U),
		.flags = line->shared ? MAP_SHARED : MAP_PRIVATE,
		.executable = line->executable,
		.mode = PIPA_MODE_USER,
		.path = line->path[0] ? line->path : "//anon",
	};

	pipa_perf_put_map(&s->out, s->o.attr, &s->id, &map);
}

static int put_maps(struct pipa_synth *s, uint32_t pid)
{
	const char *text;
	char path[32];

	snprintf(path, sizeof(path), "%u/maps", pid);
	if (pipa_synth_load(s, path) < 0)
		return 0; /* it has ended, or is not permitted */
	text = pipa_buf_str(&s->text);
	while (pipa_map_line_next(&text, &s->line))
		if (s->line.executable || (s->o.data && s->line.readable))
			put_user_map(s, pid, &s->line);
	return s->out.status;
}

/* Is the thread new? False if it was synthesized already. */
static bool is_new(struct pipa_synth *s, uint32_t tid, int *ret_rc)
{
	uint64_t hash = pipa_hash_u64(tid, PIPA_HASH_SEED);
	const struct pipa_index_slot *slot;

	for (slot = pipa_index_start(&s->tids, hash); slot->id;
	     slot = pipa_index_after(&s->tids, slot))
		if (slot->id - 1 == tid)
			return false;
	*ret_rc = pipa_index_add(&s->tids, hash, tid);
	return *ret_rc == 0;
}

/* Parse the number after "Tgid:" or "PPid:" of a task's status. */
static bool status_number(const char *status, const char *name, uint32_t *ret)
{
	const char *at = strstr(status, name);

	if (!at)
		return false;
	at += strlen(name);
	*ret = (uint32_t)strtoul(at + strspn(at, "\t "), NULL, 10);
	return true;
}

static bool read_family(struct pipa_synth *s, uint32_t tid, uint32_t *ret_pid, uint32_t *ret_parent)
{
	char status[4096];

	return pipa_root_read(s->o.root, PIPA_PROC, status, sizeof(status), "%u/status", tid) > 0 &&
	       status_number(status, "\nTgid:", ret_pid) &&
	       status_number(status, "\nPPid:", ret_parent);
}

static void put_thread(struct pipa_synth *s, uint32_t pid, uint32_t tid, uint32_t parent)
{
	const bool first = pid == tid;
	const struct pipa_rec_task task = {
		.pid = pid,
		.tid = tid,
		.parent_pid = first ? parent : pid,
		.parent_tid = first ? parent : pid,
		.synthesized = true,
		.time = s->id.time,
	};
	char comm[64];
	struct pipa_rec_comm name = { .pid = pid, .tid = tid, .name = comm };

	if (pipa_root_read(s->o.root, PIPA_PROC, comm, sizeof(comm), "%u/task/%u/comm", pid, tid) <
	    0)
		return;
	pipa_perf_put_fork(&s->out, s->o.attr, &s->id, &task);
	pipa_perf_put_comm(&s->out, s->o.attr, &s->id, &name);
}

static bool numeric(const struct dirent *entry, uint32_t *ret)
{
	uint64_t number;

	if (!isdigit((unsigned char)entry->d_name[0]) || pipa_str_u64(entry->d_name, &number) < 0 ||
	    number >= UINT32_MAX)
		return false;
	*ret = (uint32_t)number;
	return true;
}

/* Synthesize new threads; one created meanwhile is found the next time. */
static int put_new_threads(struct pipa_synth *s, uint32_t pid, uint32_t parent, size_t *ret_n)
{
	PIPA_AUTO(closedir) DIR *dir = pipa_root_list(s->o.root, PIPA_PROC, "%u/task", pid);
	struct dirent *entry;
	uint32_t tid;
	int rc = 0;

	*ret_n = 0;
	while (dir && !rc && (entry = readdir(dir)))
		if (numeric(entry, &tid) && is_new(s, tid, &rc)) {
			put_thread(s, pid, tid, parent);
			++*ret_n;
		}
	return rc;
}

static int put_process(struct pipa_synth *s, uint32_t pid, uint32_t parent)
{
	size_t n = 1;
	int rc = 0;

	s->id.pid = s->id.tid = pid;
	s->id.time = pipa_clock_read(pipa_attr_clock(s->o.attr));
	while (!rc && n)
		rc = put_new_threads(s, pid, parent, &n);
	if (!rc)
		rc = put_maps(s, pid);
	return rc ? rc : pipa_synth_flush(s, FLUSH);
}

static int put_new_processes(struct pipa_synth *s, size_t *ret_n)
{
	PIPA_AUTO(closedir) DIR *dir = pipa_root_list(s->o.root, PIPA_PROC, ".");
	struct dirent *entry;
	uint32_t pid, own, parent;
	int rc = 0;

	*ret_n = 0;
	while (dir && !rc && (entry = readdir(dir))) {
		if (!numeric(entry, &pid))
			continue;
		if (is_new(s, pid, &rc) && read_family(s, pid, &own, &parent)) {
			s->id.time = pipa_clock_read(pipa_attr_clock(s->o.attr));
			put_thread(s, pid, pid, parent);
			rc = put_process(s, pid, parent);
			++*ret_n;
		}
	}
	return rc;
}

int pipa_synth_tasks(struct pipa_synth *s, const struct pipa_tasks *tasks)
{
	uint32_t pid, parent;
	size_t i, n = 1;
	int rc = 0;

	while (!tasks && !rc && n)
		rc = put_new_processes(s, &n);
	for (i = 0; tasks && !rc && i < tasks->n; i++) {
		if (!read_family(s, (uint32_t)tasks->items[i].tid, &pid, &parent) ||
		    !is_new(s, pid, &rc))
			continue;
		s->id.pid = s->id.tid = pid;
		s->id.time = pipa_clock_read(pipa_attr_clock(s->o.attr));
		put_thread(s, pid, pid, parent);
		rc = put_process(s, pid, parent);
	}
	return rc ? rc : pipa_synth_flush(s, 1);
}
