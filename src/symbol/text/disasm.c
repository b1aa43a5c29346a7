#include "symbol/text/disasm.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef PIPA_HAVE_CAPSTONE
#include <capstone/capstone.h>

struct machine {
	uint16_t machine; /* EM_* */
	cs_arch arch;
	unsigned int mode;
	size_t step; /* minimum size of an instruction */
};

static const struct machine machines[] = {
	{ EM_X86_64, CS_ARCH_X86, CS_MODE_64, 1 },
	{ EM_AARCH64, CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, 4 },
#if CS_API_MAJOR >= 5
	{ EM_RISCV, CS_ARCH_RISCV, CS_MODE_RISCV64 | CS_MODE_RISCVC, 2 },
#endif
};

static const struct machine *find_machine(uint16_t machine)
{
	size_t i;

	for (i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].machine == machine)
			return &machines[i];
	return NULL;
}

bool pipa_disasm_knows(uint16_t machine, const char **why)
{
	if (find_machine(machine))
		return true;
	if (why)
		*why = "capstone of this build does not support that architecture";
	return false;
}

/* Return the last operand if it is a number: "0x1190", "x0, #0x1190". */
static uint64_t last_number(const char *operands)
{
	const char *last = strrchr(operands, ' ');

	last = last ? last + 1 : operands;
	last += *last == '#';
	return strncmp(last, "0x", 2) == 0 &&
			       strspn(last + 2, "0123456789abcdef") == strlen(last + 2) ?
		       strtoull(last, NULL, 16) :
		       0;
}

static uint64_t target_of(csh handle, const cs_insn *insn)
{
	if (cs_insn_group(handle, insn, CS_GRP_JUMP) || cs_insn_group(handle, insn, CS_GRP_CALL))
		return last_number(insn->op_str);
	return 0;
}

static int walk(csh handle, const struct machine *m, struct pipa_span code, uint64_t addr,
		pipa_disasm_fn found, void *ctx)
{
	cs_insn *insn = cs_malloc(handle);
	const uint8_t *bytes = code.data;
	size_t left = code.size;
	int rc = insn ? 0 : -ENOMEM;

	while (!rc && left) {
		struct pipa_disasm_insn out = { .addr = addr, .name = "(bad)", .operands = "" };

		out.size = m->step < left ? m->step : left;
		if (cs_disasm_iter(handle, &bytes, &left, &addr, insn)) {
			out.size = insn->size;
			out.name = insn->mnemonic;
			out.operands = insn->op_str;
			out.target = target_of(handle, insn);
		} else {
			bytes += out.size;
			left -= out.size;
			addr += out.size;
		}
		rc = found(ctx, &out);
	}
	if (insn)
		cs_free(insn, 1);
	return rc;
}

int pipa_disasm(uint16_t machine, struct pipa_span code, uint64_t addr, pipa_disasm_fn found,
		void *ctx)
{
	const struct machine *m = find_machine(machine);
	csh handle;
	int rc;

	if (!m)
		return -EOPNOTSUPP;
	if (cs_open(m->arch, (cs_mode)m->mode, &handle) != CS_ERR_OK)
		return -ENOMEM;
	cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	if (m->arch == CS_ARCH_X86)
		cs_option(handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	rc = walk(handle, m, code, addr, found, ctx);
	cs_close(&handle);
	return rc;
}

#else

bool pipa_disasm_knows(uint16_t machine, const char **why)
{
	(void)machine;
	if (why)
		*why = "built without capstone: cannot disassemble";
	return false;
}

int pipa_disasm(uint16_t machine, struct pipa_span code, uint64_t addr, pipa_disasm_fn found,
		void *ctx)
{
	(void)machine;
	(void)code;
	(void)addr;
	(void)found;
	(void)ctx;
	return -EOPNOTSUPP;
}

#endif
