#include "base/cpus.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/vec.h"

void pipa_cpus_done(struct pipa_cpus *cpus)
{
	free(cpus->items);
	*cpus = (struct pipa_cpus){ 0 };
}

/* Index of the first member not below cpu. */
static size_t lower_bound(const struct pipa_cpus *cpus, int cpu)
{
	size_t lo = 0, hi = cpus->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (cpus->items[mid] < cpu)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

bool pipa_cpus_has(const struct pipa_cpus *cpus, int cpu)
{
	size_t i = lower_bound(cpus, cpu);

	return i < cpus->n && cpus->items[i] == cpu;
}

int pipa_cpus_add(struct pipa_cpus *cpus, int cpu)
{
	size_t i = lower_bound(cpus, cpu);

	if (i < cpus->n && cpus->items[i] == cpu)
		return 0;
	if (!PIPA_VEC_ADD(cpus))
		return -ENOMEM;
	memmove(&cpus->items[i + 1], &cpus->items[i], (cpus->n - 1 - i) * sizeof(*cpus->items));
	cpus->items[i] = cpu;
	return 0;
}

/* One decimal number at *pos, below the ceiling; moves *pos past it. */
static int take_number(const char **pos, int *ret)
{
	int value = 0;

	if (!isdigit((unsigned char)**pos))
		return -EINVAL;
	for (; isdigit((unsigned char)**pos); (*pos)++) {
		value = value * 10 + (**pos - '0');
		if (value >= PIPA_CPU_MAX)
			return -ERANGE;
	}
	*ret = value;
	return 0;
}

/*
 * "first[-last[:used/group]]": of each `group` numbers take the first `used`. -EDOM for a range that ends
 * before it begins.
 */
static int take_range(const char **pos, struct pipa_cpus *cpus)
{
	int first = 0, last, used = 1, group = 1, cpu;
	int err = take_number(pos, &first);

	last = first;
	if (!err && **pos == '-') {
		(*pos)++;
		err = take_number(pos, &last);
		if (!err && **pos == ':') {
			(*pos)++;
			err = take_number(pos, &used);
			if (!err && **pos != '/')
				err = -EINVAL;
			if (!err) {
				(*pos)++;
				err = take_number(pos, &group);
			}
		}
	}
	if (!err && last < first)
		err = -EDOM;
	if (!err && (group < 1 || used < 1 || used > group))
		err = -EINVAL;
	for (cpu = first; !err && cpu <= last; cpu++)
		if ((cpu - first) % group < used)
			err = pipa_cpus_add(cpus, cpu);
	return err;
}

/* Refuse the list because of the range that begins at `range`; `pos` is where parsing stopped. */
static int bad_list(struct pipa_error *err, int code, const char *text, const char *range,
		    const char *pos)
{
	int len = (int)strcspn(text, "\n");

	if (code == -ERANGE)
		pos = range;
	if (code == -EDOM)
		pipa_refuse(err, -EINVAL,
			    "invalid CPU list '%.*s': the range %.*s ends before it begins", len,
			    text, (int)(pos - range), range);
	else if (*pos && *pos != '\n')
		pipa_refuse(err, code, "invalid CPU list '%.*s' at '%.20s'", len, text, pos);
	else
		pipa_refuse(err, code, "invalid CPU list '%.*s' at its end", len, text);
	return pipa_hint(err, "expected e.g. 0-3,7; CPUs are below %d", PIPA_CPU_MAX);
}

int pipa_cpus_parse(const char *text, struct pipa_cpus *ret, struct pipa_error *err)
{
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus cpus = { 0 };
	const char *pos = text, *range = text;
	int rc = 0;

	while (*pos && *pos != '\n' && !rc) {
		range = pos;
		rc = take_range(&pos, &cpus);
		if (!rc && *pos == ',' && isdigit((unsigned char)pos[1]))
			pos++;
		else if (!rc && *pos && *pos != '\n')
			rc = -EINVAL;
	}
	if (!rc && *pos == '\n' && pos[1])
		rc = -EINVAL;
	if (rc == -ENOMEM)
		return pipa_fail(err, rc, "parse CPU list");
	if (rc)
		return bad_list(err, rc, text, range, pos);
	*ret = cpus;
	cpus = (struct pipa_cpus){ 0 };
	return 0;
}

int pipa_cpus_common(const struct pipa_cpus *a, const struct pipa_cpus *b, struct pipa_cpus *ret)
{
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus both = { 0 };
	size_t i;

	for (i = 0; i < a->n; i++)
		if (pipa_cpus_has(b, a->items[i]) && pipa_cpus_add(&both, a->items[i]) < 0)
			return -ENOMEM;
	*ret = both;
	both = (struct pipa_cpus){ 0 };
	return 0;
}

int pipa_cpus_copy(const struct pipa_cpus *from, struct pipa_cpus *ret)
{
	return pipa_cpus_common(from, from, ret);
}

void pipa_cpus_put(const int *cpus, size_t n, struct pipa_buf *out)
{
	size_t i, end;

	for (i = 0; i < n; i = end) {
		for (end = i + 1; end < n && cpus[end] == cpus[end - 1] + 1;)
			end++;
		pipa_buf_printf(out, end - i > 1 ? "%s%d-%d" : "%s%d", i ? "," : "", cpus[i],
				cpus[end - 1]);
	}
}
