#include "model/series.h"

const char *pipa_unit_text(enum pipa_unit unit)
{
	static const char *const texts[PIPA_UNIT_NR] = {
		[PIPA_UNIT_NONE] = "",
		[PIPA_UNIT_PERCENT] = "%",
		[PIPA_UNIT_PER_SECOND] = "/s",
		[PIPA_UNIT_KB] = "kB",
		[PIPA_UNIT_KB_PER_SECOND] = "kB/s",
		[PIPA_UNIT_MB] = "MB",
		[PIPA_UNIT_MS] = "ms",
		[PIPA_UNIT_MHZ] = "MHz",
		[PIPA_UNIT_CELSIUS] = "°C",
	};

	return texts[unit];
}
