/* Numbers and durations: what is taken is wholly a number, and reads back as itself. */
#include <inttypes.h>
#include <math.h>

#include "base/clock.h"
#include "base/str.h"
#include "fuzz.h"

static const uint64_t UNTOUCHED = UINT64_C(0x123456789abcdef);

static void check_u64(const char *text)
{
	uint64_t value = UNTOUCHED, again = 0;
	char printed[32];

	if (pipa_str_u64(text, &value) < 0) {
		MUST(value == UNTOUCHED);
		return;
	}
	MUST(strspn(text, "0123456789abcdefABCDEFxX") == strlen(text));
	snprintf(printed, sizeof(printed), "%" PRIu64, value);
	MUST(pipa_str_u64(printed, &again) == 0 && again == value);
	snprintf(printed, sizeof(printed), "0x%" PRIx64, value);
	MUST(pipa_str_u64(printed, &again) == 0 && again == value);
}

static void check_hex(const char *text)
{
	uint64_t value = UNTOUCHED, again = 0;
	char printed[32];

	if (pipa_str_hex(text, &value) < 0) {
		MUST(value == UNTOUCHED);
		return;
	}
	MUST(strspn(text, "0123456789abcdefABCDEF") == strlen(text));
	snprintf(printed, sizeof(printed), "%" PRIX64, value);
	MUST(pipa_str_hex(printed, &again) == 0 && again == value);
}

static void check_double(const char *text)
{
	double value = 0.5, again = 0;
	char printed[64];

	if (pipa_str_double(text, &value) < 0) {
		MUST(value == 0.5);
		return;
	}
	MUST(isfinite(value));
	MUST(strspn(text, "0123456789.-+eE") == strlen(text));
	snprintf(printed, sizeof(printed), "%.17g", value);
	MUST(pipa_str_double(printed, &again) == 0 && again == value);
}

static void check_duration(const char *text, uint64_t bare_ns)
{
	uint64_t ns = UNTOUCHED, again = 0;
	char printed[32];

	if (pipa_str_duration(text, bare_ns, &ns) < 0) {
		MUST(ns == UNTOUCHED);
		return;
	}
	MUST(ns <= UINT64_C(1) << 63);
	if (ns >= UINT64_C(1) << 53) /* beyond the precision of a double */
		return;
	snprintf(printed, sizeof(printed), "%" PRIu64 "ns", ns);
	MUST(pipa_str_duration(printed, bare_ns, &again) == 0 && again == ns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);

	check_u64(text);
	check_hex(text);
	check_double(text);
	check_duration(text, 1);
	check_duration(text, PIPA_NS_PER_SEC);
	MUST(pipa_str_starts(text, "") && pipa_str_starts(text, text));
	free(text);
	return 0;
}
