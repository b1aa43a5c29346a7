#include "preload/jumps.h"

#if defined(__x86_64__)

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "preload/abi.h"
#include "preload/sys.h"

#define HIDDEN __attribute__((visibility("hidden")))

/* Of the linker: the table of the jumps, and the library. */
extern uint64_t *const __start_pipa_heap_jumps[] HIDDEN;
extern uint64_t *const __stop_pipa_heap_jumps[] HIDDEN;
extern const char __ehdr_start[] HIDDEN;
extern const char _end[] HIDDEN;

enum {
	INDIRECT = 0x25ff, /* jmp *offset(%rip): two bytes, and four of the offset */
	INDIRECT_SIZE = 6,
	DIRECT = 0xe9, /* jmp offset: one byte, and four of the offset */
	DIRECT_SIZE = 5,
};

/* Return the eight bytes at a jump with a direct one in place of the indirect one, or as they are if that cannot be. */
static uint64_t direct_jump(const uint64_t *jump)
{
	const uint64_t kept = ~((UINT64_C(1) << 8 * DIRECT_SIZE) - 1);
	uint64_t at = (uint64_t)jump, bytes = *jump, pointer, to;
	int64_t offset;

	if ((uint16_t)bytes != INDIRECT || at % sizeof(bytes))
		return bytes;
	pointer = at + INDIRECT_SIZE + (uint64_t)(int64_t)(int32_t)(bytes >> 16);
	to = *(const uint64_t *)pointer; // NOLINT
	if (to >= (uint64_t)__ehdr_start && to < (uint64_t)_end)
		return bytes; /* a function of ours that looks it up when it is called */
	offset = (int64_t)(to - at - DIRECT_SIZE);
	if (offset != (int32_t)offset)
		return bytes;
	return (bytes & kept) | (uint64_t)(uint32_t)offset << 8 | DIRECT;
}

void pipa_heap_jumps_bind(void)
{
	uint64_t *const *end = __stop_pipa_heap_jumps, *const * jump;
	uint64_t low = UINT64_MAX, high = 0;

	for (jump = __start_pipa_heap_jumps; jump < end; jump++) {
		uint64_t page = (uint64_t)*jump & ~(uint64_t)(PIPA_HEAP_PAGE - 1);

		low = page < low ? page : low;
		high = page > high ? page : high;
	}
	high += PIPA_HEAP_PAGE;
	/* executable throughout: this function may be in one of the pages */
	if (PIPA_SYS3(mprotect, low, high - low, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
		return;
	for (jump = __start_pipa_heap_jumps; jump < end; jump++) {
		uint64_t bytes = direct_jump(*jump);

		if (bytes != **jump)
			__atomic_store_n(*jump, bytes, __ATOMIC_RELEASE);
	}
	PIPA_SYS3(mprotect, low, high - low, PROT_READ | PROT_EXEC);
}

#endif
