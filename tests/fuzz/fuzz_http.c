/*
 * Responses of a server, cut into pieces by their first byte: whatever comes, bodies lie within the
 * input, it ends, and the pieces make no difference.
 */
#include "base/buf.h"
#include "fuzz.h"
#include "net/http.h"
#include "net/url.h"

static int run(const uint8_t *data, size_t size, size_t piece, struct pipa_http *http,
	       struct pipa_buf *body)
{
	size_t at = 0;
	int rc = 0;

	pipa_http_init(http);
	while (at < size && rc >= 0) {
		size_t n = size - at < piece ? size - at : piece;
		struct pipa_cursor in = { .pos = data + at, .end = data + at + n };
		struct pipa_span span;

		do {
			const uint8_t *before = in.pos;

			rc = pipa_http_next(http, &in, &span);
			MUST(in.pos >= before && in.pos <= in.end);
			MUST(!span.size ||
			     (span.data >= before && span.data + span.size == in.pos));
			MUST(rc <= 0 || in.pos > before); /* it goes on */
			pipa_buf_add(body, span.data, span.size);
		} while (rc > 0);
		MUST(rc < 0 || in.pos == in.end || http->state == PIPA_HTTP_DONE);
		at += n;
	}
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_buf whole = { 0 }, pieces = { 0 };
	static struct pipa_http one, other;
	struct pipa_url base, url;
	int rc;

	if (!size)
		return 0;
	rc = run(data + 1, size - 1, size, &one, &whole);
	MUST(run(data + 1, size - 1, data[0] ? data[0] : 1, &other, &pieces) == rc);
	MUST(whole.len == pieces.len && one.state == other.state && one.status == other.status);
	MUST(!whole.len || memcmp(whole.data, pieces.data, whole.len) == 0);
	MUST(one.status == 0 || (one.status >= 0 && one.status <= 999));
	MUST(pipa_url_parse("http://localhost:8002/x", &base) == 0);
	if (pipa_url_join(&base, one.location, &url) == 0) {
		MUST(url.host[0] && url.port[0] && url.path[0] == '/');
		MUST(!strpbrk(url.path, " \r\n") && !strpbrk(url.host, " \r\n/"));
	}
	pipa_buf_done(&whole);
	pipa_buf_done(&pieces);
	return 0;
}
