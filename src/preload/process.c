#include "preload/process.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include "preload/clock.h"
#include "preload/machine.h"
#include "preload/maps.h"
#include "preload/symbols.h"
#include "preload/sys.h"
#include "preload/thread.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum {
	N_SHARDS = 64,
	N_THREADS = 8192,
	FRAMES_PER_STACK = 24, /* on average */
	MAPS_BYTES = 8 << 20,
	BLOCKS_MIN = 1 << 14, /* where the size of files is limited */
	STACKS_MIN = 1 << 10,
	SHARD_RATE = 16 << 10, /* shards are used with at most this rate */
	FILTER_RATE = 64,      /* the filter of addresses is used above this rate */
	SPACE_PART = 4,	       /* the file takes at most this part of RLIMIT_AS */
	HOLD_NS = 5000000,     /* time between two checks of control.hold_exit */
	HOLD_CHECKS = 2000,    /* checks if the reader has not written its PID */
};

extern char **environ __attribute__((weak, visibility("default")));

struct pipa_heap_process pipa_heap_process;

static uint64_t usable_buckets[PIPA_HEAP_BLOCKS_MAX / PIPA_HEAP_BUCKET * 2 / PIPA_HEAP_GROUP / 64];

uint64_t pipa_heap_committed[1 << (PIPA_HEAP_FILE_BITS - PIPA_HEAP_CHUNK_BITS - 6)];

static uint64_t page_up(uint64_t size)
{
	return (size + PIPA_HEAP_PAGE - 1) & ~(uint64_t)(PIPA_HEAP_PAGE - 1);
}

void pipa_heap_process_lose(enum pipa_heap_loss loss, uint64_t count)
{
	if (pipa_heap_process.status)
		__atomic_fetch_add(&pipa_heap_process.status->lost[loss], count, __ATOMIC_RELAXED);
}

/* ---- the file -------------------------------------------------------------------------------------------- */

/*
 * Allocate a chunk by its mapping, or on kernels before 5.14 by opening the file again: the program
 * could have closed a descriptor and reused its number.
 */
