/* Walks over stacks made by hand, for each architecture: where they lead, and why they end. */
#include "unwind/unwind.h"

#include <elf.h>

#include "base/auto.h"
#include "frames.h"
#include "lib/elf_image.h"
#include "model/record.h"
#include "unwind/table.h"

#ifndef EM_RISCV
#define EM_RISCV 243
#endif

enum {
	BIAS = 0x10000000,
	CODE_AT = 0x1000,
	CODE_SIZE = 0x1000,
	JIT_AT = 0x50000000, /* code of which nothing is known */
	STACK = 0x7000000,
	WORDS = 128,
	MOST = 32,
};

struct world {
	struct elf_image *image;
	struct pipa_unwind_table *table;
	struct pipa_unwinder *unwinder;
	struct pipa_unwind_input in;
	uint64_t words[WORDS];
	uint8_t text[CODE_SIZE];
	size_t finds;
	uint64_t addrs[MOST];
	uint8_t flags[MOST];
	struct pipa_unwind_result result;
};

static bool find(void *ctx, uint64_t addr, struct pipa_unwind_code *ret)
{
	struct world *w = ctx;

	w->finds++;
	if (addr >= JIT_AT && addr < JIT_AT + 0x1000) {
		*ret = (struct pipa_unwind_code){ .object = 7 };
		return true;
	}
	if (addr - BIAS < CODE_AT || addr - BIAS >= CODE_AT + CODE_SIZE)
		return false;
	*ret = (struct pipa_unwind_code){ w->table, BIAS, 3 };
	return true;
}

static const struct pipa_unwind_ops ops = { .find = find };

static void begin(struct world *w, const struct pipa_unwind_arch *arch, const struct frames *f)
{
	struct pipa_unwind_files files = { 0 };
	uint64_t offset;

	w->image = elf_image_new(true, false, arch->machine, ET_DYN);
	elf_image_section(w->image,
			  &(struct elf_image_section){ .name = ".text",
						       .type = SHT_PROGBITS,
						       .flags = SHF_ALLOC | SHF_EXECINSTR,
						       .addr = CODE_AT,
						       .bytes = w->text,
						       .size = CODE_SIZE },
			  &offset);
	elf_image_segment(w->image, &(struct elf_image_segment){ .type = PT_LOAD,
								 .flags = PF_R | PF_X,
								 .offset = offset,
								 .addr = CODE_AT,
								 .file_size = CODE_SIZE,
								 .mem_size = CODE_SIZE });
	elf_image_section(w->image,
			  &(struct elf_image_section){ .name = ".eh_frame",
						       .type = SHT_PROGBITS,
						       .flags = SHF_ALLOC,
						       .addr = 0x9000,
						       .bytes = f->bytes,
						       .size = f->n },
			  NULL);
	files.main = elf_image_finish(w->image);
	CHECK_EQ(pipa_unwind_table_new(&files, &w->table, NULL), 0);
	CHECK(pipa_unwind_table_arch(w->table) == arch);
	w->unwinder = pipa_unwinder_new(arch);
	CHECK(w->unwinder);
	w->in.stack = (const uint8_t *)w->words;
	w->in.stack_len = sizeof(w->words);
	w->in.stack_addr = STACK;
	w->in.ops = &ops;
	w->in.ctx = w;
	pipa_unwind_set(&w->in.regs, arch->sp, STACK);
}

/* A second time the rows are known, and another walk is tried first: it must come to the same. */
static void check_again(struct world *w)
{
	uint64_t addrs[MOST];
	uint8_t flags[MOST];
	struct pipa_unwind_frames frames = { .addrs = addrs, .flags = flags, .max = MOST };
	struct pipa_unwind_result result;
	size_t finds = w->finds, i;

	pipa_unwind(w->unwinder, &w->in, &frames, &result);
	CHECK_EQ(result.n, w->result.n);
	CHECK_EQ(result.end, w->result.end);
	CHECK_EQ(result.fp_fallback, w->result.fp_fallback);
	CHECK_EQ(result.at, w->result.at);
	CHECK_EQ(result.object, w->result.object);
	for (i = 0; i < result.n; i++) {
		CHECK_EQ(addrs[i], w->addrs[i]);
		CHECK_EQ(flags[i], w->flags[i]);
	}
	w->finds = finds;
}

