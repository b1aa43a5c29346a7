#include "job/monitor_filters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/cpus.h"
#include "base/error.h"
#include "base/log.h"
#include "base/nearest.h"
#include "base/str.h"
#include "base/vec.h"
#include "kernel/machine/root.h"
#include "kernel/machine/topology.h"
#include "store/series_filter.h"

enum { NAMES_MAX = 8 }; /* existing names in a hint */

/* A glob of a filter that has matched no row so far. */
struct glob {
	char *text;
	struct pipa_nearest near;
};

/* A filter: its option, the sections and the kind of its names, and the names of rows, for the hint. */
struct names {
	const char *option, *label, *kind;
	struct {
		struct glob *items;
		size_t n, cap;
	} globs;
	char found[NAMES_MAX][PIPA_NEAREST_LEN];
	size_t n_found;
	bool more;
	bool matched; /* by one of the globs */
};

enum { DISKS, IFACES, FILESYSTEMS, FILTERS };

struct pipa_monitor_filters {
	struct pipa_series_sink sink;
	struct pipa_monitor_filters_options o;
	struct names names[FILTERS];
	struct pipa_cpus cpus; /* of the rows of a recording */
};

/* ---- names of rows -------------------------------------------------------------------------- */

/* Remember a name for hints; true if it is a new one. */
static bool add_found(struct names *names, const char *name)
{
	size_t i;

	for (i = 0; i < names->n_found; i++)
		if (strcmp(names->found[i], name) == 0)
			return false;
	if (strlen(name) >= PIPA_NEAREST_LEN)
		return true;
	if (names->n_found == NAMES_MAX)
		names->more = true;
	else
		snprintf(names->found[names->n_found++], PIPA_NEAREST_LEN, "%s", name);
	return true;
}

/* Remove the globs that match the name of a row; offer it to the others. */
static void compare_name(struct names *names, const char *name)
{
	size_t i, n = 0;

	if (!names->globs.n || !add_found(names, name))
		return;
	for (i = 0; i < names->globs.n; i++) {
		struct glob *glob = &names->globs.items[i];

		if (pipa_str_listed(glob->text, name, true)) {
			free(glob->text);
			names->matched = true;
			continue;
		}
		pipa_nearest_offer(&glob->near, name);
		names->globs.items[n++] = *glob;
	}
	names->globs.n = n;
}

static int compare_row(struct pipa_series_sink *self, const struct pipa_section *section,
		       const struct pipa_tick *tick, const char *instance, const double *values)
{
	struct pipa_monitor_filters *f = (struct pipa_monitor_filters *)(void *)self;
	uint64_t cpu;
	size_t i;

	for (i = 0; section->label && i < FILTERS; i++)
		if (strcmp(section->label, f->names[i].label) == 0)
			compare_name(&f->names[i], instance);
	if (f->o.recording && f->o.filter->cpus.n && section->label &&
	    strcmp(section->label, "CPU") == 0 && pipa_str_u64(instance, &cpu) == 0 &&
	    cpu < PIPA_CPU_MAX && pipa_cpus_add(&f->cpus, (int)cpu) < 0)
		return -ENOMEM;
	return f->o.next ? f->o.next->row(f->o.next, section, tick, instance, values) : 0;
}

static int pass_end(struct pipa_series_sink *self, const struct pipa_tick *tick)
{
	struct pipa_monitor_filters *f = (struct pipa_monitor_filters *)(void *)self;

	return f->o.next && f->o.next->end ? f->o.next->end(f->o.next, tick) : 0;
}

/* ---- messages ------------------------------------------------------------------------------- */

/* A sink of messages: the first one becomes an error. */
struct report {
	const struct pipa_log *log;
	struct pipa_error *err;
	bool any;
};

static void put_message(struct report *report, const struct pipa_error *message)
{
	char line[PIPA_ERROR_LINE_MAX];

	if (report->err && !report->any)
		*report->err = *message;
	else
		pipa_log_note(report->log, "%s", pipa_error_line(message, line));
	report->any = true;
}

static bool is_selected(const struct pipa_series_select *select, const char *label)
{
	size_t i;

	for (i = 0; i < select->n_sections; i++)
		if (select->sections[i]->label && strcmp(select->sections[i]->label, label) == 0)
			return true;
	return false;
}

/* Hint at the nearest names, or else at the existing ones. */
static void hint_names(const struct names *names, const struct glob *glob,
		       struct pipa_error *message)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = 4096 };
	char hint[sizeof(message->hint)];
	size_t i;

	if (glob->near.n) {
		pipa_hint(message, "%s", pipa_nearest_hint(&glob->near, hint, sizeof(hint)));
		return;
	}
	for (i = 0; i < names->n_found; i++)
		pipa_buf_printf(&text, "%s%s", i ? ", " : "", names->found[i]);
	if (names->n_found)
		pipa_hint(message, "choose from %.200s%s", pipa_buf_str(&text),
			  names->more ? ", ..." : "");
}

/* Explain why an existing block device has no row. */
static bool explain_device(struct pipa_root *root, const char *name, struct pipa_error *message)
{
	if (!root || strchr(name, '/') || name[0] == '.' || !name[0] ||
	    !pipa_root_has(root, PIPA_SYS, "class/block/%s", name))
		return false;
	if (pipa_root_has(root, PIPA_SYS, "class/block/%s/partition", name))
		pipa_refuse(message, -ENODATA, "--dev: '%s' is a partition, not a disk", name);
	else
		pipa_refuse(message, -ENODATA, "--dev: disk '%s' was never used", name);
	return true;
}

/* Patterns are alternatives, as in "sd*,nvme*": one that matches is enough. */
static bool is_alternative(const struct names *names, const struct glob *glob)
{
	return names->matched && strpbrk(glob->text, "*?[");
}

