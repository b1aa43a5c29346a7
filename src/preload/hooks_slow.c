#include "preload/hooks.h"

#include <stdint.h>

#include "preload/hooks_cxx.h"
#include "preload/real.h"
#include "preload/track.h"

/* The frame of the function that called the hook. Compiled with frame pointers. */
#if defined(__riscv)
#define CALLER_FP ((const uint64_t *)__builtin_frame_address(0))[-2]
#else
#define CALLER_FP ((const uint64_t *)__builtin_frame_address(0))[0]
#endif
#define CALLER                                                                                     \
	&(struct pipa_heap_frame)                                                                  \
	{                                                                                          \
		(uint64_t) __builtin_return_address(0), (uint64_t)__builtin_dwarf_cfa(), CALLER_FP \
	}

void *pipa_heap_slow_malloc(size_t size)
{
	struct pipa_heap_alloc alloc;
	void *block;

	if (!pipa_heap_track_begin(&alloc, size, CALLER))
		return pipa_heap_real.malloc(size);
	block = pipa_heap_real.malloc(size);
	pipa_heap_track_alloc(&alloc, block, PIPA_HEAP_KIND_MALLOC);
	return block;
}

void *pipa_heap_slow_calloc(size_t n, size_t size)
{
	struct pipa_heap_alloc alloc;
	void *block;

	if (!pipa_heap_track_begin(&alloc, n * size, CALLER))
		return pipa_heap_real.calloc(n, size);
	block = pipa_heap_real.calloc(n, size);
	pipa_heap_track_alloc(&alloc, block, PIPA_HEAP_KIND_MALLOC);
	return block;
}

/* The two halves of a call that frees a block and returns another one, or the same. */
struct move {
	struct pipa_heap_alloc alloc;
	struct pipa_heap_free old;
	bool was_sampled, is_sample;
};

static void begin_move(struct move *move, void *block, size_t size,
		       const struct pipa_heap_frame *caller)
{
	/* before the allocator gives the address to another thread */
	move->was_sampled = pipa_heap_track_maybe(block) && pipa_heap_track_free(&move->old, block);
	move->is_sample = size >= pipa_heap_local.countdown &&
			  pipa_heap_track_begin(&move->alloc, size, caller);
	if (size < pipa_heap_local.countdown && !move->is_sample)
		pipa_heap_local.countdown -= size;
}

/* Record the free first: both blocks in use at once would be a peak that most calls do not have. */
static void end_move(struct move *move, void *block, size_t size)
{
	bool freed = block || !size; /* realloc(block, 0) frees */

	if (move->was_sampled && freed)
		pipa_heap_track_freed(&move->old);
	if (move->is_sample)
		pipa_heap_track_alloc(&move->alloc, block, PIPA_HEAP_KIND_MALLOC);
	if (move->was_sampled && !freed)
		pipa_heap_track_kept(&move->old);
}

void *pipa_heap_slow_realloc(void *block, size_t size)
{
	struct move move;
	void *moved;

	begin_move(&move, block, size, CALLER);
	moved = pipa_heap_real.realloc(block, size);
	end_move(&move, moved, size);
	return moved;
}

void *pipa_heap_slow_reallocarray(void *block, size_t n, size_t size)
{
	struct move move;
	size_t bytes;
	void *moved;

	if (__builtin_mul_overflow(n, size, &bytes))
		return pipa_heap_real.reallocarray(block, n, size); /* fails */
	begin_move(&move, block, bytes, CALLER);
	moved = pipa_heap_real.reallocarray(block, n, size);
	end_move(&move, moved, bytes);
	return moved;
}

int pipa_heap_slow_posix_memalign(void **ret, size_t align, size_t size)
{
	struct pipa_heap_alloc alloc;
	int status;

	if (!pipa_heap_track_begin(&alloc, size, CALLER))
		return pipa_heap_real.posix_memalign(ret, align, size);
	status = pipa_heap_real.posix_memalign(ret, align, size);
	pipa_heap_track_alloc(&alloc, status ? NULL : *ret, PIPA_HEAP_KIND_MALLOC);
	return status;
}

void *pipa_heap_slow_memalign(size_t align, size_t size)
{
	struct pipa_heap_alloc alloc;
	void *block;

	if (!pipa_heap_track_begin(&alloc, size, CALLER))
		return pipa_heap_real.memalign(align, size);
	block = pipa_heap_real.memalign(align, size);
	pipa_heap_track_alloc(&alloc, block, PIPA_HEAP_KIND_MALLOC);
	return block;
}

void *pipa_heap_slow_aligned_alloc(size_t align, size_t size)
{
	struct pipa_heap_alloc alloc;
	void *block;

	if (!pipa_heap_track_begin(&alloc, size, CALLER))
		return pipa_heap_real.aligned_alloc(align, size);
	block = pipa_heap_real.aligned_alloc(align, size);
	pipa_heap_track_alloc(&alloc, block, PIPA_HEAP_KIND_MALLOC);
	return block;
}

void *pipa_heap_slow_valloc(size_t size)
{
	struct pipa_heap_alloc alloc;
	void *block;

	if (!pipa_heap_track_begin(&alloc, size, CALLER))
		return pipa_heap_real.valloc(size);
	block = pipa_heap_real.valloc(size);
	pipa_heap_track_alloc(&alloc, block, PIPA_HEAP_KIND_MALLOC);
	return block;
}