static void walk(struct world *w)
{
	struct pipa_unwind_frames frames = { .addrs = w->addrs, .flags = w->flags, .max = MOST };

	pipa_unwind(w->unwinder, &w->in, &frames, &w->result);
	check_again(w);
}

static void end(struct world *w)
{
	pipa_unwinder_free(w->unwinder);
	pipa_unwind_table_free(w->table);
	elf_image_free(w->image);
}

/*
 * x86_64: main at 0x1000 (CFA rsp + 16), mid at 0x1100 (rbp saved, CFA by rbp), leaf at 0x1200
 * (nothing), start at 0x1300 (no caller), the signal stub at 0x1400.
 */
static void x86_frames(struct frames *f)
{
	size_t cie, signal;

	f->n = 0;
	cie = put_cie(f, "zR", 16, CODE(0x0c, 7, 8, 0x90, 1));
	signal = put_cie(f, "zRS", 16, CODE(0x0f, 4, 0x77, 0xa0, 1, 0x06)); /* breg7 160, deref */
	put_fde(f, cie, 0x1000, 0x100, CODE(0x0e, 16));
	put_fde(f, cie, 0x1100, 0x100, CODE(0x0c, 6, 16, 0x86, 2));
	put_fde(f, cie, 0x1200, 0x100, CODE(0));
	put_fde(f, cie, 0x1300, 0x100, CODE(0x07, 16));
	/* pc at rsp + 168, rbp at rsp + 120, rsp: its own rule */
	put_fde(f, signal, 0x13ff, 0x20,
		CODE(0x10, 16, 3, 0x77, 0xa8, 1, 0x10, 6, 3, 0x77, 0xf8, 0, 0x10, 7, 3, 0x77, 0xa0,
		     1));
	put(f, 0, 4);
}

static void x86_stack(struct world *w)
{
	w->in.regs.pc = BIAS + 0x1210;
	w->words[0] = BIAS + 0x1150; /* leaf returns to mid, whose frame pointer is at word 10 */
	pipa_unwind_set(&w->in.regs, 6, STACK + 80);
	w->words[10] = 0x1234;	      /* main's rbp */
	w->words[11] = BIAS + 0x1050; /* mid returns to main */
	w->words[13] = BIAS + 0x1320; /* main's frame: word 12 and this */
}

TEST(a_stack_is_walked_to_its_outermost_frame)
{
	struct world w = { 0 };
	struct frames f;

	x86_frames(&f);
	begin(&w, &pipa_unwind_x86_64, &f);
	x86_stack(&w);
	walk(&w);
	CHECK_EQ(w.result.end, PIPA_STACK_COMPLETE);
	CHECK_EQ(w.result.n, 4);
	CHECK_EQ(w.addrs[0], BIAS + 0x1210);
	CHECK_EQ(w.addrs[1], BIAS + 0x1150);
	CHECK_EQ(w.addrs[2], BIAS + 0x1050);
	CHECK_EQ(w.addrs[3], BIAS + 0x1320);
	CHECK_EQ(w.flags[0], PIPA_FRAME_EXACT);
	CHECK_EQ(w.flags[1], 0);
	CHECK_EQ(w.result.fp_fallback, 0);
	CHECK_EQ(w.result.object, 3);
	end(&w);
}

TEST(a_second_walk_asks_for_no_code_but_at_its_end)
{
	struct world w = { 0 };
	struct frames f;
	size_t before;

	x86_frames(&f);
	begin(&w, &pipa_unwind_x86_64, &f);
	x86_stack(&w);
	walk(&w);
	before = w.finds;
	walk(&w);
	CHECK_EQ(w.finds, before + 1);
	CHECK_EQ(w.result.n, 4);
	w.in.space = 1; /* another address space: nothing is known of it */
	walk(&w);
	CHECK(w.finds > before + 4);
	CHECK_EQ(w.result.n, 4);
	before = w.finds;
	pipa_unwinder_reset(w.unwinder);
	walk(&w);
	CHECK(w.finds > before + 4);
	end(&w);
}

TEST(rows_of_one_address_space_are_not_used_for_another)
{
	struct world w = { 0 };
	struct frames f;
	size_t before;

	x86_frames(&f);
	begin(&w, &pipa_unwind_x86_64, &f);
	x86_stack(&w);
	for (w.in.space = 1; w.in.space < 20000; w.in.space++) { /* more than are kept */
		before = w.finds;
		walk(&w);
		CHECK_EQ(w.finds, before + 5);
	}
	end(&w);
}

