#include "unwind/cfi.h"

#include <errno.h>

#include "frames.h"
#include "unwind/arch.h"
#include "unwind/index.h"
#include "unwind/rows.h"

static const struct pipa_unwind_arch *const x86 = &pipa_unwind_x86_64;

/* One function of 0x100 bytes at 0x1000 with a CIE of: CFA = rsp + 8, return address at CFA - 8. */
static void make(struct frames *f, struct pipa_fde *fde, struct code code)
{
	struct pipa_cfi cfi;
	uint64_t next;
	size_t cie, at;

	f->n = 0;
	cie = put_cie(f, "zR", 16, CODE(0x0c, 7, 8, 0x90, 1));
	at = put_fde(f, cie, 0x1000, 0x100, code);
	put(f, 0, 4);
	cfi = cfi_of(f);
	CHECK_EQ(pipa_cfi_at(&cfi, cie, &next, fde), PIPA_CFI_CIE);
	CHECK_EQ(next, at);
	CHECK_EQ(pipa_cfi_at(&cfi, at, &next, fde), PIPA_CFI_FDE);
	CHECK_EQ(next, f->n - 4);
	CHECK_EQ(pipa_cfi_at(&cfi, next, &next, fde), PIPA_CFI_END);
	CHECK_EQ(pipa_cfi_at(&cfi, at, &next, fde), PIPA_CFI_FDE);
}

static int find(const struct frames *f, const struct pipa_fde *fde, uint64_t addr,
		struct pipa_row *row)
{
	struct pipa_cfi cfi = cfi_of(f);

	return pipa_row_find(x86, &cfi, fde, addr, row);
}

TEST(an_fde_knows_its_code_and_its_cie)
{
	struct frames f;
	struct pipa_fde fde;

	make(&f, &fde, CODE(0));
	CHECK_EQ(fde.start, 0x1000);
	CHECK_EQ(fde.end, 0x1100);
	CHECK_EQ(fde.cie.ra_column, 16);
	CHECK_EQ(fde.cie.data_align, -8);
	CHECK(fde.cie.augmented);
	CHECK(!fde.cie.signal_frame);
}

TEST(rows_follow_pushes)
{
	struct frames f;
	struct pipa_fde fde;
	struct pipa_row row;

	/* +1: CFA 16, rbp saved; +3: CFA by rbp; +0x20: CFA rsp + 8 */
	make(&f, &fde, CODE(0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x02, 0x20, 0x0c, 7, 8));
	CHECK_EQ(find(&f, &fde, 0x1000, &row), 0);
	CHECK_EQ(row.end, 0x1001);
	CHECK_EQ(row.cfa.offset, 8);
	CHECK_EQ(row.regs[16].offset, -8);
	CHECK_EQ(row.regs[6].kind, PIPA_RULE_NONE);
	CHECK_EQ(find(&f, &fde, 0x1003, &row), 0);
	CHECK_EQ(row.cfa.offset, 16);
	CHECK_EQ(row.cfa.reg, 7);
	CHECK_EQ(row.regs[6].kind, PIPA_RULE_AT);
	CHECK_EQ(row.regs[6].offset, -16);
	CHECK_EQ(find(&f, &fde, 0x1023, &row), 0);
	CHECK_EQ(row.start, 0x1004);
	CHECK_EQ(row.end, 0x1024);
	CHECK_EQ(row.cfa.reg, 6);
	CHECK_EQ(find(&f, &fde, 0x10ff, &row), 0);
	CHECK_EQ(row.end, 0x1100);
	CHECK_EQ(row.cfa.reg, 7);
	CHECK_EQ(find(&f, &fde, 0x1100, &row), -ENOENT);
}

TEST(states_are_remembered_and_registers_restored)
{
	struct frames f;
	struct pipa_fde fde;
	struct pipa_row row;

	/* rbx saved, CFA 16; remember; +1: rbx as in the CIE, CFA 8; +1: back */
	make(&f, &fde, CODE(0x83, 2, 0x0e, 16, 0x0a, 0x41, 0xc3, 0x0e, 8, 0x41, 0x0b));
	CHECK_EQ(find(&f, &fde, 0x1001, &row), 0);
	CHECK_EQ(row.regs[3].kind, PIPA_RULE_NONE);
	CHECK_EQ(row.cfa.offset, 8);
	CHECK_EQ(find(&f, &fde, 0x1002, &row), 0);
	CHECK_EQ(row.regs[3].kind, PIPA_RULE_AT);
	CHECK_EQ(row.cfa.offset, 16);
}