void *pipa_heap_slow_pvalloc(size_t size)
{
	struct pipa_heap_alloc alloc;
	void *block;

	if (!pipa_heap_track_begin(&alloc, size, CALLER))
		return pipa_heap_real.pvalloc(size);
	block = pipa_heap_real.pvalloc(size);
	pipa_heap_track_alloc(&alloc, block, PIPA_HEAP_KIND_MALLOC);
	return block;
}

void pipa_heap_slow_free(void *block)
{
	struct pipa_heap_free freed;

	if (!pipa_heap_track_free(&freed, block)) {
		pipa_heap_real.free(block);
		return;
	}
	pipa_heap_real.free(block);
	pipa_heap_track_freed(&freed);
}

void pipa_heap_slow_cfree(void *block)
{
	struct pipa_heap_free freed;
	bool sampled = pipa_heap_track_free(&freed, block);

	pipa_heap_real.cfree(block);
	if (sampled)
		pipa_heap_track_freed(&freed);
}

void pipa_heap_slow_free_sized(void *block, size_t size)
{
	struct pipa_heap_free freed;
	bool sampled = pipa_heap_track_free(&freed, block);

	pipa_heap_real.free_sized(block, size);
	if (sampled)
		pipa_heap_track_freed(&freed);
}

void pipa_heap_slow_free_aligned_sized(void *block, size_t align, size_t size)
{
	struct pipa_heap_free freed;
	bool sampled = pipa_heap_track_free(&freed, block);

	pipa_heap_real.free_aligned_sized(block, align, size);
	if (sampled)
		pipa_heap_track_freed(&freed);
}

/* ---- C++ ------------------------------------------------------------------------------------------------- */

static void *call_new(size_t size, size_t align, const void *tag, enum pipa_heap_new which)
{
	const struct pipa_heap_real *real = &pipa_heap_real;

	switch (which) {
	case PIPA_HEAP_NEW: return real->new (size);
	case PIPA_HEAP_NEW_ARRAY: return real->new_array(size);
	case PIPA_HEAP_NEW_NOTHROW: return real->new_nothrow(size, tag);
	case PIPA_HEAP_NEW_ARRAY_NOTHROW: return real->new_array_nothrow(size, tag);
	case PIPA_HEAP_NEW_ALIGNED: return real->new_aligned(size, align);
	case PIPA_HEAP_NEW_ARRAY_ALIGNED: return real->new_array_aligned(size, align);
	case PIPA_HEAP_NEW_ALIGNED_NOTHROW: return real->new_aligned_nothrow(size, align, tag);
	default: return real->new_array_aligned_nothrow(size, align, tag);
	}
}

/* Operators may throw through this frame, which has call frame information and nothing to clean up. */
void *pipa_heap_slow_new(size_t size, size_t align, const void *tag, unsigned int which)
{
	struct pipa_heap_alloc alloc;
	void *block;

	if (!pipa_heap_track_begin(&alloc, size, CALLER))
		return call_new(size, align, tag, which);
	pipa_heap_track_may_throw(&alloc);
	block = call_new(size, align, tag, which);
	pipa_heap_track_alloc(&alloc, block, PIPA_HEAP_KIND_MALLOC);
	return block;
}

static void call_delete(void *block, size_t a, size_t b, enum pipa_heap_delete which)
{
	const struct pipa_heap_real *real = &pipa_heap_real;

	switch (which) {
	case PIPA_HEAP_DELETE: real->delete (block); break;
	case PIPA_HEAP_DELETE_ARRAY: real->delete_array(block); break;
	case PIPA_HEAP_DELETE_NOTHROW: real->delete_nothrow(block, (const void *)a); break;
	case PIPA_HEAP_DELETE_ARRAY_NOTHROW:
		real->delete_array_nothrow(block, (const void *)a);
		break;
	case PIPA_HEAP_DELETE_SIZED: real->delete_sized(block, a); break;
	case PIPA_HEAP_DELETE_ARRAY_SIZED: real->delete_array_sized(block, a); break;
	case PIPA_HEAP_DELETE_ALIGNED: real->delete_aligned(block, a); break;
	case PIPA_HEAP_DELETE_ARRAY_ALIGNED: real->delete_array_aligned(block, a); break;
	case PIPA_HEAP_DELETE_SIZED_ALIGNED: real->delete_sized_aligned(block, a, b); break;
	case PIPA_HEAP_DELETE_ARRAY_SIZED_ALIGNED:
		real->delete_array_sized_aligned(block, a, b);
		break;
	case PIPA_HEAP_DELETE_ALIGNED_NOTHROW:
		real->delete_aligned_nothrow(block, a, (const void *)b);
		break;
	default: real->delete_array_aligned_nothrow(block, a, (const void *)b); break;
	}
}

void pipa_heap_slow_delete(void *block, size_t a, size_t b, unsigned int which)
{
	struct pipa_heap_free freed;
	bool sampled = pipa_heap_track_free(&freed, block);

	call_delete(block, a, b, which);
	if (sampled)
		pipa_heap_track_freed(&freed);
}
