/* Walks through code without call frame information: decoded, by tables of stack depths, by frame records. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/auto.h"
#include "frames.h"
#include "lib/elf_image.h"
#include "lib/oracle.h"
#include "unwind/insn.h"
#include "unwind/step.h"
#include "unwind/table.h"
#include "unwind/unwind.h"

enum {
	BIAS = 0x10000000,
	CODE_AT = 0x1000,
	CODE_SIZE = 0x1000,
	OUTER = 0x1f00,	     /* has call frame information: no caller */
	WITH_CFI = 0x1e00,   /* has some */
	JIT_AT = 0x50000000, /* in no file */
	JIT_SIZE = 0x400,
	STACK = 0x7000000,
	WORDS = 128,
	MOST = 16,
};

struct scene {
	struct elf_image *image;
	struct pipa_unwind_table *table;
	struct pipa_unwinder *unwinder;
	struct pipa_unwind_input in;
	struct pipa_unwind_function functions[4]; /* as mapped */
	uint64_t words[WORDS];
	uint8_t text[CODE_SIZE], jit[JIT_SIZE];
	bool has_jit_bytes;
	uint64_t addrs[MOST];
	uint8_t flags[MOST];
	struct pipa_unwind_result result;
};

static bool find(void *ctx, uint64_t addr, struct pipa_unwind_code *ret)
{
	struct scene *s = ctx;

	*ret = (struct pipa_unwind_code){ .object = 7 };
	if (addr >= JIT_AT && addr < JIT_AT + JIT_SIZE)
		return true;
	*ret = (struct pipa_unwind_code){ s->table, BIAS, 3 };
	return addr - BIAS >= CODE_AT && addr - BIAS < CODE_AT + CODE_SIZE;
}

static bool find_function(void *ctx, uint64_t addr, const struct pipa_unwind_code *code,
			  struct pipa_unwind_function *ret)
{
	struct scene *s = ctx;
	size_t i;

	CHECK(code->object == (addr >= JIT_AT ? 7 : 3));
	for (i = 0; i < 4; i++) {
		*ret = s->functions[i];
		if (addr >= ret->start && addr < ret->end)
			return true;
	}
	return false;
}

static size_t read_code(void *ctx, uint64_t addr, void *to, size_t size)
{
	struct scene *s = ctx;

	if (!s->has_jit_bytes || addr < JIT_AT || addr >= JIT_AT + JIT_SIZE)
		return 0;
	if (size > JIT_AT + JIT_SIZE - addr)
		size = (size_t)(JIT_AT + JIT_SIZE - addr);
	memcpy(to, s->jit + (addr - JIT_AT), size);
	return size;
}

static const struct pipa_unwind_ops ops = { .find = find,
					    .function = find_function,
					    .code = read_code };

/* `code` is the program of the function at WITH_CFI. */
static void begin(struct scene *s, const struct pipa_unwind_arch *arch, struct code code)
{
	bool pushes = arch->link == PIPA_UNWIND_NO_REG;
	uint8_t ra = pushes ? 16 : arch->link;
	struct pipa_unwind_files files = { 0 };
	struct frames f = { .n = 0 };
	size_t cie = put_cie(&f, "zR", ra,
			     pushes ? CODE(0x0c, arch->sp, 8, 0x80 | 16, 1) :
				      CODE(0x0c, arch->sp, 0));
	uint64_t offset;

	put_fde(&f, cie, OUTER, 0x100, CODE(0x07, ra));
	put_fde(&f, cie, WITH_CFI, 0x100, code);
	put(&f, 0, 4);
	s->image = elf_image_new(true, false, arch->machine, ET_DYN);
	elf_image_section(s->image,
			  &(struct elf_image_section){ .name = ".text",
						       .type = SHT_PROGBITS,
						       .flags = SHF_ALLOC | SHF_EXECINSTR,
						       .addr = CODE_AT,
						       .bytes = s->text,
						       .size = CODE_SIZE },
			  &offset);
	elf_image_segment(s->image, &(struct elf_image_segment){ .type = PT_LOAD,
								 .flags = PF_R | PF_X,
								 .offset = offset,
								 .addr = CODE_AT,
								 .file_size = CODE_SIZE,
								 .mem_size = CODE_SIZE });
	elf_image_section(s->image,
			  &(struct elf_image_section){ .name = ".eh_frame",
						       .type = SHT_PROGBITS,
						       .flags = SHF_ALLOC,
						       .addr = 0x9000,
						       .bytes = f.bytes,
						       .size = f.n },
			  NULL);
	files.main = elf_image_finish(s->image);
	CHECK_EQ(pipa_unwind_table_new(&files, &s->table, NULL), 0);
	s->unwinder = pipa_unwinder_new(arch);
	CHECK(s->unwinder);
	s->in.stack = (const uint8_t *)s->words;
	s->in.stack_len = sizeof(s->words);
	s->in.stack_addr = STACK;
	s->in.ops = &ops;
	s->in.ctx = s;
	pipa_unwind_set(&s->in.regs, arch->sp, STACK);
}

