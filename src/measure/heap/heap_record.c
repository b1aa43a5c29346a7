#include "measure/heap/heap_record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/loop.h"
#include "base/file/tmp.h"
#include "base/strings.h"
#include "base/vec.h"
#include "collect/heap/heap_file.h"
#include "locate/mapped_files.h"
#include "measure/follow.h"
#include "measure/heap/heap_copy.h"
#include "measure/heap/heap_library.h"
#include "measure/heap/heap_memory.h"
#include "measure/heap/heap_target.h"
#include "preload/abi.h"

enum {
	CHECK_MS = 100, /* between checks of the directory */
	HELD_MS = 5,	/* between checks if processes wait at their exit */
	MOVING_TRIES = 8,
	FILES_MAX = 1 << 16,
	FILES_KEPT_OPEN = 16, /* there may be more processes than descriptors */
	OPEN_MAX_MAPPED = 256,
};

/* Findings of a search in a process that waited at its exit. */
struct finding {
	uint64_t address, time_ns;
	struct pipa_heaps_block block;
};

/* The file of a process. Its name is the string of recorder.names with the number index + 1. */
struct shared_file {
	int fd; /* -1: closed */
	dev_t dev;
	ino_t ino;
	uint32_t pid;
	uint64_t start_ns;
	bool is_ready;	     /* its header is complete */
	bool is_bad;	     /* not a recording */
	bool is_searched;    /* the process has waited, and was searched or could not be */
	bool has_reach;	     /* pointers were searched */
	uint64_t maps_bytes; /* of its mappings, when its files were opened last */
	bool is_over;	     /* the process has exited, and its file was checked after that */
	uint64_t gone_ns;    /* when it was first seen that the process does not exist; 0: never */
	struct {
		struct finding *items;
		size_t n, cap;
	} findings;
};

struct pipa_heap_recorder {
	struct pipa_heap_record_options o;
	struct pipa_heap_library library;
	char *dir; /* NULL: none */
	struct pipa_strings names;
	size_t n_open; /* files */
	char **environment;
	char *preload_text, *heap_text; /* variables in it */
	struct {
		struct shared_file *items;
		size_t n, cap;
	} files;
	struct pipa_mapped_files *mapped;
	bool has_noted; /* that a snapshot could not be written */
	struct pipa_heap_recording result;
};

/* ---- directory and environment -------------------------------------------------------------------- */

static int make_directory(struct pipa_heap_recorder *r, struct pipa_error *err)
{
	const char *const dirs[] = { "/dev/shm", pipa_tmp_dir() };
	/* a command of root may change its user */
	mode_t mode = geteuid() == 0 ? 01733 : 0700;
	char path[PATH_MAX];
	int rc = -ENOENT;
	size_t i;

	for (i = 0; i < PIPA_COUNT(dirs); i++) {
		/* processes may change their working directory */
		if (dirs[i][0] != '/' || snprintf(path, sizeof(path), "%s/pipa-heap-XXXXXX",
						  dirs[i]) >= (int)sizeof(path))
			continue;
		if (!mkdtemp(path)) {
			rc = -errno;
			continue;
		}
		if (chmod(path, mode) < 0) {
			rc = -errno;
			rmdir(path);
			continue;
		}
		r->dir = strdup(path);
		return r->dir ? 0 : pipa_fail(err, -ENOMEM, "record the heap");
	}
	pipa_fail(err, rc, "create a directory in /dev/shm or %s", pipa_tmp_dir());
	return pipa_hint(err, "set TMPDIR to the absolute path of a directory that is writable");
}

static void remove_directory(struct pipa_heap_recorder *r)
{
	struct dirent *entry;
	DIR *dir;

	if (!r->dir)
		return;
	dir = opendir(r->dir);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(r->dir);
	free(r->dir);
	r->dir = NULL;
}

static bool is_variable(const char *text, const char *name)
{
	size_t n = strlen(name);

	return strncmp(text, name, n) == 0 && text[n] == '=';
}

