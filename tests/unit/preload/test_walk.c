/* Walks over words that look like a stack, with rows of an invented program. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/test.h"
#include "model/stack_end.h"
#include "preload/machine.h"
#include "preload/maps.h"
#include "preload/walk.h"
#include "unwind/rows.h"

enum { WORDS = 16, CODE = 0x10000, CODE_END = 0x20000, BARE = 0x30000, BARE_END = 0x40000 };

uint32_t pipa_heap_maps_changes;
static struct pipa_heap_walk walk;
static uint64_t stack[WORDS];

/* Frames of CODE have two words, the second is the return address; BARE has no call frame information. */
enum pipa_heap_code pipa_heap_maps_row(uint64_t address, struct pipa_row *ret)
{
	uint8_t ra = PIPA_HEAP_ARCH.link == PIPA_UNWIND_NO_REG ? PIPA_UNWIND_RA :
								 PIPA_HEAP_ARCH.link;

	if (address >= BARE && address < BARE_END)
		return PIPA_HEAP_CODE_NO_CFI;
	if (address < CODE || address >= CODE_END)
		return PIPA_HEAP_CODE_NONE;
	memset(ret, 0, sizeof(*ret));
	ret->cfa =
		(struct pipa_rule){ .kind = PIPA_RULE_IS, .reg = PIPA_HEAP_ARCH.sp, .offset = 16 };
	ret->ra = ra;
	ret->mentioned = UINT64_C(1) << ra;
	ret->regs[ra] = (struct pipa_rule){ .kind = PIPA_RULE_AT, .offset = -8 };
	return PIPA_HEAP_CODE_ROW;
}

static bool walk_at(const uint64_t *sp, uint64_t pc, uint64_t fp, uint32_t depth)
{
	const struct pipa_heap_frame caller = { .pc = pc, .sp = (uint64_t)(uintptr_t)sp, .fp = fp };

	return pipa_heap_walk_from(&walk, &caller, depth);
}

static bool walk_from(size_t word, uint64_t pc, uint64_t fp, uint32_t depth)
{
	return walk_at(&stack[word], pc, fp, depth);
}

static void begin(void)
{
	memset(&walk, 0, sizeof(walk));
	memset(stack, 0, sizeof(stack));
	walk.stack_end = (uint64_t)(uintptr_t)&stack[WORDS];
}

TEST(frames_are_found_by_rows_until_the_return_address_is_0)
{
	const uint64_t *pcs;

	begin();
	stack[1] = CODE + 0x20;
	stack[3] = CODE + 0x30;
	CHECK(!walk_from(0, CODE + 0x10, 0, 128));
	CHECK_EQ(walk.end, PIPA_STACK_COMPLETE);
	CHECK_EQ(walk.n, 3);
	pcs = pipa_heap_walk_pcs(&walk);
	CHECK_EQ(pcs[0], CODE + 0x30);
	CHECK_EQ(pcs[2], CODE + 0x10);
	CHECK(walk_from(0, CODE + 0x10, 0, 128)); /* the same again */
	stack[1] = CODE + 0x40;
	CHECK(!walk_from(0, CODE + 0x10, 0, 128));
	CHECK_EQ(walk.n, 3);
	CHECK_EQ(pipa_heap_walk_pcs(&walk)[1], CODE + 0x40);
}

TEST(a_stack_that_goes_on_beyond_its_end_is_truncated)
{
	size_t i;

	begin();
	for (i = 0; i < WORDS; i++)
		stack[i] = CODE + 0x20;
	CHECK(!walk_from(WORDS - 4, CODE + 0x10, 0, 128));
	CHECK_EQ(walk.end, PIPA_STACK_TRUNCATED);
	CHECK_EQ(walk.n, 3);
}

/* The address of its call is 0, as are the words of an entry of the table of rows that is empty. */
TEST(a_return_address_of_1_is_not_code)
{
	begin();
	stack[1] = 1;
	stack[2] = 1;
	CHECK(!walk_from(0, CODE + 0x10, 0, 128));
	CHECK_EQ(walk.end, PIPA_STACK_NO_MAPPING);
	CHECK_EQ(walk.n, 1);
}

/* The frame pointer may be any number, and where the stack ends is not known. */
TEST(nothing_is_read_by_the_frame_pointer_from_an_unknown_stack)
{
	begin();
	walk.stack_end = 0;
	CHECK(!walk_from(0, BARE + 0x10, UINT64_C(0x7ff0000000000000), 1));
	CHECK_EQ(walk.end, PIPA_STACK_NO_CFI);
	CHECK_EQ(walk.n, 1);
}

TEST(outer_frames_are_found_again_beyond_one_that_has_another_caller)
{
	begin();
	stack[1] = CODE + 0x20;
	stack[3] = CODE + 0x30;
	stack[5] = CODE + 0x40;
	CHECK(!walk_from(0, CODE + 0x10, 0, 128));
	CHECK_EQ(walk.n, 4);
	stack[3] = CODE + 0x50;
	CHECK(!walk_from(0, CODE + 0x10, 0, 128));
	CHECK_EQ(walk.n, 4);
	CHECK_EQ(pipa_heap_walk_pcs(&walk)[0], CODE + 0x40);
	CHECK_EQ(pipa_heap_walk_pcs(&walk)[1], CODE + 0x50);
	CHECK_EQ(pipa_heap_walk_pcs(&walk)[2], CODE + 0x20);
	CHECK(walk_from(0, CODE + 0x10, 0, 128));
}

/* The stack of a coroutine that has ended, above that of the next one. */
TEST(the_stack_of_the_last_walk_may_be_unmapped)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), words = page / sizeof(uint64_t);
	uint64_t *low = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			     -1, 0);
	uint64_t *high = low + words;

	CHECK(low != MAP_FAILED);
	begin();
	walk.stack_end = (uint64_t)(uintptr_t)(high + words);
	high[1] = CODE + 0x20;
	CHECK(!walk_at(high, CODE + 0x10, 0, 128));
	CHECK_EQ(walk.n, 2);
	CHECK(!munmap(high, page));
	low[1] = CODE + 0x30;
	CHECK(!walk_at(low, CODE + 0x10, 0, 128));
	CHECK_EQ(walk.n, 2);
	CHECK_EQ(pipa_heap_walk_pcs(&walk)[0], CODE + 0x30);
	munmap(low, page);
}

TEST(frame_pointers_into_unmapped_memory_are_not_followed)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), words = page / sizeof(uint64_t);
	uint64_t *low = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			     -1, 0);
	uint64_t *next = low + words, *hole = next + words, *high = hole + words;

	CHECK(low != MAP_FAILED);
	CHECK(!munmap(hole, page));
	begin();
	walk.stack_end = (uint64_t)(uintptr_t)(high + words);
	CHECK(!walk_at(low, BARE + 0x10, (uint64_t)(uintptr_t)&next[8], 128));
	CHECK_EQ(walk.end, PIPA_STACK_COMPLETE);
	CHECK_EQ(walk.n, 1);
	CHECK(!walk_at(low, BARE + 0x10, (uint64_t)(uintptr_t)&hole[8], 128));
	CHECK_EQ(walk.end, PIPA_STACK_NO_CFI);
	CHECK(!walk_at(low, BARE + 0x10, (uint64_t)(uintptr_t)&high[8], 128));
	CHECK_EQ(walk.end, PIPA_STACK_NO_CFI);
	munmap(low, 2 * page);
	munmap(high, page);
}
