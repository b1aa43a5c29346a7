#include "cli/time_range.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "load/load.h"

static int parse_seconds(const char *text, size_t len, double *ret)
{
	char number[40] = "";

	if (len >= sizeof(number))
		return -EINVAL;
	memcpy(number, text, len);
	if (len && pipa_str_double(number, ret) < 0)
		return -EINVAL;
	return *ret >= 0 && *ret < 9e9 ? 0 : -EINVAL;
}

int pipa_cli_set_time_range(void *field, const char *text, struct pipa_error *err)
{
	struct pipa_ingest_options *ingest = field;
	const char *comma = strchr(text, ',');
	double from = 0, until = 0;

	if (!comma || parse_seconds(text, (size_t)(comma - text), &from) < 0 ||
	    parse_seconds(comma + 1, strlen(comma + 1), &until) < 0 || (comma[1] && until < from)) {
		return pipa_refuse(err, -EINVAL,
				   "--time: invalid range '%s', expected START,STOP in seconds",
				   text);
	}
	ingest->from_ns = (uint64_t)llround(from * 1e9);
	ingest->until_ns = (uint64_t)llround(until * 1e9);
	return 0;
}
