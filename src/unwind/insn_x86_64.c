/*
 * x86_64: Intel SDM volume 2, chapter 2 and appendix A. The length of every instruction has to be known;
 * effects are modelled where compilers and assembler move the stack and the frame pointer.
 */
#include <string.h>

#include "unwind/insn.h"

enum { RSP = 7, RBP = 6, NO_BASE = 0xff, RIP = 0xfe };

/* From the machine's numbers to DWARF's. */
static const uint8_t dwarf[16] = { 0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15 };

struct reading {
	const uint8_t *p, *end;
	bool operand16, addr32, rep;
	uint8_t rex;
	unsigned int map; /* 0: one byte, 1: 0f, 2: 0f38, 3: 0f3a, more: EVEX */
	bool vector;	  /* VEX or EVEX */
	uint8_t opcode;
	uint8_t modrm, mod, reg, rm; /* reg and rm as DWARF numbers */
	uint8_t base;		     /* of a memory operand without index; NO_BASE, RIP */
	int64_t disp, imm;
};

static bool take(struct reading *r, unsigned int n, int64_t *ret)
{
	uint64_t value = 0;
	unsigned int i;

	if ((size_t)(r->end - r->p) < n)
		return false;
	for (i = 0; i < n; i++)
		value |= (uint64_t)r->p[i] << 8 * i;
	r->p += n;
	*ret = n && n < 8 ? (int64_t)(value << (64 - 8 * n)) >> (64 - 8 * n) : (int64_t)value;
	return true;
}

static bool take_byte(struct reading *r, uint8_t *ret)
{
	if (r->p == r->end)
		return false;
	*ret = *r->p++;
	return true;
}

/* VEX (c5, c4) or EVEX (62): register bits are inverted there. */
static bool read_vector(struct reading *r, uint8_t first)
{
	uint8_t b[3] = { 0 };
	unsigned int i, n = first == 0xc5 ? 1 : first == 0xc4 ? 2 : 3;

	for (i = 0; i < n; i++)
		if (!take_byte(r, &b[i]))
			return false;
	r->vector = true;
	r->rex = (uint8_t)((~b[0] >> 7 & 1) << 2);
	r->map = 1;
	if (first != 0xc5) {
		r->rex |= (uint8_t)((~b[0] >> 6 & 1) << 1 | (~b[0] >> 5 & 1));
		r->rex |= (uint8_t)(b[1] >> 7 << 3);
		r->map = b[0] & (first == 0xc4 ? 0x1f : 0x07);
	}
	return take_byte(r, &r->opcode);
}

static bool read_opcode(struct reading *r)
{
	uint8_t b;

	for (;;) {
		if (!take_byte(r, &b))
			return false;
		if (b == 0x66)
			r->operand16 = true;
		else if (b == 0x67)
			r->addr32 = true;
		else if (b == 0xf2 || b == 0xf3)
			r->rep = true;
		else if (b != 0xf0 && b != 0x2e && b != 0x36 && b != 0x3e && b != 0x26 &&
			 b != 0x64 && b != 0x65)
			break;
	}
	if (b >> 4 == 4) {
		r->rex = b & 15;
		if (!take_byte(r, &b))
			return false;
	}
	if (b == 0xc4 || b == 0xc5 || b == 0x62)
		return read_vector(r, b);
	r->opcode = b;
	if (b != 0x0f)
		return true;
	r->map = 1;
	if (!take_byte(r, &r->opcode))
		return false;
	if (r->opcode == 0x38 || r->opcode == 0x3a) {
		r->map = r->opcode == 0x38 ? 2 : 3;
		return take_byte(r, &r->opcode);
	}
	return true;
}

static bool has_modrm(const struct reading *r)
{
	uint8_t op = r->opcode;

	if (r->vector)
		return r->map != 1 || op != 0x77;
	if (r->map > 1)
		return true;
	if (r->map == 1)
		return !((op >= 0x05 && op <= 0x0b) || op == 0x0e || (op >= 0x30 && op <= 0x37) ||
			 op == 0x77 || op >> 4 == 8 || (op >= 0xa0 && op <= 0xa2) ||
			 (op >= 0xa8 && op <= 0xaa) || (op >= 0xc8 && op <= 0xcf));
	if (op < 0x40)
		return (op & 7) < 4;
	return op == 0x63 || op == 0x69 || op == 0x6b || op >> 4 == 8 || op == 0xc0 || op == 0xc1 ||
	       op == 0xc6 || op == 0xc7 || (op >= 0xd0 && op <= 0xd3) ||
	       (op >= 0xd8 && op <= 0xdf) || op == 0xf6 || op == 0xf7 || op >= 0xfe;
}

