#include "unwind/expr.h"

#include <errno.h>

#include "base/auto.h"
#include "lib/test.h"
#include "unwind/arch.h"

static int read_memory(void *ctx, uint64_t addr, unsigned int size, uint64_t *ret)
{
	(void)ctx;
	if (addr < 0x1000 || addr > 0x2000 - size)
		return -EFAULT;
	*ret = addr + size;
	return 0;
}

static int eval(const uint8_t *code, size_t n, const uint64_t *initial, uint64_t *ret)
{
	static const struct pipa_unwind_regs regs = { .known = 1 << 7 | 1U << 31,
						      .r = { [7] = 0x1000, [31] = 0x1800 } };
	struct pipa_cfi_expr context = { .regs = &regs, .bias = 0x100000, .read = read_memory };

	return pipa_cfi_expr_eval(&context, (struct pipa_span){ code, n }, initial, ret);
}

#define IS(want, ...)                                                                              \
	do {                                                                                       \
		static const uint8_t code_[] = { __VA_ARGS__ };                                    \
		uint64_t value_ = 0;                                                               \
		CHECK_EQ(eval(code_, sizeof(code_), NULL, &value_), 0);                            \
		CHECK_EQ(value_, (uint64_t)(want));                                                \
	} while (0)

#define FAILS(with, ...)                                                                           \
	do {                                                                                       \
		static const uint8_t code_[] = { __VA_ARGS__ };                                    \
		uint64_t value_ = 42;                                                              \
		CHECK_EQ(eval(code_, sizeof(code_), NULL, &value_), with);                         \
		CHECK_EQ(value_, 42);                                                              \
	} while (0)

TEST(constants_of_every_size_are_pushed)
{
	IS(5, 0x35);
	IS(31, 0x4f);
	IS(0x100010, 0x03, 0x10, 0, 0, 0, 0, 0, 0, 0); /* an address, moved */
	IS(0xff, 0x08, 0xff);
	IS(-1, 0x09, 0xff);
	IS(0xfffe, 0x0a, 0xfe, 0xff);
	IS(-2, 0x0b, 0xfe, 0xff);
	IS(0xfffffffe, 0x0c, 0xfe, 0xff, 0xff, 0xff);
	IS(-2, 0x0d, 0xfe, 0xff, 0xff, 0xff);
	IS(1, 0x0e, 1, 0, 0, 0, 0, 0, 0, 0);
	IS(128, 0x10, 0x80, 1);
	IS(-1, 0x11, 0x7f);
}

TEST(registers_and_memory_are_read)
{
	IS(0x1008, 0x77, 8);
	IS(0x17f8, 0x8f, 0x78);
	IS(0x1008, 0x92, 7, 8);
	IS(0x1010, 0x77, 8, 0x06);
	IS(0x1009, 0x77, 8, 0x94, 1);
	FAILS(-EFAULT, 0x30, 0x06);
	FAILS(-ENODATA, 0x70, 0);
	FAILS(-ENODATA, 0x92, 99, 0);
	FAILS(-EBADMSG, 0x77, 8, 0x94, 3);
}

TEST(arithmetic_is_done)
{
	IS(3, 0x31, 0x32, 0x22);
	IS(-1, 0x31, 0x32, 0x1c);
	IS(6, 0x33, 0x32, 0x1e);
	IS(-2, 0x09, 0xfb, 0x32, 0x1b); /* -5 / 2 */
	IS(1, 0x35, 0x32, 0x1d);
	IS(5, 0x09, 0xfb, 0x19);
	IS(-5, 0x35, 0x1f);
	IS(~5ULL, 0x35, 0x20);
	IS(4, 0x36, 0x3c, 0x1a);
	IS(0xe, 0x36, 0x3c, 0x21);
	IS(0xa, 0x36, 0x3c, 0x27);
	IS(0x24, 0x34, 0x23, 0x20);
	IS(40, 0x35, 0x33, 0x24);
	IS(UINT64_MAX >> 1, 0x09, 0xff, 0x31, 0x25);
	IS(-1, 0x09, 0xff, 0x31, 0x26);
	IS(-1, 0x09, 0xff, 0x08, 200, 0x26);
	IS(0, 0x31, 0x08, 64, 0x24);
	FAILS(-EBADMSG, 0x31, 0x30, 0x1b);
	FAILS(-EBADMSG, 0x31, 0x22);
}

