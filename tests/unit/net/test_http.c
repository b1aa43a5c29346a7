#include "net/http.h"

#include <stdio.h>

#include "base/auto.h"
#include "base/buf.h"
#include "lib/test.h"
#include "net/url.h"

/* Parse the response in chunks of that size and join its body. Returns the last result. */
static int feed(struct pipa_http *http, const char *text, size_t piece, struct pipa_buf *body)
{
	size_t len = strlen(text), at, n;
	struct pipa_span span;
	int rc = 0;

	pipa_http_init(http);
	pipa_buf_reset(body);
	for (at = 0; at < len && rc >= 0; at += n) {
		const uint8_t *from = (const uint8_t *)text + at;
		struct pipa_cursor in = { .pos = from };

		n = len - at < piece ? len - at : piece;
		in.end = from + n;
		while ((rc = pipa_http_next(http, &in, &span)) > 0)
			pipa_buf_add(body, span.data, span.size);
	}
	return rc;
}

static void check(const char *text, int status, const char *body, bool whole, bool whole_closed)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf got = { 0 };
	static struct pipa_http http;
	size_t piece;

	for (piece = 1; piece < 40; piece++) {
		CHECK_EQ(feed(&http, text, piece, &got), 0);
		CHECK_EQ(http.status, status);
		CHECK_STR(pipa_buf_str(&got), body);
		CHECK_EQ(pipa_http_is_whole(&http, false), whole);
		CHECK_EQ(pipa_http_is_whole(&http, true), whole_closed);
	}
}

static void check_refused(const char *text)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf got = { 0 };
	static struct pipa_http http;
	size_t piece;

	for (piece = 1; piece < 40; piece++)
		CHECK_EQ(feed(&http, text, piece, &got), -EBADMSG);
}

TEST(a_response_with_its_length_ends_there)
{
	check("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello, and more", 200, "hello", true,
	      true);
	check("HTTP/1.1 200 OK\r\ncontent-length:5 \r\nX: y\r\n\r\nhel", 200, "hel", false, false);
	check("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", 404, "", true, true);
	check("HTTP/1.1 204\r\n\r\n", 204, "", true, true);
}

TEST(chunks_are_joined)
{
	check("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	      "5\r\nhello\r\nA;name=value\r\n, you all!\r\n0\r\nTrailer: x\r\n\r\n",
	      200, "hello, you all!", true, true);
	check("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", 200, "hello",
	      false, false);
}

TEST(body_without_content_length_ends_with_the_connection)
{
	check("HTTP/1.0 200 OK\n\nhello", 200, "hello", false, true);
}

TEST(informational_responses_are_skipped)
{
	check("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", 200,
	      "hi", true, true);
}

TEST(malformed_responses_are_refused)
{
	check_refused("SSH-2.0-OpenSSH\r\n");
	check_refused("HTTP/2 200\r\n");
	check_refused("HTTP/1.1 2000 OK\r\n");
	check_refused("HTTP/1.1 200 OK\r\nno colon\r\n");
	check_refused("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n");
	check_refused("HTTP/1.1 200 OK\r\nContent-Length: 5x\r\n");
	check_refused("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n");
	check_refused("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n");
	check_refused("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n");
	check_refused("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n");
	check_refused("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n");
	check_refused("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n");
	check_refused("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n");
}

TEST(an_endless_header_is_refused)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 }, body = { 0 };
	static struct pipa_http http;

	pipa_buf_puts(&text, "HTTP/1.1 200 OK\r\nX: ");
	pipa_buf_fill(&text, 'x', 100000);
	CHECK_EQ(feed(&http, pipa_buf_str(&text), 1000, &body), -EFBIG);
	pipa_buf_reset(&text);
	pipa_buf_puts(&text, "HTTP/1.1 200 OK\r\n");
	while (text.len < 100000)
		pipa_buf_puts(&text, "X: y\r\n");
	CHECK_EQ(feed(&http, pipa_buf_str(&text), 1000, &body), -EFBIG);
}

/* ---- URLs -------------------------------------------------------------------------------------------- */

static void check_url(const char *text, bool secure, const char *host, const char *port,
		      const char *path)
{
	struct pipa_url url;

	CHECK_EQ(pipa_url_parse(text, &url), 0);
	CHECK_EQ(url.secure, secure);
	CHECK_STR(url.host, host);
	CHECK_STR(url.port, port);
	CHECK_STR(url.path, path);
}

TEST(urls_are_parsed)
{
	check_url("http://host", false, "host", "80", "/");
	check_url("HTTPS://debuginfod.debian.net/", true, "debuginfod.debian.net", "443", "/");
	check_url("http://[::1]:8002/a/b?c=d#e", false, "::1", "8002", "/a/b?c=d");
	check_url("http://host:65535/", false, "host", "65535", "/");
	check_url("http://host:00080/", false, "host", "00080", "/");
	check_url("http://host?x", false, "host", "80", "/?x");
}

TEST(invalid_urls_are_refused)
{
	static const char *const bad[] = { "",
					   "ftp://host/",
					   "http://",
					   "http:///x",
					   "http://a b/",
					   "http://user@host/",
					   "http://h:x/",
					   "http://h:123456/",
					   "http://h:65536/",
					   "http://h:99999/",
					   "http://h/a b",
					   "http://h/\r\n",
					   "//host/",
					   "http://[::1]x/" };
	struct pipa_url url;
	size_t i;

	for (i = 0; i < PIPA_COUNT(bad); i++)
		if (pipa_url_parse(bad[i], &url) != -EINVAL)
			pipa_test_fail(__FILE__, __LINE__, "'%s' was taken", bad[i]);
}

TEST(relative_redirections_keep_the_server)
{
	struct pipa_url base, url;

	CHECK_EQ(pipa_url_parse("http://host:81/a", &base), 0);
	CHECK_EQ(pipa_url_join(&base, "/b", &url), 0);
	CHECK_STR(url.host, "host");
	CHECK_STR(url.port, "81");
	CHECK_STR(url.path, "/b");
	CHECK_EQ(pipa_url_join(&base, "https://other/c", &url), 0);
	CHECK_STR(url.host, "other");
	CHECK(pipa_url_join(&base, "//other/c", &url) < 0);
	CHECK(pipa_url_join(&base, "relative", &url) < 0);
	CHECK(pipa_url_join(&base, "file:///etc/passwd", &url) < 0);
}
