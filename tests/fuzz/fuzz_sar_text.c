/* sar's text: any bytes give rows of known sections or counts of what was left out. */
#include "base/time/zone.h"
#include "fuzz.h"
#include "import/sar_text.h"

static size_t rows, averages;

static void look(const struct pipa_section *section, const struct pipa_tick *tick,
		 const char *instance, const double *values)
{
	volatile double last;

	MUST(section && strlen(instance) < 64);
	MUST(tick->interval_s >= 0);
	last = values[section->n_columns - 1]; /* every column has a value, be it NaN */
	(void)last;
}

static int take(struct pipa_series_sink *self, const struct pipa_section *section,
		const struct pipa_tick *tick, const char *instance, const double *values)
{
	(void)self;
	look(section, tick, instance, values);
	rows++;
	return 0;
}

static int take_average(struct pipa_series_sink *self, const struct pipa_section *section,
			const struct pipa_tick *tick, const char *instance, const double *values)
{
	(void)self;
	look(section, tick, instance, values);
	averages++;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_series_sink sink = { .row = take }, means = { .row = take_average };
	struct pipa_sar_result result = { 0 };
	struct pipa_zone_shift shifts[] = { { 0, 3600 }, { 1000000000, -7200 } };
	const struct pipa_zone zone = { .items = shifts, .n = 2 };

	rows = averages = 0;
	MUST(pipa_sar_decode((const char *)data, size, &zone, &sink, &means, &result) == 0);
	MUST(result.rows == rows && result.averages == averages);
	return 0;
}
