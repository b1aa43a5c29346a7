/* Write the report of a run as text. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/run/run_metrics.h"
#include "base/buf.h"
#include "base/cpus.h"
#include "base/str.h"
#include "export/table/run.h"
#include "export/text/number.h"
#include "export/text/plain.h"

enum {
	NAME_WIDTH = 27, /* cpu_seconds_per_transaction */
	VALUE_WIDTH = 16,
	UNIT_WIDTH = 5,
	SPREAD_WIDTH = 24,
	CELL_NAME = 17,
	CELL_VALUE = 12,
	CELL_WIDTH = 2 + CELL_NAME + 1 + CELL_VALUE + 1 + UNIT_WIDTH,
	CHANGE_VALUE = 11,
	OBJECT_WIDTH = 24,
	LEAST_WIDTH = 60, /* narrower output has lines of any width */
	USUAL_WIDTH = 100,
};

struct page {
	const struct pipa_run_report *r;
	const struct pipa_run *run;
	bool color;
	size_t width;
	struct pipa_buf *out;
};

/* End the line, without trailing spaces. */
static void end_line(const struct page *p)
{
	struct pipa_buf *out = p->out;

	while (out->len && out->data[out->len - 1] == ' ')
		out->len--;
	pipa_buf_putc(out, '\n');
}

static void put_title(const struct page *p, const char *text)
{
	pipa_buf_printf(p->out, "\n%s%s%s\n", p->color ? "\033[1m" : "", text,
			p->color ? "\033[0m" : "");
}

/* Write a note beside a number if there is space. */
static void put_aside(const struct page *p, const char *text, size_t column)
{
	if (column + strlen(text) > p->width)
		return;
	pipa_buf_printf(p->out, "%s%s%s", p->color ? "\033[2m" : "", text,
			p->color ? "\033[0m" : "");
}

/* Return the digits needed to distinguish small numbers. */
static int digits_of(enum pipa_run_key key, double value)
{
	int digits = pipa_run_keys[key].digits;

	while (digits > 3 && fabs(value) * pow(10, digits - 4) >= 1)
		digits--;
	return digits;
}

/*
 * Choose a unit that leaves few digits: 12.8 GiB instead of 13421772 kB, 214 ns instead of
 * 0.000000214 s.
 */
static const char *unit_of(enum pipa_run_key key, double *value, int *digits)
{
	static const struct {
		const char *unit, *shown;
		double least, most, factor;
		int digits;
	} units[] = {
		{ "kB", "MiB", 10240, 10485760, 1.0 / 1024, 1 },
		{ "kB", "GiB", 10485760, INFINITY, 1.0 / 1048576, 2 },
		{ "kB/s", "MiB/s", 10240, INFINITY, 1.0 / 1024, 1 },
		{ "s", "us", 1e-6, 1e-3, 1e6, 3 },
		{ "s", "ns", 0, 1e-6, 1e9, 1 },
		{ "J", "uJ", 0, 1e-3, 1e6, 3 },
	};
	const struct pipa_run_key_info *info = &pipa_run_keys[key];
	size_t i;

	*digits = digits_of(key, *value);
	for (i = 0; i < PIPA_COUNT(units); i++) {
		if (strcmp(units[i].unit, info->unit) != 0 || !(*value > 0) ||
		    *value < units[i].least || *value >= units[i].most)
			continue;
		*value *= units[i].factor;
		*digits = units[i].digits;
		return units[i].shown;
	}
	return info->unit;
}

/* Write name, value and unit in columns, after two spaces. */
static void put_value(const struct page *p, enum pipa_run_key key, int name_width, int value_width)
{
	double value = p->run->values[key];
	const char *unit;
	char text[64];
	int digits;

	unit = unit_of(key, &value, &digits);
	pipa_buf_printf(p->out, "  %-*s %*s %-*s", name_width, pipa_run_keys[key].name, value_width,
			pipa_number_text(value, digits, false, text, sizeof(text)), UNIT_WIDTH,
			unit);
}

static const char *title_of(const struct pipa_run *run, enum pipa_run_key key)
{
	const struct pipa_run_key_info *info = &pipa_run_keys[key];

	return info->one && round(run->values[key]) == 1 ? info->one : info->title;
}

