#include "preload/hooks_cxx.h"

#include "preload/hooks.h"
#include "preload/jumps.h"
#include "preload/real.h"
#include "preload/track.h"

#define PIPA_NEW(symbol, jump, which, parameters, align, tag)                                      \
	PIPA_EXPORT void *symbol parameters;                                                       \
	void *symbol parameters                                                                    \
	{                                                                                          \
		if (!pipa_heap_real_cxx || pipa_heap_unsampled(size))                              \
			jump;                                                                      \
		return pipa_heap_slow_new(size, align, tag, which);                                \
	}

PIPA_NEW(_Znwm, PIPA_HEAP_JUMP_1(new, size), PIPA_HEAP_NEW, (size_t size), 0, NULL)
PIPA_NEW(_Znam, PIPA_HEAP_JUMP_1(new_array, size), PIPA_HEAP_NEW_ARRAY, (size_t size), 0, NULL)
PIPA_NEW(_ZnwmRKSt9nothrow_t, PIPA_HEAP_JUMP_2(new_nothrow, size, tag), PIPA_HEAP_NEW_NOTHROW,
	 (size_t size, const void *tag), 0, tag)
PIPA_NEW(_ZnamRKSt9nothrow_t, PIPA_HEAP_JUMP_2(new_array_nothrow, size, tag),
	 PIPA_HEAP_NEW_ARRAY_NOTHROW, (size_t size, const void *tag), 0, tag)
PIPA_NEW(_ZnwmSt11align_val_t, PIPA_HEAP_JUMP_2(new_aligned, size, align), PIPA_HEAP_NEW_ALIGNED,
	 (size_t size, size_t align), align, NULL)
PIPA_NEW(_ZnamSt11align_val_t, PIPA_HEAP_JUMP_2(new_array_aligned, size, align),
	 PIPA_HEAP_NEW_ARRAY_ALIGNED, (size_t size, size_t align), align, NULL)
PIPA_NEW(_ZnwmSt11align_val_tRKSt9nothrow_t,
	 PIPA_HEAP_JUMP_3(new_aligned_nothrow, size, align, tag), PIPA_HEAP_NEW_ALIGNED_NOTHROW,
	 (size_t size, size_t align, const void *tag), align, tag)
PIPA_NEW(_ZnamSt11align_val_tRKSt9nothrow_t,
	 PIPA_HEAP_JUMP_3(new_array_aligned_nothrow, size, align, tag),
	 PIPA_HEAP_NEW_ARRAY_ALIGNED_NOTHROW, (size_t size, size_t align, const void *tag), align,
	 tag)

#define PIPA_DELETE(symbol, jump, which, parameters, a, b)                                         \
	PIPA_EXPORT void symbol parameters;                                                        \
	void symbol parameters                                                                     \
	{                                                                                          \
		if (!pipa_heap_real_cxx || !pipa_heap_track_maybe(block))                          \
			jump;                                                                      \
		pipa_heap_slow_delete(block, a, b, which);                                         \
	}

PIPA_DELETE(_ZdlPv, PIPA_HEAP_JUMP_1(delete, block), PIPA_HEAP_DELETE, (void *block), 0, 0)
PIPA_DELETE(_ZdaPv, PIPA_HEAP_JUMP_1(delete_array, block), PIPA_HEAP_DELETE_ARRAY, (void *block), 0,
	    0)
PIPA_DELETE(_ZdlPvRKSt9nothrow_t, PIPA_HEAP_JUMP_2(delete_nothrow, block, tag),
	    PIPA_HEAP_DELETE_NOTHROW, (void *block, const void *tag), (size_t)tag, 0)
PIPA_DELETE(_ZdaPvRKSt9nothrow_t, PIPA_HEAP_JUMP_2(delete_array_nothrow, block, tag),
	    PIPA_HEAP_DELETE_ARRAY_NOTHROW, (void *block, const void *tag), (size_t)tag, 0)
PIPA_DELETE(_ZdlPvm, PIPA_HEAP_JUMP_2(delete_sized, block, size), PIPA_HEAP_DELETE_SIZED,
	    (void *block, size_t size), size, 0)
PIPA_DELETE(_ZdaPvm, PIPA_HEAP_JUMP_2(delete_array_sized, block, size),
	    PIPA_HEAP_DELETE_ARRAY_SIZED, (void *block, size_t size), size, 0)
PIPA_DELETE(_ZdlPvSt11align_val_t, PIPA_HEAP_JUMP_2(delete_aligned, block, align),
	    PIPA_HEAP_DELETE_ALIGNED, (void *block, size_t align), align, 0)
PIPA_DELETE(_ZdaPvSt11align_val_t, PIPA_HEAP_JUMP_2(delete_array_aligned, block, align),
	    PIPA_HEAP_DELETE_ARRAY_ALIGNED, (void *block, size_t align), align, 0)
PIPA_DELETE(_ZdlPvmSt11align_val_t, PIPA_HEAP_JUMP_3(delete_sized_aligned, block, size, align),
	    PIPA_HEAP_DELETE_SIZED_ALIGNED, (void *block, size_t size, size_t align), size, align)
PIPA_DELETE(_ZdaPvmSt11align_val_t,
	    PIPA_HEAP_JUMP_3(delete_array_sized_aligned, block, size, align),
	    PIPA_HEAP_DELETE_ARRAY_SIZED_ALIGNED, (void *block, size_t size, size_t align), size,
	    align)
PIPA_DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t,
	    PIPA_HEAP_JUMP_3(delete_aligned_nothrow, block, align, tag),
	    PIPA_HEAP_DELETE_ALIGNED_NOTHROW, (void *block, size_t align, const void *tag), align,
	    (size_t)tag)
PIPA_DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t,
	    PIPA_HEAP_JUMP_3(delete_array_aligned_nothrow, block, align, tag),
	    PIPA_HEAP_DELETE_ARRAY_ALIGNED_NOTHROW, (void *block, size_t align, const void *tag),
	    align, (size_t)tag)