/* Bytes of the immediate operand. */
static unsigned int imm_size(const struct reading *r)
{
	unsigned int z = r->operand16 ? 2 : 4;
	uint8_t op = r->opcode;

	if (r->map == 3)
		return 1;
	if (r->map > 1)
		return 0;
	if (r->map == 1) {
		if (!r->vector && op >> 4 == 8)
			return 4;
		return (op >= 0x70 && op <= 0x73) || op == 0xa4 || op == 0xac || op == 0xba ||
		       op == 0xc2 || (op >= 0xc4 && op <= 0xc6);
	}
	if (op < 0x40)
		return (op & 7) == 4 ? 1 : (op & 7) == 5 ? z : 0;
	switch (op) {
	case 0x68:
	case 0x69:
	case 0x81:
	case 0xa9:
	case 0xc7: return z;
	case 0x6a:
	case 0x6b:
	case 0x80:
	case 0x82:
	case 0x83:
	case 0xa8:
	case 0xc0:
	case 0xc1:
	case 0xc6:
	case 0xcd:
	case 0xeb: return 1;
	case 0xc2:
	case 0xca: return 2;
	case 0xc8: return 3;
	case 0xe8:
	case 0xe9: return 4;
	case 0xf6: return (r->modrm >> 3 & 7) < 2 ? 1 : 0;
	case 0xf7: return (r->modrm >> 3 & 7) < 2 ? z : 0;
	default: break;
	}
	if (op >= 0xa0 && op <= 0xa3)
		return r->addr32 ? 4 : 8;
	if (op >= 0xb8 && op <= 0xbf)
		return r->rex & 8 ? 8 : z;
	return op >> 4 == 7 || (op >= 0xb0 && op <= 0xb7) || (op >= 0xe0 && op <= 0xe7);
}

static bool read_modrm(struct reading *r)
{
	unsigned int rm, size;
	uint8_t sib;

	if (!take_byte(r, &r->modrm))
		return false;
	r->mod = r->modrm >> 6;
	r->reg = dwarf[(r->modrm >> 3 & 7) | (r->rex & 4) << 1];
	rm = r->modrm & 7;
	r->rm = dwarf[rm | (r->rex & 1) << 3];
	if (r->mod == 3)
		return true;
	size = r->mod == 1 ? 1 : r->mod == 2 ? 4 : 0;
	r->base = r->rm;
	if (rm == 4) {
		if (!take_byte(r, &sib))
			return false;
		r->base = dwarf[(sib & 7) | (r->rex & 1) << 3];
		if ((sib & 7) == 5 && !r->mod) {
			size = 4;
			r->base = NO_BASE;
		}
		if ((sib >> 3 & 7) != 4 || r->rex & 2)
			r->base = NO_BASE; /* with an index */
	} else if (rm == 5 && !r->mod) {
		size = 4;
		r->base = RIP;
	}
	return take(r, size, &r->disp);
}

/* ---- effects --------------------------------------------------------------------------------- */

static void move_sp(struct pipa_insn *ret, int64_t by)
{
	pipa_insn_add(ret, PIPA_EFFECT_SET, RSP, RSP, by);
}

static void lose(struct pipa_insn *ret, uint8_t reg)
{
	pipa_insn_add(ret, PIPA_EFFECT_LOST, reg, 0, 0);
}

/* mov, lea: 64 bits; less than that loses what it writes. */
static void move(const struct reading *r, struct pipa_insn *ret)
{
	bool wide = r->rex & 8 && r->base < 16, to_memory = r->opcode == 0x89;

	if (r->mod == 3) {
		uint8_t to = to_memory ? r->rm : r->reg, from = to_memory ? r->reg : r->rm;

		if (r->opcode == 0x8d)
			return;
		pipa_insn_add(ret, r->rex & 8 ? PIPA_EFFECT_SET : PIPA_EFFECT_LOST, to, from, 0);
	} else if (to_memory) {
		if (wide)
			pipa_insn_add(ret, PIPA_EFFECT_STORE, r->reg, r->base, r->disp);
	} else if (wide) {
		pipa_insn_add(ret, r->opcode == 0x8d ? PIPA_EFFECT_SET : PIPA_EFFECT_LOAD, r->reg,
			      r->base, r->disp);
	} else {
		lose(ret, r->reg);
	}
}

