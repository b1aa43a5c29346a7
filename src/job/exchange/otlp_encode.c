#include "job/exchange/otlp_encode.h"

#include <errno.h>

#include "base/buf.h"
#include "export/exchange/otlp.h"
#include "net/otlp/client.h"

/*
 * Largest request: gRPC libraries, and with them the OpenTelemetry Collector, refuse messages of more than 4 MiB by
 * default.
 */
enum { REQUEST_MAX = (4 << 20) - (64 << 10) };

static int add_bytes(void *ctx, const char *bytes, size_t len)
{
	struct pipa_buf *out = ctx;

	pipa_buf_add(out, bytes, len);
	return out->status;
}

int pipa_otlp_encode(const struct pipa_profile *profile, const struct pipa_otlp_format *format,
		     size_t from, size_t *n, struct pipa_buf *out)
{
	struct pipa_otlp_format part = *format;
	int rc;

	for (;;) {
		part.from = from;
		part.until = from + *n;
		pipa_buf_reset(out);
		out->max = *n > 1 ? REQUEST_MAX : PIPA_OTLP_PAYLOAD_MAX;
		rc = pipa_otlp_write(profile, &part, add_bytes, out);
		if (rc != -EFBIG || *n == 1)
			return rc;
		*n = *n / 2;
	}
}
