/* sysstat's CSV: any bytes give rows of known sections or counts of what was left out. */
#include "base/hash.h"
#include "base/time/zone.h"
#include "fuzz.h"
#include "import/sadf_csv.h"

static size_t rows;
static uint64_t hash; /* of all values */

static int take(struct pipa_series_sink *self, const struct pipa_section *section,
		const struct pipa_tick *tick, const char *instance, const double *values)
{
	volatile double last;
	size_t i;

	(void)self;
	MUST(section && tick && strlen(instance) < 64);
	last = values[section->n_columns - 1]; /* every column has a value, be it NaN */
	(void)last;
	hash = pipa_hash_bytes(instance, strlen(instance), hash ^ tick->wall_ns);
	for (i = 0; i < section->n_columns; i++)
		if (values[i] == values[i]) /* not NaN, which has several forms */
			hash = pipa_hash_bytes(&values[i], sizeof(values[i]), hash + i);
	rows++;
	return 0;
}

/* A row of hundredths is one of doubles. */
static int take_hundredths(struct pipa_series_sink *self, const struct pipa_section *section,
			   const struct pipa_tick *tick, const char *instance,
			   const int32_t *hundredths)
{
	double values[PIPA_HUNDREDTHS_COLUMNS];
	size_t i;

	MUST(section->n_columns <= PIPA_HUNDREDTHS_COLUMNS);
	for (i = 0; i < section->n_columns; i++) {
		MUST(hundredths[i] >= 0 && hundredths[i] <= PIPA_HUNDREDTHS_MAX);
		values[i] = hundredths[i] / 100.0;
	}
	return take(self, section, tick, instance, values);
}

/* The same text gives the same rows to a sink that receives hundredths. */
static void compare_hundredths(const char *text, size_t size, const struct pipa_zone *zone)
{
	struct pipa_series_sink sink = { .row = take, .row_hundredths = take_hundredths };
	struct pipa_sadf_result result = { 0 };
	const uint64_t expected = hash;
	const size_t n = rows;

	rows = 0;
	hash = 0;
	MUST(pipa_sadf_decode(text, size, zone, &sink, &result) == 0);
	MUST(rows == n && hash == expected);
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
	hash = 0;
	MUST(pipa_sadf_decode((const char *)data, size, &zone, &sink, &result) == 0);
	MUST(result.rows == rows);
	compare_hundredths((const char *)data, size, &zone);
	feed_in_pieces((const char *)data, size, &zone, &result);
	return 0;
}