static void walk(struct scene *s)
{
	struct pipa_unwind_frames frames = { .addrs = s->addrs, .flags = s->flags, .max = MOST };
	struct pipa_unwind_result first;

	pipa_unwind(s->unwinder, &s->in, &frames, &first);
	pipa_unwind(s->unwinder, &s->in, &frames, &s->result); /* with the rows of the first */
	CHECK_EQ(first.n, s->result.n);
	CHECK_EQ(first.end, s->result.end);
	CHECK_EQ(first.fp_fallback, s->result.fp_fallback);
}

static void end(struct scene *s)
{
	pipa_unwinder_free(s->unwinder);
	pipa_unwind_table_free(s->table);
	elf_image_free(s->image);
	memset(s, 0, sizeof(*s));
}

/* ---- aarch64 --------------------------------------------------------------------------------- */

/* stp x29,x30,[sp,#-32]!; mov x29,sp; bl .+64; nop; ldp x29,x30,[sp],#32; ret */
static const uint32_t framed[] = { 0xa9be7bfd, 0x910003fd, 0x94000010,
				   0xd503201f, 0xa8c27bfd, 0xd65f03c0 };
/* str x30,[sp,#-48]!; bl .+64; nop; ldr x30,[sp],#48; ret */
static const uint32_t frameless[] = { 0xf81d0ffe, 0x94000010, 0xd503201f, 0xf84307fe, 0xd65f03c0 };
/* nop; ret */
static const uint32_t leaf[] = { 0xd503201f, 0xd65f03c0 };

TEST(a_stale_link_register_is_not_treated_as_the_caller)
{
	struct scene s = { 0 };

	memcpy(s.text, framed, sizeof(framed));
	begin(&s, &pipa_unwind_aarch64, CODE(0));
	s.functions[0] = (struct pipa_unwind_function){ .start = BIAS + 0x1000,
							.end = BIAS + 0x1018 };
	s.in.regs.pc = BIAS + 0x100c; /* after the call, which left its return address in x30 */
	pipa_unwind_set(&s.in.regs, 30, BIAS + 0x100c);
	pipa_unwind_set(&s.in.regs, 29, STACK);
	s.words[1] = BIAS + OUTER + 8;
	walk(&s);
	CHECK_EQ(s.result.end, PIPA_STACK_COMPLETE);
	CHECK_EQ(s.result.n, 2);
	CHECK_EQ(s.addrs[1], BIAS + OUTER + 8);
	CHECK_EQ(s.flags[1], PIPA_FRAME_FP_FALLBACK);
	end(&s);
}

TEST(the_caller_is_in_the_link_register_before_the_frame_is_made_and_after_it_is_gone)
{
	static const uint64_t stops[] = { 0x1000, 0x1014 };
	size_t i;

	for (i = 0; i < 2; i++) {
		struct scene s = { 0 };

		memcpy(s.text, framed, sizeof(framed));
		begin(&s, &pipa_unwind_aarch64, CODE(0));
		s.functions[0] = (struct pipa_unwind_function){ .start = BIAS + 0x1000,
								.end = BIAS + 0x1018 };
		s.in.regs.pc = BIAS + stops[i];
		pipa_unwind_set(&s.in.regs, 30, BIAS + OUTER + 8);
		walk(&s);
		CHECK_EQ(s.result.end, PIPA_STACK_COMPLETE);
		CHECK_EQ(s.result.n, 2);
		CHECK_EQ(s.addrs[1], BIAS + OUTER + 8);
		end(&s);
	}
}