/* Make the command's environment. Our library precedes an allocator that the user preloads, to hook it. */
static int make_environment(struct pipa_heap_recorder *r)
{
	const struct pipa_heap_record_options *o = &r->o;
	const char *preload = getenv("LD_PRELOAD");
	size_t i, n = 0;

	if (asprintf(&r->preload_text, "LD_PRELOAD=%s%s%s", r->library.path,
		     preload && preload[0] ? ":" : "", preload ? preload : "") < 0) {
		r->preload_text = NULL;
		return -ENOMEM;
	}
	if (asprintf(&r->heap_text,
		     PIPA_HEAP_ENV "=rate=%" PRIu64 " min=%" PRIu64
				   " frees=%d mmap=%d on=%d hold=%d "
				   "follow=1 dir=%s",
		     o->rate, o->min_size, !o->no_frees, o->mappings, !o->off,
		     o->leaks || o->pages ? (int)getpid() : 0, r->dir) < 0) {
		r->heap_text = NULL;
		return -ENOMEM;
	}
	while (environ[n])
		n++;
	r->environment = calloc(n + 3, sizeof(*r->environment));
	if (!r->environment)
		return -ENOMEM;
	for (i = n = 0; environ[i]; i++)
		if (!is_variable(environ[i], "LD_PRELOAD") &&
		    !is_variable(environ[i], PIPA_HEAP_ENV))
			r->environment[n++] = environ[i];
	r->environment[n++] = r->preload_text;
	r->environment[n] = r->heap_text;
	return 0;
}

/* ---- files ---------------------------------------------------------------------------------------- */

/*
 * Read the status; bytes after the end of the file become zeros. It is not mapped: the process may truncate it
 * at any time, and access to a mapping would be a SIGBUS here.
 */
static void read_status(const struct shared_file *file, struct pipa_heap_status *ret)
{
	ssize_t n = pread(file->fd, ret, sizeof(*ret), PIPA_HEAP_STATUS_AT);

	if (n < (ssize_t)sizeof(*ret))
		*ret = (struct pipa_heap_status){ 0 };
}

/* Write a word of struct pipa_heap_control, at this offset. A truncated file is not enlarged again. */
static void write_control(const struct shared_file *file, size_t at, uint32_t value)
{
	struct stat st;

	if (fstat(file->fd, &st) == 0 && st.st_size >= PIPA_HEAP_REGIONS_AT &&
	    pwrite(file->fd, &value, sizeof(value), PIPA_HEAP_CONTROL_AT + (off_t)at) < 0)
		return; /* the process gives up waiting when this one has ended */
}

/* Read the header when it is complete. */
static void check_ready(struct pipa_heap_recorder *r, struct shared_file *file)
{
	struct pipa_heap_header header;
	struct stat st;

	if (file->is_ready || file->is_bad ||
	    pread(file->fd, &header, sizeof(header), PIPA_HEAP_HEADER_AT) != sizeof(header) ||
	    !header.magic || !header.ready)
		return;
	if (header.magic != PIPA_HEAP_MAGIC || header.version != PIPA_HEAP_VERSION ||
	    fstat(file->fd, &st) < 0 || st.st_size < PIPA_HEAP_REGIONS_AT) {
		file->is_bad = true;
		r->result.unreadable++;
		return;
	}
	file->pid = header.pid;
	file->start_ns = header.start_ns;
	file->is_ready = true;
	write_control(file, offsetof(struct pipa_heap_control, holder), (uint32_t)getpid());
}

/* Add the new files of the directory, and count those beyond the limit. 0 or -ENOMEM. */
static int find_files(struct pipa_heap_recorder *r)
{
	DIR *dir = opendir(r->dir);
	struct dirent *entry;
	size_t n = 0; /* recordings in the directory */
	int rc = 0;

	while (!rc && dir && (entry = readdir(dir))) {
		const char *dot = strrchr(entry->d_name, '.');
		struct shared_file *file;
		uint32_t number;

		if (!dot || strcmp(dot, ".heap") != 0)
			continue;
		n++;
		if (r->files.n >= FILES_MAX)
			continue;
		number = pipa_strings_add(&r->names, entry->d_name, strlen(entry->d_name));
		if (number != PIPA_NO_STRING && number <= r->files.n)
			continue;
		file = number == PIPA_NO_STRING ? NULL : PIPA_VEC_ADD(&r->files);
		if (file)
			file->fd = -1;
		else
			rc = -ENOMEM;
	}
	if (n > r->files.n + r->result.skipped)
		r->result.skipped = n - r->files.n;
	if (dir)
		closedir(dir);
	return rc;
}

