#include "export/table/symbolize_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "lib/test.h"

/* Numbers are put together by hand: as printf() has them. */
TEST(numbers_of_answers_are_those_of_printf)
{
	static const uint64_t numbers[] = { 0,		1,	    9,		0xa,
					    0xf,	0x10,	    0x9f,	0xabcdef,
					    0x12345678, 0x99999999, UINT32_MAX, 1ull << 32,
					    1ull << 63, UINT64_MAX };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	char want[200];
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct pipa_symbolize_text_frame frame = { .function = "work",
							   .file = "/src/a.c",
							   .symbol_offset = numbers[i],
							   .line = (uint32_t)numbers[i],
							   .has_symbol_offset = true };
		struct pipa_symbolize_text answer = { .address = numbers[i],
						      .frames = &frame,
						      .n = 1 };

		pipa_buf_reset(&out);
		pipa_symbolize_text_write(&answer, PIPA_SYMBOLIZE_TEXT, false, &out);
		snprintf(want, sizeof(want), "0x%" PRIx64 " work+0x%" PRIx64 " at /src/a.c:%u\n",
			 numbers[i], numbers[i], frame.line);
		CHECK_STR(pipa_buf_str(&out), want);
		pipa_buf_reset(&out);
		frame.line |= 1;
		pipa_symbolize_text_write(&answer, PIPA_SYMBOLIZE_ADDR2LINE, true, &out);
		snprintf(want, sizeof(want), "0x%016" PRIx64 "\nwork\n/src/a.c:%u\n", numbers[i],
			 frame.line);
		CHECK_STR(pipa_buf_str(&out), want);
	}
}

TEST(unknown_fields_of_a_result_are_omitted_or_question_marks)
{
	static const struct pipa_symbolize_text_frame frames[] = {
		{ .function = "inner", .file = "a.c", .line = 3, .inlined = true },
		{ .file = "b.c" },
	};
	struct pipa_symbolize_text answer = {
		.address = 0x1139, .object = "/bin/x", .frames = frames, .n = 2
	};
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };

	pipa_symbolize_text_write(&answer, PIPA_SYMBOLIZE_TEXT, false, &out);
	answer.n = 0;
	pipa_symbolize_text_write(&answer, PIPA_SYMBOLIZE_TEXT, false, &out);
	CHECK_STR(pipa_buf_str(&out), "0x1139 inner (inlined) in /bin/x at a.c:3\n"
				      "0x1139 ?? in /bin/x at b.c:0\n"
				      "0x1139 ?? in /bin/x\n");
	pipa_buf_reset(&out);
	answer.n = 2;
	pipa_symbolize_text_write(&answer, PIPA_SYMBOLIZE_ADDR2LINE, false, &out);
	answer.n = 0;
	pipa_symbolize_text_write(&answer, PIPA_SYMBOLIZE_ADDR2LINE, true, &out);
	CHECK_STR(pipa_buf_str(&out), "inner\na.c:3\n??\nb.c:?\n"
				      "0x0000000000001139\n??\n??:0\n");
}