/* Is the value known, of that group, and not an uninformative zero? */
static bool is_shown(const struct pipa_run *run, enum pipa_run_key key, enum pipa_run_group group)
{
	const struct pipa_run_key_info *info = &pipa_run_keys[key];
	double value = run->values[key];

	return info->group == group && !isnan(value) &&
	       !(info->is_spare && fabs(value) * pow(10, info->digits) < 0.5);
}

static bool has_any(const struct pipa_run *run, enum pipa_run_group group)
{
	enum pipa_run_key key;

	for (key = 0; key < PIPA_RUN_KEYS; key++)
		if (is_shown(run, key, group))
			return true;
	return false;
}

/* Write the spread, "+- 0.8 %", and the number of outliers. */
static size_t put_spread(const struct page *p, enum pipa_run_key key)
{
	const struct pipa_spread *spread = &p->run->spread[key];
	size_t i, outliers = 0;
	char text[80];

	if (p->run->runs < 2)
		return 0;
	for (i = 0; p->r->each && i < p->run->runs; i++)
		outliers += pipa_run_is_outlier(p->r->each, p->run->runs, key, i);
	if (outliers)
		snprintf(text, sizeof(text), "  +- %.2f %%, %zu outlier%s",
			 pipa_number_noise(spread), outliers, outliers > 1 ? "s" : "");
	else
		snprintf(text, sizeof(text), "  +- %.2f %%", pipa_number_noise(spread));
	pipa_buf_printf(p->out, "%-*s", SPREAD_WIDTH, text);
	return strlen(text) > SPREAD_WIDTH ? strlen(text) : SPREAD_WIDTH;
}

/* Write the metrics of the run, one per line. */
static void put_lines(const struct page *p, enum pipa_run_group group)
{
	enum pipa_run_key key;
	size_t column;

	for (key = 0; key < PIPA_RUN_KEYS; key++) {
		if (!is_shown(p->run, key, group))
			continue;
		put_value(p, key, NAME_WIDTH, VALUE_WIDTH);
		column = 2 + NAME_WIDTH + 1 + VALUE_WIDTH + 1 + UNIT_WIDTH;
		column += put_spread(p, key);
		put_aside(p, title_of(p->run, key), column);
		end_line(p);
	}
}

/* Write the machine's metrics side by side. */
static void put_cells(const struct page *p, enum pipa_run_group group)
{
	size_t n = 0, cells = p->width / CELL_WIDTH ? p->width / CELL_WIDTH : 1;
	enum pipa_run_key key;

	for (key = 0; key < PIPA_RUN_KEYS; key++) {
		if (!is_shown(p->run, key, group))
			continue;
		put_value(p, key, CELL_NAME, CELL_VALUE);
		if (++n % cells == 0)
			end_line(p);
	}
	if (n % cells)
		end_line(p);
}

static void put_head(const struct page *p)
{
	const struct pipa_run *run = p->run;

	pipa_buf_printf(p->out, "\n%spipa run:%s ", p->color ? "\033[1m" : "",
			p->color ? "\033[0m" : "");
	pipa_plain_put(p->out, run->command ? run->command : run->workload,
		       p->width - strlen("pipa run: "));
	pipa_buf_putc(p->out, '\n');
	if (run->data_location) {
		pipa_buf_puts(p->out, "existing data from ");
		pipa_plain_put(p->out, run->data_location,
			       p->width - strlen("existing data from "));
		pipa_buf_putc(p->out, '\n');
		return;
	}
	if (run->status > 128)
		pipa_buf_printf(p->out, "terminated by signal %d", run->status - 128);
	else
		pipa_buf_printf(p->out, "exit status %d", run->status);
	pipa_buf_printf(p->out, " after %.3f s", run->values[PIPA_RUN_TIME]);
	if (run->spread[PIPA_RUN_TIME].n > 1)
		pipa_buf_printf(p->out, " (min %.3f, max %.3f)", run->spread[PIPA_RUN_TIME].min,
				run->spread[PIPA_RUN_TIME].max);
	if (run->runs > 1)
		pipa_buf_printf(p->out, ", mean of %zu runs", run->runs);
	pipa_buf_putc(p->out, '\n');
}