/* Open a file unless it is open. False if it cannot be opened, or was replaced. */
static bool open_file(struct pipa_heap_recorder *r, struct shared_file *file)
{
	uint32_t number = (uint32_t)(file - r->files.items) + 1;
	char path[PATH_MAX];
	struct stat st;

	if (file->fd >= 0)
		return true;
	if (snprintf(path, sizeof(path), "%s/%s", r->dir, pipa_strings_get(&r->names, number)) >=
	    (int)sizeof(path))
		return false;
	file->fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (file->fd < 0)
		return false;
	if (fstat(file->fd, &st) < 0 ||
	    (file->ino && (st.st_dev != file->dev || st.st_ino != file->ino))) {
		close(file->fd);
		file->fd = -1;
		return false;
	}
	file->dev = st.st_dev;
	file->ino = st.st_ino;
	r->n_open++;
	return true;
}

/* Close a file if it is the last use, or too many are open. */
static void close_unused_file(struct pipa_heap_recorder *r, struct shared_file *file, bool is_last)
{
	if (file->fd < 0 || (!is_last && r->n_open <= FILES_KEPT_OPEN))
		return;
	close(file->fd);
	file->fd = -1;
	r->n_open--;
}

int pipa_heap_decode_fd(int fd, struct pipa_heaps *heaps, struct pipa_heap_file_info *ret,
			struct pipa_error *err)
{
	int tries, rc;

	for (tries = 0;; tries++) {
		size_t frames = heaps->frames.n, modules = heaps->modules.n;
		size_t stacks = heaps->stacks.n, blocks = heaps->blocks.n;
		struct pipa_heap_copy copy = { 0 };

		rc = pipa_heap_copy_make(fd, &copy, err);
		if (!rc)
			rc = pipa_heap_file_decode(&copy.file, heaps, ret, err);
		pipa_heap_copy_done(&copy);
		if (rc || !ret->moving)
			return rc;
		if (tries == MOVING_TRIES) { /* the process ended while it moved sums */
			heaps->processes.items[heaps->processes.n - 1].losses.corrupt +=
				ret->moving;
			return 0;
		}
		heaps->processes.n--;
		heaps->frames.n = frames;
		heaps->modules.n = modules;
		heaps->stacks.n = stacks;
		heaps->blocks.n = blocks;
	}
}

void pipa_heap_identify_modules(struct pipa_mapped_files *mapped, uint32_t pid,
				struct pipa_heaps *heaps, size_t first)
{
	size_t i;

	for (i = first; i < heaps->modules.n; i++) {
		struct pipa_heaps_module *m = &heaps->modules.items[i];
		struct pipa_file_mapping mapping = {
			.pid = pid,
			.start = m->start,
			.end = m->end,
			.path = pipa_strings_get(&heaps->strings, m->path),
			.file = m->file,
		};
		const struct pipa_mapped_file *file = pipa_mapped_files_add(mapped, &mapping);

		if (!file || file->state != PIPA_MAPPED_VERIFIED || !file->build_id_len)
			continue;
		m->build_id.len = file->build_id_len;
		memcpy(m->build_id.bytes, file->build_id, file->build_id_len);
	}
}

/* Open the files that a process has mapped while they can be opened through it. */
static void open_modules(struct pipa_heap_recorder *r, struct shared_file *file,
			 const struct pipa_heap_status *status)
{
	struct pipa_heap_file_info info;
	struct pipa_heaps heaps = { 0 };

	if (status->maps_bytes == file->maps_bytes)
		return;
	file->maps_bytes = status->maps_bytes;
	if (pipa_heap_decode_fd(file->fd, &heaps, &info, NULL) == 0)
		pipa_heap_identify_modules(r->mapped, file->pid, &heaps, 0);
	pipa_heaps_done(&heaps);
}

/* ---- processes that wait at their exit ------------------------------------------------------------- */

static void release_exit(const struct shared_file *file)
{
	write_control(file, offsetof(struct pipa_heap_control, hold_exit), 0);
}

