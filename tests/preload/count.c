/*
 * A library to be preloaded after libpipa-heap.so: counts exactly what that passes on to the
 * allocator, and prints it to the file COUNT_FILE at the end, for tests/cli/test_heap_library.sh.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t align, size_t size);
extern void __libc_free(void *block);

static atomic_ulong allocs, frees, bytes;

static void *count(void *block, size_t size)
{
	if (block) {
		atomic_fetch_add(&allocs, 1);
		atomic_fetch_add(&bytes, size);
	}
	return block;
}

void *malloc(size_t size)
{
	return count(__libc_malloc(size), size);
}

void *calloc(size_t n, size_t size)
{
	return count(__libc_calloc(n, size), n * size);
}

void *realloc(void *block, size_t size)
{
	void *moved = __libc_realloc(block, size);

	if (block && (moved || !size))
		atomic_fetch_add(&frees, 1);
	return count(moved, size);
}

void *reallocarray(void *block, size_t n, size_t size)
{
	size_t product;

	if (__builtin_mul_overflow(n, size, &product)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(block, product);
}

void *memalign(size_t align, size_t size)
{
	return count(__libc_memalign(align, size), size);
}

void *aligned_alloc(size_t align, size_t size)
{
	return memalign(align, size);
}

int posix_memalign(void **ret, size_t align, size_t size)
{
	void *block;

	if (align % sizeof(void *) || align & (align - 1) || !align)
		return EINVAL;
	block = memalign(align, size);
	if (!block)
		return ENOMEM;
	*ret = block;
	return 0;
}

void free(void *block)
{
	if (block)
		atomic_fetch_add(&frees, 1);
	__libc_free(block);
}

/* After all that the program frees in destructors of its own. */
static __attribute__((destructor(102))) void print(void)
{
	const char *path = getenv("COUNT_FILE");
	char line[128];
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1, n;

	n = snprintf(line, sizeof(line), "allocs=%lu\nfrees=%lu\nalloc_bytes=%lu\n",
		     atomic_load(&allocs), atomic_load(&frees), atomic_load(&bytes));
	if (fd >= 0 && write(fd, line, (size_t)n) == n)
		close(fd);
}
