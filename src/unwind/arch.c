#include "unwind/arch.h"

#include <string.h>

#include "base/auto.h"
#include "model/record.h"

static const struct pipa_unwind_arch *const archs[] = {
	&pipa_unwind_x86_64,
	&pipa_unwind_aarch64,
	&pipa_unwind_riscv64,
};

const struct pipa_unwind_arch *pipa_unwind_arch_of(uint16_t machine)
{
	size_t i;

	for (i = 0; i < PIPA_COUNT(archs); i++)
		if (archs[i]->machine == machine)
			return archs[i];
	return NULL;
}

const struct pipa_unwind_arch *pipa_unwind_arch_named(const char *name)
{
	size_t i;

	for (i = 0; i < PIPA_COUNT(archs); i++)
		if (strcmp(archs[i]->name, name) == 0)
			return archs[i];
	return NULL;
}

enum { ABI_64 = 2 }; /* PERF_SAMPLE_REGS_ABI_64 */

bool pipa_unwind_regs_of(const struct pipa_unwind_arch *arch, const struct pipa_rec_regs *regs,
			 struct pipa_unwind_regs *ret)
{
	const uint64_t *value = regs->values;
	const uint8_t *to = arch->perf;
	unsigned int n = arch->n_perf, perf;
	uint64_t left, known = 0;

	if (regs->abi != ABI_64 || !regs->values)
		return false;
	*ret = (struct pipa_unwind_regs){ 0 };
	for (left = regs->mask; left; left &= left - 1, value++) {
		perf = (unsigned int)__builtin_ctzll(left);
		if (perf < n && to[perf] != PIPA_UNWIND_NO_REG) {
			ret->r[to[perf]] = *value;
			known |= UINT64_C(1) << to[perf];
		} else if (perf == arch->perf_pc) {
			ret->pc = *value;
		}
	}
	ret->known = known;
	return regs->mask >> arch->perf_pc & 1 && pipa_unwind_knows(ret, arch->sp);
}