TEST(all_register_rules_are_decoded)
{
	struct frames f;
	struct pipa_fde fde;
	struct pipa_row row;

	make(&f, &fde,
	     CODE(0x05, 3, 2,		/* offset_extended */
		  0x11, 6, 0x7e,	/* offset_extended_sf: -2 * -8 */
		  0x14, 12, 3,		/* val_offset */
		  0x15, 13, 0x7d,	/* val_offset_sf */
		  0x09, 14, 0,		/* register */
		  0x07, 15,		/* undefined */
		  0x08, 8,		/* same_value */
		  0x10, 9, 2, 0x77, 8,	/* expression: breg7 8 */
		  0x16, 10, 2, 0x77, 0, /* val_expression */
		  0x2f, 11, 4,		/* GNU_negative_offset_extended */
		  0x2e, 16));		/* GNU_args_size */
	CHECK_EQ(find(&f, &fde, 0x1000, &row), 0);
	CHECK_EQ(row.regs[3].kind, PIPA_RULE_AT);
	CHECK_EQ(row.regs[3].offset, -16);
	CHECK_EQ(row.regs[6].offset, 16);
	CHECK_EQ(row.regs[12].kind, PIPA_RULE_IS);
	CHECK_EQ(row.regs[12].offset, -24);
	CHECK_EQ(row.regs[13].kind, PIPA_RULE_IS);
	CHECK_EQ(row.regs[13].offset, 24);
	CHECK_EQ(row.regs[14].kind, PIPA_RULE_REGISTER);
	CHECK_EQ(row.regs[14].reg, 0);
	CHECK_EQ(row.regs[15].kind, PIPA_RULE_UNDEFINED);
	CHECK_EQ(row.regs[8].kind, PIPA_RULE_SAME);
	CHECK_EQ(row.regs[9].kind, PIPA_RULE_EXPR_AT);
	CHECK_EQ(row.regs[9].size, 2);
	CHECK_EQ(row.regs[9].expr[0], 0x77);
	CHECK_EQ(row.regs[10].kind, PIPA_RULE_EXPR_IS);
	CHECK_EQ(row.regs[11].offset, 32);
}

TEST(every_way_to_move_on_is_understood)
{
	struct frames f;
	struct pipa_fde fde;
	struct pipa_row row;

	make(&f, &fde,
	     CODE(0x02, 2, 0x0e, 16, 0x03, 4, 0, 0x0e, 24, 0x04, 8, 0, 0, 0, 0x0e, 32, 0x01, 0x80,
		  0x10, 0, 0, 0, 0, 0, 0, 0x13, 0x7b));
	CHECK_EQ(find(&f, &fde, 0x1002, &row), 0);
	CHECK_EQ(row.cfa.offset, 16);
	CHECK_EQ(find(&f, &fde, 0x1006, &row), 0);
	CHECK_EQ(row.cfa.offset, 24);
	CHECK_EQ(find(&f, &fde, 0x100e, &row), 0);
	CHECK_EQ(row.cfa.offset, 32);
	CHECK_EQ(find(&f, &fde, 0x107f, &row), 0);
	CHECK_EQ(row.cfa.offset, 32);
	CHECK_EQ(find(&f, &fde, 0x1080, &row), 0); /* set_loc; def_cfa_offset_sf -5 * -8 */
	CHECK_EQ(row.cfa.offset, 40);
}

TEST(rows_end_at_the_end_of_their_fde)
{
	struct frames f;
	struct pipa_fde fde;
	struct pipa_row row;

	make(&f, &fde, CODE(0x03, 0, 2, 0x0e, 16)); /* 0x200 on */
	CHECK_EQ(find(&f, &fde, 0x10ff, &row), 0);
	CHECK_EQ(row.end, 0x1100);
	CHECK_EQ(row.cfa.offset, 8);
}