/* between two frames that the stack pointer is enough for, where all rows are known */
TEST(a_register_that_only_one_frame_needs_is_found_on_the_way)
{
	struct world w = { 0 };
	struct frames f;
	size_t cie;

	x86_frames(&f);
	f.n -= 4;
	cie = put_cie(&f, "zR", 16, CODE(0x0c, 7, 8, 0x90, 1));
	put_fde(&f, cie, 0x1500, 0x100, CODE(0x0e, 16, 0x83, 2)); /* saves rbx */
	put_fde(&f, cie, 0x1600, 0x100, CODE(0x0c, 3, 16));	  /* CFA rbx + 16 */
	put(&f, 0, 4);
	begin(&w, &pipa_unwind_x86_64, &f);
	w.in.regs.pc = BIAS + 0x1210;
	pipa_unwind_set(&w.in.regs, 6, 0);
	pipa_unwind_set(&w.in.regs, 3, STACK + 800); /* the leaf's own */
	w.words[0] = BIAS + 0x1550;
	w.words[1] = STACK + 160;
	w.words[2] = BIAS + 0x1650;
	w.words[21] = BIAS + 0x1050;
	w.words[23] = BIAS + 0x1320;
	walk(&w);
	CHECK_EQ(w.result.end, PIPA_STACK_COMPLETE);
	CHECK_EQ(w.result.n, 5);
	CHECK_EQ(w.addrs[2], BIAS + 0x1650);
	CHECK_EQ(w.addrs[3], BIAS + 0x1050);
	CHECK_EQ(w.addrs[4], BIAS + 0x1320);
	end(&w);
}

TEST(a_caller_is_looked_up_at_its_call_and_not_after_it)
{
	struct world w = { 0 };
	struct frames f;

	x86_frames(&f);
	begin(&w, &pipa_unwind_x86_64, &f);
	w.in.regs.pc = BIAS + 0x1210;
	w.words[0] = BIAS + 0x1100; /* main's last instruction was a call that does not return */
	w.words[2] = BIAS + 0x1320;
	walk(&w);
	CHECK_EQ(w.result.end, PIPA_STACK_COMPLETE);
	CHECK_EQ(w.result.n, 3);
	CHECK_EQ(w.addrs[1], BIAS + 0x1100);
	CHECK_EQ(w.addrs[2], BIAS + 0x1320);
	end(&w);
}

TEST(expressions_know_the_program_counter)
{
	struct world w = { 0 };
	struct frames f = { .n = 0 };
	size_t cie = put_cie(&f, "zR", 16, CODE(0x90, 1));

	/* a PLT's: rsp + 8, and 8 more from the eleventh byte of each 16 on */
	put_fde(&f, cie, 0x1000, 0x100,
		CODE(0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22));
	put_fde(&f, cie, 0x1300, 0x100, CODE(0x07, 16));
	begin(&w, &pipa_unwind_x86_64, &f);
	w.words[0] = BIAS + 0x1320;
	w.words[1] = BIAS + 0x1330;
	w.in.regs.pc = BIAS + 0x1020;
	walk(&w);
	CHECK_EQ(w.result.n, 2);
	CHECK_EQ(w.addrs[1], BIAS + 0x1320);
	w.in.regs.pc = BIAS + 0x102b;
	walk(&w);
	CHECK_EQ(w.result.n, 2);
	CHECK_EQ(w.addrs[1], BIAS + 0x1330);
	end(&w);
}

TEST(a_truncated_stack_dump_is_distinct_from_another_stack)
{
	struct world w = { 0 };
	struct frames f;

	x86_frames(&f);
	begin(&w, &pipa_unwind_x86_64, &f);
	x86_stack(&w);
	w.in.stack_len = 12 * 8; /* main's return address is not in it */
	walk(&w);
	CHECK_EQ(w.result.end, PIPA_STACK_TRUNCATED);
	CHECK_EQ(w.result.n, 3);
	CHECK_EQ(w.result.at, BIAS + 0x1050);
	CHECK_EQ(w.result.object, 3);
	w.in.stack_len = 13 * 8 + 4; /* half of it is */
	walk(&w);
	CHECK_EQ(w.result.end, PIPA_STACK_TRUNCATED);
	w.in.regs.r[6] = UINT64_C(0x7fff00000000); /* another stack */
	walk(&w);
	CHECK_EQ(w.result.end, PIPA_STACK_OTHER_STACK);
	CHECK_EQ(w.result.n, 2);
	w.in.stack_len = 0;
	walk(&w);
	CHECK_EQ(w.result.end, PIPA_STACK_TRUNCATED);
	CHECK_EQ(w.result.n, 1);
	end(&w);
}

