#include "unwind/step.h"

#include <errno.h>

#include "unwind/expr.h"
#include "unwind/rows.h"
#include "unwind/table.h"

enum {
	STACK_FAR = 64 << 20, /* further above the dump than this, it is not the same stack */
	WORD = 8,
	RECORD = 16,   /* a frame pointer and a return address */
	NEARBY = 1024, /* of a function whose limits are not known, that much is its own */
};

enum pipa_stack_end pipa_walk_missing(const struct pipa_walk *walk, uint64_t addr)
{
	const struct pipa_unwind_input *in = walk->in;
	uint64_t end = in->stack_addr + in->stack_len;

	if (walk->jumps || addr < in->stack_addr || (addr > end && addr - end > STACK_FAR))
		return PIPA_STACK_OTHER_STACK;
	return PIPA_STACK_TRUNCATED;
}

static bool read_unchanging(const struct pipa_walk *walk, uint64_t addr, void *to, size_t size)
{
	const struct pipa_unwind_input *in = walk->in;
	struct pipa_unwind_code code;

	if (in->ops->read && in->ops->read(in->ctx, addr, to, size))
		return true;
	return in->ops->find(in->ctx, addr, &code) && code.table &&
	       pipa_unwind_table_bytes(code.table, addr - code.bias, to, size) == size;
}

bool pipa_walk_read(const struct pipa_walk *walk, uint64_t addr, unsigned int size, uint64_t *ret)
{
	const struct pipa_unwind_input *in = walk->in;
	uint64_t within = addr - in->stack_addr;
	uint8_t bytes[WORD];
	unsigned int i;

	if (size <= in->stack_len && within <= in->stack_len - size)
		memcpy(bytes, in->stack + within, size);
	else if (!read_unchanging(walk, addr, bytes, size))
		return false;
	*ret = 0;
	for (i = 0; i < size; i++)
		*ret |= (uint64_t)bytes[i] << 8 * i;
	return true;
}

/* ---- rules ------------------------------------------------------------------------------- */

struct evaluation {
	const struct pipa_walk *walk;
	const struct pipa_unwind_code *code;
	uint64_t missing; /* the address that could not be read */
};

static int read_for_expr(void *ctx, uint64_t addr, unsigned int size, uint64_t *ret)
{
	struct evaluation *e = ctx;

	if (pipa_walk_read(e->walk, addr, size, ret))
		return 0;
	e->missing = addr;
	return -EFAULT;
}

static int evaluate(struct evaluation *e, const struct pipa_rule *rule, const uint64_t *initial,
		    uint64_t *ret)
{
	struct pipa_cfi_expr context = {
		.regs = &e->walk->regs,
		.bias = e->code->bias,
		.swapped = pipa_unwind_table_swapped(e->code->table),
		.read = read_for_expr,
		.ctx = e,
	};
	struct pipa_span code = { rule->expr, rule->size };

	switch (pipa_cfi_expr_eval(&context, code, initial, ret)) {
	case 0: return PIPA_STEP_GO;
	case -EFAULT: return (int)pipa_walk_missing(e->walk, e->missing);
	case -ENODATA: return PIPA_STACK_NO_REGISTERS;
	default: return PIPA_STACK_BAD_CFI;
	}
}

static int read_word(const struct pipa_walk *walk, uint64_t addr, uint64_t *ret)
{
	return pipa_walk_read(walk, addr, WORD, ret) ? PIPA_STEP_GO :
						       (int)pipa_walk_missing(walk, addr);
}

static int take_register(const struct pipa_walk *walk, uint8_t reg, uint64_t offset, uint64_t *ret)
{
	if (!pipa_unwind_knows(&walk->regs, reg))
		return PIPA_STACK_NO_REGISTERS;
	*ret = walk->regs.r[reg] + offset;
	return PIPA_STEP_GO;
}

static int find_cfa(struct evaluation *e, const struct pipa_rule *rule, uint64_t *ret)
{
	if (rule->kind == PIPA_RULE_IS && rule->reg != PIPA_UNWIND_NO_REG)
		return take_register(e->walk, rule->reg, (uint64_t)rule->offset, ret);
	if (rule->kind == PIPA_RULE_EXPR_IS)
		return evaluate(e, rule, NULL, ret);
	return PIPA_STACK_BAD_CFI;
}