TEST(malformed_cfi_instructions_are_refused)
{
	static const struct code bad[] = {
		CODE(0x0e, 0x80),		    /* a number without an end */
		CODE(0x0b),			    /* nothing remembered */
		CODE(0x3c),			    /* no such instruction */
		CODE(0x10, 3, 200, 0x77),	    /* an expression that continues after the end */
		CODE(0x0f, 1, 0x30, 0x0e, 8),	    /* half of a CFA that is an expression */
		CODE(0x2d),			    /* signed return addresses on x86_64 */
		CODE(0x01, 0, 1, 0, 0, 0, 0, 0, 0), /* back */
	};
	struct frames f;
	struct pipa_fde fde;
	struct pipa_row row;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct code code = bad[i];

		f.n = 0;
		if (i == 0) { /* no padding after it */
			while (code.n < 255)
				code.bytes[code.n++] = 0x80;
		}
		make(&f, &fde, code);
		CHECK_EQ(find(&f, &fde, 0x1010, &row), -EBADMSG);
	}
}

TEST(a_debug_frame_of_version_4_and_64_bits_is_read)
{
	struct frames f = { .n = 0 };
	struct pipa_cfi cfi;
	struct pipa_fde fde;
	uint64_t next;
	size_t at;

	put(&f, UINT32_MAX, 4);
	put(&f, 8 + 1 + 1 + 2 + 1 + 1 + 1 + 3, 8);
	put(&f, UINT64_MAX, 8);
	put(&f, 4, 1);
	put(&f, 0, 1);
	put(&f, 8, 1); /* sizes of addresses and segments */
	put(&f, 0, 1);
	put(&f, 4, 1);
	put(&f, 0x78, 1);
	put(&f, 30, 1);
	put_code(&f, CODE(0x0c, 31, 0));
	at = f.n;
	put(&f, UINT32_MAX, 4);
	put(&f, 8 + 16 + 2, 8);
	put(&f, 0, 8);
	put(&f, 0x2000, 8);
	put(&f, 0x10, 8);
	put_code(&f, CODE(0x41, 0x2d));
	cfi = cfi_of(&f);
	cfi.is_eh = false;
	CHECK_EQ(pipa_cfi_at(&cfi, at, &next, &fde), PIPA_CFI_FDE);
	CHECK_EQ(fde.start, 0x2000);
	CHECK_EQ(fde.cie.code_align, 4);
	CHECK_EQ(fde.cie.ra_column, 30);
	{
		struct pipa_row row;

		CHECK_EQ(pipa_row_find(&pipa_unwind_aarch64, &cfi, &fde, 0x2003, &row), 0);
		CHECK(!row.ra_signed);
		CHECK_EQ(pipa_row_find(&pipa_unwind_aarch64, &cfi, &fde, 0x2004, &row), 0);
		CHECK(row.ra_signed);
		CHECK_EQ(row.ra, 30);
	}
}

TEST(augmentations_are_read_and_unknown_ones_skipped)
{
	static const struct {
		const char *letters;
		struct code data;
		bool ok, signal;
	} cases[] = {
		{ "zRS", CODE(1, 4), true, true },
		{ "zPLRB", CODE(7, 0x9b, 1, 2, 3, 4, 0x1b, 4), true, false },
		{ "zR?S", CODE(3, 4, 1, 2), true, false },
		{ "zR", CODE(9, 4), false, false },
		{ "eh", CODE(0), true, false },
		{ "x", CODE(0), false, false },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct frames f = { .n = 0 };
		const char *p = cases[i].letters;
		struct pipa_cfi cfi;
		struct pipa_fde fde;
		uint64_t next;

		put(&f, 0, 8);
		put(&f, 3, 1);
		do
			put(&f, (uint8_t)*p, 1);
		while (*p++);
		if (strcmp(cases[i].letters, "eh") == 0)
			put(&f, 0x1234, 8);
		put(&f, 1, 1);
		put(&f, 0x78, 1);
		put(&f, 16, 1);
		if (cases[i].letters[0] == 'z')
			put_code(&f, cases[i].data);
		if (cases[i].ok)
			put(&f, 0, 4);
		f.bytes[0] = (uint8_t)(f.n - 4);
		cfi = cfi_of(&f);
		CHECK_EQ(pipa_cfi_at(&cfi, 0, &next, &fde) == PIPA_CFI_CIE, cases[i].ok);
		if (!cases[i].ok)
			continue;
		CHECK_EQ(fde.cie.signal_frame, cases[i].signal);
		if (cases[i].letters[0] == 'z')
			CHECK_EQ(fde.cie.pointer_encoding, 4);
	}
}

