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

/* The same text in two pieces gives as many rows. */
static void feed_in_pieces(const char *text, size_t size, const struct pipa_zone *zone,
			   const struct pipa_sadf_result *whole)
{
	struct pipa_series_sink sink = { .row = take };
	struct pipa_sadf_result result = { 0 };
	struct pipa_sadf_reader *reader = pipa_sadf_reader_new(zone, &sink, &result);
	size_t used;

	MUST(reader);
	MUST(pipa_sadf_reader_feed(reader, text, size / 2, false, &used) == 0);
	MUST(used <= size / 2);
	MUST(pipa_sadf_reader_feed(reader, text + used, size - used, true, &used) == 0);
	MUST(result.rows == whole->rows && result.skipped == whole->skipped);
	MUST(result.restarts == whole->restarts && result.unknown == whole->unknown);
	pipa_sadf_reader_free(reader);
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
	feed_in_pieces((const char *)data, size, &zone, &result);
	return 0;
}
