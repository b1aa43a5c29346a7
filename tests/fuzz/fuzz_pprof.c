/*
 * pprof profiles: any bytes can be read. A profile that was read is written as one that can be read, with the same sums,
 * and is then written again as the same bytes.
 */
#include "base/buf.h"
#include "base/error.h"
#include "export/exchange/pprof.h"
#include "fuzz.h"
#include "import/pprof.h"
#include "model/profile.h"

static int put(void *ctx, const char *bytes, size_t len)
{
	pipa_buf_add(ctx, bytes, len);
	return 0;
}

/* Write the profile of `bytes` to out. Returns false if it cannot be read, or its values cannot be written. */
static bool rewrite(struct pipa_span bytes, struct pipa_buf *out, uint64_t *ret_weight)
{
	const struct pipa_pprof_format format = { 0 };
	struct pipa_profile profile = { 0 };
	struct pipa_error err = { 0 };
	uint32_t i;
	int rc = pipa_pprof_read(&profile, bytes, &err);

	MUST(rc <= 0);
	*ret_weight = 0;
	for (i = 0; i < profile.events.n; i++)
		*ret_weight += profile.events.items[i].weight;
	if (!rc)
		rc = pipa_pprof_write(&profile, &format, put, out);
	MUST(rc <= 0 && !out->status);
	pipa_profile_done(&profile);
	return rc == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_buf first = { 0 }, second = { 0 };
	uint64_t weight, again;

	if (rewrite((struct pipa_span){ data, size }, &first, &weight)) {
		MUST(rewrite((struct pipa_span){ (const uint8_t *)first.data, first.len }, &second,
			     &again));
		MUST(weight == again);
	}
	pipa_buf_done(&first);
	pipa_buf_done(&second);
	return 0;
}