TEST(the_stack_is_shuffled)
{
	IS(2, 0x31, 0x12, 0x22);
	IS(1, 0x31, 0x32, 0x13);
	IS(1, 0x31, 0x32, 0x14);
	IS(1, 0x31, 0x32, 0x33, 0x15, 2);
	IS(1, 0x31, 0x32, 0x16);
	IS(2, 0x31, 0x32, 0x33, 0x17);
	FAILS(-EBADMSG, 0x31, 0x15, 1);
	FAILS(-EBADMSG, 0x13);
	FAILS(-EBADMSG, 0x31, 0x16);
	FAILS(-EBADMSG, 0x31, 0x32, 0x17);
}

TEST(comparisons_and_jumps_work)
{
	IS(1, 0x31, 0x31, 0x29);
	IS(1, 0x31, 0x09, 0xff, 0x2b);
	IS(0, 0x31, 0x09, 0xff, 0x2c);
	IS(1, 0x31, 0x31, 0x2a);
	IS(1, 0x09, 0xff, 0x31, 0x2d);
	IS(1, 0x31, 0x32, 0x2e);
	IS(7, 0x37, 0x31, 0x28, 1, 0, 0x39);
	IS(9, 0x37, 0x30, 0x28, 1, 0, 0x39);
	IS(7, 0x37, 0x2f, 1, 0, 0x39, 0x96);
	FAILS(-EBADMSG, 0x37, 0x2f, 2, 0, 0x39);
	FAILS(-EBADMSG, 0x2f, 0xf0, 0xff);
}

TEST(endless_and_too_deep_expressions_are_refused)
{
	static uint8_t deep[100];

	FAILS(-EBADMSG, 0x31, 0x2f, 0xfd, 0xff);
	memset(deep, 0x31, sizeof(deep));
	CHECK_EQ(eval(deep, sizeof(deep), NULL, &(uint64_t){ 0 }), -EBADMSG);
}

TEST(the_cfa_can_be_on_the_stack_at_the_start)
{
	static const uint8_t code[] = { 0x23, 8 };
	uint64_t value, cfa = 0x20;

	CHECK_EQ(eval(code, sizeof(code), &cfa, &value), 0);
	CHECK_EQ(value, 0x28);
	CHECK_EQ(eval(code, sizeof(code), NULL, &value), -EBADMSG);
	CHECK_EQ(eval(code, 0, NULL, &value), -EBADMSG);
}

/* The linker's expression of PLT stubs: rsp + 8, and 8 more from the second instruction on. */
TEST(the_expression_of_plt_stubs_is_evaluated)
{
	static const uint8_t code[] = {
		0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22
	};
	struct pipa_unwind_regs regs = { .known = 1 << 7 | 1 << 16, .r = { [7] = 0x7000 } };
	struct pipa_cfi_expr context = { .regs = &regs, .read = read_memory };
	uint64_t value;

	regs.r[16] = 0x1020;
	CHECK_EQ(pipa_cfi_expr_eval(&context, (struct pipa_span){ code, sizeof(code) }, NULL,
				    &value),
		 0);
	CHECK_EQ(value, 0x7008);
	regs.r[16] = 0x102b;
	CHECK_EQ(pipa_cfi_expr_eval(&context, (struct pipa_span){ code, sizeof(code) }, NULL,
				    &value),
		 0);
	CHECK_EQ(value, 0x7010);
}
