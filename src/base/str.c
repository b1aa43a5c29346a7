#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/decimal.h"

static int parse_u64(const char *text, int base, uint64_t *ret)
{
	unsigned long long value;
	char *end;

	if (!isxdigit((unsigned char)*text)) /* strtoull would take spaces and signs */
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &end, base);
	if (*end || end == text)
		return -EINVAL;
	if (errno)
		return -ERANGE;
	*ret = value;
	return 0;
}

int pipa_str_u64(const char *text, uint64_t *ret)
{
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return pipa_str_hex(text + 2, ret);
	return parse_u64(text, 10, ret);
}

int pipa_str_hex(const char *text, uint64_t *ret)
{
	/* strtoull(16) skips a 0x prefix; digits only are meant here */
	return strpbrk(text, "xX") ? -EINVAL : parse_u64(text, 16, ret);
}

/* The longest number at the start of text; the locale is never set, so the point is a point. */
static int parse_double(const char *text, const char **ret_end, double *ret)
{
	char *end;
	double value;

	if (!isdigit((unsigned char)text[*text == '-']) && text[*text == '-'] != '.')
		return -EINVAL;
	errno = 0;
	value = strtod(text, &end);
	if (end == text || memchr(text, 'x', (size_t)(end - text)) ||
	    memchr(text, 'X', (size_t)(end - text))) /* strtod takes hexadecimal too */
		return -EINVAL;
	if (!isfinite(value))
		return -ERANGE;
	*ret_end = end;
	*ret = value;
	return 0;
}

int pipa_str_double(const char *text, double *ret)
{
	const char *end;
	double value;
	int err;

	end = pipa_decimal_parse(text, &value); /* nearly all are plain */
	if (end && !*end) {
		*ret = value;
		return 0;
	}
	err = parse_double(text, &end, &value);
	if (err)
		return err;
	if (*end)
		return -EINVAL;
	*ret = value;
	return 0;
}

struct unit {
	const char *suffix;
	double factor;
};

/* A number and its unit; one without counts in bare units. */
static int parse_unit(const char *text, const struct unit *units, size_t n, uint64_t bare,
		      uint64_t *ret)
{
	double value, factor = (double)bare;
	const char *end;
	size_t i;
	int err = parse_double(text, &end, &value);

	if (err)
		return err;
	if (*end) {
		for (i = 0; i < n && strcmp(end, units[i].suffix) != 0; i++)
			;
		if (i == n)
			return -EINVAL;
		factor = units[i].factor;
	}
	if (value < 0)
		return -EINVAL;
	if (value * factor >= 0x1p63)
		return -ERANGE;
	*ret = (uint64_t)llround(value * factor);
	return 0;
}

int pipa_str_duration(const char *text, uint64_t bare_ns, uint64_t *ret_ns)
{
	static const struct unit units[] = {
		{ "ns", 1 },  { "us", 1e3 }, { "ms", 1e6 },
		{ "s", 1e9 }, { "m", 60e9 }, { "h", 3600e9 },
	};

	return parse_unit(text, units, PIPA_COUNT(units), bare_ns, ret_ns);
}

int pipa_str_size(const char *text, uint64_t bare_bytes, uint64_t *ret)
{
	static const struct unit units[] = {
		{ "B", 1 },	   { "k", 1e3 },     { "K", 1e3 },	{ "kB", 1e3 },
		{ "KB", 1e3 },	   { "M", 1e6 },     { "MB", 1e6 },	{ "G", 1e9 },
		{ "GB", 1e9 },	   { "Ki", 0x1p10 }, { "KiB", 0x1p10 }, { "Mi", 0x1p20 },
		{ "MiB", 0x1p20 }, { "Gi", 0x1p30 }, { "GiB", 0x1p30 },
	};

	return parse_unit(text, units, PIPA_COUNT(units), bare_bytes, ret);
}

static bool matches(const char *word, size_t len, const char *name)
{
	char glob[PATH_MAX];

	if (len >= sizeof(glob))
		return false;
	memcpy(glob, word, len);
	glob[len] = '\0';
	return fnmatch(glob, name, 0) == 0;
}

bool pipa_str_listed(const char *list, const char *name, bool globs)
{
	size_t len, n = strlen(name);

	for (; *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		if (globs ? matches(list, len, name) : len == n && memcmp(list, name, n) == 0)
			return true;
	}
	return false;
}

bool pipa_str_starts(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

char *pipa_str_trim(char *text)
{
	size_t len;

	text += strspn(text, " \t");
	len = strlen(text);
	while (len && (text[len - 1] == ' ' || text[len - 1] == '\t'))
		text[--len] = '\0';
	return text;
}
