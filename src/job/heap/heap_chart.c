#include "job/heap/heap_chart.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/frames.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "base/vec.h"
#include "base/visible.h"
#include "plot/plot.h"
#include "job/view/selection.h"
#include "load/load.h"

enum { SITES = 9, WIDTH = 1000, HEIGHT = 560, FONT = 12 };

static const struct {
	const char *suffix;
	enum pipa_plot_format format;
} formats[] = { { ".svg", PIPA_PLOT_SVG }, { ".pdf", PIPA_PLOT_PDF }, { ".png", PIPA_PLOT_PNG } };

static bool find_format(const char *path, enum pipa_plot_format *ret)
{
	size_t i, n = strlen(path);

	for (i = 0; i < PIPA_COUNT(formats); i++)
		if (n > 4 && strcmp(path + n - 4, formats[i].suffix) == 0) {
			*ret = formats[i].format;
			return true;
		}
	return false;
}

int pipa_heap_chart_check(const char *option, const char *path, struct pipa_error *err)
{
	enum pipa_plot_format format;

	if (find_format(path, &format))
		return 0;
	return pipa_refuse(
		err, -EINVAL,
		"%s: unknown format of '%s', expected a name that ends in .svg, .pdf or .png",
		option, path);
}

void pipa_heap_chart_done(struct pipa_heap_chart *chart)
{
	size_t i;

	for (i = 0; i < chart->sites.n; i++)
		free(chart->sites.items[i].label);
	free(chart->sites.items);
	free(chart->values.items);
	free(chart->times.items);
	pipa_strings_done(&chart->keys);
	*chart = (struct pipa_heap_chart){ 0 };
}

int pipa_heap_chart_time(struct pipa_heap_chart *chart, double seconds)
{
	double *slot = PIPA_VEC_ADD(&chart->times);

	if (!slot)
		return -ENOMEM;
	*slot = seconds;
	return 0;
}

/* Append the text of a frame with its line. */
static void put_frame(const struct pipa_frames *frames, uint32_t index, struct pipa_buf *out)
{
	const struct pipa_frame *frame = &frames->items[index];
	char buf[64];

	pipa_buf_puts(out, pipa_frame_text(frames->profile, frame->symbol, buf));
	if (frame->place)
		pipa_buf_printf(out, " %s", pipa_strings_get(&frames->places, frame->place));
}

/* Return the site of a stack, a new one if there is none; PIPA_NONE on allocation failure. */
static uint32_t find_site(struct pipa_heap_chart *chart, const struct pipa_frames *frames,
			  uint32_t stack)
{
	struct pipa_frame_walk walk = { .frames = frames, .stack = stack };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf key = { 0 };
	struct pipa_heap_chart_site *site;
	size_t label = 0, n = 0;
	uint32_t number;

	while (stack != PIPA_NONE && pipa_frame_walk_next(&walk)) {
		if (n)
			pipa_buf_puts(&key, " < ");
		put_frame(frames, walk.frame, &key);
		if (n++ < 2)
			label = key.len;
	}
	if (!n)
		pipa_buf_puts(&key, "[no call stack]");
	if (key.status)
		return PIPA_NONE;
	number = pipa_strings_add(&chart->keys, key.data, key.len);
	if (number == PIPA_NO_STRING || number <= chart->sites.n)
		return number == PIPA_NO_STRING ? PIPA_NONE : number - 1; /* string 0 is "" */
	site = PIPA_VEC_ADD(&chart->sites);
	if (!site)
		return PIPA_NONE;
	site->label = strndup(key.data, n ? label : key.len);
	return site->label ? number - 1 : PIPA_NONE;
}

int pipa_heap_chart_add(struct pipa_heap_chart *chart, const struct pipa_frames *frames,
			uint32_t stack, uint64_t bytes)
{
	uint32_t site = find_site(chart, frames, stack);
	struct pipa_heap_chart_value *value;

	if (site == PIPA_NONE)
		return -ENOMEM;
	value = PIPA_VEC_ADD(&chart->values);
	if (!value)
		return -ENOMEM;
	*value = (struct pipa_heap_chart_value){ chart->times.n - 1, site, bytes };
	if (bytes > chart->sites.items[site].most)
		chart->sites.items[site].most = bytes;
	return 0;
}

/* ---- drawing -------------------------------------------------------------------------------------- */

static int compare_sites(const void *a, const void *b, void *ctx)
{
	const struct pipa_heap_chart *chart = ctx;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	uint64_t x = chart->sites.items[i].most, y = chart->sites.items[k].most;

	return x != y ? (x < y ? 1 : -1) : i < k ? -1 : i > k;
}

/* Set the row of each site: the largest ones have their own, all others the last one. */
static int choose_rows(const struct pipa_heap_chart *chart, uint32_t *order, uint32_t *rows)
{
	uint32_t i;

	for (i = 0; i < chart->sites.n; i++)
		order[i] = i;
	qsort_r(order, chart->sites.n, sizeof(*order), compare_sites, (void *)chart);
	for (i = 0; i < chart->sites.n; i++)
		rows[order[i]] = i < SITES ? i : SITES;
	return chart->sites.n < SITES  ? (int)chart->sites.n :
	       chart->sites.n == SITES ? SITES :
					 SITES + 1;
}

static int add_series(const struct pipa_heap_chart *chart, struct pipa_plot_panel *panel,
		      const char *label, const double *values, size_t color)
{
	struct pipa_plot_series *series;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf name = { 0 };
	size_t i;
	int rc = 0;

	pipa_visible_put(&name, label);
	series = name.status ? NULL : pipa_plot_add_series(panel, pipa_buf_str(&name));
	if (!series)
		return -ENOMEM;
	series->color = color;
	for (i = 0; !rc && i < chart->times.n; i++)
		rc = pipa_plot_add_point(series, chart->times.items[i], values[i] / (1 << 20));
	return rc;
}

