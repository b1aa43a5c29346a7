#include "preload/hooks.h"

#include <stdint.h>

#include "preload/jumps.h"
#include "preload/real.h"
#include "preload/track.h"

PIPA_EXPORT void *calloc(size_t n, size_t size);
PIPA_EXPORT void *realloc(void *block, size_t size);
PIPA_EXPORT void *reallocarray(void *block, size_t n, size_t size);
PIPA_EXPORT int posix_memalign(void **ret, size_t align, size_t size);
PIPA_EXPORT void *memalign(size_t align, size_t size);
PIPA_EXPORT void *aligned_alloc(size_t align, size_t size);
PIPA_EXPORT void *valloc(size_t size);
PIPA_EXPORT void *pvalloc(size_t size);
PIPA_EXPORT void cfree(void *block);
PIPA_EXPORT void free_sized(void *block, size_t size);
PIPA_EXPORT void free_aligned_sized(void *block, size_t align, size_t size);

void *malloc(size_t size)
{
	if (pipa_heap_unsampled(size))
		PIPA_HEAP_JUMP_1(malloc, size);
	return pipa_heap_slow_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	size_t bytes;

	if (!__builtin_mul_overflow(n, size, &bytes) && pipa_heap_unsampled(bytes))
		PIPA_HEAP_JUMP_2(calloc, n, size);
	return pipa_heap_slow_calloc(n, size);
}

void *realloc(void *block, size_t size)
{
	if (!pipa_heap_track_maybe(block) && pipa_heap_unsampled(size))
		PIPA_HEAP_JUMP_2(realloc, block, size);
	return pipa_heap_slow_realloc(block, size);
}

void *reallocarray(void *block, size_t n, size_t size)
{
	size_t bytes;

	if (!__builtin_mul_overflow(n, size, &bytes) && !pipa_heap_track_maybe(block) &&
	    pipa_heap_unsampled(bytes))
		PIPA_HEAP_JUMP_3(reallocarray, block, n, size);
	return pipa_heap_slow_reallocarray(block, n, size);
}

int posix_memalign(void **ret, size_t align, size_t size)
{
	if (pipa_heap_unsampled(size))
		PIPA_HEAP_JUMP_3(posix_memalign, ret, align, size);
	return pipa_heap_slow_posix_memalign(ret, align, size);
}

void *memalign(size_t align, size_t size)
{
	if (pipa_heap_unsampled(size))
		PIPA_HEAP_JUMP_2(memalign, align, size);
	return pipa_heap_slow_memalign(align, size);
}

void *aligned_alloc(size_t align, size_t size)
{
	if (pipa_heap_unsampled(size))
		PIPA_HEAP_JUMP_2(aligned_alloc, align, size);
	return pipa_heap_slow_aligned_alloc(align, size);
}

void *valloc(size_t size)
{
	if (pipa_heap_unsampled(size))
		PIPA_HEAP_JUMP_1(valloc, size);
	return pipa_heap_slow_valloc(size);
}

void *pvalloc(size_t size)
{
	if (pipa_heap_unsampled(size))
		PIPA_HEAP_JUMP_1(pvalloc, size);
	return pipa_heap_slow_pvalloc(size);
}

void free(void *block)
{
	if (!pipa_heap_track_maybe(block))
		PIPA_HEAP_JUMP_1(free, block);
	pipa_heap_slow_free(block);
}

void cfree(void *block)
{
	if (!pipa_heap_track_maybe(block))
		PIPA_HEAP_JUMP_1(cfree, block);
	pipa_heap_slow_cfree(block);
}

void free_sized(void *block, size_t size)
{
	if (!pipa_heap_track_maybe(block))
		PIPA_HEAP_JUMP_2(free_sized, block, size);
	pipa_heap_slow_free_sized(block, size);
}

void free_aligned_sized(void *block, size_t align, size_t size)
{
	if (!pipa_heap_track_maybe(block))
		PIPA_HEAP_JUMP_3(free_aligned_sized, block, align, size);
	pipa_heap_slow_free_aligned_sized(block, align, size);
}
