#include "kernel/event/pmu.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"
#include "kernel/machine/root.h"

#define DEVICES "bus/event_source/devices"

void pipa_pmus_done(struct pipa_pmus *pmus)
{
	size_t i;

	for (i = 0; i < pmus->n; i++) {
		free(pmus->items[i].name);
		free(pmus->items[i].formats);
		pipa_cpus_done(&pmus->items[i].cpus);
	}
	free(pmus->items);
	*pmus = (struct pipa_pmus){ 0 };
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct pipa_pmu *)a)->name, ((const struct pipa_pmu *)b)->name);
}

/*
 * A core PMU names its CPUs. Those that every machine has, and the many uncore ones of a big one,
 * are not asked: a look into sysfs takes 3 us or more each.
 */
static bool is_core(struct pipa_root *root, const char *name)
{
	static const char *const others[] = { "breakpoint", "kprobe",	  "msr",   "power",
					      "software",   "tracepoint", "uprobe" };
	size_t i;

	if (strcmp(name, "cpu") == 0)
		return true;
	if (pipa_str_starts(name, "uncore_"))
		return false;
	for (i = 0; i < PIPA_COUNT(others); i++)
		if (strcmp(name, others[i]) == 0)
			return false;
	return pipa_root_has(root, PIPA_SYS, DEVICES "/%s/cpus", name);
}

int pipa_pmus_load(struct pipa_root *root, struct pipa_pmus *ret, struct pipa_error *err)
{
	PIPA_AUTO(pipa_pmus_done) struct pipa_pmus pmus = { 0 };
	PIPA_AUTO(closedir) DIR *dir = pipa_root_list(root, PIPA_SYS, DEVICES);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		struct pipa_pmu *pmu;

		if (entry->d_name[0] == '.')
			continue;
		pmu = PIPA_VEC_ADD(&pmus);
		if (!pmu || !(pmu->name = strdup(entry->d_name)))
			return pipa_fail(err, -ENOMEM, "list PMUs");
		pmu->core = is_core(root, pmu->name);
	}
	if (pmus.n)
		qsort(pmus.items, pmus.n, sizeof(*pmus.items), by_name);
	*ret = pmus;
	pmus = (struct pipa_pmus){ 0 };
	return 0;
}

/* "0-7,32" into a mask. Returns 0 for text that is not a such list. */
static uint64_t parse_bits(const char *text)
{
	uint64_t bits = 0;

	while (*text) {
		char *end;
		unsigned long first, last, bit;

		if (!isdigit((unsigned char)*text))
			return 0;
		first = last = strtoul(text, &end, 10);
		if (*end == '-') {
			if (!isdigit((unsigned char)end[1]))
				return 0;
			last = strtoul(end + 1, &end, 10);
		}
		if (last > 63 || first > last || (*end && (*end != ',' || !end[1])))
			return 0;
		for (bit = first; bit <= last; bit++)
			bits |= UINT64_C(1) << bit;
		text = *end ? end + 1 : end;
	}
	return bits;
}

int pipa_pmu_format_parse(const char *text, struct pipa_pmu_format *ret)
{
	static const char *const words[PIPA_PMU_WORDS] = { "config:", "config1:", "config2:" };
	char clean[128];
	size_t len = strcspn(text, "\n");
	uint64_t bits;
	unsigned int i;

	if (len >= sizeof(clean))
		return -EINVAL;
	snprintf(clean, sizeof(clean), "%.*s", (int)len, text);
	for (i = 0; i < PIPA_COUNT(words); i++) {
		if (!pipa_str_starts(clean, words[i]))
			continue;
		bits = parse_bits(clean + strlen(words[i]));
		if (!bits)
			return -EINVAL;
		ret->word = i;
		ret->bits = bits;
		return 0;
	}
	return -EINVAL;
}

int pipa_pmu_format_apply(const struct pipa_pmu_format *format, uint64_t value,
			  uint64_t config[PIPA_PMU_WORDS])
{
	uint64_t bits = format->bits, word = config[format->word] & ~bits;
	int width = __builtin_popcountll(bits);

	if (width < 64 && value >> width)
		return -ERANGE;
	for (; bits; bits &= bits - 1, value >>= 1)
		if (value & 1)
			word |= bits & -bits;
	config[format->word] = word;
	return 0;
}

const struct pipa_pmu_format *pipa_pmu_format_find(const struct pipa_pmu *pmu, const char *name)
{
	size_t i;

	for (i = 0; i < pmu->n_formats; i++)
		if (strcmp(pmu->formats[i].name, name) == 0)
			return &pmu->formats[i];
	return NULL;
}

