/* A64, Arm Architecture Reference Manual, C4.1. */
#include <string.h>

#include "unwind/insn.h"

enum { SP = 31, LINK = 30, ZR = 31 };

static int64_t extend(uint32_t value, unsigned int bits)
{
	return (int64_t)((uint64_t)value << (64 - bits)) >> (64 - bits);
}

static unsigned int bits(uint32_t i, unsigned int at, unsigned int n)
{
	return i >> at & ((1u << n) - 1);
}

static void lose(struct pipa_insn *ret, uint8_t reg)
{
	if (reg != ZR)
		pipa_insn_add(ret, PIPA_EFFECT_LOST, reg, 0, 0);
}

/* Branches, exception generation and hints. */
static void decode_branch(uint32_t i, uint64_t addr, struct pipa_insn *ret)
{
	if ((i & 0x7c000000) == 0x14000000) { /* b, bl */
		ret->flow = i >> 31 ? PIPA_FLOW_CALL : PIPA_FLOW_JUMP;
		ret->target = addr + (uint64_t)extend(bits(i, 0, 26), 26) * 4;
	} else if ((i & 0xfe000000) == 0x54000000 || (i & 0x7e000000) == 0x34000000) {
		ret->flow = PIPA_FLOW_BRANCH; /* b.cond, cbz, cbnz */
		ret->target = addr + (uint64_t)extend(bits(i, 5, 19), 19) * 4;
		ret->until_equal = (i & 0xff00001f) == 0x54000001; /* b.ne */
	} else if ((i & 0x7e000000) == 0x36000000) {		   /* tbz, tbnz */
		ret->flow = PIPA_FLOW_BRANCH;
		ret->target = addr + (uint64_t)extend(bits(i, 5, 14), 14) * 4;
	} else if ((i & 0xfe000000) == 0xd6000000) { /* br, blr, ret and the signed ones */
		unsigned int kind = bits(i, 21, 3);

		if (kind == 1)
			ret->flow = PIPA_FLOW_CALL;
		else if (kind == 2)
			ret->flow = i >> 11 & 1 || bits(i, 5, 5) == LINK ? PIPA_FLOW_RETURN :
									   PIPA_FLOW_INDIRECT;
		else
			ret->flow = kind ? PIPA_FLOW_STOP : PIPA_FLOW_INDIRECT;
	} else if ((i & 0xffe0001f) == 0xd4200000 || (i & 0xffe0001f) == 0xd4400000) {
		ret->flow = PIPA_FLOW_STOP; /* brk, hlt */
	}
}

static void decode_immediate(uint32_t i, struct pipa_insn *ret)
{
	uint8_t rd = i & 31, rn = (uint8_t)bits(i, 5, 5);
	uint8_t shift = (uint8_t)(bits(i, 21, 2) * 16);
	int64_t value;

	if ((i & 0x9f800000) == 0x91000000) { /* add, sub; and with flags */
		value = (int64_t)bits(i, 10, 12) << (i >> 22 & 1 ? 12 : 0);
		if (i >> 30 & 1)
			value = -value;
		if (!(i >> 29 & 1))
			pipa_insn_add(ret, PIPA_EFFECT_SET, rd, rn, value);
		else
			lose(ret, rd);
	} else if ((i & 0xff800000) == 0xd2800000 && shift < 32) { /* movz */
		pipa_insn_add(ret, PIPA_EFFECT_CONST, rd, 0, (int64_t)bits(i, 5, 16) << shift);
	} else if ((i & 0xff800000) == 0x92800000 && shift < 32) { /* movn */
		pipa_insn_add(ret, PIPA_EFFECT_CONST, rd, 0, ~((int64_t)bits(i, 5, 16) << shift));
	} else if ((i & 0xff800000) == 0xf2800000 && shift == 16) { /* movk */
		pipa_insn_add(ret, PIPA_EFFECT_INSERT, rd, shift, bits(i, 5, 16));
	} else if ((i & 0x1f800000) == 0x12000000 && bits(i, 29, 2) != 3) {
		pipa_insn_add(ret, PIPA_EFFECT_LOST, rd, 0, 0); /* and, orr, eor: 31 is sp */
	} else {
		lose(ret, rd);
	}
}