TEST(a_walk_ends_where_no_code_is)
{
	struct world w = { 0 };
	struct frames f;

	x86_frames(&f);
	begin(&w, &pipa_unwind_x86_64, &f);
	x86_stack(&w);
	w.words[11] = 0xdead;
	walk(&w);
	CHECK_EQ(w.result.end, PIPA_STACK_NO_MAPPING);
	CHECK_EQ(w.result.n, 3);
	CHECK_EQ(w.addrs[2], 0xdead);
	CHECK_EQ(w.result.object, PIPA_UNWIND_NO_OBJECT);
	w.words[11] = 0; /* no caller */
	walk(&w);
	CHECK_EQ(w.result.end, PIPA_STACK_COMPLETE);
	CHECK_EQ(w.result.n, 2);
	end(&w);
}

TEST(a_stack_that_does_not_rise_ends_the_walk)
{
	struct world w = { 0 };
	struct frames f;

	x86_frames(&f);
	begin(&w, &pipa_unwind_x86_64, &f);
	x86_stack(&w);
	w.words[10] = STACK + 80; /* mid is called by mid, with the same frame pointer */
	w.words[11] = BIAS + 0x1150;
	walk(&w);
	CHECK_EQ(w.result.end, PIPA_STACK_NO_PROGRESS);
	CHECK_EQ(w.result.n, 3);
	end(&w);
}

TEST(no_more_frames_are_written_than_there_is_room_for)
{
	struct world w = { 0 };
	struct frames f;
	size_t i;

	x86_frames(&f);
	begin(&w, &pipa_unwind_x86_64, &f);
	w.in.regs.pc = BIAS + 0x1010;
	for (i = 0; i < WORDS; i++)
		w.words[i] = BIAS + 0x1050; /* main calls itself, all the way up */
	walk(&w);
	CHECK_EQ(w.result.end, PIPA_STACK_TOO_MANY);
	CHECK_EQ(w.result.n, MOST);
	end(&w);
}

TEST(the_frame_interrupted_by_a_signal_is_looked_up_at_its_address)
{
	struct world w = { 0 };
	struct frames f;

	x86_frames(&f);
	begin(&w, &pipa_unwind_x86_64, &f);
	w.in.regs.pc = BIAS + 0x1210;
	w.words[0] = BIAS + 0x1400; /* the handler returns to the stub */
	/* the stub's frame is from word 1 on: rbp at 120, rsp at 160, pc at 168 */
	w.words[1 + 15] = STACK + 8 * 60;
	w.words[1 + 20] = STACK + 8 * 50;
	w.words[1 + 21] = BIAS + 0x1200; /* the first instruction of leaf: minus 1 would be mid */
	w.words[50] = BIAS + 0x1150;
	w.words[60] = 0;
	w.words[61] = BIAS + 0x1320;
	walk(&w);
	CHECK_EQ(w.result.end, PIPA_STACK_COMPLETE);
	CHECK_EQ(w.result.n, 5);
	CHECK_EQ(w.addrs[1], BIAS + 0x1400);
	CHECK_EQ(w.flags[1], PIPA_FRAME_EXACT); /* the stub, entered at its start */
	CHECK_EQ(w.addrs[2], BIAS + 0x1200);
	CHECK_EQ(w.flags[2], PIPA_FRAME_EXACT);
	CHECK_EQ(w.addrs[3], BIAS + 0x1150);
	CHECK_EQ(w.addrs[4], BIAS + 0x1320);
	w.words[1 + 20] = STACK + 8; /* "interrupted" beneath the handler */
	walk(&w);
	CHECK_EQ(w.result.end, PIPA_STACK_NO_PROGRESS);
	w.words[1 + 20] = 0x4000000; /* on another stack, of which there is no dump */
	walk(&w);
	CHECK_EQ(w.result.end, PIPA_STACK_OTHER_STACK);
	CHECK_EQ(w.result.n, 3);
	end(&w);
}

