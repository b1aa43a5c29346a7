#include "base/file/file_map.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SLOTS = 256 };

/* The path of a truncated file. */
struct file_path {
	struct file_path *next;
	char path[];
};

/* A mapped range. The handler reads it without a lock: size is 0 while start changes. */
struct range {
	_Atomic uintptr_t start;
	_Atomic size_t size;   /* 0: free */
	atomic_uint truncated; /* not a bool: riscv64 has no exchange of a byte */
};

/*
 * Blocks are never freed, so the handler can walk the list at any time. A mapping needs no memory of malloc(),
 * and of a path that is not in use no page.
 */
struct block {
	struct range ranges[SLOTS];
	size_t used; /* of them */
	struct block *_Atomic next;
	char paths[SLOTS][PATH_MAX]; /* of the ranges, "" where it is not known */
};

static struct {
	pthread_mutex_t lock; /* for all but the handler */
	struct block first;
	struct file_path *truncated;
	bool unknown_truncated; /* also files whose path is not known */
	uintptr_t page_size;
	struct sigaction before;
	bool installed;
} maps = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- the handler --------------------------------------------------------------------------------------- */

static struct range *find_range(uintptr_t at)
{
	struct block *block;
	size_t i;

	for (block = &maps.first; block; block = atomic_load(&block->next))
		for (i = 0; i < SLOTS; i++) {
			struct range *range = &block->ranges[i];
			size_t size = atomic_load(&range->size);
			uintptr_t start = atomic_load(&range->start);

			if (at >= start && at - start < size)
				return range;
		}
	return NULL;
}

/*
 * Replace the page by one of zeros. The thread that faulted uses the range, so it stays mapped meanwhile; another
 * thread that met the same page replaces zeros by zeros. The system call itself, as a sanitizer takes mmap(3) for
 * a write.
 */
static bool replace_page(uintptr_t at)
{
	return syscall(SYS_mmap, at - at % maps.page_size, maps.page_size, PROT_READ,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != -1;
}

static void on_bus_error(int number, siginfo_t *info, void *context)
{
	int saved = errno;
	struct range *range = NULL;

	(void)context;
	if (info->si_code == BUS_ADRERR)
		range = find_range((uintptr_t)info->si_addr);
	if (range && replace_page((uintptr_t)info->si_addr)) {
		atomic_store(&range->truncated, 1);
		errno = saved;
		return;
	}
	/* not ours: the access is repeated, with the action of before */
	sigaction(SIGBUS, &maps.before, NULL);
	if (info->si_code <= 0)
		raise(number); /* sent by a process: nothing would be repeated */
	errno = saved;
}

void pipa_file_map_guard(void)
{
	struct sigaction action = { .sa_sigaction = on_bus_error,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK };

	pthread_mutex_lock(&maps.lock);
	if (!maps.installed) {
		maps.page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
		sigemptyset(&action.sa_mask);
		maps.installed = sigaction(SIGBUS, &action, &maps.before) == 0;
	}
	pthread_mutex_unlock(&maps.lock);
}

/* ---- the ranges ---------------------------------------------------------------------------------------- */

/* Take a free range of *ret_block; NULL on allocation failure. Called with the lock. */
static struct range *take_range(struct block **ret_block)
{
	struct block *block = &maps.first, *next;
	size_t i;

	for (;; block = next) {
		for (i = 0; block->used < SLOTS && i < SLOTS; i++)
			if (!atomic_load(&block->ranges[i].size)) {
				block->used++;
				*ret_block = block;
				return &block->ranges[i];
			}
		next = atomic_load(&block->next);
		if (!next) {
			next = mmap(NULL, sizeof(*next), PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			if (next == MAP_FAILED)
				return NULL;
			atomic_store(&block->next, next);
		}
	}
}

static char *path_of(struct block *block, const struct range *range)
{
	return block->paths[range - block->ranges];
}

/* Find the path of an open file for messages; "" where there is no /proc. */
static void read_path(int fd, char path[PATH_MAX])
{
	char link[40];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, PATH_MAX - 1);
	path[n > 0 ? n : 0] = '\0';
}

static bool add_range(uintptr_t start, size_t size, int fd)
{
	struct block *block;
	struct range *range;

	pthread_mutex_lock(&maps.lock);
	range = take_range(&block);
	if (range) {
		read_path(fd, path_of(block, range));
		atomic_store(&range->truncated, 0);
		atomic_store(&range->start, start);
		atomic_store(&range->size, size);
	}
	pthread_mutex_unlock(&maps.lock);
	return range != NULL;
}

/* Add the path of a truncated range to the list of such files, once. Called with the lock. */
static void keep_truncated(struct block *block, struct range *range)
{
	const char *path = path_of(block, range);
	size_t len = strlen(path);
	struct file_path *file;

	if (!atomic_exchange(&range->truncated, 0))
		return;
	for (file = maps.truncated; file; file = file->next)
		if (strcmp(file->path, path) == 0)
			return;
	file = len ? malloc(sizeof(*file) + len + 1) : NULL;
	if (file) {
		memcpy(file->path, path, len + 1);
		file->next = maps.truncated;
		maps.truncated = file;
	} else {
		maps.unknown_truncated = true;
	}
}

static struct range *find_start(uintptr_t start, struct block **ret)
{
	struct block *block;
	size_t i;

	for (block = &maps.first; block; block = atomic_load(&block->next))
		for (i = 0; i < SLOTS; i++)
			if (atomic_load(&block->ranges[i].start) == start &&
			    atomic_load(&block->ranges[i].size)) {
				*ret = block;
				return &block->ranges[i];
			}
	return NULL;
}

static void remove_range(uintptr_t start)
{
	struct block *block;
	struct range *range;

	pthread_mutex_lock(&maps.lock);
	range = find_start(start, &block);
	if (range) {
		keep_truncated(block, range);
		atomic_store(&range->size, 0);
		block->used--;
	}
	pthread_mutex_unlock(&maps.lock);
}

const uint8_t *pipa_file_map(int fd, uint64_t offset, size_t size, int flags)
{
	size_t skip = (size_t)(offset % (uint64_t)sysconf(_SC_PAGESIZE));
	const uint8_t *base;

	if (size > SIZE_MAX - skip) {
		errno = EINVAL;
		return NULL;
	}
	base = mmap(NULL, size + skip, PROT_READ, flags, fd, (off_t)(offset - skip));
	if (base == MAP_FAILED)
		return NULL;
	if (!add_range((uintptr_t)base, size + skip, fd)) {
		munmap((void *)base, size + skip);
		errno = ENOMEM;
		return NULL;
	}
	return base + skip;
}

void pipa_file_unmap(const uint8_t *data, size_t size)
{
	size_t skip = (uintptr_t)data % (uintptr_t)sysconf(_SC_PAGESIZE);

	if (!data)
		return;
	remove_range((uintptr_t)data - skip);
	munmap((void *)(data - skip), size + skip);
}

size_t pipa_file_map_truncated(void (*fn)(void *ctx, const char *path), void *ctx)
{
	struct file_path *file;
	struct block *block;
	size_t i, n = 0;

	pthread_mutex_lock(&maps.lock);
	for (block = &maps.first; block; block = atomic_load(&block->next))
		for (i = 0; i < SLOTS; i++)
			if (atomic_load(&block->ranges[i].size))
				keep_truncated(block, &block->ranges[i]);
	for (file = maps.truncated; file; file = file->next, n++)
		fn(ctx, file->path);
	if (maps.unknown_truncated) {
		fn(ctx, "a mapped file");
		n++;
	}
	pthread_mutex_unlock(&maps.lock);
	return n;
}
