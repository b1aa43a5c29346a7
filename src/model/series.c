#include "model/series.h"

#include <assert.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
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

size_t pipa_instance_put(char *instance, size_t room, const char *word, size_t len)
{
	const size_t mark = sizeof("~01234567");
	uint32_t hash =
		2166136261u; /* FNV-1a: names are stored, so that it must be the same everywhere */
	size_t i;

	assert(room > mark);
	len = strnlen(word, len);
	if (len < room) {
		memcpy(instance, word, len);
		instance[len] = '\0';
		return len + 1;
	}
	for (i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)word[i]) * 16777619u;
	len = room - mark;
	while (len && ((unsigned char)word[len] & 0xc0) == 0x80) /* not within a character */
		len--;
	memcpy(instance, word, len);
	snprintf(instance + len, mark, "~%08" PRIx32, hash);
	return len + mark;
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
