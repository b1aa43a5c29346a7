/* sysstat's CSV: any bytes give rows of known sections or counts of what was left out. */
#include "base/time/zone.h"
#include "fuzz.h"
#include "import/sadf_csv.h"

static size_t rows;

static int take(struct pipa_series_sink *self, const struct pipa_section *section,
		const struct pipa_tick *tick, const char *instance, const double *values)
{
	volatile double last;

	(void)self;
	MUST(section && tick && strlen(instance) < 64);
	last = values[section->n_columns - 1]; /* every column has a value, be it NaN */
	(void)last;
	rows++;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_series_sink sink = { .row = take };
	struct pipa_sadf_result result = { 0 };
	struct pipa_zone_shift shifts[] = { { 0, 3600 }, { 1000000000, -7200 } };
	const struct pipa_zone zone = { .items = shifts, .n = 2 };

	rows = 0;
	MUST(pipa_sadf_decode((const char *)data, size, &zone, &sink, &result) == 0);
	MUST(result.rows == rows);
	return 0;
}