static int keep_findings(struct shared_file *file, const struct pipa_heaps *heaps)
{
	size_t i;

	for (i = 0; i < heaps->blocks.n; i++) {
		struct finding *finding = PIPA_VEC_ADD(&file->findings);

		if (!finding)
			return -ENOMEM;
		*finding = (struct finding){ heaps->blocks.items[i].address,
					     heaps->blocks.items[i].time_ns,
					     heaps->blocks.items[i] };
	}
	return 0;
}

/* Put the blocks of malloc(3) before mappings, which may contain them; returns their number. */
static size_t sort_blocks(struct pipa_heaps *heaps)
{
	struct pipa_heaps_block *blocks = heaps->blocks.items, swapped;
	size_t i, n = 0;

	for (i = 0; i < heaps->blocks.n; i++) {
		if (blocks[i].is_mapping)
			continue;
		swapped = blocks[n];
		blocks[n++] = blocks[i];
		blocks[i] = swapped;
	}
	return n;
}

/* Search the memory of a process that waits, and let it exit. Failures are notes. */
static int search_held(struct pipa_heap_recorder *r, struct shared_file *file)
{
	struct pipa_heap_file_info info;
	struct pipa_heaps heaps = { 0 };
	struct pipa_error err = { 0 };
	int rc = pipa_heap_decode_fd(file->fd, &heaps, &info, &err);

	file->is_searched = true;
	if (!rc) {
		const struct pipa_heaps_process *p = &heaps.processes.items[0];
		size_t n;
		bool all_known = p->rate <= 1 && !p->min_size && !p->forked && !p->has_gaps &&
				 pipa_heaps_is_complete(p);

		pipa_heap_identify_modules(r->mapped, file->pid, &heaps, 0);
		n = sort_blocks(&heaps);
		if (r->o.pages)
			rc = pipa_heap_read_pages(file->pid, heaps.blocks.items, n, &err);
		if (r->o.pages && !rc)
			rc = pipa_heap_read_pages(file->pid, heaps.blocks.items + n,
						  heaps.blocks.n - n, &err);
		if (r->o.leaks && !rc) {
			rc = pipa_heap_find_leaks(file->pid, heaps.blocks.items, n, all_known,
						  "pipa-heap", &err);
			file->has_reach = !rc;
		}
		if (!rc)
			rc = keep_findings(file, &heaps);
	}
	release_exit(file);
	if (rc < 0 && rc != -ENOMEM)
		pipa_log_note(&r->o.log, "process %" PRIu32 " was not searched at its exit: %s",
			      file->pid, err.what);
	pipa_heaps_done(&heaps);
	return rc == -ENOMEM ? rc : 0;
}

static int check_file(struct pipa_heap_recorder *r, struct shared_file *file)
{
	struct pipa_heap_status status;

	read_status(file, &status);
	file->is_over = status.state == PIPA_HEAP_EXITED;
	if (status.state != PIPA_HEAP_HELD)
		open_modules(r, file, &status);
	else if (!file->is_searched)
		return search_held(r, file);
	else
		release_exit(file); /* the process has overwritten the word */
	return 0;
}

/* Note when a process does not exist any more. A zombie still exists for kill(2). */
static void note_end(struct shared_file *file)
{
	if (!file->is_over && !file->gone_ns && kill((pid_t)file->pid, 0) < 0 && errno == ESRCH)
		file->gone_ns = pipa_clock_ns();
}

static int check_files(struct pipa_heap_recorder *r)
{
	size_t i;
	int rc = find_files(r);

	for (i = 0; !rc && i < r->files.n; i++) {
		struct shared_file *file = &r->files.items[i];

		if (file->is_over || file->is_bad || !open_file(r, file))
			continue;
		check_ready(r, file);
		if (file->is_ready) {
			rc = check_file(r, file);
			note_end(file);
		}
		close_unused_file(r, file, file->is_over || file->is_bad);
	}
	return rc;
}

static int on_check(void *ctx, uint64_t expirations PIPA_UNUSED, struct pipa_error *err)
{
	int rc = check_files(ctx);

	return rc ? pipa_fail(err, rc, "record the heap") : 0;
}

/* ---- snapshots ------------------------------------------------------------------------------------ */