TEST(code_without_cfi_is_left_by_its_frame_pointer)
{
	struct world w = { 0 };
	struct frames f;

	x86_frames(&f);
	begin(&w, &pipa_unwind_x86_64, &f);
	x86_stack(&w);
	w.words[0] = JIT_AT + 0x10;
	walk(&w);
	CHECK_EQ(w.result.end, PIPA_STACK_COMPLETE);
	CHECK_EQ(w.result.n, 4);
	CHECK_EQ(w.addrs[2], BIAS + 0x1050);
	CHECK_EQ(w.flags[1], 0);
	CHECK_EQ(w.flags[2], PIPA_FRAME_FP_FALLBACK);
	CHECK_EQ(w.flags[3], 0);
	CHECK_EQ(w.result.fp_fallback, 1);
	w.words[11] = 0xdead; /* no code: not followed */
	walk(&w);
	CHECK_EQ(w.result.end, PIPA_STACK_NO_CFI);
	CHECK_EQ(w.result.n, 2);
	CHECK_EQ(w.result.object, 7);
	w.in.regs.r[6] = 0; /* the outermost frame, as ABIs mark it */
	walk(&w);
	CHECK_EQ(w.result.end, PIPA_STACK_COMPLETE);
	w.in.regs.r[6] = 3;
	walk(&w);
	CHECK_EQ(w.result.end, PIPA_STACK_NO_CFI);
	end(&w);
}

TEST(frame_pointers_in_a_circle_are_not_followed)
{
	struct world w = { 0 };
	struct frames f;

	x86_frames(&f);
	begin(&w, &pipa_unwind_x86_64, &f);
	w.in.regs.pc = JIT_AT;
	pipa_unwind_set(&w.in.regs, 6, STACK + 16);
	w.words[2] = STACK + 32;
	w.words[3] = JIT_AT + 8;
	w.words[4] = STACK + 16;
	w.words[5] = JIT_AT + 16;
	walk(&w);
	CHECK_EQ(w.result.end, PIPA_STACK_NO_CFI);
	CHECK_EQ(w.result.n, 3);
	CHECK_EQ(w.result.fp_fallback, 2);
	end(&w);
}

TEST(registers_that_the_sample_lacks_are_missed)
{
	struct world w = { 0 };
	struct frames f;

	x86_frames(&f);
	begin(&w, &pipa_unwind_x86_64, &f);
	x86_stack(&w);
	pipa_unwind_forget(&w.in.regs, 6);
	walk(&w);
	CHECK_EQ(w.result.end, PIPA_STACK_NO_REGISTERS);
	CHECK_EQ(w.result.n, 2);
	end(&w);
}

TEST(malformed_rows_end_the_walk)
{
	struct world w = { 0 };
	struct frames f = { .n = 0 };
	size_t cie = put_cie(&f, "zR", 16, CODE(0x0c, 7, 8, 0x90, 1));

	put_fde(&f, cie, 0x1200, 0x100, CODE(0x0b)); /* nothing was remembered */
	begin(&w, &pipa_unwind_x86_64, &f);
	w.in.regs.pc = BIAS + 0x1210;
	walk(&w);
	CHECK_EQ(w.result.end, PIPA_STACK_BAD_CFI);
	CHECK_EQ(w.result.n, 1);
	end(&w);
}

/*
 * aarch64: a leaf at 0x1000, a function at 0x1100 that keeps x29 and x30 at its lower end and signs its
 * return address, one at 0x1300 without a caller.
 */
static void aarch64_frames(struct frames *f)
{
	size_t cie;

	f->n = 0;
	cie = put_cie(f, "zR", 30, CODE(0x0c, 31, 0));
	put_fde(f, cie, 0x1000, 0x100, CODE(0));
	put_fde(f, cie, 0x1100, 0x100, CODE(0x2d, 0x0e, 32, 0x9d, 4, 0x9e, 3));
	put_fde(f, cie, 0x1300, 0x100, CODE(0x07, 30));
	put(f, 0, 4);
}