static void decode_register(uint32_t i, struct pipa_insn *ret)
{
	uint8_t rd = i & 31, rn = (uint8_t)bits(i, 5, 5), rm = (uint8_t)bits(i, 16, 5);
	struct pipa_effect *effect = &ret->effects[0];
	bool extended = (i & 0xbfe0e000) == 0x8b206000; /* add, sub with uxtx: 31 is sp */
	bool shifted = (i & 0xbf20fc00) == 0x8b000000 && rn != ZR && rd != ZR;

	if ((i & 0xffe0ffe0) == 0xaa0003e0 && rd != ZR) { /* mov */
		if (rm == ZR)
			pipa_insn_add(ret, PIPA_EFFECT_CONST, rd, 0, 0);
		else
			pipa_insn_add(ret, PIPA_EFFECT_SET, rd, rm, 0);
	} else if ((extended || shifted) && rm != ZR) {
		ret->n = 1;
		*effect = (struct pipa_effect){ PIPA_EFFECT_ADD, rd, rn, rm, 1 };
		if (extended)
			effect->value <<= bits(i, 10, 3);
		if (i >> 30 & 1)
			effect->value = -effect->value;
	} else if ((i & 0xffe0fc1f) == 0xeb20601f) { /* cmp sp, rm */
		pipa_insn_add(ret, PIPA_EFFECT_COMPARED, rn, rm, 0);
	} else {
		lose(ret, rd);
	}
}

enum access { UNSCALED, POST, OFFSET, PRE };

static void put_access(struct pipa_insn *ret, bool load, enum access how, uint8_t base,
		       const uint8_t *regs, unsigned int n, int64_t offset)
{
	int64_t at = how == POST || how == PRE ? 0 : offset;
	bool moved = false;
	unsigned int k;

	if (how == PRE)
		pipa_insn_add(ret, PIPA_EFFECT_SET, base, base, offset);
	for (k = 0; k < n; k++) {
		if (load && regs[k] == base)
			moved = true;
		if (regs[k] != ZR)
			pipa_insn_add(ret, load ? PIPA_EFFECT_LOAD : PIPA_EFFECT_STORE, regs[k],
				      base, at + 8 * (int64_t)k);
	}
	if (how == POST && !moved)
		pipa_insn_add(ret, PIPA_EFFECT_SET, base, base, offset);
}

static void decode_pair(uint32_t i, struct pipa_insn *ret)
{
	uint8_t regs[2] = { i & 31, (uint8_t)bits(i, 10, 5) }, rn = (uint8_t)bits(i, 5, 5);
	bool vector = i >> 26 & 1, load = i >> 22 & 1;
	unsigned int opc = i >> 30;
	unsigned int scale = vector ? 2 + opc : opc == 2 ? 3 : 2;
	enum access how = (enum access)bits(i, 23, 2);
	int64_t offset = extend(bits(i, 15, 7), 7) * ((int64_t)1 << scale);

	put_access(ret, load, how, rn, regs, !vector && opc == 2 ? 2 : 0, offset);
	if (!vector && opc != 2 && load) {
		lose(ret, regs[0]);
		lose(ret, regs[1]);
	}
}

static void decode_single(uint32_t i, struct pipa_insn *ret)
{
	static const enum access hows[] = { UNSCALED, POST, OFFSET, PRE };
	uint8_t rt = i & 31, rn = (uint8_t)bits(i, 5, 5);
	bool vector = i >> 26 & 1, word = i >> 30 == 3 && !vector;
	unsigned int opc = bits(i, 22, 2);
	bool load = opc & 1 || (opc == 2 && i >> 30 < 3);

	if (i >> 24 & 1) { /* unsigned offset */
		if (word && opc < 2)
			put_access(ret, load, OFFSET, rn, &rt, 1, (int64_t)bits(i, 10, 12) * 8);
		else if (!vector && load)
			lose(ret, rt);
		return;
	}
	if (!(i >> 21 & 1) && bits(i, 10, 2) != 2) {
		put_access(ret, load, hows[bits(i, 10, 2)], rn, &rt, word && opc < 2,
			   extend(bits(i, 12, 9), 9));
		if (word && opc < 2)
			return;
	}
	if (!vector && load)
		lose(ret, rt);
}

bool pipa_insn_aarch64(const uint8_t *code, size_t size, uint64_t addr, struct pipa_insn *ret)
{
	uint32_t i;

	if (size < 4)
		return false;
	i = (uint32_t)code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 |
	    (uint32_t)code[3] << 24;
	memset(ret, 0, sizeof(*ret));
	ret->size = 4;
	if (!(i >> 16)) /* udf */
		ret->flow = PIPA_FLOW_STOP;
	else if ((i & 0x1c000000) == 0x14000000)
		decode_branch(i, addr, ret);
	else if ((i & 0x1c000000) == 0x10000000)
		decode_immediate(i, ret);
	else if ((i & 0x0e000000) == 0x0a000000)
		decode_register(i, ret);
	else if ((i & 0x3a000000) == 0x28000000)
		decode_pair(i, ret);
	else if ((i & 0x3a000000) == 0x38000000)
		decode_single(i, ret);
	else if ((i & 0x0a000000) == 0x08000000 && !(i >> 26 & 1))
		lose(ret, i & 31); /* exclusive and literal loads */
	return true;
}
