/* RV64GC: The RISC-V Instruction Set Manual, Volume I, chapters "RV32/64G Instruction Set Listings" and "C". */
#include <string.h>

#include "unwind/insn.h"

enum { ZERO, RA, SP, T0 = 5 };

static uint32_t bits(uint32_t i, unsigned int at, unsigned int n)
{
	return i >> at & ((1u << n) - 1);
}

static int64_t extend(uint32_t value, unsigned int n)
{
	return (int64_t)((uint64_t)value << (64 - n)) >> (64 - n);
}

/* Bits from..from+n-1 of the instruction, put at `to`. */
static uint32_t put(uint32_t i, unsigned int from, unsigned int n, unsigned int to)
{
	return bits(i, from, n) << to;
}

static void effect(struct pipa_insn *ret, enum pipa_effect_kind kind, uint32_t reg, uint32_t src,
		   int64_t value)
{
	if (reg != ZERO || kind == PIPA_EFFECT_STORE)
		pipa_insn_add(ret, kind, (uint8_t)reg, (uint8_t)src, value);
}

static void add(struct pipa_insn *ret, uint32_t rd, uint32_t rs1, uint32_t rs2, int sign)
{
	if (rd == ZERO)
		return;
	ret->n = 1;
	ret->effects[0] = (struct pipa_effect){ PIPA_EFFECT_ADD, (uint8_t)rd, (uint8_t)rs1,
						(uint8_t)rs2, sign };
}

static void jump_register(struct pipa_insn *ret, uint32_t rd, uint32_t rs1)
{
	if (rd != ZERO)
		ret->flow = PIPA_FLOW_CALL;
	else
		ret->flow = rs1 == RA || rs1 == T0 ? PIPA_FLOW_RETURN : PIPA_FLOW_INDIRECT;
}

/* ---- compressed ------------------------------------------------------------------------------ */

static void quadrant_0(uint32_t i, struct pipa_insn *ret)
{
	uint32_t rd = 8 + bits(i, 2, 3), rs1 = 8 + bits(i, 7, 3);
	uint32_t at = put(i, 10, 3, 3) | put(i, 5, 2, 6);

	switch (bits(i, 13, 3)) {
	case 0:
		if (!i)
			ret->flow = PIPA_FLOW_STOP;
		effect(ret, PIPA_EFFECT_SET, rd, SP,
		       put(i, 11, 2, 4) | put(i, 7, 4, 6) | put(i, 6, 1, 2) | put(i, 5, 1, 3));
		break;
	case 2: effect(ret, PIPA_EFFECT_LOST, rd, 0, 0); break; /* c.lw */
	case 3: effect(ret, PIPA_EFFECT_LOAD, rd, rs1, at); break;
	case 7: effect(ret, PIPA_EFFECT_STORE, rd, rs1, at); break;
	default: break;
	}
}

static void quadrant_1(uint32_t i, uint64_t addr, struct pipa_insn *ret)
{
	uint32_t rd = bits(i, 7, 5);
	int64_t imm = extend(put(i, 12, 1, 5) | bits(i, 2, 5), 6);
	uint32_t to;

	switch (bits(i, 13, 3)) {
	case 0:
	case 1: effect(ret, PIPA_EFFECT_SET, rd, rd, imm); break; /* c.addiw: of constants */
	case 2: effect(ret, PIPA_EFFECT_CONST, rd, 0, imm); break;
	case 3:
		if (rd == SP)
			effect(ret, PIPA_EFFECT_SET, SP, SP,
			       extend(put(i, 12, 1, 9) | put(i, 6, 1, 4) | put(i, 5, 1, 6) |
					      put(i, 3, 2, 7) | put(i, 2, 1, 5),
				      10));
		else
			effect(ret, PIPA_EFFECT_CONST, rd, 0, imm * 4096);
		break;
	case 4: effect(ret, PIPA_EFFECT_LOST, 8 + bits(i, 7, 3), 0, 0); break;
	case 5:
		to = put(i, 12, 1, 11) | put(i, 11, 1, 4) | put(i, 9, 2, 8) | put(i, 8, 1, 10) |
		     put(i, 7, 1, 6) | put(i, 6, 1, 7) | put(i, 3, 3, 1) | put(i, 2, 1, 5);
		ret->flow = PIPA_FLOW_JUMP;
		ret->target = addr + (uint64_t)extend(to, 12);
		break;
	default:
		to = put(i, 12, 1, 8) | put(i, 10, 2, 3) | put(i, 5, 2, 6) | put(i, 3, 2, 1) |
		     put(i, 2, 1, 5);
		ret->flow = PIPA_FLOW_BRANCH;
		ret->target = addr + (uint64_t)extend(to, 9);
		break;
	}
}