/* The caller's value of a register. */
static int apply(struct evaluation *e, uint8_t reg, const struct pipa_rule *rule, uint64_t cfa,
		 uint64_t *ret)
{
	int rc;

	switch (rule->kind) {
	case PIPA_RULE_NONE:
	case PIPA_RULE_SAME: return take_register(e->walk, reg, 0, ret);
	case PIPA_RULE_AT: return read_word(e->walk, cfa + (uint64_t)rule->offset, ret);
	case PIPA_RULE_IS: *ret = cfa + (uint64_t)rule->offset; return PIPA_STEP_GO;
	case PIPA_RULE_REGISTER: return take_register(e->walk, rule->reg, 0, ret);
	case PIPA_RULE_EXPR_AT:
		rc = evaluate(e, rule, &cfa, ret);
		return rc == PIPA_STEP_GO ? read_word(e->walk, *ret, ret) : rc;
	case PIPA_RULE_EXPR_IS: return evaluate(e, rule, &cfa, ret);
	default: /* PIPA_RULE_UNDEFINED */ return PIPA_STACK_NO_REGISTERS;
	}
}

static int find_return(struct evaluation *e, const struct pipa_row *row, uint64_t cfa,
		       uint64_t *ret)
{
	const struct pipa_rule *rule = &row->regs[row->ra];
	const struct pipa_unwind_arch *arch = e->walk->arch;
	int rc;

	if (rule->kind == PIPA_RULE_UNDEFINED)
		return PIPA_STACK_COMPLETE;
	if ((rule->kind == PIPA_RULE_NONE || rule->kind == PIPA_RULE_SAME) &&
	    (row->ra != arch->link || !e->walk->exact))
		return PIPA_STACK_BAD_CFI; /* the call that led here has changed the link register */
	rc = apply(e, row->ra, rule, cfa, ret);
	if (row->ra_signed)
		*ret &= arch->pc_mask;
	return rc;
}

/* A signal handler may have a stack of its own: the interrupted one is anywhere but beneath. */
static int rise_from_signal(struct pipa_walk *walk, uint64_t sp)
{
	uint64_t below = walk->low - walk->in->stack_addr;

	if (sp > walk->low) {
		walk->low = sp;
		return PIPA_STEP_GO;
	}
	if (sp - walk->in->stack_addr <= below || walk->jumps == PIPA_WALK_JUMPS)
		return PIPA_STACK_NO_PROGRESS;
	walk->jumps++;
	walk->low = sp;
	return PIPA_STEP_GO;
}

int pipa_step_row(struct pipa_walk *walk, const struct pipa_row *row,
		  const struct pipa_unwind_code *code)
{
	struct evaluation e = { .walk = walk, .code = code };
	struct pipa_unwind_regs caller;
	uint8_t sp = walk->arch->sp;
	uint64_t cfa, left, value;
	int rc;

	if (walk->arch->pc != PIPA_UNWIND_NO_REG)
		pipa_unwind_set(&walk->regs, walk->arch->pc, walk->regs.pc);
	caller = walk->regs;
	rc = find_cfa(&e, &row->cfa, &cfa);
	if (rc == PIPA_STEP_GO)
		rc = find_return(&e, row, cfa, &caller.pc);
	if (rc != PIPA_STEP_GO)
		return rc;
	for (left = row->mentioned; left; left &= left - 1) {
		uint8_t reg = (uint8_t)__builtin_ctzll(left);

		if (apply(&e, reg, &row->regs[reg], cfa, &value) == PIPA_STEP_GO)
			pipa_unwind_set(&caller, reg, value);
		else
			pipa_unwind_forget(&caller, reg); /* matters only if it is requested */
	}
	if (row->regs[sp].kind == PIPA_RULE_NONE)
		pipa_unwind_set(&caller, sp, cfa);
	if (!pipa_unwind_knows(&caller, sp))
		return PIPA_STACK_NO_REGISTERS;
	rc = row->signal_frame ? rise_from_signal(walk, caller.r[sp]) :
				 pipa_walk_rise(walk, caller.r[sp]);
	if (rc != PIPA_STEP_GO)
		return rc;
	walk->regs = caller;
	walk->exact = row->signal_frame;
	return PIPA_STEP_GO;
}

/* ---- without call frame information ------------------------------------------------------- */

/* Instructions of the object at pc; how many bytes of them are known. */
static size_t read_code(const struct pipa_walk *walk, const struct pipa_unwind_code *code,
			uint64_t pc, uint8_t *bytes, size_t size)
{
	const struct pipa_unwind_input *in = walk->in;

	if (code->table &&
	    pipa_unwind_table_bytes(code->table, pc - code->bias, bytes, size) == size)
		return size;
	return in->ops->read && in->ops->read(in->ctx, pc, bytes, size) ? size : 0;
}

bool pipa_is_sigreturn(const struct pipa_walk *walk, const struct pipa_unwind_code *code)
{
	const struct pipa_unwind_sigframe *frame = walk->arch->sigframe;
	uint8_t bytes[PIPA_UNWIND_CODE_MAX];
	uint64_t pc = walk->regs.pc;

	if (read_code(walk, code, pc, bytes, frame->code_size) == frame->code_size &&
	    memcmp(bytes, frame->code, frame->code_size) == 0)
		return true;
	pc -= frame->second; /* stopped at the system call */
	return walk->exact &&
	       read_code(walk, code, pc, bytes, frame->code_size) == frame->code_size &&
	       memcmp(bytes, frame->code, frame->code_size) == 0;
}