/* Callers are return addresses: leaf, frameless, then code with call frame information. */
TEST(code_without_frame_pointers_is_walked_by_its_depth)
{
	struct scene s = { 0 };
	size_t known;

	for (known = 0; known < 2; known++) {
		memcpy(s.text, frameless, sizeof(frameless));
		memcpy(s.text + 0x100, leaf, sizeof(leaf));
		/* CFA = sp + 32, x30 at CFA - 16 */
		begin(&s, &pipa_unwind_aarch64, CODE(0x0e, 32, 0x80 | 30, 2));
		if (known) { /* with symbols from the start, without them to the return */
			s.functions[0] = (struct pipa_unwind_function){ .start = BIAS + 0x1000,
									.end = BIAS + 0x1014 };
			s.functions[1] = (struct pipa_unwind_function){ .start = BIAS + 0x1100,
									.end = BIAS + 0x1108 };
		}
		s.in.regs.pc = BIAS + 0x1100;
		pipa_unwind_set(&s.in.regs, 30, BIAS + 0x1008);
		s.words[0] = BIAS + WITH_CFI + 16;
		s.words[6 + 2] = BIAS + OUTER + 8;
		walk(&s);
		CHECK_EQ(s.result.end, PIPA_STACK_COMPLETE);
		CHECK_EQ(s.result.n, 4);
		CHECK_EQ(s.addrs[1], BIAS + 0x1008);
		CHECK_EQ(s.addrs[2], BIAS + WITH_CFI + 16);
		CHECK_EQ(s.addrs[3], BIAS + OUTER + 8);
		CHECK_EQ(s.result.fp_fallback, 2);
		end(&s);
	}
}

TEST(jit_code_without_its_bytes_is_left_by_its_frame_record)
{
	struct scene s = { 0 };

	begin(&s, &pipa_unwind_aarch64, CODE(0));
	s.functions[0] = (struct pipa_unwind_function){ .start = JIT_AT, .end = JIT_AT + 0x100 };
	s.in.regs.pc = JIT_AT + 0x80;
	pipa_unwind_set(&s.in.regs, 30, JIT_AT + 0x20);
	pipa_unwind_set(&s.in.regs, 29, STACK + 16);
	s.words[3] = BIAS + OUTER + 8;
	walk(&s);
	CHECK_EQ(s.result.n, 2);
	CHECK_EQ(s.addrs[1], BIAS + OUTER + 8);
	/* of another function: the caller of a leaf */
	pipa_unwind_set(&s.in.regs, 30, JIT_AT + 0x120);
	walk(&s);
	CHECK_EQ(s.result.n, 3);
	CHECK_EQ(s.addrs[1], JIT_AT + 0x120);
	CHECK_EQ(s.addrs[2], BIAS + OUTER + 8);
	end(&s);
}

TEST(jit_code_of_a_running_process_is_decoded)
{
	struct scene s = { 0 };

	memcpy(s.jit + 0x40, frameless, sizeof(frameless));
	s.has_jit_bytes = true;
	begin(&s, &pipa_unwind_aarch64, CODE(0));
	s.functions[0] = (struct pipa_unwind_function){ .start = JIT_AT + 0x40,
							.end = JIT_AT + 0x54 };
	s.in.regs.pc = JIT_AT + 0x48;
	pipa_unwind_set(&s.in.regs, 30, JIT_AT + 0x48);
	pipa_unwind_set(&s.in.regs, 29, 0);
	s.words[0] = BIAS + OUTER + 8;
	walk(&s);
	CHECK_EQ(s.result.end, PIPA_STACK_COMPLETE);
	CHECK_EQ(s.result.n, 2);
	CHECK_EQ(s.addrs[1], BIAS + OUTER + 8);
	end(&s);
}

TEST(call_frame_information_is_used_again_after_a_step_by_frame_pointer)
{
	struct scene s = { 0 };

	/* CFA = sp + 64; x29 at CFA - 32, x30 at CFA - 24: a frame record in the middle */
	begin(&s, &pipa_unwind_aarch64, CODE(0x0e, 64 | 0, 0x80 | 29, 4, 0x80 | 30, 3));
	s.in.regs.pc = JIT_AT + 0x80;
	pipa_unwind_set(&s.in.regs, 29, STACK);
	s.words[0] = STACK + 8 * 10; /* the caller's record */
	s.words[1] = BIAS + WITH_CFI + 8;
	s.words[10] = 0;
	s.words[11] = BIAS + WITH_CFI + 12; /* its caller, of the same shape, without a record */
	s.words[14 + 5] = BIAS + OUTER + 8;
	walk(&s);
	CHECK_EQ(s.result.end, PIPA_STACK_COMPLETE);
	CHECK_EQ(s.result.n, 4);
	CHECK_EQ(s.addrs[2], BIAS + WITH_CFI + 12);
	CHECK_EQ(s.addrs[3], BIAS + OUTER + 8);
	end(&s);
}