static void put_work(const struct page *p)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf how = { 0 };
	const struct pipa_run_source *source = &p->run->transactions;

	put_title(p, "Work");
	put_lines(p, PIPA_RUN_WORK);
	if (!source->pattern)
		return;
	pipa_buf_printf(&how, "%s%s%s%s", source->unit ? source->unit : "",
			source->unit ? " by " : "by ", source->pattern,
			source->by_rate ? ", which reports only a rate: count = rate x run time" :
					  "");
	pipa_plain_wrap(p->out, pipa_buf_str(&how), 2, p->width);
	if (!source->line)
		return;
	pipa_buf_puts(p->out, "  > ");
	pipa_plain_put(p->out, source->line, p->width - 4);
	pipa_buf_putc(p->out, '\n');
}

static void put_counts(const struct page *p)
{
	const char *scope = p->run->scope;

	if (!has_any(p->run, PIPA_RUN_COUNTS))
		return;
	put_title(p, scope && strcmp(scope, "cores") == 0  ? "Counters of the cores" :
		     scope && strcmp(scope, "system") == 0 ? "Counters of all CPUs" :
							     "Counters of the command and its "
							     "children");
	put_lines(p, PIPA_RUN_COUNTS);
}

/* Write each requested event, also those already used for a metric. */
static void put_requested(const struct page *p)
{
	if (!p->run->asked || !p->run->own)
		return;
	put_title(p, p->run->runs > 1 ? "Events of the command and its children, last run" :
					"Events of the command and its children");
	pipa_run_counters_text(p->run->own, p->out);
}

static void put_machine(const struct page *p)
{
	const struct pipa_run *run = p->run;
	char title[160];

	if (has_any(run, PIPA_RUN_CPU)) {
		PIPA_AUTO(pipa_buf_done) struct pipa_buf cpus = { 0 };

		pipa_cpus_put(run->cores.items, run->cores.n, &cpus);
		snprintf(title, sizeof(title), "CPU%s%s, mean over the run",
			 run->cores.n ? " " : "", pipa_buf_str(&cpus));
		put_title(p, title);
		put_cells(p, PIPA_RUN_CPU);
	}
	if (has_any(run, PIPA_RUN_MEMORY)) {
		put_title(p, "Memory of the machine");
		put_cells(p, PIPA_RUN_MEMORY);
	}
	if (run->values[PIPA_RUN_TPS] > 0 && run->dev) {
		snprintf(title, sizeof(title), "Disk %s", run->dev);
		put_title(p, title);
		put_cells(p, PIPA_RUN_DISK);
	}
	if (run->iface && run->values[PIPA_RUN_RX] + run->values[PIPA_RUN_TX] > 0) {
		snprintf(title, sizeof(title), "Network %s", run->iface);
		put_title(p, title);
		put_cells(p, PIPA_RUN_NETWORK);
	}
	if (has_any(run, PIPA_RUN_ENERGY)) {
		put_title(p, "Energy of the packages");
		put_lines(p, PIPA_RUN_ENERGY);
	}
}

/* Return the width of the longest symbol, or object, at most `most`. */
static size_t longest_name(const struct pipa_run *run, bool objects, size_t most)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf scratch = { 0 };
	size_t i, width, max = 0;

	for (i = 0; i < run->n_hot && i < PIPA_RUN_HOT_TOLD; i++) {
		width = objects ? pipa_plain_put(&scratch, run->hot[i].object, most) :
				  pipa_plain_put_symbol(&scratch, run->hot[i].symbol, most);
		max = width > max ? width : max;
	}
	return max;
}

