#include "preload/hooks_cxx.h"

#include "preload/hooks.h"
#include "preload/real.h"
#include "preload/track.h"

#define PIPA_NEW(symbol, member, which, parameters, arguments, align, tag)                         \
	PIPA_EXPORT void *symbol parameters;                                                       \
	void *symbol parameters                                                                    \
	{                                                                                          \
		if (!pipa_heap_real_cxx || pipa_heap_unsampled(size))                              \
			return pipa_heap_real.member arguments;                                    \
		return pipa_heap_slow_new(size, align, tag, which);                                \
	}

PIPA_NEW(_Znwm, new, PIPA_HEAP_NEW, (size_t size), (size), 0, NULL)
PIPA_NEW(_Znam, new_array, PIPA_HEAP_NEW_ARRAY, (size_t size), (size), 0, NULL)
PIPA_NEW(_ZnwmRKSt9nothrow_t, new_nothrow, PIPA_HEAP_NEW_NOTHROW, (size_t size, const void *tag),
	 (size, tag), 0, tag)
PIPA_NEW(_ZnamRKSt9nothrow_t, new_array_nothrow, PIPA_HEAP_NEW_ARRAY_NOTHROW,
	 (size_t size, const void *tag), (size, tag), 0, tag)
PIPA_NEW(_ZnwmSt11align_val_t, new_aligned, PIPA_HEAP_NEW_ALIGNED, (size_t size, size_t align),
	 (size, align), align, NULL)
PIPA_NEW(_ZnamSt11align_val_t, new_array_aligned, PIPA_HEAP_NEW_ARRAY_ALIGNED,
	 (size_t size, size_t align), (size, align), align, NULL)
PIPA_NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, new_aligned_nothrow, PIPA_HEAP_NEW_ALIGNED_NOTHROW,
	 (size_t size, size_t align, const void *tag), (size, align, tag), align, tag)
PIPA_NEW(_ZnamSt11align_val_tRKSt9nothrow_t, new_array_aligned_nothrow,
	 PIPA_HEAP_NEW_ARRAY_ALIGNED_NOTHROW, (size_t size, size_t align, const void *tag),
	 (size, align, tag), align, tag)

#define PIPA_DELETE(symbol, member, which, parameters, arguments, a, b)                            \
	PIPA_EXPORT void symbol parameters;                                                        \
	void symbol parameters                                                                     \
	{                                                                                          \
		if (pipa_heap_real_cxx && pipa_heap_track_maybe(block))                            \
			pipa_heap_slow_delete(block, a, b, which);                                 \
		else                                                                               \
			pipa_heap_real.member arguments;                                           \
	}

PIPA_DELETE(_ZdlPv, delete, PIPA_HEAP_DELETE, (void *block), (block), 0, 0)
PIPA_DELETE(_ZdaPv, delete_array, PIPA_HEAP_DELETE_ARRAY, (void *block), (block), 0, 0)
PIPA_DELETE(_ZdlPvRKSt9nothrow_t, delete_nothrow, PIPA_HEAP_DELETE_NOTHROW,
	    (void *block, const void *tag), (block, tag), (size_t)tag, 0)
PIPA_DELETE(_ZdaPvRKSt9nothrow_t, delete_array_nothrow, PIPA_HEAP_DELETE_ARRAY_NOTHROW,
	    (void *block, const void *tag), (block, tag), (size_t)tag, 0)
PIPA_DELETE(_ZdlPvm, delete_sized, PIPA_HEAP_DELETE_SIZED, (void *block, size_t size),
	    (block, size), size, 0)
PIPA_DELETE(_ZdaPvm, delete_array_sized, PIPA_HEAP_DELETE_ARRAY_SIZED, (void *block, size_t size),
	    (block, size), size, 0)
PIPA_DELETE(_ZdlPvSt11align_val_t, delete_aligned, PIPA_HEAP_DELETE_ALIGNED,
	    (void *block, size_t align), (block, align), align, 0)
PIPA_DELETE(_ZdaPvSt11align_val_t, delete_array_aligned, PIPA_HEAP_DELETE_ARRAY_ALIGNED,
	    (void *block, size_t align), (block, align), align, 0)
PIPA_DELETE(_ZdlPvmSt11align_val_t, delete_sized_aligned, PIPA_HEAP_DELETE_SIZED_ALIGNED,
	    (void *block, size_t size, size_t align), (block, size, align), size, align)
PIPA_DELETE(_ZdaPvmSt11align_val_t, delete_array_sized_aligned,
	    PIPA_HEAP_DELETE_ARRAY_SIZED_ALIGNED, (void *block, size_t size, size_t align),
	    (block, size, align), size, align)
PIPA_DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, delete_aligned_nothrow,
	    PIPA_HEAP_DELETE_ALIGNED_NOTHROW, (void *block, size_t align, const void *tag),
	    (block, align, tag), align, (size_t)tag)
PIPA_DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, delete_array_aligned_nothrow,
	    PIPA_HEAP_DELETE_ARRAY_ALIGNED_NOTHROW, (void *block, size_t align, const void *tag),
	    (block, align, tag), align, (size_t)tag)
