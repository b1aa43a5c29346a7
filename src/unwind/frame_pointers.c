/* Are there frame pointers? Asked of a sample of the FDEs. */
#include "unwind/arch.h"
#include "unwind/cfi.h"
#include "unwind/rows.h"
#include "unwind/table.h"

struct look {
	const struct pipa_unwind_arch *arch;
	struct pipa_unwind_fp found;
};

struct shape {
	const struct pipa_unwind_arch *arch;
	bool frame, fp;
};

/*
 * A frame: the stack pointer has moved since the function's start. With a frame pointer: the CFA is
 * told from it, or it is saved where a walk along frame pointers looks for it (on aarch64 compilers
 * keep to the stack pointer even so).
 */
static int look_at_row(void *ctx, const struct pipa_row *row)
{
	struct shape *shape = ctx;
	const struct pipa_unwind_arch *arch = shape->arch;
	const struct pipa_rule *fp = &row->regs[arch->fp], *ra = &row->regs[row->ra];

	if (row->cfa.kind != PIPA_RULE_IS)
		return 0;
	if (row->cfa.reg == arch->fp)
		shape->fp = true;
	if (row->cfa.reg == arch->sp &&
	    row->cfa.offset > (arch->link == PIPA_UNWIND_NO_REG ? 8 : 0))
		shape->frame = true;
	if (arch->link != PIPA_UNWIND_NO_REG && !arch->fp_tells_sp && fp->kind == PIPA_RULE_AT &&
	    ra->kind == PIPA_RULE_AT &&
	    ra->offset - fp->offset == arch->ra_saved_at - arch->fp_saved_at)
		shape->fp = true;
	return shape->fp;
}

static int look_at(void *ctx, const struct pipa_cfi *cfi, const struct pipa_fde *fde)
{
	struct look *look = ctx;
	struct shape shape = { .arch = look->arch };

	if (fde->cie.signal_frame)
		return 0;
	if (pipa_rows_each(look->arch, cfi, fde, look_at_row, &shape) < 0)
		return 0;
	look->found.frames += shape.frame || shape.fp;
	look->found.with_fp += shape.fp;
	return 0;
}

void pipa_unwind_table_fp(const struct pipa_unwind_table *table, size_t most,
			  struct pipa_unwind_fp *ret)
{
	struct look look = { .arch = pipa_unwind_table_arch(table) };

	if (most)
		pipa_unwind_table_each(table, pipa_unwind_table_count(table) / most + 1, look_at,
				       &look);
	*ret = look.found;
}
