#include "job/query/plot.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/file/outfile.h"
#include "base/str.h"
#include "base/time/local_zone.h"
#include "base/time/zone.h"
#include "job/query/plot_build.h"
#include "load/dataset.h"
#include "model/counter_section.h"
#include "model/metric_names.h"

#define SECOND 1000000000.0

const char *pipa_plot_kind_name(enum pipa_plot_kind kind)
{
	static const char *const names[PIPA_PLOT_KIND_NR] = {
		[PIPA_PLOT_LINES] = "lines",	 [PIPA_PLOT_STACKED] = "stacked",
		[PIPA_PLOT_SCATTER] = "scatter", [PIPA_PLOT_HISTOGRAM] = "histogram",
		[PIPA_PLOT_HEATMAP] = "heatmap", [PIPA_PLOT_ROOFLINE] = "roofline",
		[PIPA_PLOT_CPI] = "cpi",
	};

	return names[kind];
}

/* ---- time range ---------------------------------------------------------------------------------- */

enum time_form { TIME_INVALID, TIME_SECONDS, TIME_OF_DAY, TIME_DATE };

/* Parse "10:00" or "10:00:30" to seconds of the day. */
static bool parse_clock(const char *text, double *ret)
{
	uint64_t parts[3] = { 0 };
	size_t n = 0;

	for (; n < PIPA_COUNT(parts); n++) {
		size_t len = strcspn(text, ":");
		char part[8];

		if (!len || len > 2 || strspn(text, "0123456789") < len)
			return false;
		memcpy(part, text, len);
		part[len] = '\0';
		if (pipa_str_u64(part, &parts[n]) < 0)
			return false;
		text += len;
		if (!*text)
			break;
		text++;
	}
	*ret = (double)(parts[0] * 3600 + parts[1] * 60 + parts[2]);
	return (n == 1 || n == 2) && parts[0] < 24 && parts[1] < 60 && parts[2] < 60;
}

/* Parse a time; *ret is seconds since the start, of the day, or since 1970 in local time. */
static enum time_form parse_time(const char *text, double *ret)
{
	struct pipa_date date;
	size_t len = pipa_date_parse(text, &date);

	if (len && !text[len]) {
		*ret = (double)pipa_date_seconds(&date);
		return TIME_DATE;
	}
	if (strchr(text, ':'))
		return parse_clock(text, ret) ? TIME_OF_DAY : TIME_INVALID;
	return pipa_str_double(text, ret) == 0 && fabs(*ret) < 1e12 ? TIME_SECONDS : TIME_INVALID;
}

bool pipa_plot_check_time(const char *text)
{
	double value;

	return !*text || parse_time(text, &value) != TIME_INVALID;
}

/* Return a time in nanoseconds since 1970. A time of day is the first one after the start. */
static uint64_t resolve_time(const struct pipa_plot_build *b, const char *text)
{
	int64_t start = (int64_t)(b->window.from_ns / 1000000000), day;
	double value = 0, at;

	switch (parse_time(text, &value)) {
	case TIME_DATE: at = (double)pipa_zone_utc(b->zone, (int64_t)value); break;
	case TIME_OF_DAY:
		start += pipa_zone_offset(b->zone, start);
		day = start - start % 86400;
		if (day + (int64_t)value < start - 43200) /* after midnight */
			day += 86400;
		at = (double)pipa_zone_utc(b->zone, day + (int64_t)value);
		break;
	case TIME_SECONDS:
	case TIME_INVALID:
	default: at = (double)b->window.from_ns / SECOND + value;
	}
	return at > 0 && at < 9e9 ? (uint64_t)llround(at * SECOND) : 0;
}

/* Compute the start of each input, the time range, and whether the time axis is elapsed time. */
static int find_range(struct pipa_plot_build *b, struct pipa_error *err)
{
	const struct pipa_series_set *set = &b->dataset->series;
	uint64_t first = UINT64_MAX, last = 0, from, until;
	size_t i, n = b->dataset->inputs.n;

	b->start_ns = malloc((n ? n : 1) * sizeof(*b->start_ns));
	if (!b->start_ns)
		return pipa_fail(err, -ENOMEM, "draw the chart");
	for (i = 0; i < n; i++)
		b->start_ns[i] = UINT64_MAX;
	for (i = 0; i < set->groups.n; i++) {
		const struct pipa_series_group *group = &set->groups.items[i];
		const struct pipa_series_axis *axis = pipa_series_axis_of(set, group);
		uint64_t *start = &b->start_ns[pipa_plot_input_of(b->dataset, group->source)], at;
		double length;

		if (!axis->n)
			continue;
		length = axis->interval_s[0] > 0 ? (double)axis->interval_s[0] * SECOND : 1;
		at = (double)axis->wall_ns[0] > length ? axis->wall_ns[0] - (uint64_t)length : 0;
		*start = at < *start ? at : *start;
		first = at < first ? at : first;
		last = axis->wall_ns[axis->n - 1] > last ? axis->wall_ns[axis->n - 1] : last;
		b->is_elapsed |= set->sources.items[group->source].clock != PIPA_CLOCK_UTC;
	}
	b->is_elapsed |= b->options->is_elapsed;
	if (first > last)
		return pipa_refuse(err, -ENODATA, "%s has no series", b->options->paths[0]);
	b->window = (struct pipa_time_window){ first, last };
	from = b->options->from && *b->options->from ? resolve_time(b, b->options->from) : first;
	until = b->options->until && *b->options->until ? resolve_time(b, b->options->until) : last;
	b->window.from_ns = from > first ? from : first;
	b->window.until_ns = until < last ? until : last;
	if (b->window.from_ns >= b->window.until_ns)
		return pipa_refuse(err, -ENODATA,
				   "--time: the range is empty; the data covers %.6g seconds",
				   (double)(last - first) / SECOND);
	return 0;
}

