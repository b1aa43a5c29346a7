#include "model/metric_names.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <string.h>

#include "base/auto.h"
#include "model/sections.h"

/* clang-format off */
static const struct pipa_metric_alias aliases[] = {
	/* PIPA's database and metrics: user time excludes guests */
	{ NULL, "cpu_usr", "cpu.usr", 1 },
	{ NULL, "cpu_nice", "cpu.nice", 1 },
	{ NULL, "cpu_sys", "cpu.sys", 1 },
	{ NULL, "cpu_iowait", "cpu.iowait", 1 },
	{ NULL, "cpu_steal", "cpu.steal", 1 },
	{ NULL, "cpu_irq", "cpu.irq", 1 },
	{ NULL, "cpu_soft", "cpu.soft", 1 },
	{ NULL, "cpu_guest", "cpu.guest", 1 },
	{ NULL, "cpu_gnice", "cpu.gnice", 1 },
	{ NULL, "cpu_idle", "cpu.idle", 1 },
	{ NULL, "percent_memused", "memory.used_share", 1 },
	{ NULL, "percent_commit", "memory.commit_share", 1 },
	{ "disk", "rkB_s", "disk.read", 1 },
	{ "disk", "wkB_s", "disk.written", 1 },
	{ "disk", "dkB_s", "disk.discarded", 1 },
	{ "disk", "areq_sz", "disk.request_size", 1 },
	{ "disk", "aqu_sz", "disk.queue", 1 },
	{ NULL, "disk_await", "disk.await", 1 },
	{ NULL, "percent_disk_util", "disk.util", 1 },
	{ NULL, "%disk_util", "disk.util", 1 },

	/* sysstat before version 12: sectors of 512 bytes */
	{ "disk", "rd_sec/s", "disk.read", 0.5 },
	{ "disk", "wr_sec/s", "disk.written", 0.5 },
	{ "disk", "avgrq-sz", "disk.request_size", 0.5 },
	{ "disk", "avgqu-sz", "disk.queue", 1 },

	/* iostat */
	{ "disk", "rMB/s", "disk.read", 1024 },
	{ "disk", "wMB/s", "disk.written", 1024 },
	{ "disk", "kB_read/s", "disk.read", 1 },
	{ "disk", "kB_wrtn/s", "disk.written", 1 },
};
/* clang-format on */

const struct pipa_metric_alias *pipa_metric_alias(size_t index)
{
	return index < PIPA_COUNT(aliases) ? &aliases[index] : NULL;
}

static int slot_of_id(const struct pipa_section *section, const char *id)
{
	size_t i;

	for (i = 0; i < section->n_columns; i++)
		if (strcmp(section->columns[i].id, id) == 0)
			return (int)i;
	return -ENOENT;
}

static int slot_of_name(const struct pipa_section *section, const char *name)
{
	size_t i;

	for (i = 0; i < section->n_columns; i++)
		if (strcmp(section->columns[i].name, name) == 0)
			return (int)i;
	return -ENOENT;
}

static int slot_of_alias(const struct pipa_section *section, const char *name, double *ret_factor)
{
	size_t i;
	int slot;

	for (i = 0; i < PIPA_COUNT(aliases); i++) {
		const struct pipa_metric_alias *a = &aliases[i];

		if (strcmp(a->name, name) != 0 ||
		    (a->section && strcmp(a->section, section->name) != 0))
			continue;
		slot = slot_of_id(section, a->id);
		if (slot < 0)
			continue;
		if (ret_factor)
			*ret_factor = a->factor;
		return slot;
	}
	return -ENOENT;
}

/* Ids and names of the section take precedence over aliases. */
int pipa_metric_slot(const struct pipa_section *section, const char *name, double *ret_factor)
{
	int slot = slot_of_id(section, name);

	if (ret_factor)
		*ret_factor = 1;
	if (slot < 0)
		slot = slot_of_name(section, name);
	if (slot < 0)
		slot = slot_of_alias(section, name, ret_factor);
	return slot;
}

int pipa_metric_find(const char *section, const char *name, const struct pipa_column **ret,
		     double *ret_factor)
{
	const struct pipa_column *found = NULL;
	double factor, found_factor = 1;
	size_t i;
	int slot;

	for (i = 0; i < PIPA_SECTION_NR; i++) {
		const struct pipa_section *s = &pipa_sections[i];

		if (section && strcmp(s->name, section) != 0)
			continue;
		slot = pipa_metric_slot(s, name, &factor);
		if (slot < 0)
			continue;
		if (found && strcmp(found->id, s->columns[slot].id) != 0)
			return -ENOTUNIQ;
		found = &s->columns[slot];
		found_factor = factor;
	}
	if (!found)
		return -ENOENT;
	*ret = found;
	if (ret_factor)
		*ret_factor = found_factor;
	return 0;
}

bool pipa_metric_names(const struct pipa_section *section, const struct pipa_column *column,
		       const char *word)
{
	int slot;

	if (fnmatch(word, column->id, 0) == 0 || strcmp(word, column->name) == 0)
		return true;
	slot = pipa_metric_slot(section, word, NULL);
	return slot >= 0 && strcmp(section->columns[slot].id, column->id) == 0;
}