static void quadrant_2(uint32_t i, struct pipa_insn *ret)
{
	uint32_t rd = bits(i, 7, 5), rs2 = bits(i, 2, 5);

	switch (bits(i, 13, 3)) {
	case 0:
	case 2: effect(ret, PIPA_EFFECT_LOST, rd, 0, 0); break;
	case 3:
		effect(ret, PIPA_EFFECT_LOAD, rd, SP,
		       put(i, 12, 1, 5) | put(i, 5, 2, 3) | put(i, 2, 3, 6));
		break;
	case 4:
		if (rs2 && bits(i, 12, 1))
			add(ret, rd, rd, rs2, 1);
		else if (rs2)
			effect(ret, PIPA_EFFECT_SET, rd, rs2, 0);
		else if (rd)
			jump_register(ret, bits(i, 12, 1) ? RA : ZERO, rd);
		else
			ret->flow = PIPA_FLOW_STOP; /* c.ebreak */
		break;
	case 7: effect(ret, PIPA_EFFECT_STORE, rs2, SP, put(i, 10, 3, 3) | put(i, 7, 3, 6)); break;
	default: break;
	}
}

/* ---- 32 bits --------------------------------------------------------------------------------- */

static void decode_word(uint32_t i, uint64_t addr, struct pipa_insn *ret)
{
	uint32_t rd = bits(i, 7, 5), rs1 = bits(i, 15, 5), rs2 = bits(i, 20, 5);
	uint32_t kind = bits(i, 12, 3), to;
	int64_t imm = extend(bits(i, 20, 12), 12);

	switch (i & 0x7f) {
	case 0x13:
	case 0x1b: /* addiw: of constants */
		if (kind)
			effect(ret, PIPA_EFFECT_LOST, rd, 0, 0);
		else if (rs1 == ZERO)
			effect(ret, PIPA_EFFECT_CONST, rd, 0, imm);
		else
			effect(ret, PIPA_EFFECT_SET, rd, rs1, imm);
		break;
	case 0x37: effect(ret, PIPA_EFFECT_CONST, rd, 0, (int32_t)(i & 0xfffff000)); break;
	case 0x33:
		if (kind == 0 && (bits(i, 25, 7) & 0x5f) == 0)
			add(ret, rd, rs1, rs2, bits(i, 30, 1) ? -1 : 1);
		else
			effect(ret, PIPA_EFFECT_LOST, rd, 0, 0);
		break;
	case 0x03:
		effect(ret, kind == 3 ? PIPA_EFFECT_LOAD : PIPA_EFFECT_LOST, rd, rs1, imm);
		break;
	case 0x23:
		if (kind == 3)
			effect(ret, PIPA_EFFECT_STORE, rs2, rs1, extend(put(i, 25, 7, 5) | rd, 12));
		break;
	case 0x63:
		to = put(i, 31, 1, 12) | put(i, 7, 1, 11) | put(i, 25, 6, 5) | put(i, 8, 4, 1);
		ret->flow = PIPA_FLOW_BRANCH;
		ret->target = addr + (uint64_t)extend(to, 13);
		if (kind == 1) { /* bne */
			pipa_insn_add(ret, PIPA_EFFECT_COMPARED, (uint8_t)rs1, (uint8_t)rs2, 0);
			ret->until_equal = true;
		}
		break;
	case 0x6f:
		to = put(i, 31, 1, 20) | put(i, 12, 8, 12) | put(i, 20, 1, 11) | put(i, 21, 10, 1);
		ret->flow = rd == ZERO ? PIPA_FLOW_JUMP : PIPA_FLOW_CALL;
		ret->target = addr + (uint64_t)extend(to, 21);
		break;
	case 0x67: jump_register(ret, rd, rs1); break;
	case 0x73:
		if (i == 0x00100073)
			ret->flow = PIPA_FLOW_STOP; /* ebreak */
		else
			effect(ret, PIPA_EFFECT_LOST, rd, 0, 0);
		break;
	case 0x17:
	case 0x3b:
	case 0x2f:
	case 0x53: effect(ret, PIPA_EFFECT_LOST, rd, 0, 0); break;
	default: break;
	}
}

bool pipa_insn_riscv64(const uint8_t *code, size_t size, uint64_t addr, struct pipa_insn *ret)
{
	uint32_t i;

	if (size < 2)
		return false;
	memset(ret, 0, sizeof(*ret));
	i = (uint32_t)code[0] | (uint32_t)code[1] << 8;
	if ((i & 3) != 3) {
		ret->size = 2;
		if ((i & 3) == 0)
			quadrant_0(i, ret);
		else if ((i & 3) == 1)
			quadrant_1(i, addr, ret);
		else
			quadrant_2(i, ret);
		return true;
	}
	if (size < 4 || (i & 0x1f) == 0x1f) /* longer ones are reserved */
		return false;
	i |= (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
	ret->size = 4;
	decode_word(i, addr, ret);
	return true;
}
