#include "import/location_lines.h"

#include <errno.h>
#include <string.h>

#include "base/vec.h"
#include "codec/pprof_schema.h"
#include "model/profile.h"

uint32_t pipa_line_number(struct pipa_profile *p, int64_t number)
{
	if (number >= 0 && number < UINT32_MAX)
		return (uint32_t)number;
	p->losses.damaged++;
	return 0;
}

int pipa_location_lines_add(struct pipa_location_lines *lines, struct pipa_profile *p,
			    uint32_t function, int64_t line, int64_t column)
{
	struct pipa_line *to = PIPA_VEC_ADD(lines);

	if (!to)
		return -ENOMEM;
	to->function = function;
	to->line = pipa_line_number(p, line);
	to->column = pipa_line_number(p, column);
	return 0;
}

bool pipa_location_lines_are_truncation(const struct pipa_location_lines *lines,
					const struct pipa_profile *p)
{
	uint32_t name;

	if (lines->n != 1)
		return false;
	name = p->functions.items[lines->items[0].function].name;
	return strcmp(pipa_profile_string(p, name), PIPA_PPROF_TRUNCATED) == 0;
}
