#include "codec/base64.h"

#include "base/buf.h"
#include "lib/test.h"

/* the vectors of RFC 4648 */
TEST(base64_is_that_of_the_standard)
{
	static const char *const want[] = {
		"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy",
	};
	struct pipa_buf out = { 0 };
	size_t i;

	for (i = 0; i < 7; i++) {
		pipa_buf_reset(&out);
		pipa_base64_put(&out, "foobar", i);
		CHECK_STR(pipa_buf_str(&out), want[i]);
	}
	pipa_buf_puts(&out, ":");
	pipa_base64_put(&out, "\xff\xef\xfe\x00\x10\x83", 6);
	CHECK_STR(pipa_buf_str(&out), "Zm9vYmFy:/+/+ABCD");
	pipa_buf_done(&out);
}
