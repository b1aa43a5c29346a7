#include "model/series.h"

#include <string.h>

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
		[PIPA_UNIT_WORD] = "",
	};

	return texts[unit];
}

bool pipa_section_is_of_tasks(const struct pipa_section *section)
{
	return section->label &&
	       (strcmp(section->label, "PID") == 0 || strcmp(section->label, "TID") == 0);
}

const char *pipa_instance_next(const char *word)
{
	return word + strlen(word) + 1;
}

size_t pipa_instance_size(const struct pipa_section *section, const char *instance)
{
	const char *end = pipa_instance_next(instance);
	size_t i;

	for (i = 0; i < section->n_columns; i++)
		if (section->columns[i].unit == PIPA_UNIT_WORD)
			end = pipa_instance_next(end);
	return (size_t)(end - instance);
}
