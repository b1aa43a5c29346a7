/* Any bytes as a DWARF expression: it ends, with an answer or one of the known refusals. */
#include <errno.h>

#include "fuzz.h"
#include "unwind/arch.h"
#include "unwind/expr.h"

static int read_memory(void *ctx, uint64_t addr, unsigned int size, uint64_t *ret)
{
	size_t *reads = ctx;

	MUST(size == 1 || size == 2 || size == 4 || size == 8);
	MUST(++*reads <= PIPA_CFI_EXPR_STEPS);
	if (addr % 3 == 0)
		return -EFAULT;
	*ret = addr * 31;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_unwind_regs regs = { .known = 0x5555555555 };
	struct pipa_cfi_expr context = { .regs = &regs, .bias = 0x1000, .read = read_memory };
	struct pipa_span code = { data, size };
	uint64_t initial = 0x7000, first = 1, second = 2;
	size_t reads;
	int rc, i;

	for (i = 0; i < PIPA_UNWIND_REGS; i++)
		regs.r[i] = (uint64_t)i << 8;
	context.ctx = &reads;
	reads = 0;
	rc = pipa_cfi_expr_eval(&context, code, &initial, &first);
	MUST(rc == 0 || rc == -EBADMSG || rc == -ENODATA || rc == -EFAULT);
	MUST(rc == 0 || first == 1); /* a failure keeps the result unchanged */
	reads = 0;
	MUST(pipa_cfi_expr_eval(&context, code, &initial, &second) == rc);
	MUST(rc || first == second);
	context.swapped = true;
	reads = 0;
	pipa_cfi_expr_eval(&context, code, NULL, &first);
	return 0;
}
