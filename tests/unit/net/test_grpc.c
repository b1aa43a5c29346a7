#include "net/grpc.h"

#include <errno.h>

#include "base/clock.h"
#include "codec/gzip.h"
#include "lib/test.h"
#include "net/h2.h"
#include "net/rpc_status.h"

#define SPAN(text) ((struct pipa_span){ (const uint8_t *)(text), sizeof(text) - 1 })

TEST(grpc_timeouts_have_at_most_eight_digits_and_are_rounded_up)
{
	char text[PIPA_GRPC_TIMEOUT_MAX];
	uint64_t ns = 0;

	CHECK_STR(pipa_grpc_timeout(1, text), "1n");
	CHECK_STR(pipa_grpc_timeout(99999998, text), "99999998n");
	CHECK_STR(pipa_grpc_timeout(10 * PIPA_NS_PER_SEC, text), "10000000u");
	CHECK_STR(pipa_grpc_timeout(100 * PIPA_NS_PER_SEC + 1, text), "100001m");
	CHECK_STR(pipa_grpc_timeout(UINT64_MAX, text), "5124096H");
	CHECK_EQ(pipa_grpc_timeout_parse(SPAN("10S"), &ns), 0);
	CHECK_EQ(ns, 10 * PIPA_NS_PER_SEC);
	CHECK_EQ(pipa_grpc_timeout_parse(SPAN("99999999H"), &ns), 0);
	CHECK_EQ(ns, INT64_MAX);
	CHECK_EQ(pipa_grpc_timeout_parse(SPAN("123456789S"), &ns), -EINVAL);
	CHECK_EQ(pipa_grpc_timeout_parse(SPAN("10x"), &ns), -EINVAL);
	CHECK_EQ(pipa_grpc_timeout_parse(SPAN("S"), &ns), -EINVAL);
}

TEST(grpc_messages_are_percent_decoded_and_truncated)
{
	struct pipa_buf out = { 0 };
	char text[16];

	pipa_grpc_message_decode(SPAN("a%20b%C3%A4%"), text, sizeof(text));
	CHECK_STR(text, "a b\xc3\xa4%");
	pipa_grpc_message_decode(SPAN("%zz%00x"), text, sizeof(text));
	CHECK_STR(text, "%zzx");
	pipa_grpc_message_decode(SPAN("0123456789abcdefghij"), text, sizeof(text));
	CHECK_STR(text, "0123456789abcde");
	pipa_grpc_message_encode(&out, "50% of \xc3\xa4\n");
	CHECK_STR(pipa_buf_str(&out), "50%25 of %C3%A4%0A");
	pipa_buf_done(&out);
}

TEST(grpc_codes_follow_http_status_and_reset_code)
{
	CHECK_EQ(pipa_grpc_code_of_http(503), PIPA_GRPC_UNAVAILABLE);
	CHECK_EQ(pipa_grpc_code_of_http(404), PIPA_GRPC_UNIMPLEMENTED);
	CHECK_EQ(pipa_grpc_code_of_http(500), PIPA_GRPC_UNKNOWN);
	CHECK_EQ(pipa_grpc_code_of_reset(PIPA_H2_REFUSED_STREAM), PIPA_GRPC_UNAVAILABLE);
	CHECK_EQ(pipa_grpc_code_of_reset(PIPA_H2_ENHANCE_YOUR_CALM), PIPA_GRPC_RESOURCE_EXHAUSTED);
	CHECK_EQ(pipa_grpc_code_of_reset(PIPA_H2_PROTOCOL_ERROR), PIPA_GRPC_INTERNAL);
	CHECK_STR(pipa_grpc_code_name(PIPA_GRPC_DATA_LOSS), "DATA_LOSS");
	CHECK_STR(pipa_grpc_code_name(99), "UNKNOWN");
}

/* Read messages of `bytes` in pieces; returns the last result and the number of messages. */
static int read_all(struct pipa_grpc_reader *r, struct pipa_span bytes, size_t piece, size_t *ret_n)
{
	size_t at = 0;
	int rc = 0;

	*ret_n = 0;
	for (; at < bytes.size && rc >= 0; at += piece) {
		size_t n = bytes.size - at < piece ? bytes.size - at : piece;
		struct pipa_cursor in = { .pos = bytes.data + at, .end = bytes.data + at + n };
		struct pipa_span message;

		while ((rc = pipa_grpc_next(r, &in, &message)) > 0)
			++*ret_n;
	}
	return rc;
}

