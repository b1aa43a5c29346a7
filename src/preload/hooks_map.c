/*
 * Hooks of mmap, munmap, mremap, brk and sbrk, for PIPA_HEAP's mmap=1: anonymous memory that the program maps, without
 * what its allocator maps for malloc, which is counted there. brk and sbrk are noted in any case: the program can keep
 * pointers in such memory, which is part of [heap].
 */
#include "preload/hooks.h"

#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>

#include "preload/process.h"
#include "preload/real.h"
#include "preload/sys.h"
#include "preload/track.h"

PIPA_EXPORT void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
PIPA_EXPORT void *mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset);
PIPA_EXPORT int munmap(void *at, size_t size);
PIPA_EXPORT void *mremap(void *at, size_t size, size_t new_size, int flags, ...);
PIPA_EXPORT int brk(void *end);
PIPA_EXPORT void *sbrk(intptr_t change);

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

/*
 * Sampled mappings by address. Those that do not fit are counted as lost; of them, only the unmapping from their start
 * is recorded.
 */
enum { REGIONS = 16384 };

static struct {
	uint64_t start, end; /* start 0: free */
} regions[REGIONS];

static uint32_t n_regions; /* all from this one on are free */

/* Enter a mapping, if there is space. Its start is 1, which no mapping has, while it is written. */
static void remember_region(uint64_t start, uint64_t size)
{
	uint32_t i, n;
	uint64_t none;

	for (i = 0; i < REGIONS; i++) {
		none = 0;
		if (__atomic_load_n(&regions[i].start, __ATOMIC_RELAXED) ||
		    !__atomic_compare_exchange_n(&regions[i].start, &none, 1, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		n = __atomic_load_n(&n_regions, __ATOMIC_RELAXED);
		while (n <= i && !__atomic_compare_exchange_n(&n_regions, &n, i + 1, true,
							      __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			;
		__atomic_store_n(&regions[i].end, start + size, __ATOMIC_RELAXED);
		__atomic_store_n(&regions[i].start, start, __ATOMIC_RELEASE);
		return;
	}
	pipa_heap_process_lose(PIPA_HEAP_LOST_BLOCKS, 1);
}

static bool is_tracked(const void *caller)
{
	return pipa_heap_process.config.mmap && !pipa_heap_real_is_allocator(caller);
}

static void *key_of(uint64_t start)
{
	return (void *)(start | PIPA_HEAP_MAPPED);
}

/* Record mapped memory if it is a sample. */
static void record_mapping(uint64_t start, uint64_t size, const struct pipa_heap_frame *caller,
			   enum pipa_heap_kind kind)
{
	struct pipa_heap_alloc alloc;

	if (!size || pipa_heap_unsampled(size) || !pipa_heap_track_begin(&alloc, size, caller))
		return;
	pipa_heap_track_alloc(&alloc, key_of(start), kind);
	if (pipa_heap_process.config.frees)
		remember_region(start, size);
}

/* Record that [start, end) of a mapping is unmapped, which is from [from, to), and keep what is left of it. */
static void cut_mapping(const struct pipa_heap_free *whole, uint64_t from, uint64_t to,
			uint64_t start, uint64_t end)
{
	struct pipa_heap_part parts[2];
	unsigned int n = 0, i;

	if (from < start)
		parts[n++] = (struct pipa_heap_part){ (uint64_t)key_of(from), start - from };
	if (end < to)
		parts[n++] = (struct pipa_heap_part){ (uint64_t)key_of(end), to - end };
	if (!n) {
		pipa_heap_track_freed(whole);
		return;
	}
	pipa_heap_track_cut(whole, parts, n);
	for (i = 0; i < n; i++)
		remember_region(parts[i].address & ~PIPA_HEAP_MAPPED, parts[i].size);
}

/* End the samples that contain memory which is unmapped or replaced. */
static void end_mappings(uint64_t start, uint64_t end)
{
	uint32_t i, n = __atomic_load_n(&n_regions, __ATOMIC_ACQUIRE);
	struct pipa_heap_free freed;
	uint64_t from, to;

	end = (end + PIPA_HEAP_PAGE - 1) & ~(uint64_t)(PIPA_HEAP_PAGE - 1);
	for (i = 0; i < n; i++) {
		from = __atomic_load_n(&regions[i].start, __ATOMIC_ACQUIRE);
		to = __atomic_load_n(&regions[i].end, __ATOMIC_RELAXED);
		if (from < PIPA_HEAP_PAGE || from >= end || to <= start ||
		    !__atomic_compare_exchange_n(&regions[i].start, &from, 0, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		if (pipa_heap_track_free(&freed, key_of(from)))
			cut_mapping(&freed, from, to, start, end);
	}
	/* one that did not fit */
	if (n == REGIONS && pipa_heap_track_free(&freed, key_of(start)))
		cut_mapping(&freed, start, start + freed.block.size, start, end);
}

static void *map(void *at, size_t size, int protection, int flags, int fd, off_t offset,
		 const struct pipa_heap_frame *caller)
{
	void *mapped = pipa_heap_real.mmap(at, size, protection, flags, fd, offset);

	if (mapped == MAP_FAILED || !is_tracked((const void *)caller->pc))
		return mapped;
	if (flags & MAP_FIXED)
		end_mappings((uint64_t)mapped, (uint64_t)mapped + size);
	if (flags & MAP_ANONYMOUS && protection != PROT_NONE)
		record_mapping((uint64_t)mapped, size, caller, PIPA_HEAP_KIND_MMAP);
	return mapped;
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	return map(at, size, protection, flags, fd, offset, CALLER);
}

void *mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	return map(at, size, protection, flags, fd, offset, CALLER);
}

int munmap(void *at, size_t size)
{
	/* before another thread can be given the address */
	if (is_tracked(__builtin_return_address(0)) && !((uint64_t)at & (PIPA_HEAP_PAGE - 1)))
		end_mappings((uint64_t)at, (uint64_t)at + size);
	return pipa_heap_real.munmap(at, size);
}

void *mremap(void *at, size_t size, size_t new_size, int flags, ...)
{
	const struct pipa_heap_frame *caller = CALLER;
	va_list rest;
	void *to, *moved;

	va_start(rest, flags);
	to = flags & MREMAP_FIXED ? va_arg(rest, void *) : NULL;
	va_end(rest);
	moved = pipa_heap_real.mremap(at, size, new_size, flags, to);
	if (moved == MAP_FAILED || !is_tracked((const void *)caller->pc))
		return moved;
	end_mappings((uint64_t)at, (uint64_t)at + size);
	if (to)
		end_mappings((uint64_t)to, (uint64_t)to + new_size);
	record_mapping((uint64_t)moved, new_size, caller, PIPA_HEAP_KIND_MMAP);
	return moved;
}

/* Record that the end of the data segment has changed, unless the allocator did it. */
static void record_break(uint64_t from, uint64_t to, const struct pipa_heap_frame *caller)
{
	if (pipa_heap_real_is_allocator((const void *)caller->pc))
		return;
	if (to > from)
		pipa_heap_process_note_gap(PIPA_HEAP_GAP_BREAK);
	if (!pipa_heap_process.config.mmap)
		return;
	if (to < from)
		end_mappings(to, from);
	else
		record_mapping(from, to - from, caller, PIPA_HEAP_KIND_BRK);
}

int brk(void *end)
{
	const struct pipa_heap_frame *caller = CALLER;
	uint64_t from = (uint64_t)PIPA_SYS1(brk, 0);
	int status = pipa_heap_real.brk(end);

	if (!status)
		record_break(from, (uint64_t)end, caller);
	return status;
}

void *sbrk(intptr_t change)
{
	const struct pipa_heap_frame *caller = CALLER;
	void *from = pipa_heap_real.sbrk(change);

	if (from != (void *)-1 && change)
		record_break((uint64_t)from, (uint64_t)from + (uint64_t)change, caller);
	return from;
}