static int load_formats(struct pipa_root *root, struct pipa_pmu *pmu)
{
	PIPA_AUTO(closedir)
	DIR *dir = pipa_root_list(root, PIPA_SYS, DEVICES "/%s/format", pmu->name);
	struct {
		struct pipa_pmu_format *items;
		size_t n, cap;
	} list = { 0 };
	struct dirent *entry;
	char text[128];

	while (dir && (entry = readdir(dir))) {
		struct pipa_pmu_format format = { 0 }, *slot;

		if (entry->d_name[0] == '.' || strlen(entry->d_name) >= sizeof(format.name) ||
		    pipa_root_read(root, PIPA_SYS, text, sizeof(text), DEVICES "/%s/format/%s",
				   pmu->name, entry->d_name) < 0 ||
		    pipa_pmu_format_parse(text, &format) < 0)
			continue; /* a field we cannot read is a field we do not offer */
		snprintf(format.name, sizeof(format.name), "%s", entry->d_name);
		slot = PIPA_VEC_ADD(&list);
		if (!slot) {
			free(list.items);
			return -ENOMEM;
		}
		*slot = format;
	}
	pmu->formats = list.items;
	pmu->n_formats = list.n;
	return 0;
}

/* core PMUs name their CPUs in `cpus`, package-wide ones the CPU to open them on in `cpumask` */
static int load_cpus(struct pipa_root *root, struct pipa_pmu *pmu, struct pipa_error *err)
{
	char text[4096];

	if (pipa_root_read(root, PIPA_SYS, text, sizeof(text), DEVICES "/%s/cpus", pmu->name) > 0)
		return pipa_cpus_parse(text, &pmu->cpus, err);
	if (pipa_root_read(root, PIPA_SYS, text, sizeof(text), DEVICES "/%s/cpumask", pmu->name) <=
	    0)
		return 0;
	pmu->uncore = !pmu->core;
	return pipa_cpus_parse(text, &pmu->cpus, err);
}

int pipa_pmu_load(struct pipa_root *root, struct pipa_pmu *pmu, struct pipa_error *err)
{
	uint64_t type;
	int rc;

	if (pmu->loaded)
		return 0;
	rc = pipa_root_read_u64(root, PIPA_SYS, &type, DEVICES "/%s/type", pmu->name);
	if (rc < 0)
		return pipa_fail(err, rc, "read the type of PMU %s", pmu->name);
	pmu->type = (uint32_t)type;
	rc = load_cpus(root, pmu, err);
	if (rc == 0) {
		rc = load_formats(root, pmu);
		if (rc < 0)
			pipa_fail(err, rc, "read the formats of PMU %s", pmu->name);
	}
	if (rc < 0)
		pipa_cpus_done(&pmu->cpus); /* it may be tried again */
	pmu->loaded = rc == 0;
	return rc;
}

int pipa_pmu_alias_read(struct pipa_root *root, const struct pipa_pmu *pmu, const char *event,
			struct pipa_pmu_alias *ret)
{
	struct pipa_pmu_alias alias = { .scale = 1 };
	char text[64];

	if (strlen(event) >= sizeof(alias.name) || strchr(event, '/') || event[0] == '.')
		return -ENOENT;
	if (pipa_root_read(root, PIPA_SYS, alias.terms, sizeof(alias.terms),
			   DEVICES "/%s/events/%s", pmu->name, event) <= 0)
		return -ENOENT;
	snprintf(alias.name, sizeof(alias.name), "%s", event);
	pipa_root_read(root, PIPA_SYS, alias.unit, sizeof(alias.unit), DEVICES "/%s/events/%s.unit",
		       pmu->name, event);
	if (pipa_root_read(root, PIPA_SYS, text, sizeof(text), DEVICES "/%s/events/%s.scale",
			   pmu->name, event) > 0 &&
	    pipa_str_double(text, &alias.scale) < 0)
		alias.scale = 1;
	*ret = alias;
	return 0;
}

static bool is_attribute(const char *name)
{
	static const char *const suffixes[] = { ".unit", ".scale", ".per-pkg", ".snapshot" };
	const char *dot = strrchr(name, '.');
	size_t i;

	for (i = 0; dot && i < PIPA_COUNT(suffixes); i++)
		if (strcmp(dot, suffixes[i]) == 0)
			return true;
	return false;
}

int pipa_pmu_alias_each(struct pipa_root *root, const struct pipa_pmu *pmu,
			int (*fn)(void *ctx, const char *event), void *ctx)
{
	PIPA_AUTO(closedir)
	DIR *dir = pipa_root_list(root, PIPA_SYS, DEVICES "/%s/events", pmu->name);
	struct dirent *entry;
	int rc = 0;

	while (!rc && dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && !is_attribute(entry->d_name))
			rc = fn(ctx, entry->d_name);
	return rc;
}

/* uncore_imc represents uncore_imc_0, uncore_imc_1...; "uncore_" and globs work as in perf */
bool pipa_pmu_matches(const struct pipa_pmu *pmu, const char *wanted)
{
	const char *name = pmu->name;
	size_t len = strlen(wanted);

	if (strcmp(name, wanted) == 0)
		return true;
	if (strpbrk(wanted, "*?["))
		return fnmatch(wanted, name, 0) == 0;
	if (pipa_str_starts(name, "uncore_") && !pipa_str_starts(wanted, "uncore_"))
		name += strlen("uncore_");
	if (strncmp(name, wanted, len) != 0)
		return false;
	if (!name[len])
		return true;
	if (len && isdigit((unsigned char)wanted[len - 1]) && name[len] != '_')
		return false; /* imc_1 is not imc_10 */
	name += len + (name[len] == '_');
	return *name && strspn(name, "0123456789") == strlen(name);
}
