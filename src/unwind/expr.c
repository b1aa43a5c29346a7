#include "unwind/expr.h"

#include <errno.h>

#include "base/leb.h"
#include "unwind/arch.h"

enum { /* DW_OP_* */
       OP_ADDR = 0x03,
       OP_DEREF = 0x06,
       OP_CONST1U = 0x08,
       OP_CONST1S,
       OP_CONST2U,
       OP_CONST2S,
       OP_CONST4U,
       OP_CONST4S,
       OP_CONST8U,
       OP_CONST8S,
       OP_CONSTU,
       OP_CONSTS,
       OP_DUP,
       OP_DROP,
       OP_OVER,
       OP_PICK,
       OP_SWAP,
       OP_ROT,
       OP_ABS = 0x19,
       OP_AND,
       OP_DIV,
       OP_MINUS,
       OP_MOD,
       OP_MUL,
       OP_NEG,
       OP_NOT,
       OP_OR,
       OP_PLUS,
       OP_PLUS_UCONST,
       OP_SHL,
       OP_SHR,
       OP_SHRA,
       OP_XOR,
       OP_BRA,
       OP_EQ,
       OP_GE,
       OP_GT,
       OP_LE,
       OP_LT,
       OP_NE,
       OP_SKIP,
       OP_LIT0 = 0x30,
       OP_LIT31 = 0x4f,
       OP_BREG0 = 0x70,
       OP_BREG31 = 0x8f,
       OP_BREGX = 0x92,
       OP_DEREF_SIZE = 0x94,
       OP_NOP = 0x96,
};

struct machine {
	const struct pipa_cfi_expr *context;
	struct pipa_cursor c;
	const uint8_t *start;
	unsigned int depth;
	uint64_t stack[PIPA_CFI_EXPR_DEPTH];
};

static int push(struct machine *m, uint64_t value)
{
	if (m->depth == PIPA_CFI_EXPR_DEPTH || m->c.status)
		return -EBADMSG;
	m->stack[m->depth++] = value;
	return 0;
}

static int push_register(struct machine *m, uint64_t reg, int64_t offset)
{
	const struct pipa_unwind_regs *regs = m->context->regs;

	if (m->c.status)
		return -EBADMSG;
	if (reg >= PIPA_UNWIND_REGS || !pipa_unwind_knows(regs, (unsigned int)reg))
		return -ENODATA;
	return push(m, regs->r[reg] + (uint64_t)offset);
}

/* Operations that only put something on the stack. -ENOSYS: it is another one. */
static int run_constant(struct machine *m, uint8_t op)
{
	struct pipa_cursor *c = &m->c;

	switch (op) {
	case OP_ADDR: return push(m, pipa_get_u64(c) + m->context->bias);
	case OP_CONST1U: return push(m, pipa_get_u8(c));
	case OP_CONST1S: return push(m, (uint64_t)(int8_t)pipa_get_u8(c));
	case OP_CONST2U: return push(m, pipa_get_u16(c));
	case OP_CONST2S: return push(m, (uint64_t)(int16_t)pipa_get_u16(c));
	case OP_CONST4U: return push(m, pipa_get_u32(c));
	case OP_CONST4S: return push(m, (uint64_t)(int32_t)pipa_get_u32(c));
	case OP_CONST8U:
	case OP_CONST8S: return push(m, pipa_get_u64(c));
	case OP_CONSTU: return push(m, pipa_get_uleb(c));
	case OP_CONSTS: return push(m, (uint64_t)pipa_get_sleb(c));
	default: return -ENOSYS;
	}
}

static int pick(struct machine *m, unsigned int from_top)
{
	if (from_top >= m->depth)
		return -EBADMSG;
	return push(m, m->stack[m->depth - 1 - from_top]);
}

static int run_shuffle(struct machine *m, uint8_t op)
{
	uint64_t *top = m->depth ? &m->stack[m->depth - 1] : NULL;
	uint64_t kept;

	switch (op) {
	case OP_DUP: return pick(m, 0);
	case OP_OVER: return pick(m, 1);
	case OP_PICK: return pick(m, pipa_get_u8(&m->c));
	case OP_DROP:
		if (!top)
			return -EBADMSG;
		m->depth--;
		return 0;
	case OP_SWAP:
		if (m->depth < 2)
			return -EBADMSG;
		kept = top[0];
		top[0] = top[-1];
		top[-1] = kept;
		return 0;
	case OP_ROT:
		if (m->depth < 3)
			return -EBADMSG;
		kept = top[0];
		top[0] = top[-1];
		top[-1] = top[-2];
		top[-2] = kept;
		return 0;
	default: return -ENOSYS;
	}
}

static int deref(struct machine *m, unsigned int size)
{
	uint64_t *top = &m->stack[m->depth - 1];

	if (m->c.status || (size != 1 && size != 2 && size != 4 && size != 8))
		return -EBADMSG;
	return m->context->read(m->context->ctx, *top, size, top);
}