static void put_hot(const struct page *p)
{
	const struct pipa_run *run = p->run;
	size_t objects = longest_name(run, true, OBJECT_WIDTH), i, n;
	size_t symbols = longest_name(run, false, p->width - strlen("  12.34 %    ") - objects);
	char title[120], count[32];

	if (!run->n_hot)
		return;
	n = (size_t)snprintf(title, sizeof(title), "Hot functions (%s sample%s",
			     pipa_number_text((double)run->samples, 0, false, count, sizeof(count)),
			     pipa_str_plural(run->samples));
	if (run->lost_samples)
		n += (size_t)snprintf(title + n, sizeof(title) - n, ", %" PRIu64 " lost",
				      run->lost_samples);
	snprintf(title + n, sizeof(title) - n, ")");
	put_title(p, title);
	for (i = 0; i < run->n_hot && i < PIPA_RUN_HOT_TOLD; i++) {
		pipa_buf_printf(p->out, " %6.2f %%  ", run->hot[i].percent);
		n = pipa_plain_put_symbol(p->out, run->hot[i].symbol, symbols);
		pipa_buf_fill(p->out, ' ', symbols - n + 2);
		pipa_plain_put(p->out, run->hot[i].object, objects);
		end_line(p);
	}
}

/* Format a value in the unit of its key; seconds and joules that would round to zero in a smaller one. */
static const char *change_value(enum pipa_run_key key, double value, char *text, size_t size)
{
	double scaled = value;
	int digits;
	const char *unit = unit_of(key, &scaled, &digits);
	size_t len;

	if (scaled <= value) /* as it is, or kB as MiB */
		return pipa_number_text(value, digits_of(key, value), false, text, size);
	pipa_number_text(scaled, digits, false, text, size);
	len = strlen(text);
	snprintf(text + len, size - len, " %s", unit);
	return text;
}

static void put_change(const struct page *p, const struct pipa_run_change *change)
{
	bool moved = change->verdict == PIPA_VERDICT_LOWER ||
		     change->verdict == PIPA_VERDICT_HIGHER;
	const char *color = p->color && moved && pipa_run_keys[change->key].better ?
				    (change->worse ? "\033[31m" : "\033[32m") :
				    "";
	char before[64], after[64];

	pipa_buf_printf(p->out, "  %-*s %*s -> %-*s ", NAME_WIDTH, pipa_run_keys[change->key].name,
			CHANGE_VALUE,
			change_value(change->key, change->before, before, sizeof(before)),
			CHANGE_VALUE,
			change_value(change->key, change->after, after, sizeof(after)));
	if (isnan(change->percent))
		pipa_buf_puts(p->out, "         ");
	else
		pipa_buf_printf(p->out, "%+7.1f %%", change->percent);
	pipa_buf_printf(p->out, "  %s%s%s\n", color, pipa_run_change_text(change),
			*color ? "\033[0m" : "");
}

static void put_changes(const struct page *p)
{
	const struct pipa_run_changes *changes = p->r->changes;
	bool unknown = false;
	size_t i, rest = 0;

	if (!changes)
		return;
	put_title(p, "Against the baseline");
	for (i = 0; i < changes->n; i++)
		if (changes->items[i].notable) {
			put_change(p, &changes->items[i]);
			unknown |= changes->items[i].verdict == PIPA_VERDICT_UNKNOWN;
		} else {
			rest++;
		}
	if (!changes->n)
		pipa_buf_puts(p->out, "  no metric in common\n");
	else if (rest)
		pipa_buf_printf(p->out,
				"  %zu more not listed: within noise, or of the whole machine\n",
				rest);
	if (unknown)
		pipa_plain_wrap(p->out,
				"unknown: use several runs (-r N) to separate changes from noise",
				2, p->width);
}

void pipa_run_text(const struct pipa_run_report *r, const struct pipa_run_format *format,
		   struct pipa_buf *out)
{
	const struct page page = {
		.r = r,
		.run = r->run,
		.color = format->color,
		.width = !format->width		     ? USUAL_WIDTH :
			 format->width < LEAST_WIDTH ? LEAST_WIDTH :
						       format->width,
		.out = out,
	};
	size_t i;

	put_head(&page);
	put_work(&page);
	put_counts(&page);
	put_requested(&page);
	if (has_any(page.run, PIPA_RUN_COMMAND)) {
		put_title(&page, "Command");
		put_lines(&page, PIPA_RUN_COMMAND);
	}
	put_machine(&page);
	put_hot(&page);
	put_changes(&page);
	if (r->run->notes.n)
		put_title(&page, "Notes");
	for (i = 0; i < r->run->notes.n; i++)
		pipa_plain_wrap(out, r->run->notes.items[i], 2, page.width);
}
