#include "unwind/rows.h"

#include <errno.h>
#include <string.h>

#include "base/leb.h"
#include "unwind/cfi.h"

/* States within states; compilers know two or three. Each takes 600 bytes of the stack. */
#ifndef PIPA_ROWS_REMEMBERED
#define PIPA_ROWS_REMEMBERED 16
#endif

enum {
	REMEMBERED = PIPA_ROWS_REMEMBERED,

	ADVANCE_LOC = 0x40, /* these three hold a number in their low six bits */
	OFFSET = 0x80,
	RESTORE = 0xc0,

	NOP = 0x00,
	SET_LOC,
	ADVANCE_LOC1,
	ADVANCE_LOC2,
	ADVANCE_LOC4,
	OFFSET_EXTENDED,
	RESTORE_EXTENDED,
	UNDEFINED,
	SAME_VALUE,
	REGISTER,
	REMEMBER_STATE,
	RESTORE_STATE,
	DEF_CFA,
	DEF_CFA_REGISTER,
	DEF_CFA_OFFSET,
	DEF_CFA_EXPRESSION,
	EXPRESSION,
	OFFSET_EXTENDED_SF,
	DEF_CFA_SF,
	DEF_CFA_OFFSET_SF,
	VAL_OFFSET,
	VAL_OFFSET_SF,
	VAL_EXPRESSION,
	MIPS_ADVANCE_LOC8 = 0x1d,
	AARCH64_NEGATE_RA_STATE_WITH_PC = 0x2c,
	AARCH64_NEGATE_RA_STATE = 0x2d, /* elsewhere GNU_window_save */
	GNU_ARGS_SIZE = 0x2e,
	GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

/* What remember_state keeps. */
struct state {
	struct pipa_rule cfa;
	uint64_t mentioned;
	bool ra_signed;
	struct pipa_rule regs[PIPA_UNWIND_REGS];
};

struct machine {
	const struct pipa_unwind_arch *arch;
	const struct pipa_cfi *cfi;
	const struct pipa_fde *fde;
	struct pipa_row *row;
	const struct state *initial; /* what the CIE left, for restore; NULL while it runs */
	uint64_t loc;
	unsigned int depth;
	int (*each)(void *ctx, const struct pipa_row *row);
	void *ctx;
	struct state stack[REMEMBERED];
};

static uint8_t slot_of(const struct machine *m, uint64_t reg)
{
	if (reg < m->arch->n_regs)
		return (uint8_t)reg;
	return reg == m->fde->cie.ra_column ? PIPA_UNWIND_RA : PIPA_UNWIND_NO_REG;
}

static void set_rule(struct machine *m, uint64_t reg, struct pipa_rule rule)
{
	uint8_t slot = slot_of(m, reg);

	if (slot == PIPA_UNWIND_NO_REG)
		return;
	m->row->regs[slot] = rule;
	m->row->mentioned |= UINT64_C(1) << slot;
}

static void set_offset(struct machine *m, uint64_t reg, enum pipa_rule_kind kind, uint64_t offset)
{
	set_rule(m, reg, (struct pipa_rule){ .kind = (uint8_t)kind, .offset = (int64_t)offset });
}

static uint64_t factored(const struct machine *m, uint64_t n)
{
	return n * (uint64_t)m->fde->cie.data_align;
}

static struct pipa_rule get_expression(struct pipa_cursor *c, enum pipa_rule_kind kind)
{
	uint64_t size = pipa_get_uleb(c);
	struct pipa_rule rule = { .kind = (uint8_t)kind };