TEST(pointers_of_every_encoding_are_read)
{
	static const struct {
		uint8_t encoding;
		struct code bytes;
		uint64_t want;
	} cases[] = {
		{ PIPA_EH_PE_ABSPTR, CODE(1, 2, 0, 0, 0, 0, 0, 0), 0x201 },
		{ PIPA_EH_PE_ULEB, CODE(0x81, 1), 0x81 },
		{ PIPA_EH_PE_SLEB, CODE(0x7f), UINT64_MAX },
		{ PIPA_EH_PE_U2, CODE(0xff, 0xff), 0xffff },
		{ PIPA_EH_PE_S2, CODE(0xfe, 0xff), (uint64_t)-2 },
		{ PIPA_EH_PE_U4, CODE(0, 0, 0, 0x80), 0x80000000 },
		{ PIPA_EH_PE_S4 | PIPA_EH_PE_PCREL, CODE(0xff, 0xff, 0xff, 0xff), 0x8fff },
		{ PIPA_EH_PE_U2 | PIPA_EH_PE_TEXTREL, CODE(1, 0), 0x5001 },
		{ PIPA_EH_PE_U2 | PIPA_EH_PE_DATAREL, CODE(1, 0), 0x6001 },
		{ PIPA_EH_PE_U2 | PIPA_EH_PE_FUNCREL, CODE(1, 0), 0x7001 },
		{ PIPA_EH_PE_S8, CODE(1, 0, 0, 0, 0, 0, 0, 0), 1 },
		{ PIPA_EH_PE_ALIGNED, CODE(1, 0, 0, 0, 0, 0, 0, 0), 1 },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pipa_cfi cfi = { .bytes = { cases[i].bytes.bytes, cases[i].bytes.n },
					.addr = 0x9000,
					.text = 0x5000,
					.data = 0x6000,
					.is64 = true };
		struct pipa_cursor c = pipa_span_cursor(cfi.bytes, false);

		CHECK_EQ(pipa_cfi_pointer(&cfi, &c, cases[i].encoding, 0x7000), cases[i].want);
		CHECK_EQ(c.status, 0);
		CHECK_EQ(pipa_cursor_left(&c), 0);
		c = pipa_span_cursor(cfi.bytes, false);
		pipa_cfi_pointer(&cfi, &c, cases[i].encoding | PIPA_EH_PE_INDIRECT, 0);
		CHECK_EQ(c.status, -EBADMSG);
	}
}

TEST(an_index_made_by_a_walk_finds_each_function_and_nothing_between)
{
	struct frames f = { .n = 0 };
	size_t cie = put_cie(&f, "zR", 16, CODE(0x0c, 7, 8, 0x90, 1));
	struct pipa_fde_index index;
	struct pipa_fde fde;
	struct pipa_cfi cfi;

	put_fde(&f, cie, 0x3000, 0x10, CODE(0));
	put_fde(&f, cie, 0x1000, 0x10, CODE(0));
	put(&f, 0, 4); /* a terminator in the middle */
	put(&f, 0, 4);
	put_fde(&f, cie, 0x2000, 0x10, CODE(0));
	put_fde(&f, cie, 0, 0x10, CODE(0)); /* dropped by a linker */
	cfi = cfi_of(&f);
	CHECK_EQ(pipa_fde_index_build(&index, &cfi), 0);
	CHECK_EQ(index.n, 3);
	CHECK(pipa_fde_index_find(&index, &cfi, 0x1000, &fde));
	CHECK_EQ(fde.start, 0x1000);
	CHECK(pipa_fde_index_find(&index, &cfi, 0x200f, &fde));
	CHECK_EQ(fde.start, 0x2000);
	CHECK(pipa_fde_index_find(&index, &cfi, 0x3000, &fde));
	CHECK(!pipa_fde_index_find(&index, &cfi, 0x3010, &fde));
	CHECK(!pipa_fde_index_find(&index, &cfi, 0x1010, &fde));
	CHECK(!pipa_fde_index_find(&index, &cfi, 0xfff, &fde));
	pipa_fde_index_done(&index);
}