static int build(const struct pipa_heap_chart *chart, struct pipa_plot *plot)
{
	PIPA_AUTO(free) uint32_t *order = calloc(chart->sites.n + 1, sizeof(*order));
	PIPA_AUTO(free) uint32_t *rows = calloc(chart->sites.n + 1, sizeof(*rows));
	PIPA_AUTO(free)
	double *values = calloc((SITES + 1) * (chart->times.n + 1), sizeof(*values));
	struct pipa_plot_panel *panel = pipa_plot_add_panel(plot, PIPA_PANEL_STACKED);
	int i, n, rc = 0;
	size_t k;

	if (!order || !rows || !values || !panel ||
	    pipa_plot_set_text(&plot->title, "Memory in use by call site") < 0 ||
	    pipa_plot_set_text(&panel->x.label, "seconds") < 0 ||
	    pipa_plot_set_text(&panel->y.label, "MiB") < 0)
		return -ENOMEM;
	n = choose_rows(chart, order, rows);
	if (n == 1) { /* a legend would have one entry */
		PIPA_AUTO(pipa_buf_done) struct pipa_buf title = { 0 };

		pipa_buf_puts(&title, "Memory in use: ");
		pipa_visible_put(&title, chart->sites.items[order[0]].label);
		if (title.status || pipa_plot_set_text(&plot->title, pipa_buf_str(&title)) < 0)
			return -ENOMEM;
	}
	for (k = 0; k < chart->values.n; k++) {
		const struct pipa_heap_chart_value *v = &chart->values.items[k];

		values[rows[v->site] * chart->times.n + v->time] += (double)v->bytes;
	}
	for (i = 0; !rc && i < n; i++)
		rc = add_series(chart, panel,
				i < SITES ? chart->sites.items[order[i]].label : "all others",
				values + (size_t)i * chart->times.n, (size_t)i);
	return rc;
}

int pipa_heap_chart_write(const struct pipa_heap_chart *chart, const char *path,
			  struct pipa_error *err)
{
	PIPA_AUTO(pipa_plot_done)
	struct pipa_plot plot = { .width = WIDTH, .height = HEIGHT, .font_size = FONT };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	enum pipa_plot_format format;
	size_t lacking;
	int rc;

	if (!chart->times.n)
		return pipa_refuse(err, -ENODATA, "cannot draw %s: there is no snapshot", path);
	if (!find_format(path, &format))
		return pipa_heap_chart_check("chart", path, err);
	rc = build(chart, &plot);
	if (!rc)
		rc = pipa_plot_write(&plot, format, &out, &lacking);
	if (rc < 0)
		return pipa_fail(err, rc, "draw %s", path);
	return pipa_outfile_write(path, -1, out.data, out.len, err);
}

/* ---- written profiles ------------------------------------------------------------------------------ */

/* A loaded profile and its time. */
struct moment {
	struct pipa_loaded loaded;
	struct pipa_frames frames;
	uint64_t time_ns; /* since 1970 */
};

static int compare_moments(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

static int load_moment(const struct pipa_heap_chart_options *o, const char *path,
		       struct moment *ret, struct pipa_error *err)
{
	const struct pipa_load_options load = { .path = path,
						.symbols = o->symbols,
						.log = o->log };
	const struct pipa_profile_selection selection = { .value = o->value ? o->value :
									      "inuse_space" };
	int rc = pipa_load_selected(&load, &selection, &ret->loaded, err);

	if (rc < 0)
		return rc;
	ret->time_ns = ret->loaded.profile.start_ns + ret->loaded.profile.duration_ns;
	rc = pipa_frames_make(&ret->loaded.profile, true, &ret->frames);
	return rc < 0 ? pipa_fail(err, rc, "read %s", path) : 0;
}

static int add_moment(struct pipa_heap_chart *chart, const struct moment *moment, uint64_t start_ns)
{
	const struct pipa_profile *p = &moment->loaded.profile;
	int rc = pipa_heap_chart_time(chart, (double)(moment->time_ns - start_ns) / 1e9);
	size_t i;

	for (i = 0; !rc && i < p->samples.n; i++)
		rc = pipa_heap_chart_add(chart, &moment->frames, p->samples.items[i].stack,
					 p->samples.items[i].weight);
	return rc;
}

int pipa_heap_chart_run(const struct pipa_heap_chart_options *o, struct pipa_error *err)
{
	PIPA_AUTO(pipa_heap_chart_done) struct pipa_heap_chart chart = { 0 };
	struct moment *moments = calloc(o->n_paths + 1, sizeof(*moments));
	size_t i, n = 0;
	int rc = moments ? 0 : pipa_fail(err, -ENOMEM, "read profiles");

	for (i = 0; !rc && i < o->n_paths; i++) {
		rc = load_moment(o, o->paths[i], &moments[i], err);
		n += !rc;
	}
	if (!rc) {
		uint64_t start_ns;

		qsort(moments, n, sizeof(*moments), compare_moments);
		start_ns = n ? moments[0].loaded.profile.start_ns : 0;
		for (i = 0; !rc && i < n; i++)
			rc = add_moment(&chart, &moments[i],
					start_ns < moments[i].time_ns ? start_ns :
									moments[i].time_ns);
		rc = rc ? pipa_fail(err, rc, "read profiles") :
			  pipa_heap_chart_write(&chart, o->output, err);
	}
	for (i = 0; i < n; i++) {
		pipa_frames_done(&moments[i].frames);
		pipa_loaded_done(&moments[i].loaded);
	}
	free(moments);
	return rc;
}