/* Add the allocations of the last process of the heaps. */
static int add_rows(struct pipa_heap_snapshot *snapshot, uint32_t file,
		    const struct pipa_heaps *heaps)
{
	const struct pipa_heaps_process *process = &heaps->processes.items[heaps->processes.n - 1];
	size_t i;

	for (i = process->stacks; i < process->stacks + process->n_stacks; i++) {
		const struct pipa_heaps_stack *stack = &heaps->stacks.items[i];
		struct pipa_heap_snapshot_row *row;

		if (!stack->alloc.bytes && !stack->alloc.objects)
			continue;
		row = PIPA_VEC_ADD(snapshot);
		if (!row)
			return -ENOMEM;
		*row = (struct pipa_heap_snapshot_row){ file, stack->number, stack->samples,
							stack->alloc, stack->inuse };
	}
	return 0;
}

/* Pass a snapshot to the caller of the recorder. A failure is noted once, and recording continues. */
static void pass_snapshot(struct pipa_heap_recorder *r, struct pipa_heaps *heaps, uint64_t time_ns)
{
	struct pipa_error err = { 0 };
	int rc;

	if (!r->o.on_snapshot || r->has_noted)
		return;
	rc = r->o.on_snapshot(r->o.ctx, heaps, r->mapped, r->result.snapshots.n, r->result.start_ns,
			      time_ns, &err);
	if (rc >= 0)
		return;
	r->has_noted = true;
	pipa_log_note(&r->o.log, "snapshots are not written before the end: %s", err.what);
}

/*
 * Return when exec replaced a program: the start of the next program of the same PID, which has a file of its
 * own. 0 if it was not replaced.
 */
static uint64_t find_exec_time(const struct pipa_heap_recorder *r, const struct shared_file *file)
{
	uint64_t first = 0;
	size_t i;

	for (i = 0; i < r->files.n; i++) {
		const struct shared_file *other = &r->files.items[i];

		if (other->is_ready && other->pid == file->pid &&
		    other->start_ns > file->start_ns && (!first || other->start_ns < first))
			first = other->start_ns;
	}
	return first;
}

/* Is the program of a file running? Its PID may be used again. */
static bool is_running(const struct pipa_heap_recorder *r, const struct shared_file *file)
{
	return file->is_ready && !file->is_over && !file->gone_ns && !find_exec_time(r, file);
}

/* Take a snapshot of the memory in use by all running processes. */
static int take_snapshot(struct pipa_heap_recorder *r)
{
	struct pipa_heap_snapshot *snapshot = PIPA_VEC_ADD(&r->result.snapshots);
	PIPA_AUTO(pipa_heaps_done) struct pipa_heaps heaps = { 0 };
	struct timespec now;
	size_t i;
	int rc = snapshot ? check_files(r) : -ENOMEM;

	if (rc)
		return rc;
	clock_gettime(CLOCK_REALTIME, &now);
	snapshot->time_ns = pipa_clock_ns();
	snapshot->wall_ns = (uint64_t)now.tv_sec * PIPA_NS_PER_SEC + (uint64_t)now.tv_nsec;
	for (i = 0; !rc && i < r->files.n; i++) {
		struct shared_file *file = &r->files.items[i];
		struct pipa_heap_file_info info;

		if (!is_running(r, file) || !open_file(r, file))
			continue;
		if (pipa_heap_decode_fd(file->fd, &heaps, &info, NULL) == 0)
			rc = add_rows(snapshot, (uint32_t)i, &heaps);
		close_unused_file(r, file, file->is_over);
	}
	if (!rc)
		pass_snapshot(r, &heaps, snapshot->time_ns);
	return rc;
}

static int on_snapshot(void *ctx, uint64_t expirations PIPA_UNUSED, struct pipa_error *err)
{
	int rc = take_snapshot(ctx);

	return rc ? pipa_fail(err, rc, "take a snapshot of the heap") : 0;
}

/* ---- instrument ----------------------------------------------------------------------------------- */

