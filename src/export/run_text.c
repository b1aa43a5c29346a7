#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/run_metrics.h"
#include "base/buf.h"
#include "export/number.h"
#include "export/run.h"

enum { NAME_WIDTH = 28, VALUE_WIDTH = 20, CELL_NAME = 18, CELL_VALUE = 15, CELLS = 2 };

struct page {
	const struct pipa_run_report *r;
	const struct pipa_run *run;
	bool color;
	struct pipa_buf *out;
};

static void put_title(const struct page *p, const char *text)
{
	pipa_buf_printf(p->out, "\n%s%s%s\n", p->color ? "\033[1m" : "", text,
			p->color ? "\033[0m" : "");
}

/* Words beside a number: there to be read once. */
static void put_aside(const struct page *p, const char *text)
{
	pipa_buf_printf(p->out, "%s%s%s", p->color ? "\033[2m" : "", text,
			p->color ? "\033[0m" : "");
}

/* As many digits as it takes to tell small numbers apart, and no more. */
static int digits_of(enum pipa_run_key key, double value)
{
	int digits = pipa_run_keys[key].digits;

	while (digits > 3 && fabs(value) * pow(10, digits - 4) >= 1)
		digits--;
	return digits;
}

static const char *value_text(enum pipa_run_key key, double value, char *text, size_t size)
{
	return pipa_number_text(value, digits_of(key, value), false, text, size);
}

static bool has_any(const struct pipa_run *run, enum pipa_run_group group)
{
	enum pipa_run_key key;

	for (key = 0; key < PIPA_RUN_KEYS; key++)
		if (pipa_run_keys[key].group == group && !isnan(run->values[key]))
			return true;
	return false;
}

/* "+- 0.8 %", and how many runs lie far from the others. */
static void put_spread(const struct page *p, enum pipa_run_key key)
{
	const struct pipa_spread *spread = &p->run->spread[key];
	size_t i, outliers = 0;
	char text[80];

	if (p->run->runs < 2)
		return;
	for (i = 0; p->r->each && i < p->run->runs; i++)
		outliers += pipa_run_is_outlier(p->r->each, p->run->runs, key, i);
	if (outliers)
		snprintf(text, sizeof(text), "  +- %.2f %%, %zu outlier%s",
			 pipa_number_noise(spread), outliers, outliers > 1 ? "s" : "");
	else
		snprintf(text, sizeof(text), "  +- %.2f %%", pipa_number_noise(spread));
	pipa_buf_printf(p->out, "%-24s", text);
}

/* A line each: what the run is judged by. */
static void put_lines(const struct page *p, enum pipa_run_group group)
{
	enum pipa_run_key key;
	char text[64];

	for (key = 0; key < PIPA_RUN_KEYS; key++) {
		const struct pipa_run_key_info *info = &pipa_run_keys[key];

		if (info->group != group || isnan(p->run->values[key]))
			continue;
		pipa_buf_printf(p->out, "  %-*s %*s %-5s", NAME_WIDTH, info->name, VALUE_WIDTH,
				value_text(key, p->run->values[key], text, sizeof(text)),
				info->unit);
		put_spread(p, key);
		put_aside(p, info->title);
		pipa_buf_putc(p->out, '\n');
	}
}

/* Side by side: what the machine did meanwhile. */
static void put_cells(const struct page *p, enum pipa_run_group group)
{
	enum pipa_run_key key;
	size_t n = 0;
	char text[64];

	for (key = 0; key < PIPA_RUN_KEYS; key++) {
		const struct pipa_run_key_info *info = &pipa_run_keys[key];

		if (info->group != group || isnan(p->run->values[key]))
			continue;
		pipa_buf_printf(p->out, "  %-*s %*s %-5s", CELL_NAME, info->name, CELL_VALUE,
				value_text(key, p->run->values[key], text, sizeof(text)),
				info->unit);
		if (++n % CELLS == 0)
			pipa_buf_putc(p->out, '\n');
	}
	if (n % CELLS)
		pipa_buf_putc(p->out, '\n');
}

static void put_head(const struct page *p)
{
	const struct pipa_run *run = p->run;

	pipa_buf_printf(p->out, "\n%spipa run:%s %s\n", p->color ? "\033[1m" : "",
			p->color ? "\033[0m" : "", run->command ? run->command : run->workload);
	if (run->data_location) {
		pipa_buf_printf(p->out, "measured earlier, from %s\n", run->data_location);
		return;
	}
	if (run->status > 128)
		pipa_buf_printf(p->out, "ended by signal %d", run->status - 128);
	else
		pipa_buf_printf(p->out, "exit status %d", run->status);
	pipa_buf_printf(p->out, " after %.3f s", run->values[PIPA_RUN_TIME]);
	if (run->runs > 1)
		pipa_buf_printf(p->out, ", mean of %zu runs", run->runs);
	pipa_buf_putc(p->out, '\n');
}