bool pipa_is_stub(const struct pipa_walk *walk, const struct pipa_unwind_code *code)
{
	uint8_t bytes[PIPA_UNWIND_CODE_MAX];
	size_t n;

	if (!walk->exact || !walk->arch->is_stub)
		return false;
	n = read_code(walk, code, walk->regs.pc, bytes,
		      8); /* of endbr64, bnd, jmp as much as tells */
	return walk->arch->is_stub(bytes, n);
}

int pipa_step_sigframe(struct pipa_walk *walk)
{
	const struct pipa_unwind_sigframe *frame = walk->arch->sigframe;
	struct pipa_unwind_regs caller = { .known = 0 };
	uint8_t sp = walk->arch->sp;
	uint64_t at, value;
	unsigned int i;
	int rc = take_register(walk, sp, 0, &at);

	if (rc == PIPA_STEP_GO)
		rc = read_word(walk, at + frame->pc_at, &caller.pc);
	for (i = 0; i < frame->n && rc == PIPA_STEP_GO; i++) {
		rc = read_word(walk, at + frame->regs[i].at, &value);
		pipa_unwind_set(&caller, frame->regs[i].reg, value);
	}
	if (rc == PIPA_STEP_GO)
		rc = rise_from_signal(walk, caller.r[sp]);
	if (rc != PIPA_STEP_GO)
		return rc;
	walk->regs = caller;
	walk->exact = true;
	return PIPA_STEP_GO;
}

bool pipa_walk_is_code(const struct pipa_walk *walk, uint64_t addr)
{
	struct pipa_unwind_code code;

	return walk->in->ops->find(walk->in->ctx, addr, &code);
}

/*
 * The caller of a leaf that has made no frame: the link register has it. But a function that has
 * made a call finds the return address of that call there, which is within itself.
 */
static bool step_link(struct pipa_walk *walk, uint64_t saved_ra, uint64_t start, uint64_t end)
{
	uint8_t link = walk->arch->link;
	uint64_t ra;

	if (!walk->exact || link == PIPA_UNWIND_NO_REG || !pipa_unwind_knows(&walk->regs, link))
		return false;
	if (start >= end) {
		start = walk->regs.pc - (walk->regs.pc < NEARBY ? walk->regs.pc : NEARBY);
		end = walk->regs.pc + NEARBY;
	}
	ra = walk->regs.r[link] & walk->arch->pc_mask;
	if (ra == saved_ra || (ra > start && ra <= end) || !pipa_walk_is_code(walk, ra))
		return false;
	walk->regs.pc = ra;
	pipa_unwind_forget(&walk->regs, link);
	walk->exact = false;
	walk->fp_fallback = true;
	return true;
}

/* What the frame pointer points to: the caller's, and the return address. */
static int read_frame(const struct pipa_walk *walk, uint64_t *ret_fp, uint64_t *ret_ra)
{
	const struct pipa_unwind_arch *arch = walk->arch;
	uint64_t fp, first;
	int rc;

	if (take_register(walk, arch->fp, 0, &fp) != PIPA_STEP_GO)
		return PIPA_STACK_NO_CFI;
	if (!fp && !walk->exact)
		return PIPA_STACK_COMPLETE; /* how the ABIs mark the outermost frame */
	first = fp + (uint64_t)(int64_t)arch->fp_saved_at;
	if (fp % WORD || fp < RECORD || first < walk->low)
		return PIPA_STACK_NO_CFI;
	rc = read_word(walk, first, ret_fp);
	if (rc == PIPA_STEP_GO)
		rc = read_word(walk, fp + (uint64_t)(int64_t)arch->ra_saved_at, ret_ra);
	*ret_ra &= arch->pc_mask;
	return rc == PIPA_STACK_OTHER_STACK ? PIPA_STACK_NO_CFI : rc;
}

int pipa_step_frame_pointer(struct pipa_walk *walk, uint64_t start, uint64_t end)
{
	const struct pipa_unwind_arch *arch = walk->arch;
	struct pipa_unwind_regs caller = { .known = 0 };
	uint64_t fp, ra = 0;
	int rc = read_frame(walk, &fp, &ra);

	if (step_link(walk, ra, start, end))
		return PIPA_STEP_GO;
	if (rc != PIPA_STEP_GO)
		return rc;
	if (!ra)
		return PIPA_STACK_COMPLETE;
	if (!pipa_walk_is_code(walk, ra))
		return PIPA_STACK_NO_CFI;
	walk->low = walk->regs.r[arch->fp] + (uint64_t)(int64_t)arch->fp_saved_at + RECORD;
	pipa_unwind_set(&caller, arch->fp, fp);
	if (arch->fp_tells_sp)
		pipa_unwind_set(&caller, arch->sp,
				walk->regs.r[arch->fp] + (uint64_t)(int64_t)arch->fp_caller_sp);
	caller.pc = ra;
	walk->regs = caller;
	walk->exact = false;
	walk->fp_fallback = true;
	return PIPA_STEP_GO;
}

