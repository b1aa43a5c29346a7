#include "codec/otlp_layout.h"

#include "lib/otlp_golden.h"
#include "lib/test.h"

static enum pipa_otlp_layout layout_of(const char *hex)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };

	return pipa_otlp_layout_find(otlp_from_hex(hex, &bytes));
}

TEST(the_wire_types_of_a_sample_decide_the_layout)
{
	CHECK_EQ(layout_of(otlp_golden), PIPA_OTLP_1_10);
	CHECK_EQ(layout_of(otlp_golden_1_9), PIPA_OTLP_1_9);
}

/* resource_profiles > scope_profiles > profiles > samples, each of one byte of length */
#define REQUEST(a, b, c, d) "0a" a "12" b "12" c "12" d

TEST(samples_without_attributes_and_links_are_judged_by_their_numbers)
{
	/* stack_index 1, field 2 is [3], no timestamps: with 1.10 nothing would be observed */
	CHECK_EQ(layout_of(REQUEST("0b", "09", "07", "05") "0801120103"), PIPA_OTLP_1_9);
	/* field 2 is [3], one timestamp, four attributes in the dictionary */
	CHECK_EQ(layout_of(REQUEST("13", "11", "0f", "0d") "1201032a080100000000000000"
							   "1208"
							   "3200320032003200"),
		 PIPA_OTLP_1_10);
	/* the same with three attributes */
	CHECK_EQ(layout_of(REQUEST("13", "11", "0f", "0d") "1201032a080100000000000000"
							   "1206"
							   "320032003200"),
		 PIPA_OTLP_1_9);
	/* a stack and a timestamp */
	CHECK_EQ(layout_of(REQUEST("12", "10", "0e", "0c") "08012a080100000000000000"),
		 PIPA_OTLP_1_10);
}

TEST(malformed_bytes_have_a_layout_too)
{
	CHECK_EQ(layout_of(""), PIPA_OTLP_1_10);
	CHECK_EQ(layout_of("0aff"), PIPA_OTLP_1_10);
	CHECK_EQ(layout_of("0a0412021201"), PIPA_OTLP_1_10);
	CHECK_STR(pipa_otlp_layout_name(PIPA_OTLP_1_10), "1.10");
	CHECK_STR(pipa_otlp_layout_name(PIPA_OTLP_1_9), "1.9");
}
