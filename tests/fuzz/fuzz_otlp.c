/*
 * OTLP profiles: any bytes can be read. Profiles that were read are written as valid ones in both layouts, which can be
 * read and written again with the same sums.
 */
#include "base/buf.h"
#include "base/error.h"
#include "export/exchange/otlp.h"
#include "fuzz.h"
#include "import/kind.h"
#include "import/otlp/otlp.h"
#include "../lib/otlp_valid.h"
#include "model/profile.h"
#include "model/timeline.h"

static int put(void *ctx, const char *bytes, size_t len)
{
	pipa_buf_add(ctx, bytes, len);
	return 0;
}

/* Write the profiles of `bytes` to out. Returns false if they cannot be read, or their values cannot be written. */
static bool rewrite(struct pipa_span bytes, enum pipa_otlp_layout layout, struct pipa_buf *out,
		    uint64_t *ret_weight)
{
	const struct pipa_otlp_format format = { .layout = layout, .version = "1" };
	struct pipa_timeline timeline = { 0 };
	struct pipa_profile profile = { 0 };
	struct pipa_error err = { 0 };
	uint32_t i;
	int rc = pipa_otlp_read(&profile, &timeline, bytes, &err);

	MUST(rc <= 0);
	*ret_weight = 0;
	for (i = 0; i < profile.events.n; i++)
		*ret_weight += profile.events.items[i].weight;
	if (!rc)
		rc = pipa_otlp_write(&profile, &format, put, out);
	MUST(rc <= 0 && !out->status);
	pipa_profile_done(&profile);
	pipa_timeline_done(&timeline);
	return rc == 0;
}

static struct pipa_span span_of(const struct pipa_buf *buf)
{
	return (struct pipa_span){ (const uint8_t *)pipa_buf_str(buf), buf->len };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum pipa_otlp_layout layout;

	pipa_kind_find(data, size);
	for (layout = 0; layout < PIPA_OTLP_LAYOUT_NR; layout++) {
		struct pipa_buf first = { 0 }, second = { 0 };
		uint64_t weight, again;

		if (rewrite((struct pipa_span){ data, size }, layout, &first, &weight)) {
			MUST(!otlp_problem(span_of(&first), layout));
			MUST(rewrite(span_of(&first), layout, &second, &again));
			MUST(!otlp_problem(span_of(&second), layout));
			MUST(weight == again);
		}
		pipa_buf_done(&first);
		pipa_buf_done(&second);
	}
	return 0;
}