/* ---- metrics ------------------------------------------------------------------------------------- */

/* Refuse a metric that the inputs lack, with the nearest ones that they have. */
static int refuse_metric(const struct pipa_plot_build *b, const char *name, struct pipa_error *err)
{
	struct pipa_nearest near = { .wanted = name };
	const struct pipa_column *column;
	bool computed = strcmp(name, "cpi") == 0 || strcmp(name, "ipc") == 0;
	char hint[300];
	int rc = pipa_metric_find(NULL, name, &column, NULL);

	rc = rc == 0 || rc == -ENOTUNIQ || computed ? -ENODATA : -ENOENT;
	if (rc == -ENODATA)
		pipa_refuse(err, rc, "%s has no values of %s", b->options->paths[0], name);
	else
		pipa_refuse(err, rc, "unknown metric '%s'", name);
	if (computed)
		return pipa_hint(err, "count cycles and instructions: pipa stat -I 1000");
	pipa_metric_offer(&b->dataset->series, &near);
	pipa_nearest_hint(&near, hint, sizeof(hint));
	return *hint ? pipa_hint(err, "%s", hint) : rc;
}

static int select_metric(const struct pipa_plot_build *b, const char *name,
			 enum pipa_metric_instances otherwise, struct pipa_metric_list *list,
			 struct pipa_error *err)
{
	const struct pipa_metric_choice choice = { .instances = b->options->instances,
						   .otherwise = otherwise,
						   .hardware = &b->dataset->hardware };
	size_t before = list->n;
	ptrdiff_t found = pipa_metric_select(&b->dataset->series, name, &choice, list);

	if (found < 0)
		return pipa_fail(err, (int)found, "select metrics");
	if (!found)
		return refuse_metric(b, name, err);
	if (list->n == before && b->options->instances)
		return pipa_refuse(err, -ENODATA, "--instances: no instance of %s matches '%s'",
				   name, b->options->instances);
	return 0;
}

/* Select the metrics of the chart. */
static int select_all(const struct pipa_plot_build *b, struct pipa_metric_list *list,
		      struct pipa_metric_list *x, struct pipa_metric_list *y,
		      struct pipa_error *err)
{
	const struct pipa_plot_options *o = b->options;
	enum pipa_metric_instances otherwise = PIPA_INSTANCES_TOTAL;
	size_t i;
	int rc = 0;

	switch (o->kind) {
	case PIPA_PLOT_ROOFLINE: return 0;
	case PIPA_PLOT_CPI:
		if (!o->x)
			return select_metric(b, "cpi", PIPA_INSTANCES_ALL, list, err);
		rc = select_metric(b, o->x, PIPA_INSTANCES_TOTAL, x, err);
		return rc ? rc : select_metric(b, "cpi", PIPA_INSTANCES_ALL, y, err);
	case PIPA_PLOT_SCATTER:
		rc = select_metric(b, o->x, PIPA_INSTANCES_TOTAL, x, err);
		return rc ? rc : select_metric(b, o->y, PIPA_INSTANCES_TOTAL, y, err);
	case PIPA_PLOT_HEATMAP:
		otherwise = PIPA_INSTANCES_EACH;
		if (!o->n_metrics)
			rc = select_metric(b, "cpu.busy", otherwise, list, err);
		break;
	case PIPA_PLOT_LINES:
	case PIPA_PLOT_STACKED:
	case PIPA_PLOT_HISTOGRAM:
	case PIPA_PLOT_KIND_NR: break;
	}
	for (i = 0; !rc && i < o->n_metrics; i++)
		rc = select_metric(b, o->metrics[i], otherwise, list, err);
	if (!rc && !list->n)
		return pipa_refuse(err, -ENODATA, "%s has no values of %s%s", o->paths[0],
				   o->n_metrics ? o->metrics[0] : "cpu.busy",
				   otherwise == PIPA_INSTANCES_EACH && !o->instances ?
					   " of single CPUs, devices or interfaces" :
					   "");
	return rc;
}

/* ---- sizes --------------------------------------------------------------------------------------- */