	if (size > pipa_cursor_left(c) || size > UINT32_MAX) {
		c->status = -EBADMSG;
		return rule;
	}
	rule.size = (uint32_t)size;
	rule.expr = pipa_get_bytes(c, (size_t)size);
	return rule;
}

static void restore(struct machine *m, struct pipa_cursor *c, uint64_t reg)
{
	uint8_t slot = slot_of(m, reg);

	if (!m->initial) {
		c->status = -EBADMSG; /* the CIE itself has nothing to go back to */
		return;
	}
	if (slot == PIPA_UNWIND_NO_REG)
		return;
	m->row->regs[slot] = m->initial->regs[slot];
	m->row->mentioned &= ~(UINT64_C(1) << slot);
	m->row->mentioned |= m->initial->mentioned & UINT64_C(1) << slot;
}

static void keep_state(const struct pipa_row *row, struct state *to)
{
	to->cfa = row->cfa;
	to->mentioned = row->mentioned;
	to->ra_signed = row->ra_signed;
	memcpy(to->regs, row->regs, sizeof(to->regs));
}

static void take_state(struct pipa_row *row, const struct state *from)
{
	row->cfa = from->cfa;
	row->mentioned = from->mentioned;
	row->ra_signed = from->ra_signed;
	memcpy(row->regs, from->regs, sizeof(row->regs));
}

static void remember(struct machine *m, struct pipa_cursor *c, bool back)
{
	if (m->depth == (back ? 0 : REMEMBERED)) {
		c->status = -EBADMSG;
		return;
	}
	if (back)
		take_state(m->row, &m->stack[--m->depth]);
	else
		keep_state(m->row, &m->stack[m->depth++]);
}

static void define_cfa(struct machine *m, struct pipa_cursor *c, uint64_t reg, uint64_t offset)
{
	if (c->status)
		return;
	m->row->cfa = (struct pipa_rule){ .kind = PIPA_RULE_IS,
					  .reg = slot_of(m, reg),
					  .offset = (int64_t)offset };
}

/* Half of a definition, which needs the other half to be there. */
static void redefine_cfa(struct machine *m, struct pipa_cursor *c, const uint64_t *reg,
			 uint64_t offset)
{
	if (m->row->cfa.kind != PIPA_RULE_IS)
		c->status = -EBADMSG;
	else if (reg)
		m->row->cfa.reg = slot_of(m, *reg);
	else
		m->row->cfa.offset = (int64_t)offset;
}

/* The row is complete up to the address. 1 ends the run. */
static int move_to(struct machine *m, uint64_t to)
{
	struct pipa_row *row = m->row;
	int rc;

	if (!m->initial || to < m->loc)
		return -EBADMSG;
	if (to == m->loc)
		return 0;
	row->start = m->loc;
	row->end = to < m->fde->end ? to : m->fde->end;
	m->loc = to;
	rc = m->each(m->ctx, row);
	if (rc)
		return rc;
	return to >= m->fde->end ? 1 : 0;
}

static int advance(struct machine *m, uint64_t by)
{
	uint64_t far = 0;

	if (__builtin_mul_overflow(by, m->fde->cie.code_align, &far) ||
	    __builtin_add_overflow(m->loc, far, &far))
		return -EBADMSG;
	return move_to(m, far);
}

/* Instructions that move on. Returns -ENOSYS for all others. */
static int run_advance(struct machine *m, struct pipa_cursor *c, uint8_t op)
{
	uint64_t by;

	switch (op) {
	case SET_LOC:
		by = pipa_cfi_pointer(m->cfi, c, m->fde->cie.pointer_encoding, m->fde->start);
		return c->status ? c->status : move_to(m, by);
	case ADVANCE_LOC1: by = pipa_get_u8(c); break;
	case ADVANCE_LOC2: by = pipa_get_u16(c); break;
	case ADVANCE_LOC4: by = pipa_get_u32(c); break;
	case MIPS_ADVANCE_LOC8: by = pipa_get_u64(c); break;
	default: return -ENOSYS;
	}
	return c->status ? c->status : advance(m, by);
}

static int run_cfa(struct machine *m, struct pipa_cursor *c, uint8_t op)
{
	uint64_t reg;

	switch (op) {
	case DEF_CFA:
		reg = pipa_get_uleb(c);
		define_cfa(m, c, reg, pipa_get_uleb(c));
		return 0;
	case DEF_CFA_SF:
		reg = pipa_get_uleb(c);
		define_cfa(m, c, reg, factored(m, (uint64_t)pipa_get_sleb(c)));
		return 0;
	case DEF_CFA_REGISTER:
		reg = pipa_get_uleb(c);
		redefine_cfa(m, c, &reg, 0);
		return 0;
	case DEF_CFA_OFFSET: redefine_cfa(m, c, NULL, pipa_get_uleb(c)); return 0;
	case DEF_CFA_OFFSET_SF:
		redefine_cfa(m, c, NULL, factored(m, (uint64_t)pipa_get_sleb(c)));
		return 0;
	case DEF_CFA_EXPRESSION: m->row->cfa = get_expression(c, PIPA_RULE_EXPR_IS); return 0;
	default: return -ENOSYS;
	}
}

static int run_register(struct machine *m, struct pipa_cursor *c, uint8_t op)
{
	uint64_t reg = pipa_get_uleb(c);

	switch (op) {
	case OFFSET_EXTENDED:
		set_offset(m, reg, PIPA_RULE_AT, factored(m, pipa_get_uleb(c)));
		return 0;
	case OFFSET_EXTENDED_SF:
		set_offset(m, reg, PIPA_RULE_AT, factored(m, (uint64_t)pipa_get_sleb(c)));
		return 0;
	case GNU_NEGATIVE_OFFSET_EXTENDED:
		set_offset(m, reg, PIPA_RULE_AT, -factored(m, pipa_get_uleb(c)));
		return 0;
	case VAL_OFFSET: set_offset(m, reg, PIPA_RULE_IS, factored(m, pipa_get_uleb(c))); return 0;
	case VAL_OFFSET_SF:
		set_offset(m, reg, PIPA_RULE_IS, factored(m, (uint64_t)pipa_get_sleb(c)));
		return 0;
	case RESTORE_EXTENDED: restore(m, c, reg); return 0;
	case UNDEFINED: set_offset(m, reg, PIPA_RULE_UNDEFINED, 0); return 0;
	case SAME_VALUE: set_offset(m, reg, PIPA_RULE_SAME, 0); return 0;
	case REGISTER:
		set_rule(m, reg,
			 (struct pipa_rule){ .kind = PIPA_RULE_REGISTER,
					     .reg = slot_of(m, pipa_get_uleb(c)) });
		return 0;
	case EXPRESSION: set_rule(m, reg, get_expression(c, PIPA_RULE_EXPR_AT)); return 0;
	case VAL_EXPRESSION: set_rule(m, reg, get_expression(c, PIPA_RULE_EXPR_IS)); return 0;
	default: return -EBADMSG;
	}
}

static int run_other(struct machine *m, struct pipa_cursor *c, uint8_t op)
{
	int rc;

	switch (op) {
	case NOP: return 0;
	case REMEMBER_STATE:
	case RESTORE_STATE: remember(m, c, op == RESTORE_STATE); return 0;
	case GNU_ARGS_SIZE: pipa_get_uleb(c); return 0;
	case AARCH64_NEGATE_RA_STATE:
	case AARCH64_NEGATE_RA_STATE_WITH_PC:
		if (m->arch->sign_state == PIPA_UNWIND_NO_REG)
			return -EBADMSG;
		m->row->ra_signed = !m->row->ra_signed;
		return 0;
	default:
		rc = run_advance(m, c, op);
		if (rc == -ENOSYS)
			rc = run_cfa(m, c, op);
		return rc == -ENOSYS ? run_register(m, c, op) : rc;
	}
}

static int run(struct machine *m, struct pipa_span code)
{
	struct pipa_cursor c = pipa_span_cursor(code, m->cfi->swapped);
	int rc = 0;

	while (c.pos < c.end && !rc && !c.status) {
		uint8_t op = *c.pos++;

		switch (op & 0xc0) {
		case ADVANCE_LOC: rc = advance(m, op & 0x3f); break;
		case OFFSET:
			set_offset(m, op & 0x3f, PIPA_RULE_AT, factored(m, pipa_get_uleb(&c)));
			break;
		case RESTORE: restore(m, &c, op & 0x3f); break;
		default: rc = run_other(m, &c, op); break;
		}
	}
	return c.status ? c.status : rc;
}

int pipa_rows_each(const struct pipa_unwind_arch *arch, const struct pipa_cfi *cfi,
		   const struct pipa_fde *fde, int (*each)(void *ctx, const struct pipa_row *row),
		   void *ctx)
{
	struct pipa_row row = { .signal_frame = fde->cie.signal_frame,
				/* riscv's compilers say half of it and mean: with offset 0 */
				.cfa = { .kind = PIPA_RULE_IS, .reg = PIPA_UNWIND_NO_REG } };
	struct state initial;
	struct machine m;
	int rc;

	m.arch = arch;
	m.cfi = cfi;
	m.fde = fde;
	m.row = &row;
	m.initial = NULL;
	m.loc = fde->start;
	m.depth = 0;
	m.each = each;
	m.ctx = ctx;
	row.ra = slot_of(&m, fde->cie.ra_column);
	rc = run(&m, fde->cie.code);
	if (rc)
		return rc;
	keep_state(&row, &initial);
	m.initial = &initial;
	rc = run(&m, fde->code);
	if (!rc)
		rc = move_to(&m, fde->end);
	return rc == 1 && m.loc >= fde->end ? 0 : rc;
}

struct wanted {
	uint64_t addr;
	struct pipa_row *ret;
	bool found;
};

static int take_row(void *ctx, const struct pipa_row *row)
{
	struct wanted *wanted = ctx;

	if (wanted->addr >= row->end)
		return 0;
	*wanted->ret = *row;
	wanted->found = true;
	return 1;
}

int pipa_row_find(const struct pipa_unwind_arch *arch, const struct pipa_cfi *cfi,
		  const struct pipa_fde *fde, uint64_t addr, struct pipa_row *ret)
{
	struct wanted wanted = { addr, ret, false };
	int rc;

	if (addr < fde->start || addr >= fde->end)
		return -ENOENT;
	rc = pipa_rows_each(arch, cfi, fde, take_row, &wanted);
	if (wanted.found)
		return 0;
	return rc < 0 ? rc : -EBADMSG;
}
