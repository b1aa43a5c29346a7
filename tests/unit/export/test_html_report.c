#include "export/report/html_report.h"

#include <errno.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "lib/test.h"

static int append(void *ctx, const char *bytes, size_t len)
{
	pipa_buf_add(ctx, bytes, len);
	return ((struct pipa_buf *)ctx)->status;
}

static int refuse(void *ctx, const char *bytes, size_t len)
{
	(void)ctx;
	(void)bytes;
	(void)len;
	return -ENOSPC;
}

TEST(page_has_the_data_and_cannot_be_left_by_names)
{
	static const char *const inputs[] = { "</script><b>\"\xff", "b.tar" };
	static const struct pipa_view_part parts[] = { { "next", "[\"<!--\"]", 8 } };
	const struct pipa_html_report page = { .title = "</title><script>",
					       .version = "1",
					       .language = PIPA_LANGUAGE_ZH,
					       .inputs = inputs,
					       .n_inputs = 2,
					       .parts = parts,
					       .n_parts = 1 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };

	CHECK_EQ(pipa_html_report_write(&page, append, &out), 0);
	CHECK(strstr(pipa_buf_str(&out), "<html lang=\"zh\">"));
	CHECK(strstr(pipa_buf_str(&out), "<title>&lt;/title&gt;&lt;script&gt;</title>"));
	CHECK(strstr(pipa_buf_str(&out),
		     "\"inputs\": [\"\\u003c/script>\\u003cb>\\\"\\ufffd\", \"b.tar\"]"));
	CHECK(strstr(pipa_buf_str(&out), "\"next\": [\"\\u003c!--\"]"));
	CHECK(!strstr(pipa_buf_str(&out), "{{"));
}

TEST(page_ends_with_the_failure_of_its_receiver)
{
	const struct pipa_html_report page = { .title = "", .version = "1" };

	CHECK_EQ(pipa_html_report_write(&page, refuse, NULL), -ENOSPC);
}