static int run_unary(struct machine *m, uint8_t op)
{
	uint64_t *top = m->depth ? &m->stack[m->depth - 1] : NULL;

	if (op != OP_DEREF && op != OP_DEREF_SIZE && op != OP_ABS && op != OP_NEG && op != OP_NOT &&
	    op != OP_PLUS_UCONST)
		return -ENOSYS;
	if (!top)
		return -EBADMSG;
	switch (op) {
	case OP_DEREF: return deref(m, 8);
	case OP_DEREF_SIZE: return deref(m, pipa_get_u8(&m->c));
	case OP_ABS: *top = (int64_t)*top < 0 ? -*top : *top; return 0;
	case OP_NEG: *top = -*top; return 0;
	case OP_NOT: *top = ~*top; return 0;
	default: *top += pipa_get_uleb(&m->c); return 0;
	}
}

static int divide(uint64_t a, uint64_t b, bool rest, uint64_t *ret)
{
	if (!b)
		return -EBADMSG;
	if (rest)
		*ret = a % b;
	else
		*ret = b == UINT64_MAX ? -a : (uint64_t)((int64_t)a / (int64_t)b);
	return 0;
}

static uint64_t shift_right(uint64_t a, uint64_t by, bool arithmetic)
{
	uint64_t fill = arithmetic && (int64_t)a < 0 ? UINT64_MAX : 0;

	if (by >= 64)
		return fill;
	return by ? a >> by | fill << (64 - by) : a;
}

static int run_binary(struct machine *m, uint8_t op)
{
	uint64_t a, b, value;

	if (op < OP_AND || op > OP_NE || op == OP_BRA)
		return -ENOSYS;
	if (m->depth < 2)
		return -EBADMSG;
	b = m->stack[m->depth - 1];
	a = m->stack[m->depth - 2];
	switch (op) {
	case OP_AND: value = a & b; break;
	case OP_DIV:
	case OP_MOD:
		if (divide(a, b, op == OP_MOD, &value))
			return -EBADMSG;
		break;
	case OP_MINUS: value = a - b; break;
	case OP_MUL: value = a * b; break;
	case OP_OR: value = a | b; break;
	case OP_PLUS: value = a + b; break;
	case OP_SHL: value = b < 64 ? a << b : 0; break;
	case OP_SHR:
	case OP_SHRA: value = shift_right(a, b, op == OP_SHRA); break;
	case OP_XOR: value = a ^ b; break;
	case OP_EQ: value = a == b; break;
	case OP_GE: value = (int64_t)a >= (int64_t)b; break;
	case OP_GT: value = (int64_t)a > (int64_t)b; break;
	case OP_LE: value = (int64_t)a <= (int64_t)b; break;
	case OP_LT: value = (int64_t)a < (int64_t)b; break;
	default: /* OP_NE */ value = a != b; break;
	}
	m->stack[--m->depth - 1] = value;
	return 0;
}

static int jump(struct machine *m, bool taken)
{
	int16_t by = (int16_t)pipa_get_u16(&m->c);

	if (m->c.status)
		return -EBADMSG;
	if (!taken)
		return 0;
	if (by < 0 ? -by > m->c.pos - m->start : by > m->c.end - m->c.pos)
		return -EBADMSG;
	m->c.pos += by;
	return 0;
}

static int run_other(struct machine *m, uint8_t op)
{
	uint64_t reg;
	int64_t offset;

	if (op >= OP_LIT0 && op <= OP_LIT31)
		return push(m, op - OP_LIT0);
	if (op >= OP_BREG0 && op <= OP_BREG31) {
		offset = pipa_get_sleb(&m->c);
		return push_register(m, op - OP_BREG0, offset);
	}
	switch (op) {
	case OP_BREGX:
		reg = pipa_get_uleb(&m->c);
		offset = pipa_get_sleb(&m->c);
		return push_register(m, reg, offset);
	case OP_BRA:
		if (!m->depth)
			return -EBADMSG;
		return jump(m, m->stack[--m->depth] != 0);
	case OP_SKIP: return jump(m, true);
	case OP_NOP: return 0;
	default: return -EBADMSG;
	}
}

int pipa_cfi_expr_eval(const struct pipa_cfi_expr *context, struct pipa_span code,
		       const uint64_t *initial, uint64_t *ret)
{
	struct machine m;
	unsigned int steps;
	int rc = 0;

	m.context = context;
	m.c = pipa_span_cursor(code, context->swapped);
	m.start = m.c.pos;
	m.depth = 0;
	if (initial)
		push(&m, *initial);
	for (steps = 0; m.c.pos < m.c.end && !rc; steps++) {
		uint8_t op = *m.c.pos++;

		if (steps == PIPA_CFI_EXPR_STEPS)
			return -EBADMSG;
		rc = run_constant(&m, op);
		if (rc == -ENOSYS)
			rc = run_shuffle(&m, op);
		if (rc == -ENOSYS)
			rc = run_unary(&m, op);
		if (rc == -ENOSYS)
			rc = run_binary(&m, op);
		if (rc == -ENOSYS)
			rc = run_other(&m, op);
	}
	if (rc || m.c.status)
		return rc ? rc : -EBADMSG;
	if (!m.depth)
		return -EBADMSG;
	*ret = m.stack[m.depth - 1];
	return 0;
}
