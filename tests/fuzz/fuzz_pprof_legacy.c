/*
 * Legacy forms of pprof: any bytes can be read. A profile that was read is written as profile.proto, and has the same sums
 * when that is read.
 */
#include "base/buf.h"
#include "base/error.h"
#include "export/exchange/pprof.h"
#include "fuzz.h"
#include "import/legacy/legacy.h"
#include "import/pprof.h"
#include "model/profile.h"

static int put(void *ctx, const char *bytes, size_t len)
{
	pipa_buf_add(ctx, bytes, len);
	return 0;
}

static uint64_t sum(const struct pipa_profile *profile)
{
	uint64_t weight = 0;
	uint32_t i;

	for (i = 0; i < profile->events.n; i++)
		weight += profile->events.items[i].weight;
	return weight;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_profile profile = { 0 }, again = { 0 };
	struct pipa_buf bytes = { 0 };
	struct pipa_error err = { 0 };
	int rc = pipa_legacy_read(&profile, (struct pipa_span){ data, size }, &err);

	MUST(rc <= 0);
	MUST(!rc || err.code);
	/* sums above 63 bits are not written */
	if (!rc && pipa_pprof_write(&profile, &(struct pipa_pprof_format){ 0 }, put, &bytes) == 0) {
		struct pipa_span file = { (const uint8_t *)bytes.data, bytes.len };

		MUST(pipa_pprof_read(&again, file, &err) == 0);
		MUST(sum(&profile) == sum(&again));
	}
	(void)pipa_legacy_is((struct pipa_span){ data, size });
	pipa_profile_done(&profile);
	pipa_profile_done(&again);
	pipa_buf_done(&bytes);
	return 0;
}