static bool allocate_chunk(uint64_t at, uint64_t size)
{
	long got = PIPA_SYS3(madvise, pipa_heap_process.file + at, size, MADV_POPULATE_WRITE);
	int fd;

	if (!got)
		return true;
	if (got != -EINVAL)
		return false;
	fd = (int)PIPA_SYS4(openat, AT_FDCWD, pipa_heap_process.path,
			    O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
	if (fd < 0)
		return false;
	got = PIPA_SYS4(fallocate, fd, 0, at, size);
	pipa_sys_close(fd);
	return !got || got == -EOPNOTSUPP; /* the file system cannot reserve space */
}

static bool commit_chunk(uint64_t chunk)
{
	uint64_t at = chunk << PIPA_HEAP_CHUNK_BITS, bit = UINT64_C(1) << chunk % 64;
	uint64_t size = UINT64_C(1) << PIPA_HEAP_CHUNK_BITS;

	if (size > pipa_heap_process.file_size - at)
		size = pipa_heap_process.file_size - at;
	if (!allocate_chunk(at, size)) {
		pipa_heap_process_lose(PIPA_HEAP_LOST_STORAGE, 1);
		return false;
	}
	__atomic_fetch_or(&pipa_heap_committed[chunk / 64], bit, __ATOMIC_RELEASE);
	return true;
}

bool pipa_heap_process_commit(void *at, uint64_t size)
{
	uint64_t offset = (uint64_t)((uint8_t *)at - pipa_heap_process.file);
	uint64_t chunk = offset >> PIPA_HEAP_CHUNK_BITS,
		 last = (offset + size - 1) >> PIPA_HEAP_CHUNK_BITS;

	for (; chunk <= last; chunk++) {
		if (__atomic_load_n(&pipa_heap_committed[chunk / 64], __ATOMIC_ACQUIRE) >>
			    chunk % 64 &
		    1)
			continue;
		if (!commit_chunk(chunk))
			return false;
	}
	return true;
}

static uint64_t power_of_two(uint64_t least)
{
	uint64_t n = 1;

	while (n < least)
		n <<= 1;
	return n;
}

/* Lay out the regions; returns the size of the file. */
static uint64_t lay_out(const struct pipa_heap_config *config,
			struct pipa_heap_extent regions[PIPA_HEAP_REGION_NR])
{
	uint64_t buckets = power_of_two((config->blocks + PIPA_HEAP_BUCKET - 1) / PIPA_HEAP_BUCKET);
	const struct pipa_heap_extent wanted[PIPA_HEAP_REGION_NR] = {
		[PIPA_HEAP_STACKS] = { 0, config->stacks, sizeof(struct pipa_heap_stack) },
		[PIPA_HEAP_FRAMES] = { 0, config->stacks * FRAMES_PER_STACK, sizeof(uint64_t) },
		[PIPA_HEAP_BUCKETS] = { 0, buckets, sizeof(struct pipa_heap_bucket) },
		[PIPA_HEAP_BLOCKS] = { 0, buckets * PIPA_HEAP_BUCKET,
				       sizeof(struct pipa_heap_block) },
		[PIPA_HEAP_SHARDS] = { 0, config->rate <= SHARD_RATE ? N_SHARDS : 0,
				       sizeof(struct pipa_heap_shard) },
		[PIPA_HEAP_THREADS] = { 0, N_THREADS, sizeof(struct pipa_heap_thread) },
		[PIPA_HEAP_MAPS] = { 0, MAPS_BYTES, 1 },
	};
	uint64_t at = PIPA_HEAP_REGIONS_AT;
	unsigned int i;

	for (i = 0; i < PIPA_HEAP_REGION_NR; i++) {
		regions[i] = wanted[i];
		regions[i].offset = at;
		at += page_up(wanted[i].count * wanted[i].size);
	}
	return at;
}

/* Return a limit of the process; UINT64_MAX if there is none, or it is not known. */
static uint64_t limit_of(int resource)
{
	struct rlimit64 limit = { 0 };

	if (PIPA_SYS4(prlimit64, 0, resource, NULL, &limit) < 0 ||
	    limit.rlim_cur == RLIM64_INFINITY)
		return UINT64_MAX;
	return limit.rlim_cur;
}

/*
 * Return the largest size of the file: one that the process may write without SIGXFSZ, and whose mapping leaves most
 * of a limited address space to the program.
 */
static uint64_t file_limit(void)
{
	uint64_t file = limit_of(RLIMIT_FSIZE), space = limit_of(RLIMIT_AS) / SPACE_PART;

	return file < space ? file : space;
}

/* Make the tables smaller until the file is within the limit. Returns its size, 0: impossible. */
static uint64_t fit_file_limit(struct pipa_heap_config *config,
			       struct pipa_heap_extent regions[PIPA_HEAP_REGION_NR])
{
	uint64_t limit = file_limit(), size = lay_out(config, regions);

	while (size > limit) {
		if (config->blocks > BLOCKS_MIN)
			config->blocks /= 2;
		else if (config->stacks > STACKS_MIN)
			config->stacks /= 2;
		else
			return 0;
		size = lay_out(config, regions);
	}
	return size;
}

static char *put_text(char *to, const char *text)
{
	while (*text)
		*to++ = *text++;
	*to = 0;
	return to;
}

static char *put_number(char *to, uint64_t value, unsigned int base)
{
	char digits[24];
	unsigned int n = 0;

	do
		digits[n++] = "0123456789abcdef"[value % base];
	while (value /= base);
	while (n)
		*to++ = digits[--n];
	*to = 0;
	return to;
}

/* Create the file and map it; false if that is not possible. */
static bool map_file(struct pipa_heap_process *p, uint64_t size, uint64_t now_ns)
{
	char *at = put_text(p->path, p->config.dir);
	long mapped;
	int fd;

	at = put_text(at, "/");
	at = put_number(at, p->pid, 10);
	at = put_text(at, ".");
	at = put_number(at, now_ns, 16);
	put_text(at, ".heap");
	fd = (int)PIPA_SYS4(openat, AT_FDCWD, p->path,
			    O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return false;
	mapped = PIPA_SYS2(ftruncate, fd, size);
	if (!mapped)
		mapped = PIPA_SYS(mmap, 0, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
				  fd, 0);
	pipa_sys_close(fd);
	if (mapped < 0 && mapped > -PIPA_SYS_ERRORS) {
		PIPA_SYS3(unlinkat, AT_FDCWD, p->path, 0);
		return false;
	}
	/* a page fault on a disk would read the surrounding pages, which are holes */
	PIPA_SYS3(madvise, mapped, size, MADV_RANDOM);
	p->file = (uint8_t *)mapped; // NOLINT
	p->file_size = size;
	return true;
}

static void *region(const struct pipa_heap_process *p, enum pipa_heap_region which)
{
	return p->file + p->header->regions[which].offset;
}

/* Return the addresses per bucket, as a power of two: about two samples, or with a rate of 1 the smallest blocks. */
static unsigned int bucket_shift(uint64_t rate)
{
	unsigned int shift = 7;

	while (shift < 26 && UINT64_C(1) << shift < rate * 2)
		shift++;
	return shift;
}

/* Point the tables at the file, whose header is written. */
static bool open_tables(struct pipa_heap_process *p)
{
	const struct pipa_heap_extent *regions = p->header->regions;
	uint64_t index = power_of_two(regions[PIPA_HEAP_STACKS].count * 2);

	p->shards = regions[PIPA_HEAP_SHARDS].count ? region(p, PIPA_HEAP_SHARDS) : NULL;
	p->threads = region(p, PIPA_HEAP_THREADS);
	p->maps = region(p, PIPA_HEAP_MAPS);
	p->maps_size = regions[PIPA_HEAP_MAPS].count;
	p->n_shards = regions[PIPA_HEAP_SHARDS].count;
	p->n_threads = regions[PIPA_HEAP_THREADS].count;
	memset(usable_buckets, 0, sizeof(usable_buckets));
	p->blocks = (struct pipa_heap_blocks){
		.buckets = region(p, PIPA_HEAP_BUCKETS),
		.blocks = region(p, PIPA_HEAP_BLOCKS),
		.mask = regions[PIPA_HEAP_BUCKETS].count - 1,
		.shift = bucket_shift(p->config.rate),
		.commit = pipa_heap_process_commit,
		.usable = usable_buckets,
	};
	p->stacks = (struct pipa_heap_stacks){
		.status = p->status,
		.stacks = region(p, PIPA_HEAP_STACKS),
		.n_stacks = regions[PIPA_HEAP_STACKS].count,
		.frames = region(p, PIPA_HEAP_FRAMES),
		.n_frames = regions[PIPA_HEAP_FRAMES].count,
		.index = pipa_sys_memory(index * sizeof(uint32_t)),
		.index_mask = index - 1,
		.commit = pipa_heap_process_commit,
	};
	return p->stacks.index != NULL;
}

static void write_header(struct pipa_heap_process *p, bool forked, bool on, uint64_t now_ns)
{
	struct pipa_heap_header *header = p->header;
	const struct pipa_heap_config *config = &p->config;
	long got;

	header->magic = PIPA_HEAP_MAGIC;
	header->version = PIPA_HEAP_VERSION;
	header->order = PIPA_HEAP_ORDER;
	header->machine = PIPA_HEAP_MACHINE;
	header->file_size = p->file_size;
	header->pid = p->pid;
	header->ppid = (uint32_t)PIPA_SYS0(getppid);
	header->page_size = PIPA_HEAP_PAGE;
	header->flags = (config->frees ? PIPA_HEAP_FREES : 0) |
			(config->mmap ? PIPA_HEAP_MMAP : 0) | (forked ? PIPA_HEAP_FORKED : 0) |
			(config->follow ? PIPA_HEAP_FOLLOW : 0) |
			(p->bypassed ? PIPA_HEAP_BYPASSED : 0);
	header->start_ns = now_ns;
	header->start_wall_ns = pipa_sys_clock(CLOCK_REALTIME);
	header->rate = config->rate;
	header->min_size = config->min_size;
	header->depth = config->depth;
	got = PIPA_SYS4(readlinkat, AT_FDCWD, "/proc/self/exe", header->exe,
			sizeof(header->exe) - 1);
	if (got < 0)
		header->exe[0] = 0;
	pipa_sys_read_file("/proc/self/cmdline", header->cmdline, sizeof(header->cmdline) - 1);
	p->control->on = on;
	p->control->hold_exit = config->hold != 0;
}

static void reset_filter(const struct pipa_heap_config *config)
{
	bool is_full = config->rate <= FILTER_RATE && config->min_size <= FILTER_RATE;

	memset(pipa_heap_filter, is_full ? PIPA_HEAP_FILTER_FULL : 0, sizeof(pipa_heap_filter));
}

bool pipa_heap_process_switch(void)
{
	const struct pipa_heap_process *p = &pipa_heap_process;

	/* with an invalid operation the kernel only reads the mask, and access to a missing page is no SIGBUS */
	if (!p->control || PIPA_SYS4(rt_sigprocmask, -1, p->control, NULL, 8) == -EFAULT)
		return p->config.on;
	return pipa_heap_process_on();
}

static bool create_file(struct pipa_heap_process *p, bool forked)
{
	uint64_t now_ns = pipa_sys_clock(CLOCK_MONOTONIC), size;
	struct pipa_heap_extent regions[PIPA_HEAP_REGION_NR];
	bool on = pipa_heap_process_switch();

	p->pid = pipa_sys_pid();
	size = fit_file_limit(&p->config, regions);
	if (!size || size >> PIPA_HEAP_FILE_BITS)
		return false;
	memset(pipa_heap_committed, 0, sizeof(pipa_heap_committed));
	if (!map_file(p, size, now_ns))
		return false;
	if (!pipa_heap_process_commit(p->file, PIPA_HEAP_REGIONS_AT)) {
		PIPA_SYS2(munmap, p->file, p->file_size);
		PIPA_SYS3(unlinkat, AT_FDCWD, p->path, 0);
		return false;
	}
	p->header = (struct pipa_heap_header *)p->file;
	p->control = (struct pipa_heap_control *)(p->file + PIPA_HEAP_CONTROL_AT);
	p->status = (struct pipa_heap_status *)(p->file + PIPA_HEAP_STATUS_AT);
	memcpy(p->header->regions, regions, sizeof(regions));
	write_header(p, forked, on, now_ns);
	if (!open_tables(p))
		return false;
	__atomic_store_n(&p->header->ready, 1, __ATOMIC_RELEASE);
	return true;
}

/* ---- the start ------------------------------------------------------------------------------------------- */

/* Find the variable in /proc/self/environ, which can be read before libc is initialized. */
static bool read_config(struct pipa_heap_config *ret)
{
	static const char name[] = PIPA_HEAP_ENV "=";
	char *value = pipa_heap_process.environment + sizeof(name) - 1, part[1024];
	size_t room = sizeof(pipa_heap_process.environment) - sizeof(name);
	size_t matched = 0, n = 0;
	bool skip = false, found = false;
	int fd = pipa_sys_open("/proc/self/environ");
	long got, i;

	if (fd < 0)
		return false;
	while (!found && (got = pipa_sys_read(fd, part, sizeof(part))) > 0) {
		for (i = 0; i < got && !found; i++) {
			if (!part[i]) {
				found = matched == sizeof(name) - 1;
				matched = 0;
				skip = false;
			} else if (matched == sizeof(name) - 1) {
				if (n < room)
					value[n++] = part[i];
			} else if (!skip && part[i] == name[matched]) {
				matched++;
			} else {
				skip = true;
				matched = 0;
			}
		}
	}
	pipa_sys_close(fd);
	memcpy(pipa_heap_process.environment, name, sizeof(name) - 1);
	value[n] = 0;
	return matched == sizeof(name) - 1 || found ? pipa_heap_config_parse(value, ret) : false;
}

/*
 * Find the variable in libc's environment: /proc/self/environ may be missing, or, under an emulator, be
 * that of another program.
 */
static bool find_config(struct pipa_heap_config *ret)
{
	static const char name[] = PIPA_HEAP_ENV "=";
	char *const *at = &environ ? environ : NULL;
	size_t size;

	for (; at && *at; at++) {
		size = strlen(*at);
		if (strncmp(*at, name, sizeof(name) - 1) != 0 ||
		    size >= sizeof(pipa_heap_process.environment))
			continue;
		memcpy(pipa_heap_process.environment, *at, size + 1);
		return pipa_heap_config_parse(*at + sizeof(name) - 1, ret);
	}
	return false;
}

static bool start_process(struct pipa_heap_process *p)
{
	if (!read_config(&p->config) && !find_config(&p->config))
		return false;
	pipa_heap_symbol_own_path(p->preload, sizeof(p->preload));
	p->bypassed = pipa_heap_symbol_in_program("malloc");
	p->owner = pipa_sys_memory(PIPA_HEAP_PAGE);
	if (!p->owner)
		return false;
	PIPA_SYS3(madvise, p->owner, PIPA_HEAP_PAGE, MADV_WIPEONFORK);
	if (!create_file(p, false))
		return false;
	reset_filter(&p->config);
	*p->owner = p->pid;
	pipa_heap_clock_start();
	pipa_heap_maps_capture();
	return true;
}

static bool is_child(const struct pipa_heap_process *p)
{
	return !__atomic_load_n(p->owner, __ATOMIC_RELAXED);
}

void pipa_heap_process_note_gap(enum pipa_heap_gap gap)
{
	struct pipa_heap_process *p = &pipa_heap_process;

	if (__atomic_load_n(&p->mode, __ATOMIC_ACQUIRE) != PIPA_HEAP_ACTIVE || is_child(p))
		return;
	if (!(__atomic_load_n(&p->status->gaps, __ATOMIC_RELAXED) & gap))
		__atomic_fetch_or(&p->status->gaps, gap, __ATOMIC_RELAXED);
}

/*
 * Start in a forked child, at its first sample. Frees of blocks that the parent allocated are not
 * recorded.
 */
static bool start_child(struct pipa_heap_process *p)
{
	uint8_t *file = p->file;
	uint64_t size = p->file_size;
	uint32_t *index = p->stacks.index;
	uint64_t index_size = (p->stacks.index_mask + 1) * sizeof(*index);
	struct pipa_heap_status *parent = p->status;
	uint32_t active = PIPA_HEAP_ACTIVE;
	bool done;

	if (!__atomic_compare_exchange_n(&p->mode, &active, PIPA_HEAP_STARTING, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return false; /* another thread of the child does it */
	reset_filter(&p->config);
	*p->owner = pipa_sys_pid();
	pipa_heap_threads_forked();
	pipa_heap_maps_forked();
	done = p->config.follow && create_file(p, true);
	if (!done && p->config.follow)
		__atomic_fetch_add(&parent->lost[PIPA_HEAP_LOST_CHILDREN], 1, __ATOMIC_RELAXED);
	if (index)
		PIPA_SYS2(munmap, index, index_size);
	PIPA_SYS2(munmap, file, size);
	if (!done) {
		p->status = NULL;
		p->control = NULL;
	} else {
		pipa_heap_maps_capture();
	}
	__atomic_store_n(&p->mode, done ? PIPA_HEAP_ACTIVE : PIPA_HEAP_PASSIVE, __ATOMIC_RELEASE);
	return done;
}

void pipa_heap_process_load(void)
{
	struct pipa_heap_process *p = &pipa_heap_process;

	/* libc has set its environment now */
	if (!pipa_heap_process_ready() && p->mode == PIPA_HEAP_PASSIVE && !p->owner &&
	    find_config(&p->config)) {
		pipa_heap_local.countdown = 0;
		__atomic_store_n(&p->mode, PIPA_HEAP_UNKNOWN, __ATOMIC_RELEASE);
		pipa_heap_process_ready();
	}
}

bool pipa_heap_process_get_ready(void)
{
	struct pipa_heap_process *p = &pipa_heap_process;
	uint32_t mode = __atomic_load_n(&p->mode, __ATOMIC_ACQUIRE), none = PIPA_HEAP_UNKNOWN;

	if (mode == PIPA_HEAP_ACTIVE)
		return !is_child(p) || start_child(p);
	if (mode != PIPA_HEAP_UNKNOWN)
		return false;
	if (!__atomic_compare_exchange_n(&p->mode, &none, PIPA_HEAP_STARTING, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return false;
	mode = start_process(p) ? PIPA_HEAP_ACTIVE : PIPA_HEAP_PASSIVE;
	__atomic_store_n(&p->mode, mode, __ATOMIC_RELEASE);
	return mode == PIPA_HEAP_ACTIVE;
}

/* ---- the end --------------------------------------------------------------------------------------------- */

void pipa_heap_process_stop(void)
{
	uint32_t active = PIPA_HEAP_ACTIVE;

	__atomic_compare_exchange_n(&pipa_heap_process.mode, &active, PIPA_HEAP_PASSIVE, false,
				    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/*
 * Wait for the reader. The program may have overwritten the file: the reader's PID is taken from the
 * configuration, and the state is written again.
 */
static void hold_exit(const struct pipa_heap_process *p)
{
	struct timespec pause = { .tv_nsec = HOLD_NS };
	uint32_t reader = (uint32_t)p->config.hold;
	unsigned int unseen = 0;

	while (__atomic_load_n(&p->control->hold_exit, __ATOMIC_ACQUIRE)) {
		if (__atomic_load_n(&p->control->holder, __ATOMIC_RELAXED) != reader &&
		    unseen++ == HOLD_CHECKS)
			break;
		if (PIPA_SYS2(kill, reader, 0) == -ESRCH)
			break;
		__atomic_store_n(&p->status->state, PIPA_HEAP_HELD, __ATOMIC_SEQ_CST);
		PIPA_SYS2(nanosleep, &pause, NULL);
	}
}

void pipa_heap_process_exit(uint64_t sp)
{
	struct pipa_heap_process *p = &pipa_heap_process;

	if (__atomic_load_n(&p->mode, __ATOMIC_ACQUIRE) != PIPA_HEAP_ACTIVE || is_child(p) ||
	    pipa_sys_pid() != p->pid)
		return;
	pipa_heap_maps_capture();
	__atomic_store_n(&p->status->end_ns, pipa_sys_clock(CLOCK_MONOTONIC), __ATOMIC_RELAXED);
	p->status->held_sp = sp;
	p->status->held_tid = pipa_sys_tid();
	if (p->config.hold)
		hold_exit(p);
	__atomic_store_n(&p->status->state, PIPA_HEAP_EXITED, __ATOMIC_SEQ_CST);
}