/* glibc's _dl_runtime_resolve: CFA = sp + 64, x30 at CFA + 8, below what the PLT has pushed. */
TEST(a_return_address_above_the_cfa_was_pushed_before_the_function)
{
	struct scene s = { 0 };

	memcpy(s.text, frameless, sizeof(frameless));
	begin(&s, &pipa_unwind_aarch64, CODE(0x0e, 64, 0x11, 30, 0x7f)); /* offset -1 * -8 */
	s.functions[0] = (struct pipa_unwind_function){ .start = BIAS + 0x1000,
							.end = BIAS + 0x1014 };
	s.in.regs.pc = BIAS + WITH_CFI + 8;
	s.words[9] = BIAS + 0x1008; /* pushed */
	s.words[10] = BIAS + OUTER + 8;
	walk(&s);
	CHECK_EQ(s.result.end, PIPA_STACK_COMPLETE);
	CHECK_EQ(s.result.n, 3);
	CHECK_EQ(s.addrs[1], BIAS + 0x1008);
	CHECK_EQ(s.addrs[2], BIAS + OUTER + 8);
	end(&s);
}

TEST(the_stub_of_a_signal_handler_is_exact_even_where_the_walk_ends)
{
	static const uint8_t stub[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 };
	struct scene s = { 0 };

	memcpy(s.text, stub, sizeof(stub)); /* where the object begins */
	memcpy(s.text + 0x100, leaf, sizeof(leaf));
	begin(&s, &pipa_unwind_aarch64, CODE(0));
	s.in.stack_len = 64;
	s.in.regs.pc = BIAS + 0x1100;
	pipa_unwind_set(&s.in.regs, 30, BIAS + CODE_AT);
	walk(&s);
	CHECK_EQ(s.result.end, PIPA_STACK_TRUNCATED);
	CHECK_EQ(s.result.n, 2);
	CHECK(s.flags[1] & PIPA_FRAME_EXACT);
	end(&s);
}

/* ---- tables of stack depths ------------------------------------------------------------------- */

TEST(depths_of_a_table_lead_to_the_outermost_function)
{
	static const struct pipa_unwind_arch *const archs[] = { &pipa_unwind_x86_64,
								&pipa_unwind_aarch64 };
	size_t i;

	for (i = 0; i < 2; i++) {
		struct scene s = { 0 };
		size_t ra = archs[i]->link == PIPA_UNWIND_NO_REG ? 4 : 0; /* on top or below */

		begin(&s, archs[i], CODE(0));
		s.functions[0] = (struct pipa_unwind_function){
			.start = BIAS + 0x1000, .end = BIAS + 0x1100, .has_depth = true, .depth = 32
		};
		s.functions[1] = (struct pipa_unwind_function){ .start = BIAS + 0x1100,
								.end = BIAS + 0x1200,
								.outermost = true };
		s.in.regs.pc = BIAS + 0x1010;
		s.words[ra] = BIAS + 0x1104;
		walk(&s);
		CHECK_EQ(s.result.end, PIPA_STACK_COMPLETE);
		CHECK_EQ(s.result.n, 2);
		CHECK_EQ(s.addrs[1], BIAS + 0x1104);
		CHECK_EQ(s.result.fp_fallback, 0);
		end(&s);
	}
}

/* ---- x86_64, riscv64 -------------------------------------------------------------------------- */

/* push %rbx; sub $0x20,%rsp; call .+64; nop; add $0x20,%rsp; pop %rbx; ret */
static const uint8_t x86_pushes[] = { 0x53, 0x48, 0x83, 0xec, 0x20, 0xe8, 0x40, 0,   0,
				      0,    0x90, 0x48, 0x83, 0xc4, 0x20, 0x5b, 0xc3 };

TEST(x86_64_code_without_frame_pointers_is_walked_by_its_depth)
{
	static const struct {
		uint64_t pc;
		size_t ra;
	} stops[] = { { 0, 0 }, { 1, 1 }, { 5, 5 }, { 10, 5 }, { 11, 5 }, { 15, 1 }, { 16, 0 } };
	size_t i, known;

	for (i = 0; i < sizeof(stops) / sizeof(stops[0]); i++) {
		for (known = 0; known < 2; known++) {
			struct scene s = { 0 };

			memcpy(s.text, x86_pushes, sizeof(x86_pushes));
			begin(&s, &pipa_unwind_x86_64, CODE(0));
			if (known)
				s.functions[0] = (struct pipa_unwind_function){
					.start = BIAS + 0x1000, .end = BIAS + 0x1011
				};
			else if (stops[i].pc < 10)
				s.functions[0].start = s.functions[0].end = 0;
			s.in.regs.pc = BIAS + 0x1000 + stops[i].pc;
			s.words[stops[i].ra] = BIAS + OUTER + 8;
			walk(&s);
			CHECK_EQ(s.result.end, PIPA_STACK_COMPLETE);
			CHECK_EQ(s.result.n, 2);
			CHECK_EQ(s.addrs[1], BIAS + OUTER + 8);
			end(&s);
		}
	}
}