/* add, sub and other arithmetic with two registers, or with memory. */
static void arithmetic(const struct reading *r, struct pipa_insn *ret)
{
	uint8_t to = r->opcode & 2 ? r->reg : r->rm, from = r->opcode & 2 ? r->rm : r->reg;
	uint8_t kind = r->opcode >> 3 & 7;

	if (r->mod != 3) {
		if (r->opcode & 2 && kind != 7)
			lose(ret, r->reg);
	} else if (kind == 7) {
		pipa_insn_add(ret, PIPA_EFFECT_COMPARED, to, from, 0);
		if (from == RSP) {
			ret->effects[0].reg = from;
			ret->effects[0].src = to;
		}
	} else if ((kind == 0 || kind == 5) && r->rex & 8) {
		ret->n = 1;
		ret->effects[0] = (struct pipa_effect){ PIPA_EFFECT_ADD, to, to, from,
							kind ? -1 : 1 };
	} else {
		lose(ret, to);
	}
}

/* 80, 81, 83: with an immediate operand. */
static void with_immediate(const struct reading *r, struct pipa_insn *ret)
{
	uint8_t kind = r->modrm >> 3 & 7;

	if (r->mod != 3 || kind == 7)
		return;
	if ((kind == 0 || kind == 5) && r->rex & 8 && r->opcode != 0x80)
		pipa_insn_add(ret, PIPA_EFFECT_SET, r->rm, r->rm, kind ? -r->imm : r->imm);
	else
		lose(ret, r->rm);
}

static void group_5(const struct reading *r, struct pipa_insn *ret)
{
	switch (r->modrm >> 3 & 7) {
	case 0:
	case 1:
		if (r->mod == 3)
			lose(ret, r->rm);
		break;
	case 2:
	case 3: ret->flow = PIPA_FLOW_CALL; break;
	case 4:
	case 5: ret->flow = PIPA_FLOW_INDIRECT; break;
	case 6:
		move_sp(ret, -8);
		if (r->mod == 3)
			pipa_insn_add(ret, PIPA_EFFECT_STORE, r->rm, RSP, 0);
		break;
	default: break;
	}
}

static void leave(struct pipa_insn *ret)
{
	pipa_insn_add(ret, PIPA_EFFECT_SET, RSP, RBP, 0);
	pipa_insn_add(ret, PIPA_EFFECT_LOAD, RBP, RSP, 0);
	move_sp(ret, 8);
}

static void flow_to(struct pipa_insn *ret, enum pipa_insn_flow flow, uint64_t next, int64_t by)
{
	ret->flow = (uint8_t)flow;
	ret->target = next + (uint64_t)by;
}

/* Stack and control: what has a meaning by its opcode only. */
static bool one_byte(const struct reading *r, uint64_t next, struct pipa_insn *ret)
{
	uint8_t op = r->opcode, reg = dwarf[(op & 7) | (r->rex & 1) << 3];

	if (op >= 0x50 && op <= 0x57) {
		move_sp(ret, -8);
		pipa_insn_add(ret, PIPA_EFFECT_STORE, reg, RSP, 0);
	} else if (op >= 0x58 && op <= 0x5f) {
		pipa_insn_add(ret, PIPA_EFFECT_LOAD, reg, RSP, 0);
		if (reg != RSP)
			move_sp(ret, 8);
	} else if (op >> 4 == 7 || (op >= 0xe0 && op <= 0xe3)) {
		flow_to(ret, PIPA_FLOW_BRANCH, next, r->imm);
		ret->until_equal = op == 0x75;
	} else if (op >= 0xb8 && op <= 0xbf) {
		pipa_insn_add(ret, PIPA_EFFECT_CONST, reg, 0,
			      r->rex & 8 ? r->imm : (int64_t)(uint32_t)r->imm);
	} else {
		switch (op) {
		case 0x68:
		case 0x6a:
		case 0x9c: move_sp(ret, -8); break;
		case 0x9d: move_sp(ret, 8); break;
		case 0xc9: leave(ret); break;
		case 0xc2:
		case 0xc3:
		case 0xca:
		case 0xcb:
		case 0xcf: ret->flow = PIPA_FLOW_RETURN; break;
		case 0xcc:
		case 0xf4: ret->flow = PIPA_FLOW_STOP; break;
		case 0xe8: flow_to(ret, PIPA_FLOW_CALL, next, r->imm); break;
		case 0xe9:
		case 0xeb: flow_to(ret, PIPA_FLOW_JUMP, next, r->imm); break;
		default: return false;
		}
	}
	return true;
}

