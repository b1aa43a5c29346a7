/* perf stat's CSV: any bytes give rows of events or counts of what was left out. */
#include <math.h>

#include "analyze/count/counts_sum.h"
#include "fuzz.h"
#include "import/stat_csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_stat_csv_result result = { 0 };
	struct pipa_counts counts = { 0 };
	struct pipa_counts_sum sum;
	double seconds;
	size_t i;

	MUST(pipa_stat_csv_decode((const char *)data, size, NULL, &counts, &result) == 0);
	MUST(counts.n <= size);
	for (i = 0; i < counts.n; i++) {
		const struct pipa_counts_row *row = &counts.items[i];

		MUST(row->event && *pipa_counts_text(&counts, row->event));
		MUST(isnan(row->value) == (row->state != PIPA_COUNTED));
		MUST(isnan(row->time_s) || row->time_s >= 0);
		MUST(isnan(row->percent) || (row->percent >= 0 && row->percent < 101));
	}
	seconds = pipa_counts_seconds(&counts);
	MUST(isnan(seconds) || seconds >= 0);
	MUST(pipa_counts_sum(&counts, NULL, &sum) == 0);
	MUST(sum.stat.n_rows <= counts.n);
	pipa_counts_sum_done(&sum);
	pipa_counts_done(&counts);
	return 0;
}
