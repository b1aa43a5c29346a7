#include "store/series_filter.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "base/time/zone.h"
#include "store/history_days.h"

bool pipa_series_selects(const struct pipa_series_select *select,
			 const struct pipa_section *section)
{
	size_t i;

	for (i = 0; i < select->n_sections; i++)
		if (select->sections[i] == section)
			return true;
	return false;
}

static bool is_wanted_cpu(const struct pipa_series_filter *f, const char *name)
{
	uint64_t cpu;

	if (!f->select->cpus)
		return strcmp(name, "all") == 0;
	if (strcmp(f->select->cpus, "ALL") == 0)
		return true;
	return pipa_str_u64(name, &cpu) == 0 && cpu < PIPA_CPU_MAX &&
	       pipa_cpus_has(&f->cpus, (int)cpu);
}

static bool is_wanted(const struct pipa_series_filter *f, const struct pipa_section *section,
		      const char *instance)
{
	const struct pipa_series_select *o = f->select;

	if (!section->label)
		return true;
	if (strcmp(section->label, "CPU") == 0)
		return is_wanted_cpu(f, instance);
	if (strcmp(section->label, "DEV") == 0)
		return !o->disks || pipa_str_listed(o->disks, instance, true);
	if (strcmp(section->label, "IFACE") == 0)
		return !o->ifaces || pipa_str_listed(o->ifaces, instance, true);
	if (strcmp(section->label, "FILESYSTEM") == 0)
		return !o->filesystems || pipa_str_listed(o->filesystems, instance, true);
	return true;
}

/* A range of times may span midnight. */
bool pipa_series_filter_in_range(const struct pipa_series_filter *f, const struct pipa_tick *tick)
{
	const struct pipa_series_select *o = f->select;
	int64_t wall = (int64_t)(tick->wall_ns / PIPA_NS_PER_SEC);
	int now;

	if (o->day && pipa_history_day_of(tick->wall_ns) != f->day)
		return false;
	if (o->from_s < 0 && o->until_s < 0)
		return true;
	now = (int)((wall + pipa_zone_offset(o->zone, wall)) % 86400);
	if (o->from_s >= 0 && o->until_s >= 0 && o->from_s > o->until_s)
		return now >= o->from_s || now <= o->until_s;
	return (o->from_s < 0 || now >= o->from_s) && (o->until_s < 0 || now <= o->until_s);
}

static int filter_row(struct pipa_series_sink *self, const struct pipa_section *section,
		      const struct pipa_tick *tick, const char *instance, const double *values)
{
	struct pipa_series_filter *f = (struct pipa_series_filter *)(void *)self;

	if (!is_wanted(f, section, instance) || !pipa_series_filter_in_range(f, tick))
		return 0;
	f->passed++;
	return f->next->row(f->next, section, tick, instance, values);
}

static int filter_end(struct pipa_series_sink *self, const struct pipa_tick *tick)
{
	struct pipa_series_filter *f = (struct pipa_series_filter *)(void *)self;

	return f->next->end ? f->next->end(f->next, tick) : 0;
}

int pipa_series_filter_init(struct pipa_series_filter *filter,
			    const struct pipa_series_select *select, struct pipa_error *err)
{
	*filter = (struct pipa_series_filter){
		.sink = { .row = filter_row, .end = filter_end, .wants_idle = select->idle },
		.select = select
	};
	if (select->day) {
		int64_t today = pipa_history_day_of(pipa_clock_wall_ns());

		if (pipa_history_day_read(select->day, today, &filter->day) < 0) {
			pipa_refuse(err, -EINVAL, "invalid day '%s'", select->day);
			return pipa_hint(err,
					 "expected a date like 2026-11-15, or -1 for yesterday");
		}
	}
	if (!select->cpus || strcmp(select->cpus, "ALL") == 0)
		return 0;
	if (!select->cpus[0])
		return pipa_refuse(err, -EINVAL, "empty CPU list, expected e.g. 0-3,7");
	return pipa_cpus_parse(select->cpus, &filter->cpus, err);
}

void pipa_series_filter_done(struct pipa_series_filter *filter)
{
	pipa_cpus_done(&filter->cpus);
}