static int plan_heap(void *ctx, struct pipa_error *err)
{
	struct pipa_heap_recorder *r = ctx;
	int rc = pipa_heap_target_check(r->o.command[0], !r->o.mappings, err);

	if (!rc)
		rc = make_directory(r, err);
	if (!rc)
		rc = pipa_heap_library_open(geteuid() == 0, &r->library, err);
	if (!rc && make_environment(r) < 0)
		rc = pipa_fail(err, -ENOMEM, "record the heap");
	if (!rc) {
		r->mapped = pipa_mapped_files_new(OPEN_MAX_MAPPED);
		if (!r->mapped)
			rc = pipa_fail(err, -ENOMEM, "record the heap");
		r->o.follow->environment = r->environment;
	}
	return rc;
}

static int begin_heap(void *ctx, struct pipa_error *err)
{
	struct pipa_heap_recorder *r = ctx;
	bool hold = r->o.leaks || r->o.pages;
	uint64_t now = pipa_clock_ns(), every = (hold ? HELD_MS : CHECK_MS) * PIPA_NS_PER_MS;
	int rc = pipa_loop_timer(r->o.follow->loop, now + every, every, on_check, r, err);

	r->result.start_ns = now;
	if (!rc && r->o.snapshot_ns)
		rc = pipa_loop_timer(r->o.follow->loop, now + r->o.snapshot_ns, r->o.snapshot_ns,
				     on_snapshot, r, err);
	return rc;
}