TEST(a_leaf_of_aarch64_is_left_by_the_link_register_and_signatures_are_stripped)
{
	struct world w = { 0 };
	struct frames f;

	aarch64_frames(&f);
	begin(&w, &pipa_unwind_aarch64, &f);
	w.in.regs.pc = BIAS + 0x1010;
	pipa_unwind_set(&w.in.regs, 30, BIAS + 0x1150);
	w.words[0] = 0;
	w.words[1] = UINT64_C(0x2b000000000000) | (BIAS + 0x1180);
	w.words[4] = 0;
	w.words[5] = BIAS + 0x1320;
	walk(&w);
	CHECK_EQ(w.result.end, PIPA_STACK_COMPLETE);
	CHECK_EQ(w.result.n, 4);
	CHECK_EQ(w.addrs[1], BIAS + 0x1150);
	CHECK_EQ(w.addrs[2], BIAS + 0x1180);
	CHECK_EQ(w.addrs[3], BIAS + 0x1320);
	end(&w);
}

TEST(an_aarch64_leaf_without_cfi_is_unwound_by_the_link_register)
{
	struct world w = { 0 };
	struct frames f;

	aarch64_frames(&f);
	begin(&w, &pipa_unwind_aarch64, &f);
	w.in.regs.pc = JIT_AT;
	pipa_unwind_set(&w.in.regs, 30, BIAS + 0x1150);
	pipa_unwind_set(&w.in.regs, 29, STACK);
	w.words[1] = BIAS + 0x1320;
	walk(&w);
	CHECK_EQ(w.result.end, PIPA_STACK_COMPLETE);
	CHECK_EQ(w.result.n, 3);
	CHECK_EQ(w.addrs[1], BIAS + 0x1150);
	CHECK_EQ(w.flags[1], PIPA_FRAME_FP_FALLBACK);
	CHECK_EQ(w.addrs[2], BIAS + 0x1320);
	/* but where the frame record has it already, the record is the frame, and leads to the next */
	w.words[0] = STACK + 64;
	w.words[1] = BIAS + 0x1150;
	w.words[9] = BIAS + 0x1320;
	walk(&w);
	CHECK_EQ(w.result.end, PIPA_STACK_COMPLETE);
	CHECK_EQ(w.result.n, 3);
	CHECK_EQ(w.addrs[1], BIAS + 0x1150);
	CHECK_EQ(w.addrs[2], BIAS + 0x1320);
	CHECK_EQ(w.result.fp_fallback, 2); /* a record does not have the stack pointer */
	end(&w);
}

TEST(a_caller_without_a_saved_link_register_is_invalid)
{
	struct world w = { 0 };
	struct frames f;

	aarch64_frames(&f);
	begin(&w, &pipa_unwind_aarch64, &f);
	w.in.regs.pc = BIAS + 0x1010;
	pipa_unwind_set(&w.in.regs, 30, BIAS + 0x1020); /* a leaf, called by a leaf */
	walk(&w);
	CHECK_EQ(w.result.end, PIPA_STACK_BAD_CFI);
	CHECK_EQ(w.result.n, 2);
	end(&w);
}

TEST(the_signal_stub_of_aarch64_is_known_by_its_instructions)
{
	static const uint8_t stub[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 };
	struct world w = { 0 };
	struct frames f;

	aarch64_frames(&f);
	memcpy(w.text + 0x800, stub, sizeof(stub));
	begin(&w, &pipa_unwind_aarch64, &f);
	w.in.regs.pc = BIAS + 0x1010;
	pipa_unwind_set(&w.in.regs, 30, BIAS + CODE_AT + 0x800);
	w.words[39 + 30] = BIAS + 0x1320; /* x30 */
	w.words[39 + 31] = STACK + 8 * 100;
	w.words[39 + 32] = BIAS + 0x1000;
	walk(&w);
	CHECK_EQ(w.result.end, PIPA_STACK_COMPLETE);
	CHECK_EQ(w.result.n, 4);
	CHECK_EQ(w.addrs[1], BIAS + CODE_AT + 0x800);
	CHECK_EQ(w.addrs[2], BIAS + 0x1000);
	CHECK_EQ(w.flags[2], PIPA_FRAME_EXACT);
	CHECK_EQ(w.addrs[3], BIAS + 0x1320);
	end(&w);
}

