#include "symbol/text/disasm.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "lib/test.h"

static char text[1000];

/* "1000 jmp 0x1010 ->1010; ..." */
static int on_insn(void *ctx, const struct pipa_disasm_insn *insn)
{
	size_t len = strlen(text);
	char target[40] = "";

	(void)ctx;
	if (insn->target)
		snprintf(target, sizeof(target), " ->%llx", (unsigned long long)insn->target);
	snprintf(text + len, sizeof(text) - len, "%llx+%zu %s%s%s%s; ",
		 (unsigned long long)insn->addr, insn->size, insn->name,
		 insn->operands[0] ? " " : "", insn->operands, target);
	return 0;
}

static void read_code(uint16_t machine, const void *code, size_t size)
{
	const char *why = "";

	if (!pipa_disasm_knows(machine, &why))
		SKIP("%s", why);
	CHECK_EQ(pipa_disasm(machine, (struct pipa_span){ code, size }, 0x1000, on_insn, NULL), 0);
}

TEST(code_of_x86_64_is_read_as_objdump_writes_it)
{
	static const uint8_t code[] = { 0x48, 0x01, 0xc8, 0xeb, 0x02, 0xe8, 0x06,
					0,    0,    0,	  0xff, 0xe0, 0xc3 };

	read_code(EM_X86_64, code, sizeof(code));
	CHECK_STR(text, "1000+3 addq %rcx, %rax; 1003+2 jmp 0x1007 ->1007; "
			"1005+5 callq 0x1010 ->1010; 100a+2 jmpq *%rax; 100c+1 retq; ");
}

TEST(code_of_aarch64_is_read_on_any_machine)
{
	static const uint8_t code[] = { 0x20, 0x00, 0x02, 0x8b, 0x60, 0x00,
					0x00, 0xb4, 0xc0, 0x03, 0x5f, 0xd6 };

	read_code(EM_AARCH64, code, sizeof(code));
	CHECK_STR(text, "1000+4 add x0, x1, x2; 1004+4 cbz x0, #0x1010 ->1010; 1008+4 ret; ");
}

TEST(code_of_riscv64_is_read_where_capstone_can)
{
	static const uint8_t code[] = { 0x82, 0x80 };

	read_code(EM_RISCV, code, sizeof(code));
	CHECK_HAS(text, "1000+2 ");
}

TEST(invalid_instructions_are_disassembled_as_bad)
{
	static const uint8_t code[] = { 0x06, 0xc3, 0x48 }; /* the last is truncated */

	read_code(EM_X86_64, code, sizeof(code));
	CHECK_STR(text, "1000+1 (bad); 1001+1 retq; 1002+1 (bad); ");
}

TEST(code_of_an_unknown_machine_is_refused_with_a_reason)
{
	const char *why = NULL;

	CHECK(!pipa_disasm_knows(EM_NONE, &why));
	CHECK(why && why[0]);
	CHECK(pipa_disasm(EM_NONE, (struct pipa_span){ 0 }, 0, on_insn, NULL) < 0);
}