TEST(grpc_messages_are_read_from_pieces_of_any_size)
{
	static const struct pipa_span two = { (const uint8_t *)"\0\0\0\0\3abc\0\0\0\0\0", 13 };
	size_t piece, n;

	for (piece = 1; piece <= 13; piece++) {
		struct pipa_grpc_reader r = { .max = 100 };

		CHECK_EQ(read_all(&r, two, piece, &n), 0);
		CHECK_EQ(n, 2);
		CHECK(pipa_grpc_is_whole(&r));
		pipa_grpc_reader_done(&r);
	}
}

TEST(grpc_messages_beyond_the_limit_are_refused)
{
	struct pipa_grpc_reader r = { .max = 2 };
	size_t n;

	CHECK_EQ(read_all(&r, SPAN("\0\0\0\0\3abc"), 8, &n), -EFBIG);
	r = (struct pipa_grpc_reader){ .max = 2 };
	CHECK_EQ(read_all(&r, SPAN("\0\xff\xff\xff\xff"), 8, &n), -EFBIG);
	r = (struct pipa_grpc_reader){ .max = 2 };
	CHECK_EQ(read_all(&r, SPAN("\2\0\0\0\0"), 8, &n), -EBADMSG);
	r = (struct pipa_grpc_reader){ .max = 9, .encoding = PIPA_GRPC_IDENTITY };
	CHECK_EQ(read_all(&r, SPAN("\1\0\0\0\1x"), 8, &n), -EPROTO);
	r = (struct pipa_grpc_reader){ .max = 9, .encoding = PIPA_GRPC_GZIP };
	CHECK_EQ(read_all(&r, SPAN("\1\0\0\0\1x"), 8, &n), -EBADMSG);
	pipa_grpc_reader_done(&r);
}

TEST(grpc_message_that_decompresses_to_more_than_the_limit_is_refused)
{
	struct pipa_gzip *gzip = pipa_gzip_new(9);
	struct pipa_buf packed = { 0 }, zeros = { 0 }, bytes = { 0 };
	struct pipa_grpc_reader r = { .max = 1 << 20, .encoding = PIPA_GRPC_GZIP };
	uint8_t prefix[PIPA_GRPC_PREFIX];
	size_t n;

	pipa_buf_fill(&zeros, '\0', 20 << 20);
	CHECK_EQ(pipa_gzip_put(gzip, zeros.data, zeros.len, &packed), 0);
	CHECK_EQ(pipa_gzip_end(gzip, &packed), 0);
	CHECK(packed.len < r.max);
	pipa_grpc_prefix(prefix, true, (uint32_t)packed.len);
	pipa_buf_add(&bytes, prefix, sizeof(prefix));
	pipa_buf_add(&bytes, packed.data, packed.len);
	CHECK_EQ(read_all(&r, (struct pipa_span){ (uint8_t *)bytes.data, bytes.len }, 4096, &n),
		 -EFBIG);
	CHECK(r.message.cap <= 2 * r.max);
	pipa_grpc_reader_done(&r);
	pipa_gzip_free(gzip);
	pipa_buf_done(&packed);
	pipa_buf_done(&zeros);
	pipa_buf_done(&bytes);
}

TEST(rpc_status_has_the_delay_of_its_retry_info)
{
	/* Status { code 14, message "busy", details: RetryInfo { 2 s + 500 ms } }, encoded by hand */
	static const char text[] =
		"CA4SBGJ1c3kaNgoodHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLlJldHJ5"
		"SW5mbxIKCggIAhCAyrXuAQ";
	struct pipa_rpc_status status = { 0 };

	CHECK_EQ(pipa_rpc_status_decode_base64(SPAN(text), &status), 0);
	CHECK_EQ(status.code, PIPA_GRPC_UNAVAILABLE);
	CHECK_STR(status.message, "busy");
	CHECK(status.has_retry_delay);
	CHECK_EQ(status.retry_delay_ns, 2500 * PIPA_NS_PER_MS);
	CHECK_EQ(pipa_rpc_status_decode(SPAN("\x08\x08"), &status), 0);
	CHECK(!status.has_retry_delay);
	CHECK_EQ(pipa_rpc_status_decode(SPAN("\x12\x7f"), &status), -EBADMSG);
	CHECK_EQ(pipa_rpc_status_decode_base64(SPAN("!"), &status), -EBADMSG);
}