static void put_work(const struct page *p)
{
	const struct pipa_run_source *source = &p->run->transactions;

	put_title(p, "Work");
	put_lines(p, PIPA_RUN_WORK);
	if (!source->pattern)
		return;
	pipa_buf_printf(p->out, "  %s%s%s", source->unit ? source->unit : "",
			source->unit ? " by " : "by ", source->pattern);
	if (source->by_rate)
		pipa_buf_puts(p->out, ", which tells a rate only: the count is rate x run time");
	if (source->line)
		pipa_buf_printf(p->out, "\n  > %s", source->line);
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

static void put_cpu_list(const struct pipa_cpus *cpus, struct pipa_buf *out)
{
	size_t i, last;

	for (i = 0; i < cpus->n; i = last + 1) {
		for (last = i; last + 1 < cpus->n && cpus->items[last + 1] == cpus->items[last] + 1;
		     last++)
			;
		pipa_buf_printf(out, "%s%d", i ? "," : "", cpus->items[i]);
		if (last > i)
			pipa_buf_printf(out, "-%d", cpus->items[last]);
	}
}

static void put_machine(const struct page *p)
{
	const struct pipa_run *run = p->run;
	char title[160];

	if (has_any(run, PIPA_RUN_CPU)) {
		PIPA_AUTO(pipa_buf_done) struct pipa_buf cpus = { 0 };

		put_cpu_list(&run->cores, &cpus);
		snprintf(title, sizeof(title), "CPU%s%s, mean over the run",
			 run->cores.n ? " " : "", pipa_buf_str(&cpus));
		put_title(p, title);
		put_cells(p, PIPA_RUN_CPU);
	}
	if (has_any(run, PIPA_RUN_MEMORY)) {
		put_title(p, "Memory of the machine");
		put_cells(p, PIPA_RUN_MEMORY);
	}
	if (has_any(run, PIPA_RUN_DISK) && run->dev) {
		snprintf(title, sizeof(title), "Disk %s", run->dev);
		put_title(p, title);
		put_cells(p, PIPA_RUN_DISK);
	}
	if (has_any(run, PIPA_RUN_NETWORK) && run->iface) {
		snprintf(title, sizeof(title), "Network %s", run->iface);
		put_title(p, title);
		put_cells(p, PIPA_RUN_NETWORK);
	}
	if (has_any(run, PIPA_RUN_ENERGY)) {
		put_title(p, "Energy of the packages");
		put_lines(p, PIPA_RUN_ENERGY);
	}
}

static void put_hot(const struct page *p)
{
	const struct pipa_run *run = p->run;
	char title[120], count[32];
	size_t i;

	if (!run->n_hot)
		return;
	snprintf(title, sizeof(title), "Hot functions (%s samples, %" PRIu64 " lost)",
		 pipa_number_text((double)run->samples, 0, false, count, sizeof(count)),
		 run->lost_samples);
	put_title(p, title);
	for (i = 0; i < run->n_hot; i++)
		pipa_buf_printf(p->out, "  %6.2f %%  %-40s %s\n", run->hot[i].percent,
				run->hot[i].symbol, run->hot[i].object);
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
			CELL_VALUE, value_text(change->key, change->before, before, sizeof(before)),
			CELL_VALUE, value_text(change->key, change->after, after, sizeof(after)));
	if (isnan(change->percent))
		pipa_buf_puts(p->out, "          ");
	else
		pipa_buf_printf(p->out, "%+8.2f %%", change->percent);
	pipa_buf_printf(p->out, "  %s%s%s\n", color, pipa_verdict_text(change->verdict),
			*color ? "\033[0m" : "");
}

static void put_changes(const struct page *p)
{
	size_t i;

	if (!p->r->changes)
		return;
	put_title(p, "Against the baseline");
	for (i = 0; i < p->r->changes->n; i++)
		put_change(p, &p->r->changes->items[i]);
	if (!p->r->changes->n)
		pipa_buf_puts(p->out, "  nothing in common\n");
}

void pipa_run_text(const struct pipa_run_report *r, const struct pipa_run_look *look,
		   struct pipa_buf *out)
{
	const struct page page = { .r = r, .run = r->run, .color = look->color, .out = out };
	size_t i;

	put_head(&page);
	put_work(&page);
	put_counts(&page);
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
		pipa_buf_printf(out, "  %s\n", r->run->notes.items[i]);
}
