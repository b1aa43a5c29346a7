/*
 * The functions that the library exports in place of the allocator's (hooks.c, hooks_cxx.c), and what they
 * do for samples (hooks_slow.c).
 *
 * The path that is not sampled compares the size with the thread's countdown, or looks at the filter
 * of addresses, and jumps to the allocator. The slow functions are jumped to, so that their return
 * address and caller are those of the hook: they are where stacks begin.
 */
#ifndef PIPA_PRELOAD_HOOKS_H
#define PIPA_PRELOAD_HOOKS_H

#include <stdbool.h>
#include <stddef.h>

#include "preload/thread.h"

/* Not inlined: hooks.c leaves functions by jumps (jumps.h). */
#define PIPA_EXPORT __attribute__((visibility("default"), noinline))
#define PIPA_HEAP_COLD __attribute__((cold))

PIPA_EXPORT void *malloc(size_t size);
PIPA_EXPORT void free(void *block);

/* Count the allocation down; true if it is not a sample. */
static inline bool pipa_heap_unsampled(size_t size)
{
	if (__builtin_expect(size >= pipa_heap_local.countdown, 0))
		return false;
	pipa_heap_local.countdown -= size;
	return true;
}

/* Cold, so that the other path is the straight one. */
PIPA_HEAP_COLD void *pipa_heap_slow_malloc(size_t size);
PIPA_HEAP_COLD void *pipa_heap_slow_calloc(size_t n, size_t size);
PIPA_HEAP_COLD void *pipa_heap_slow_realloc(void *block, size_t size);
PIPA_HEAP_COLD void *pipa_heap_slow_reallocarray(void *block, size_t n, size_t size);
PIPA_HEAP_COLD int pipa_heap_slow_posix_memalign(void **ret, size_t align, size_t size);
PIPA_HEAP_COLD void *pipa_heap_slow_memalign(size_t align, size_t size);
PIPA_HEAP_COLD void *pipa_heap_slow_aligned_alloc(size_t align, size_t size);
PIPA_HEAP_COLD void *pipa_heap_slow_valloc(size_t size);
PIPA_HEAP_COLD void *pipa_heap_slow_pvalloc(size_t size);
PIPA_HEAP_COLD void *pipa_heap_slow_new(size_t size, size_t align, const void *tag,
					unsigned int which);
PIPA_HEAP_COLD void pipa_heap_slow_free(void *block);
PIPA_HEAP_COLD void pipa_heap_slow_cfree(void *block);
PIPA_HEAP_COLD void pipa_heap_slow_free_sized(void *block, size_t size);
PIPA_HEAP_COLD void pipa_heap_slow_free_aligned_sized(void *block, size_t align, size_t size);
PIPA_HEAP_COLD void pipa_heap_slow_delete(void *block, size_t a, size_t b, unsigned int which);

#endif