static void report_names(const struct pipa_monitor_filters *f, const struct names *names,
			 struct report *report)
{
	const struct pipa_series_select *select = f->o.filter->select;
	bool in_range = select->from_s >= 0 || select->until_s >= 0;
	size_t i;

	for (i = 0; i < names->globs.n; i++) {
		const struct glob *glob = &names->globs.items[i];
		struct pipa_error message = { 0 };

		if (is_alternative(names, glob))
			continue;
		if (names != &f->names[DISKS] || !explain_device(f->o.root, glob->text, &message))
			pipa_refuse(&message, -ENODATA, "%s: no %s '%s'%s", names->option,
				    names->kind, glob->text, in_range ? " in this time range" : "");
		hint_names(names, glob, &message);
		put_message(report, &message);
	}
}

static void report_cpus(const struct pipa_monitor_filters *f, struct report *report)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf missing_text = { .max = 1 << 20 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf present_text = { .max = 1 << 20 };
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus missing = { 0 };
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus online = { 0 };
	const struct pipa_cpus *wanted = &f->o.filter->cpus;
	const struct pipa_cpus *present = f->o.recording ? &f->cpus : &online;
	struct pipa_error message = { 0 };
	size_t i;

	if (!f->o.recording && pipa_topology_online(f->o.root, &online, NULL) < 0)
		return;
	for (i = 0; i < wanted->n; i++)
		if (!pipa_cpus_has(present, wanted->items[i]) &&
		    pipa_cpus_add(&missing, wanted->items[i]) < 0)
			return;
	if (!missing.n)
		return;
	pipa_cpus_put(missing.items, missing.n, &missing_text);
	pipa_cpus_put(present->items, present->n, &present_text);
	if (!f->o.recording) {
		pipa_refuse(&message, -ENODATA, "CPU%s %.120s %s not online",
			    pipa_str_plural(missing.n), pipa_buf_str(&missing_text),
			    missing.n == 1 ? "is" : "are");
		pipa_hint(&message, "see /sys/devices/system/cpu/online");
	} else {
		pipa_refuse(&message, -ENODATA, "-P: %.100s holds no CPU%s %.100s", f->o.recording,
			    pipa_str_plural(missing.n), pipa_buf_str(&missing_text));
		if (present->n)
			pipa_hint(&message, "choose from %.200s", pipa_buf_str(&present_text));
		else
			pipa_hint(&message, "it holds no statistics of single CPUs");
	}
	put_message(report, &message);
}

bool pipa_monitor_filters_report(struct pipa_monitor_filters *f, const struct pipa_log *log,
				 struct pipa_error *err)
{
	const struct pipa_series_select *select = f->o.filter->select;
	struct report report = { .log = log, .err = err };
	size_t i;

	for (i = 0; i < FILTERS; i++)
		if (is_selected(select, f->names[i].label))
			report_names(f, &f->names[i], &report);
	if (f->o.filter->cpus.n && is_selected(select, "CPU"))
		report_cpus(f, &report);
	return report.any;
}

/* ---- life ----------------------------------------------------------------------------------- */

/* Split a comma-separated list of globs; an empty list is one that matches nothing. */
static int add_globs(struct names *names, const char *list)
{
	size_t len;

	if (!list)
		return 0;
	do {
		struct glob *glob = PIPA_VEC_ADD(&names->globs);

		len = strcspn(list, ",");
		if (!glob)
			return -ENOMEM;
		glob->text = strndup(list, len);
		if (!glob->text)
			return -ENOMEM;
		glob->near.wanted = glob->text;
		list += len + (list[len] == ',');
	} while (*list);
	return 0;
}

struct pipa_monitor_filters *pipa_monitor_filters_new(
	const struct pipa_monitor_filters_options *options)
{
	const struct pipa_series_select *select = options->filter->select;
	const char *const lists[FILTERS] = { [DISKS] = select->disks,
					     [IFACES] = select->ifaces,
					     [FILESYSTEMS] = select->filesystems };
	struct pipa_monitor_filters *f = malloc(sizeof(*f));
	size_t i;
	int rc = 0;

	if (!f)
		return NULL;
	*f = (struct pipa_monitor_filters){
		.sink = { .row = compare_row,
			  .end = pass_end,
			  .wants_idle = options->filter->sink.wants_idle },
		.o = *options,
		.names = { [DISKS] = { .option = "--dev", .label = "DEV", .kind = "disk" },
			   [IFACES] = { .option = "--iface",
					.label = "IFACE",
					.kind = "network interface" },
			   [FILESYSTEMS] = { .option = "--fs-name",
					     .label = "FILESYSTEM",
					     .kind = "file system" } },
	};
	for (i = 0; !rc && i < FILTERS; i++)
		rc = add_globs(&f->names[i], lists[i]);
	if (rc < 0) {
		pipa_monitor_filters_free(f);
		return NULL;
	}
	return f;
}

void pipa_monitor_filters_free(struct pipa_monitor_filters *f)
{
	size_t i, k;

	if (!f)
		return;
	for (i = 0; i < FILTERS; i++) {
		for (k = 0; k < f->names[i].globs.n; k++)
			free(f->names[i].globs.items[k].text);
		free(f->names[i].globs.items);
	}
	pipa_cpus_done(&f->cpus);
	free(f);
}

struct pipa_series_sink *pipa_monitor_filters_sink(struct pipa_monitor_filters *f)
{
	size_t i, n = f->o.filter->cpus.n;

	for (i = 0; i < FILTERS; i++)
		n += f->names[i].globs.n;
	return n || !f->o.next ? &f->sink : f->o.next; /* rows cost nothing without filters */
}