TEST(riscv64_keeps_its_frame_beneath_the_frame_pointer)
{
	struct world w = { 0 };
	struct frames f = { .n = 0 };
	size_t cie = put_cie(&f, "zR", 1, CODE(0x0d, 2)); /* half of a CFA: sp + 0 */

	put_fde(&f, cie, 0x1000, 0x100, CODE(0x0e, 16, 0x81, 1, 0x88, 2));
	put_fde(&f, cie, 0x1300, 0x100, CODE(0x07, 1));
	begin(&w, &pipa_unwind_riscv64, &f);
	w.in.regs.pc = BIAS + 0x1010;
	w.words[0] = STACK + 8 * 20; /* s0 */
	w.words[1] = JIT_AT + 8;     /* ra */
	w.words[18] = 0;
	w.words[19] = BIAS + 0x1050;
	w.words[21] = BIAS + 0x1320;
	walk(&w);
	CHECK_EQ(w.result.end, PIPA_STACK_COMPLETE);
	CHECK_EQ(w.result.n, 4);
	CHECK_EQ(w.addrs[1], JIT_AT + 8);
	CHECK_EQ(w.addrs[2], BIAS + 0x1050);
	CHECK_EQ(w.flags[2], PIPA_FRAME_FP_FALLBACK);
	CHECK_EQ(w.addrs[3], BIAS + 0x1320);
	end(&w);
}

TEST(registers_of_samples_are_put_in_their_places)
{
	static const uint64_t values[] = { 100, 101, 102, 103 };
	struct pipa_rec_regs sample = { .abi = 2, .values = values };
	struct pipa_unwind_regs regs;

	sample.mask = 1 << 1 | 1 << 7 | 1 << 8 | 1 << 16; /* bx, sp, ip, r8 */
	CHECK(pipa_unwind_regs_of(&pipa_unwind_x86_64, &sample, &regs));
	CHECK_EQ(regs.r[3], 100);
	CHECK_EQ(regs.r[7], 101);
	CHECK_EQ(regs.pc, 102);
	CHECK_EQ(regs.r[8], 103);
	CHECK_EQ(regs.known, 1 << 3 | 1 << 7 | 1 << 8);
	sample.mask = 1ULL << 29 | 1ULL << 30 | 1ULL << 31 | 1ULL << 32;
	CHECK(pipa_unwind_regs_of(&pipa_unwind_aarch64, &sample, &regs));
	CHECK_EQ(regs.r[31], 102);
	CHECK_EQ(regs.pc, 103);
	sample.mask = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 8;
	CHECK(pipa_unwind_regs_of(&pipa_unwind_riscv64, &sample, &regs));
	CHECK_EQ(regs.pc, 100);
	CHECK_EQ(regs.r[1], 101);
	CHECK_EQ(regs.r[2], 102);
	CHECK_EQ(regs.r[8], 103);
	sample.mask = 1 << 0 | 1 << 1;
	CHECK(!pipa_unwind_regs_of(&pipa_unwind_riscv64, &sample, &regs)); /* no stack pointer */
	sample.mask = 1 << 0 | 1 << 2;
	sample.abi = 1; /* a process of 32 bits */
	CHECK(!pipa_unwind_regs_of(&pipa_unwind_riscv64, &sample, &regs));
	CHECK(pipa_unwind_arch_named("riscv64") == &pipa_unwind_riscv64);
	CHECK(!pipa_unwind_arch_named("vax"));
}

TEST(ranges_and_frame_pointers_of_a_table_are_returned)
{
	struct pipa_unwind_fp fp;
	uint64_t from, to;
	struct world w = { 0 };
	struct frames f;

	x86_frames(&f);
	begin(&w, &pipa_unwind_x86_64, &f);
	CHECK_EQ(pipa_unwind_table_count(w.table), 5);
	CHECK(pipa_unwind_range(w.table, 0x1180, &from, &to));
	CHECK_EQ(from, 0x1100);
	CHECK_EQ(to, 0x1200);
	CHECK(!pipa_unwind_range(w.table, 0x1500, &from, &to));
	pipa_unwind_table_fp(w.table, 100, &fp);
	CHECK_EQ(fp.frames, 2); /* main and mid */
	CHECK_EQ(fp.with_fp, 1);
	end(&w);
}

TEST(non_elf_files_and_unknown_architectures_are_refused)
{
	static const uint8_t junk[64] = { 1, 2, 3 };
	struct pipa_unwind_files files = { .main = { junk, sizeof(junk) } };
	struct elf_image *image = elf_image_new(true, false, EM_S390, ET_DYN);
	struct pipa_unwind_table *table = NULL;

	CHECK_EQ(pipa_unwind_table_new(&files, &table, NULL), -EBADMSG);
	files.main = elf_image_finish(image);
	CHECK_EQ(pipa_unwind_table_new(&files, &table, NULL), -ENOTSUP);
	CHECK(!table);
	elf_image_free(image);
}
