#include "symbolize/fde_ranges.h"

#include <inttypes.h>
#include <stdio.h>

size_t pipa_range_name(const char *object, uint64_t start, bool gap,
		       char name[static PIPA_RANGE_NAME])
{
	return (size_t)snprintf(name, PIPA_RANGE_NAME, "%.256s!%s@0x%" PRIx64, object,
				gap ? "code" : "fn", start);
}