/* Set the size in the unit of the format; several panels make a default height larger. */
static void set_size(const struct pipa_plot_options *o, struct pipa_plot *plot)
{
	static const struct {
		double width, height, unit, font, reference;
	} formats[] = {
		[PIPA_PLOT_SVG] = { 900, 500, 1, 13, 900 },
		[PIPA_PLOT_PDF] = { 160, 90, 72 / 25.4, 8, 0 },
		[PIPA_PLOT_PNG] = { 1800, 1000, 1, 26, 1800 },
	};
	double width = o->width > 0 ? o->width : formats[o->format].width;
	double height = o->height > 0 ? o->height : formats[o->format].height;

	if (!(o->height > 0) && plot->panels.n > 1)
		height *= 0.45 + 0.55 * (double)plot->panels.n;
	plot->width = width * formats[o->format].unit;
	plot->height = height * formats[o->format].unit;
	plot->font_size = formats[o->format].font;
	if (formats[o->format].reference > 0) /* PNG: scale the text with the image */
		plot->font_size = fmax(plot->font_size * width / formats[o->format].reference, 9);
}

static int write_plot(const struct pipa_plot_options *o, struct pipa_plot *plot,
		      struct pipa_error *err)
{
	static const char *const fonts[] = { "", "Helvetica", "the font of PNG" };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf file = { .max = (size_t)1 << 30 };
	size_t lacking = 0;
	int rc;

	if (o->title && pipa_plot_set_text(&plot->title, o->title) < 0)
		return pipa_fail(err, -ENOMEM, "draw the chart");
	set_size(o, plot);
	rc = pipa_plot_write(plot, o->format, &file, &lacking);
	if (rc < 0)
		return pipa_fail(err, rc, "draw the chart");
	if (lacking)
		pipa_log_put(
			&o->log, PIPA_LOG_WARN,
			"%s lacks %zu characters of the texts, which are drawn as \\uXXXX; SVG has all",
			fonts[o->format], lacking);
	return pipa_outfile_write(o->output, o->out_fd, file.data, file.len, err);
}

/* Print the metrics that the inputs have, each once, with unit and description. */
static int list_metrics(const struct pipa_plot_options *o, const struct pipa_series_set *set,
			struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	bool any_counters = false;
	size_t g, i, k;

	for (g = 0; g < set->groups.n; g++) {
		const struct pipa_section *section = set->groups.items[g].section;

		for (k = 0; k < g && set->groups.items[k].section != section; k++)
			;
		if (k < g)
			continue;
		any_counters |= section == &pipa_counter_section;
		for (i = 0; i < section->n_columns; i++)
			if (section->columns[i].kind != PIPA_METRIC_TEXT)
				pipa_buf_printf(&text, "%-28s %-12s %-6s %s\n",
						section->columns[i].id, section->columns[i].name,
						pipa_unit_text(section->columns[i].unit),
						section->columns[i].description);
	}
	if (any_counters)
		pipa_buf_puts(
			&text,
			"cpi, ipc                     computed from cycles and instructions\n");
	if (text.status)
		return pipa_fail(err, text.status, "list the metrics");
	return pipa_outfile_write(NULL, o->out_fd, pipa_buf_str(&text), text.len, err);
}

int pipa_plot_run(const struct pipa_plot_options *o, struct pipa_error *err)
{
	PIPA_AUTO(pipa_dataset_done) struct pipa_dataset dataset = { 0 };
	PIPA_AUTO(pipa_plot_done) struct pipa_plot plot = { 0 };
	PIPA_AUTO(pipa_zone_done) struct pipa_zone zone = { 0 };
	PIPA_AUTO(pipa_metric_list_done) struct pipa_metric_list list = { 0 };
	PIPA_AUTO(pipa_metric_list_done) struct pipa_metric_list x = { 0 };
	PIPA_AUTO(pipa_metric_list_done) struct pipa_metric_list y = { 0 };
	struct pipa_plot_build build = {
		.options = o, .dataset = &dataset, .zone = &zone, .plot = &plot
	};
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < o->n_paths; i++)
		rc = pipa_dataset_add(&dataset, o->paths[i], err);
	if (!rc)
		rc = pipa_dataset_finish(&dataset, err);
	for (i = 0; i < dataset.notes.n; i++) {
		if (!rc && dataset.notes.items[i].problem == PIPA_DATASET_MISSING)
			continue; /* load only the series of the chart */
		pipa_log_put(&o->log, PIPA_LOG_WARN, "%s: %s", dataset.notes.items[i].name,
			     dataset.notes.items[i].text);
	}
	if (!rc && o->lists_metrics)
		return list_metrics(o, &dataset.series, err);
	if (!rc)
		rc = find_range(&build, err);
	if (!rc)
		rc = pipa_local_zone_load(&zone, (int64_t)(build.window.from_ns / 1000000000),
					  (int64_t)(build.window.until_ns / 1000000000) + 1, err);
	set_size(o, &plot);
	build.buckets = (size_t)fmax(plot.width * (o->format == PIPA_PLOT_PDF ? 2 : 1), 100);
	if (!rc)
		rc = select_all(&build, &list, &x, &y, err);
	if (!rc)
		rc = pipa_plot_build_panels(&build, &list, &x, &y, err);
	free(build.start_ns);
	return rc < 0 ? rc : write_plot(o, &plot, err);
}
