#include "import/count_column.h"

#include <string.h>

#include "base/auto.h"
#include "model/profile.h"

bool pipa_is_count_column(const char *name, const char *unit)
{
	static const char *const ends[] = { "samples", "sample" };
	size_t len = strlen(name), i;

	if (strcmp(unit, PIPA_VALUE_COUNT) != 0)
		return false;
	for (i = 0; i < PIPA_COUNT(ends); i++) {
		size_t end = strlen(ends[i]);

		if (len >= end && strcmp(name + len - end, ends[i]) == 0 &&
		    (len == end || name[len - end - 1] == '_' || name[len - end - 1] == '-'))
			return true;
	}
	return false;
}