/* addi sp,-32; sd ra,24(sp); sd s0,16(sp); addi s0,sp,32; nop; ld ra,24(sp); ld s0,16(sp); addi sp,32; ret */
static const uint16_t riscv_framed[] = { 0x1101, 0xec06, 0xe822, 0x1000, 0x0001,
					 0x60e2, 0x6442, 0x6105, 0x8082 };

TEST(riscv64_frames_are_found_at_every_instruction)
{
	size_t i;

	for (i = 0; i < 9; i++) {
		struct scene s = { 0 };
		bool framed_yet = i >= 1 && i < 8, in_register = i < 2 || i > 5;

		memcpy(s.text, riscv_framed, sizeof(riscv_framed));
		begin(&s, &pipa_unwind_riscv64, CODE(0));
		s.functions[0] = (struct pipa_unwind_function){ .start = BIAS + 0x1000,
								.end = BIAS + 0x1012 };
		s.in.regs.pc = BIAS + 0x1000 + 2 * i;
		pipa_unwind_set(&s.in.regs, 1, in_register ? BIAS + OUTER + 8 : BIAS + 0x1008);
		if (framed_yet && i >= 2)
			s.words[3] = BIAS + OUTER + 8;
		if (i >= 2 && i <= 5) /* not clobbered in this code, so still believed */
			pipa_unwind_set(&s.in.regs, 1, BIAS + OUTER + 8);
		walk(&s);
		CHECK_EQ(s.result.end, PIPA_STACK_COMPLETE);
		CHECK_EQ(s.result.n, 2);
		CHECK_EQ(s.addrs[1], BIAS + OUTER + 8);
		end(&s);
	}
}

/* ---- lengths of instructions ------------------------------------------------------------------- */

/* objdump's instructions begin where ours end. Returns how many there were. */
static size_t compare_lengths(const char *path, const struct pipa_unwind_arch *arch)
{
	PIPA_AUTO(pipa_unwind_table_free) struct pipa_unwind_table *table = NULL;
	struct pipa_unwind_files files = { .main = oracle_map(path) };
	char line[512], *colon;
	uint64_t next = 0, addr;
	size_t n = 0, wrong = 0, size;
	FILE *out;

	if (!files.main.size || pipa_unwind_table_new(&files, &table, NULL) < 0 ||
	    pipa_unwind_table_arch(table) != arch)
		return 0;
	out = oracle_read("LC_ALL=C objdump -d -w --no-show-raw-insn -j .text %s | head -400000",
			  path);
	while (fgets(line, sizeof(line), out)) {
		const uint8_t *bytes;
		struct pipa_insn insn;

		addr = strtoull(line, &colon, 16);
		if (line[0] != ' ' || *colon != ':')
			continue;
		bytes = pipa_unwind_table_span(table, addr, &size);
		CHECK(bytes);
		if (next && next < addr + 16 && addr != next && !strstr(line, "(bad)"))
			wrong++;
		next = !strstr(line, "(bad)") && arch->decode(bytes, size, addr, &insn) ?
			       addr + insn.size :
			       0;
		n++;
	}
	pclose(out);
	printf("# %s: %zu instructions, %zu of another length\n", path, n, wrong);
	CHECK(wrong * 500 <= n); /* tables among the code are not instructions */
	return n;
}

TEST(instructions_are_as_long_as_objdump_has_them)
{
	NEED("objdump");
#if defined(__x86_64__)
	if (!compare_lengths(oracle_self(), &pipa_unwind_x86_64))
		SKIP("objdump does not know this architecture");
	compare_lengths("/lib/x86_64-linux-gnu/libcrypto.so.3", &pipa_unwind_x86_64);
	compare_lengths("/lib/x86_64-linux-gnu/libc.so.6", &pipa_unwind_x86_64);
#elif defined(__aarch64__)
	if (!compare_lengths(oracle_self(), &pipa_unwind_aarch64))
		SKIP("objdump does not know this architecture");
#elif defined(__riscv)
	if (!compare_lengths(oracle_self(), &pipa_unwind_riscv64))
		SKIP("objdump does not know this architecture");
#else
	SKIP("an architecture whose instructions are not decoded");
#endif
}
