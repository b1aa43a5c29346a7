/* A line of pipa monitor --json: any bytes give rows of known sections, or are refused. */
#include <errno.h>

#include "fuzz.h"
#include "import/monitor_json.h"
#include "model/series.h"

static int take(struct pipa_series_sink *self, const struct pipa_section *section,
		const struct pipa_tick *tick, const char *instance, const double *values)
{
	volatile double last = values[section->n_columns - 1];

	(void)self;
	(void)last;
	MUST(tick->interval_s > 0 && strlen(instance) < PIPA_NAME_MAX);
	MUST(pipa_instance_size(section, instance) <= PIPA_INSTANCE_MAX);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_series_sink sink = { .row = take };
	int rc = pipa_monitor_json_decode((const char *)data, size, &sink);

	MUST(rc == 0 || rc == -EBADMSG);
	pipa_monitor_json_is((const char *)data, size);
	return 0;
}