static void operands(const struct reading *r, struct pipa_insn *ret)
{
	uint8_t op = r->opcode;

	if (op < 0x40 && (op & 7) < 4) {
		if (op & 1)
			arithmetic(r, ret);
		else if (r->mod == 3 && op >> 3 != 7)
			lose(ret, op & 2 ? r->reg : r->rm);
	} else if (op == 0x89 || op == 0x8b || op == 0x8d) {
		move(r, ret);
	} else if (op >= 0x80 && op <= 0x83) {
		with_immediate(r, ret);
	} else if (op == 0x8f) {
		if (r->mod == 3)
			pipa_insn_add(ret, PIPA_EFFECT_LOAD, r->rm, RSP, 0);
		move_sp(ret, 8);
	} else if (op == 0xc7 && r->mod == 3) {
		pipa_insn_add(ret, PIPA_EFFECT_CONST, r->rm, 0, r->imm);
	} else if (op == 0xff) {
		group_5(r, ret);
	} else if (op == 0x63 || op == 0x69 || op == 0x6b) {
		lose(ret, r->reg);
	} else if (op == 0x86 || op == 0x87) {
		lose(ret, r->reg);
		if (r->mod == 3)
			lose(ret, r->rm);
	} else if (r->mod == 3 && (op == 0xc0 || op == 0xc1 || (op >= 0xd0 && op <= 0xd3) ||
				   ((op == 0xf6 || op == 0xf7) && (r->modrm >> 4 & 3) == 1))) {
		lose(ret, r->rm);
	}
}

static void two_bytes(const struct reading *r, uint64_t next, struct pipa_insn *ret)
{
	uint8_t op = r->opcode;

	if (op >> 4 == 8) {
		flow_to(ret, PIPA_FLOW_BRANCH, next, r->imm);
		ret->until_equal = op == 0x85;
	} else if (op == 0x0b || op == 0xb9) {
		ret->flow = PIPA_FLOW_STOP;
	} else if (op >> 4 == 4 || op == 0xaf || (op >= 0xb6 && op <= 0xb8) ||
		   (op >= 0xbc && op <= 0xbf)) {
		lose(ret, r->reg);
	} else if (op >= 0xc8 && op <= 0xcf) {
		lose(ret, dwarf[(op & 7) | (r->rex & 1) << 3]);
	} else if (op == 0xa0 || op == 0xa8) {
		move_sp(ret, -8);
	} else if (op == 0xa1 || op == 0xa9) {
		move_sp(ret, 8);
	} else if ((op >= 0x90 && op <= 0x9f) || op == 0xb0 || op == 0xb1 || op == 0xc0 ||
		   op == 0xc1 || op == 0xa4 || op == 0xa5 || op == 0xac || op == 0xad ||
		   op == 0xab || op == 0xb3 || op == 0xbb || op == 0xba) {
		if (r->mod == 3)
			lose(ret, r->rm);
	}
}

bool pipa_insn_x86_64(const uint8_t *code, size_t size, uint64_t addr, struct pipa_insn *ret)
{
	struct reading r = { .p = code, .end = code + (size < 15 ? size : 15), .base = NO_BASE };
	unsigned int imm;
	uint64_t next;

	memset(ret, 0, sizeof(*ret));
	if (!size || !read_opcode(&r) || (has_modrm(&r) && !read_modrm(&r)))
		return false;
	imm = imm_size(&r);
	if (!take(&r, imm, &r.imm))
		return false;
	ret->size = (uint8_t)(r.p - code);
	next = addr + ret->size;
	if (r.vector)
		return r.map >= 1 && r.map <= 6;
	if (r.map == 1)
		two_bytes(&r, next, ret);
	else if (!r.map && !one_byte(&r, next, ret))
		operands(&r, ret);
	return true;
}
