/* The texts of web/ as the build put them into the program. */
#include "export/view/web.h"

#include "lib/test.h"

static const char *const places[] = { "{{style-hash}}", "{{script-hash}}", "{{title}}",
				      "{{style}}",	"{{data}}",	   "{{script}}" };

TEST(page_has_each_placeholder_once_and_in_order)
{
	const char *at = pipa_web_page.bytes;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const char *found = strstr(at, places[i]);

		CHECK(found);
		at = found + strlen(places[i]);
		CHECK(!strstr(at, places[i]));
	}
	CHECK(!strstr(at, "{{"));
}

TEST(embedded_texts_are_complete)
{
	CHECK_EQ(strlen(pipa_web_page.bytes), pipa_web_page.len);
	CHECK_EQ(strlen(pipa_web_style.bytes), pipa_web_style.len);
	CHECK_EQ(strlen(pipa_web_script.bytes), pipa_web_script.len);
	CHECK(!strncmp(pipa_web_page.bytes, "<!DOCTYPE html>\n", 16));
	CHECK(!strcmp(pipa_web_page.bytes + pipa_web_page.len - 8, "</html>\n"));
}

/* text between <script> and </script> must not end it, nor open a comment in it */
TEST(style_and_script_do_not_leave_their_elements)
{
	CHECK(!strcasestr(pipa_web_script.bytes, "</script"));
	CHECK(!strcasestr(pipa_web_script.bytes, "<script"));
	CHECK(!strstr(pipa_web_script.bytes, "<!--"));
	CHECK(!strcasestr(pipa_web_style.bytes, "</style"));
}

/* nothing is loaded from elsewhere */
TEST(texts_name_no_address)
{
	CHECK(!strstr(pipa_web_page.bytes, "://"));
	CHECK(!strstr(pipa_web_style.bytes, "://"));
	CHECK(!strstr(pipa_web_style.bytes, "@import"));
	CHECK(!strstr(pipa_web_script.bytes, "://"));
}