/* ---- hot rows ----------------------------------------------------------------------------- */

static bool add_saved(struct pipa_row_cache *hot, uint8_t reg, int64_t offset)
{
	if (hot->n_saved == PIPA_HOT_SAVED || offset % WORD || offset / WORD > INT16_MAX ||
	    offset / WORD < INT16_MIN)
		return false;
	hot->reg[hot->n_saved] = reg;
	hot->at[hot->n_saved++] = (int16_t)(offset / WORD);
	return true;
}

/* Where one register is saved; false when it is not as simple as that. */
static bool keep(struct pipa_row_cache *hot, const struct pipa_unwind_arch *arch,
		 const struct pipa_row *row, uint8_t reg)
{
	const struct pipa_rule *rule = &row->regs[reg];

	if (rule->kind == PIPA_RULE_NONE || (rule->kind == PIPA_RULE_SAME && reg != arch->sp))
		return true;
	return rule->kind == PIPA_RULE_AT && reg != arch->sp && add_saved(hot, reg, rule->offset);
}

/* The return address first, then the frame pointer, as the quick walk looks for them there. */
static bool keep_all(struct pipa_row_cache *hot, const struct pipa_unwind_arch *arch,
		     const struct pipa_row *row)
{
	uint64_t left = row->mentioned & ~(UINT64_C(1) << row->ra | UINT64_C(1) << arch->fp);

	if (!keep(hot, arch, row, row->ra))
		return false;
	if (hot->n_saved) {
		hot->ra_saved = 0;
		if (row->cfa.reg == arch->sp || row->cfa.reg == arch->fp)
			hot->flags |= PIPA_HOT_QUICK;
	}
	if (row->mentioned >> arch->fp & 1 && !keep(hot, arch, row, arch->fp))
		return false;
	if (hot->n_saved == 2)
		hot->flags |= PIPA_HOT_FP;
	for (; left; left &= left - 1)
		if (!keep(hot, arch, row, (uint8_t)__builtin_ctzll(left)))
			return false;
	return true;
}

/*
 * A return address that is saved above the CFA was pushed by code before the function: glibc's
 * _dl_runtime_resolve on aarch64 has a CFA below the pair that the PLT has pushed. The caller's stack
 * pointer lies above it.
 */
static bool drop_pushed(struct pipa_row_cache *hot)
{
	int words;
	unsigned int i;

	if (hot->ra_saved || hot->at[0] < 0)
		return true;
	words = (hot->at[0] + 2) & ~1; /* pairs are pushed */
	if (words > hot->at[0] + 2 || hot->cfa_offset > INT32_MAX - words * WORD)
		return false;
	hot->cfa_offset += words * WORD;
	for (i = 0; i < hot->n_saved; i++) {
		if (hot->at[i] < INT16_MIN + words)
			return false;
		hot->at[i] = (int16_t)(hot->at[i] - words);
	}
	return true;
}

bool pipa_hot_row_make(struct pipa_row_cache *hot, const struct pipa_unwind_arch *arch,
		       const struct pipa_row *row)
{
	const struct pipa_rule *ra = &row->regs[row->ra];

	hot->n_saved = 0;
	hot->ra_saved = PIPA_HOT_SAVED;
	hot->kind = PIPA_HOT_OUTERMOST;
	hot->flags = PIPA_HOT_QUICK;
	if (ra->kind == PIPA_RULE_UNDEFINED)
		return true;
	hot->kind = PIPA_HOT_PLAIN;
	hot->flags = row->ra_signed ? PIPA_HOT_SIGNED : 0;
	if (row->signal_frame || row->cfa.kind != PIPA_RULE_IS ||
	    row->cfa.reg == PIPA_UNWIND_NO_REG || row->cfa.offset != (int32_t)row->cfa.offset)
		return false;
	if (ra->kind != PIPA_RULE_AT &&
	    (row->ra != arch->link || (ra->kind != PIPA_RULE_NONE && ra->kind != PIPA_RULE_SAME)))
		return false;
	hot->cfa_reg = row->cfa.reg;
	hot->cfa_offset = (int32_t)row->cfa.offset;
	return keep_all(hot, arch, row) && drop_pushed(hot);
}