static int compare_findings(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

/* Copy the findings about blocks that were not freed after the search. */
static void merge_findings(const struct shared_file *file, struct pipa_heaps *heaps,
			   const struct pipa_heaps_process *process)
{
	uint32_t i;

	if (!file->findings.n)
		return;
	qsort(file->findings.items, file->findings.n, sizeof(*file->findings.items),
	      compare_findings);
	for (i = process->blocks; i < process->blocks + process->n_blocks; i++) {
		struct pipa_heaps_block *block = &heaps->blocks.items[i];
		const struct finding key = { .address = block->address, .time_ns = block->time_ns };
		const struct finding *found = bsearch(&key, file->findings.items, file->findings.n,
						      sizeof(key), compare_findings);

		if (!found)
			continue;
		if (file->has_reach)
			block->reach = found->block.reach;
		block->has_pages = found->block.has_pages;
		block->resident = found->block.resident;
		block->swapped = found->block.swapped;
		block->untouched = found->block.untouched;
	}
}

/*
 * Set how and when a process has ended that did not record its end. One that was killed may have allocated last long
 * before; it ended at the latest when it was seen to be gone.
 */
static void set_end(struct pipa_heap_recorder *r, const struct shared_file *file,
		    struct pipa_heaps_process *p)
{
	uint64_t end_ns = find_exec_time(r, file);

	if (end_ns) {
		pipa_heaps_replace(&r->result.heaps, p, end_ns);
		return;
	}
	if (file->gone_ns) {
		p->end = PIPA_HEAPS_KILLED;
		end_ns = file->gone_ns > p->end_ns ? file->gone_ns : p->end_ns;
	}
	if (!end_ns || end_ns > r->result.end_ns)
		end_ns = r->result.end_ns;
	p->end_ns = end_ns > p->start_ns ? end_ns : p->start_ns;
}

static int read_final(struct pipa_heap_recorder *r, struct shared_file *file, uint32_t number)
{
	struct pipa_heaps *heaps = &r->result.heaps;
	size_t modules = heaps->modules.n;
	struct pipa_heap_file_info info;
	struct pipa_heaps_process *p;
	uint32_t *slot;
	int rc = open_file(r, file) ? pipa_heap_decode_fd(file->fd, heaps, &info, NULL) : -ENOENT;

	close_unused_file(r, file, true);
	if (rc == -ENOMEM)
		return rc;
	if (rc) {
		r->result.unreadable++;
		return 0;
	}
	p = &heaps->processes.items[heaps->processes.n - 1];
	slot = PIPA_VEC_ADD(&r->result.files);
	if (!slot)
		return -ENOMEM;
	*slot = number;
	if (p->end == PIPA_HEAPS_RUNNING)
		set_end(r, file, p);
	pipa_heap_identify_modules(r->mapped, file->pid, heaps, modules);
	merge_findings(file, heaps, p);
	if (!file->has_reach && p->end != PIPA_HEAPS_REPLACED)
		r->result.unsearched++;
	return 0;
}

static int compare_starts(const void *a, const void *b, void *ctx)
{
	const struct shared_file *files = ctx;
	uint64_t x = files[*(const uint32_t *)a].start_ns, y = files[*(const uint32_t *)b].start_ns;

	return x < y ? -1 : x > y;
}

/* Read the files of all processes, in the order in which these were started. */
static int read_all(struct pipa_heap_recorder *r)
{
	PIPA_AUTO(free) uint32_t *order = calloc(r->files.n + 1, sizeof(*order));
	size_t i, n = 0;
	int rc = order ? 0 : -ENOMEM;

	for (i = 0; !rc && i < r->files.n; i++)
		if (r->files.items[i].is_ready)
			order[n++] = (uint32_t)i;
	if (n)
		qsort_r(order, n, sizeof(*order), compare_starts, r->files.items);
	for (i = 0; !rc && i < n; i++)
		rc = read_final(r, &r->files.items[order[i]], order[i]);
	return rc;
}

static int finish_heap(void *ctx, struct pipa_error *err)
{
	struct pipa_heap_recorder *r = ctx;
	int rc = check_files(r);

	r->result.end_ns = pipa_clock_ns();
	if (!rc)
		rc = read_all(r);
	r->result.searched = r->o.leaks && !r->result.unsearched;
	if (rc)
		return pipa_fail(err, rc, "read the heap recording");
	if (r->result.unreadable)
		pipa_log_note(
			&r->o.log,
			"malformed recordings, removed or overwritten by their processes: %zu",
			r->result.unreadable);
	else if (!r->result.heaps.processes.n && r->o.follow->child.ended)
		pipa_log_note(
			&r->o.log,
			"the command was not profiled: the library was not loaded or could not "
			"write below %s",
			r->dir);
	return 0;
}

/* Switch recording off in processes that are still running, and the wait at their exit. */
static void close_heap(void *ctx)
{
	struct pipa_heap_recorder *r = ctx;
	size_t i;

	for (i = 0; i < r->files.n; i++) {
		struct shared_file *file = &r->files.items[i];

		if (file->is_ready && !file->is_over && open_file(r, file)) {
			write_control(file, offsetof(struct pipa_heap_control, on), 0);
			release_exit(file);
		}
		close_unused_file(r, file, true);
		free(file->findings.items);
	}
	pipa_strings_done(&r->names);
	free(r->files.items);
	memset(&r->files, 0, sizeof(r->files));
	remove_directory(r);
	pipa_heap_library_close(&r->library);
}

const struct pipa_instrument_ops pipa_heap_instrument = {
	.plan = plan_heap,
	.begin = begin_heap,
	.finish = finish_heap,
	.close = close_heap,
};

struct pipa_heap_recorder *pipa_heap_recorder_new(const struct pipa_heap_record_options *options)
{
	struct pipa_heap_recorder *r = calloc(1, sizeof(*r));

	if (r) {
		r->o = *options;
		r->library.fd = -1;
	}
	return r;
}

void pipa_heap_recorder_free(struct pipa_heap_recorder *r)
{
	if (!r)
		return;
	close_heap(r);
	free(r->environment);
	free(r->preload_text);
	free(r->heap_text);
	pipa_mapped_files_free(r->mapped);
	pipa_heap_recording_done(&r->result);
	free(r);
}

char **pipa_heap_recorder_environment(const struct pipa_heap_recorder *r)
{
	return r->environment;
}

const struct pipa_mapped_files *pipa_heap_recorder_mapped(const struct pipa_heap_recorder *r)
{
	return r->mapped;
}

void pipa_heap_recorder_take(struct pipa_heap_recorder *r, struct pipa_heap_recording *ret)
{
	*ret = r->result;
	r->result = (struct pipa_heap_recording){ 0 };
}

void pipa_heap_recording_done(struct pipa_heap_recording *recording)
{
	size_t i;

	pipa_heaps_done(&recording->heaps);
	for (i = 0; i < recording->snapshots.n; i++)
		free(recording->snapshots.items[i].items);
	free(recording->snapshots.items);
	free(recording->files.items);
	*recording = (struct pipa_heap_recording){ 0 };
}
