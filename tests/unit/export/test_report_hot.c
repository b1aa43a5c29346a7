#include "export/report/report_hot.h"

#include <string.h>

#include "analyze/profile/listing.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/vec.h"
#include "lib/test.h"

/* Lines 1 and 2 of a.c have text. */
static const char *source_line(void *ctx, const char *file, uint32_t number, size_t *ret_len)
{
	static const char *const texts[] = { "\t\twhile (*p != '<')\n", "  </script>\n" };
	const char *text = number >= 1 && number <= 2 ? texts[number - 1] : NULL;

	(void)ctx;
	(void)file;
	*ret_len = text ? strcspn(text, "\n") : 0;
	return text;
}

static void add_row(struct pipa_listing *listing, uint64_t addr, uint64_t weight, uint32_t line)
{
	struct pipa_listing_row *row = PIPA_VEC_ADD(&listing->rows);

	*row = (struct pipa_listing_row){
		.addr = addr, .weight = weight, .text = "nop", .file = "a.c", .line = line
	};
	listing->weight += weight;
}

static const char *written(const struct pipa_report_hot *hot, struct pipa_buf *out)
{
	CHECK_EQ(pipa_report_put_hot(hot, out), 0);
	return pipa_buf_str(out);
}

TEST(hot_lines_and_instructions_are_written_by_weight)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	struct pipa_listing listing = { 0 };
	const struct pipa_report_hot hot = { .symbol = "f<b>",
					     .object = "a",
					     .scope = "User",
					     .self = 40,
					     .total = 60.5,
					     .samples = 4,
					     .listing = &listing,
					     .line = source_line };

	add_row(&listing, 0x10, 1, 1);
	add_row(&listing, 0x14, 3, 2);
	add_row(&listing, 0x18, 0, 3);
	CHECK_STR(
		written(&hot, &out),
		"{\"symbol\":\"f\\u003cb>\",\"object\":\"a\",\"scope\":\"User\",\"self\":40,\"total\":60.5,"
		"\"samples\":4,\"lines\":[[\"a.c\",2,75,\"\\u003c/script>\"],"
		"[\"a.c\",1,25,\"while (*p != '\\u003c')\"]],"
		"\"instructions\":[[\"0x14\",75,\"nop\"],[\"0x10\",25,\"nop\"]]}");
	pipa_listing_done(&listing);
}

TEST(a_hot_function_without_code_has_the_reason)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	struct pipa_listing listing = { .problem = "no code: \"x\"" };
	struct pipa_report_hot hot = { .symbol = "f",
				       .object = "",
				       .scope = "Kernel",
				       .listing = &listing,
				       .line = source_line };

	CHECK_STR(
		written(&hot, &out),
		"{\"symbol\":\"f\",\"object\":\"\",\"scope\":\"Kernel\",\"self\":0,\"total\":0,\"samples\":0,"
		"\"note\":{\"en\":\"no code: \\\"x\\\"\",\"zh\":\"英文原文：no code: \\\"x\\\"\"},\"lines\":[],"
		"\"instructions\":[]}");
	out.len = 0;
	hot.listing = NULL;
	CHECK_STR(
		written(&hot, &out),
		"{\"symbol\":\"f\",\"object\":\"\",\"scope\":\"Kernel\",\"self\":0,\"total\":0,\"samples\":0,"
		"\"lines\":[],\"instructions\":[]}");
}
