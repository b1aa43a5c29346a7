/* Write a comparison as text: the compared files, then one line per row. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/frames.h"
#include "analyze/profile/short_name.h"
#include "base/auto.h"
#include "base/buf.h"
#include "export/table/diff_own.h"
#include "export/text/plain.h"

#define RED "\033[91m"
#define BLUE "\033[94m"
#define RESET "\033[0m"

/* terminals with fewer columns get fewer columns of the table */
enum { NARROW = 110, WIDE = 135 };

enum { PERCENT = 10, COST = 12, SAMPLES = 17, VERDICT = 7 };

struct page {
	const struct pipa_diff_report *r;
	const struct pipa_diff *d;
	struct pipa_buf *out;
	const char *unit;
	bool samples;	/* show the columns of sample counts */
	bool costs;	/* show the old and new weight, not only the change */
	size_t keys_at; /* width of the columns before the keys */
	size_t object_width;
};

/* Format a weight in a few digits: "1.234 s", "+12.3 M". */
static const char *cost_text(const struct page *p, double value, bool sign, char text[static 32])
{
	static const char *const times[] = { "ns", "us", "ms", "s" };
	static const char *const amounts[] = { "", "k", "M", "G", "T" };
	bool is_time = strcmp(p->unit, "ns") == 0;
	size_t scale = 0, last = is_time ? PIPA_COUNT(times) - 1 : PIPA_COUNT(amounts) - 1;
	int digits;

	for (; fabs(value) >= 999.5 && scale < last; scale++)
		value /= 1000;
	digits = !scale ? 0 : fabs(value) < 9.995 ? 3 : fabs(value) < 99.95 ? 2 : 1;
	snprintf(text, 32, sign ? "%+.*f%s%s" : "%.*f%s%s", digits, value,
		 is_time || scale ? " " : "", is_time ? times[scale] : amounts[scale]);
	return text;
}

static const char *color_of(const struct page *p, enum pipa_diff_verdict verdict)
{
	if (!p->r->color || !pipa_diff_is_move(verdict))
		return "";
	return pipa_diff_is_growth(verdict) ? RED : BLUE;
}

/* ---- what is compared -------------------------------------------------------------------------------- */

static void put_run(const struct page *p, size_t run, const char *what)
{
	const struct pipa_diff_file *file = &p->r->files[run];
	char cost[32];

	pipa_buf_printf(p->out, "# %-7s ", what);
	pipa_plain_put(p->out, file->path, SIZE_MAX);
	if (p->d->runs[run].counted)
		pipa_buf_printf(p->out, ": %llu %s", (unsigned long long)p->d->runs[run].count,
				p->d->runs[run].count == 1 ? "sample" : "samples");
	else
		pipa_buf_puts(p->out, ": number of samples unknown");
	pipa_buf_printf(p->out, ", weight %s",
			cost_text(p, (double)p->d->runs[run].weight, false, cost));
	if (file->lost)
		pipa_buf_printf(p->out, ", lost: %llu", (unsigned long long)file->lost);
	pipa_buf_puts(p->out, file->complete ? "\n" : ", corrupt\n");
}

static void put_column(const struct page *p, size_t column)
{
	const struct pipa_diff_change *all = &p->d->all[column];
	size_t n, i, from = pipa_diff_column_runs(p->d, column, &n);
	char what[16] = "Now:", cost[32];

	if (p->d->n_columns > 1)
		snprintf(what, sizeof(what), "Now %zu:", column + 1);
	for (i = from; i < from + n; i++)
		put_run(p, i, what);
	pipa_buf_printf(p->out, "#         total %s, %+.2f%%",
			cost_text(p, all->weight, true, cost),
			100 * all->weight / p->d->base_all.weight);
	if (p->d->o.n_base > 1)
		pipa_buf_printf(p->out, ": %s", pipa_diff_verdict_name(all->verdict));
	pipa_buf_putc(p->out, '\n');
}

static void put_significant(const struct page *p, size_t column)
{
	const struct pipa_diff *d = p->d;
	size_t i, unknown = 0, differ = 0;

	for (i = 0; i < d->rows.n; i++) {
		const struct pipa_diff_change *c = pipa_diff_change_at(d, (uint32_t)i, column);

		unknown += c->verdict == PIPA_DIFF_UNKNOWN;
		differ += fabs(c->points) > 0 || fabs(c->weight) > 0;
	}
	pipa_buf_puts(p->out, "# ");
	if (d->n_columns > 1)
		pipa_buf_printf(p->out, "Now %zu: ", column + 1);
	if (!differ) {
		pipa_buf_puts(p->out, "No differences\n");
		return;
	}
	pipa_buf_printf(p->out, "Significant changes: %zu of %zu rows", d->moved[column],
			d->rows.n);
	if (unknown)
		pipa_buf_printf(p->out, "; too few samples: %zu", unknown);
	pipa_buf_putc(p->out, '\n');
}

static void put_head(const struct page *p)
{
	size_t i;

	pipa_buf_puts(p->out, "# Event ");
	pipa_plain_put(p->out, p->r->event[0] ? p->r->event : "unknown", SIZE_MAX);
	pipa_buf_printf(p->out, ", by %s%s%s%s\n", pipa_diff_by_name(p->d->o.by),
			p->d->o.children ? ", children" : "", p->d->o.absolute ? ", absolute" : "",
			p->d->o.match_symbol ? ", objects not compared" : "");
	pipa_buf_printf(p->out, "# Verdicts on %s\n", p->r->basis);
	for (i = 0; i < p->d->renames.n; i++) {
		pipa_buf_puts(p->out, "# ");
		pipa_plain_put(p->out, pipa_diff_text(p->d, p->d->renames.items[i].now), SIZE_MAX);
		pipa_buf_puts(p->out, " is compared with ");
		pipa_plain_put(p->out, pipa_diff_text(p->d, p->d->renames.items[i].base), SIZE_MAX);
		pipa_buf_printf(p->out, ": functions of the same name: %zu\n",
				p->d->renames.items[i].common);
	}
	for (i = 0; i < p->d->o.n_base; i++)
		put_run(p, i, "Base:");
	for (i = 0; i < p->d->n_columns; i++)
		put_column(p, i);
	for (i = 0; i < p->d->n_columns; i++)
		put_significant(p, i);
}

/* ---- rows -------------------------------------------------------------------------------------------- */

/* Write the stack innermost first, so that truncation omits outer frames. */
static void put_path(const struct page *p, uint32_t row, struct pipa_buf *text)
{
	const struct pipa_diff *d = p->d;
	uint32_t i = d->rows.items[row].path;

	for (; i != PIPA_NONE; i = d->nodes.items[i].parent) {
		const struct pipa_diff_frame *frame = &d->frames.items[d->nodes.items[i].frame];

		pipa_buf_puts(text, pipa_diff_text(d, frame->symbol));
		if (d->nodes.items[i].parent != PIPA_NONE)
			pipa_buf_puts(text, " < ");
	}
}

/* Write the key after the object, if any. */
static void put_last_key(const struct page *p, uint32_t row, struct pipa_buf *text)
{
	const struct pipa_diff_frame *frame = pipa_diff_frame_of(p->d, row);

	switch (p->d->o.by) {
	case PIPA_DIFF_BY_SYMBOL:
		pipa_buf_printf(text, "[%c] %s%s", pipa_mode_letter(frame->mode),
				p->r->full_names ?
					pipa_diff_text(p->d, frame->symbol) :
					pipa_short_name_in(pipa_diff_text(p->d, frame->symbol),
							   pipa_diff_text(p->d, frame->object)),
				frame->inlined ? " (inlined)" : "");
		break;
	case PIPA_DIFF_BY_LINE: pipa_buf_puts(text, pipa_diff_text(p->d, frame->place)); break;
	case PIPA_DIFF_BY_PATH: put_path(p, row, text); break;
	case PIPA_DIFF_BY_LIBRARY:
	case PIPA_DIFF_BY_NR: break;
	}
}

enum { SYMBOL_COLUMNS = 80 }; /* of symbols where there is no terminal */

static void put_keys(const struct page *p, uint32_t row)
{
	const char *object = pipa_diff_text(p->d, pipa_diff_frame_of(p->d, row)->object);
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = p->out->max };
	size_t used, start, room;

	pipa_buf_puts(p->out, "  ");
	used = pipa_plain_put(p->out, object, p->object_width);
	put_last_key(p, row, &text);
	if (text.status)
		p->out->status = text.status;
	if (text.len) {
		pipa_buf_fill(p->out, ' ', p->object_width - used + 2);
		start = p->keys_at + 2 + p->object_width + 2;
		room = p->r->full_names ? SIZE_MAX :
		       !p->r->columns	? p->d->o.by == PIPA_DIFF_BY_SYMBOL ? SYMBOL_COLUMNS :
									      SIZE_MAX :
		       p->r->columns > start + 20 ? p->r->columns - start :
						    20;
		if (p->d->o.by == PIPA_DIFF_BY_SYMBOL)
			pipa_plain_put_symbol(p->out, pipa_buf_str(&text), room);
		else
			pipa_plain_put(p->out, pipa_buf_str(&text), room);
	}
	pipa_buf_putc(p->out, '\n');
}

static void put_verdict(const struct page *p, enum pipa_diff_verdict verdict)
{
	const char *color = color_of(p, verdict);

	pipa_buf_printf(p->out, "  %s%-*s%s", color, VERDICT, pipa_diff_verdict_name(verdict),
			*color ? RESET : "");
}

static void put_points(const struct page *p, const struct pipa_diff_change *change)
{
	const char *color = color_of(p, change->verdict);

	pipa_buf_printf(p->out, "  %s%+8.2f%s", color, change->points, *color ? RESET : "");
}

static void put_cost(const struct page *p, double value, bool sign)
{
	char text[32];

	pipa_buf_printf(p->out, "  %*s", COST - 2, cost_text(p, value, sign, text));
}

static void put_row(const struct page *p, uint32_t row)
{
	const struct pipa_diff *d = p->d;
	const struct pipa_diff_value *base = &d->base[row];
	size_t c;
	char samples[48];

	pipa_buf_printf(p->out, "  %7.2f%%", base->percent);
	for (c = 0; c < d->n_columns; c++) {
		const struct pipa_diff_change *change = pipa_diff_change_at(d, row, c);

		pipa_buf_printf(p->out, "  %7.2f%%", change->now.percent);
		put_points(p, change);
		if (p->costs) {
			put_cost(p, base->weight, false);
			put_cost(p, change->now.weight, false);
		}
		put_cost(p, change->weight, true);
		if (p->samples) {
			if (isnan(base->count) || isnan(change->now.count))
				snprintf(samples, sizeof(samples), "unknown");
			else
				snprintf(samples, sizeof(samples), "%.0f > %.0f", base->count,
					 change->now.count);
			pipa_buf_printf(p->out, "  %*s", SAMPLES - 2, samples);
		}
		put_verdict(p, change->verdict);
	}
	put_keys(p, row);
}

static void put_titles(const struct page *p)
{
	static const char *const lasts[PIPA_DIFF_BY_NR] = {
		[PIPA_DIFF_BY_SYMBOL] = "Symbol",
		[PIPA_DIFF_BY_LIBRARY] = "",
		[PIPA_DIFF_BY_LINE] = "Source:Line",
		[PIPA_DIFF_BY_PATH] = "Path",
	};
	bool one = p->d->n_columns == 1;
	const char *last = lasts[p->d->o.by];
	char now[24] = "Now";
	size_t c;

	pipa_buf_puts(p->out, "#\n#     Base");
	for (c = 0; c < p->d->n_columns; c++) {
		if (!one)
			snprintf(now, sizeof(now), "Now %zu", c + 1);
		pipa_buf_printf(p->out, "  %8s    Points", now);
		if (p->costs)
			pipa_buf_printf(p->out, "  %*s  %*s", COST - 2, "Base cost", COST - 2,
					"Now cost");
		pipa_buf_printf(p->out, "  %*s", COST - 2, "Change");
		if (p->samples)
			pipa_buf_printf(p->out, "  %*s", SAMPLES - 2, "Samples");
		pipa_buf_printf(p->out, "  %-*s", VERDICT, "Verdict");
	}
	pipa_buf_puts(p->out, "  Shared Object");
	if (last[0])
		pipa_buf_printf(p->out, "%*s  %s", (int)(p->object_width - strlen("Shared Object")),
				"", last);
	pipa_buf_puts(p->out, "\n#\n");
}

static size_t object_width(const struct pipa_diff_report *r)
{
	size_t at = 0, n = 0, most = strlen("Shared Object"), width;
	uint32_t row;

	while ((!r->limit || n++ < r->limit) && (row = pipa_diff_next_row(r, &at)) != PIPA_NONE) {
		width = pipa_plain_width(
			pipa_diff_text(r->diff, pipa_diff_frame_of(r->diff, row)->object));
		most = width > most ? width : most;
	}
	return most < 60 ? most : 60;
}

void pipa_diff_write_text(const struct pipa_diff_report *r, struct pipa_buf *out)
{
	bool one = r->diff->n_columns == 1;
	struct page p = { .r = r,
			  .d = r->diff,
			  .out = out,
			  .unit = r->unit,
			  .samples = one && !(r->columns && r->columns < NARROW),
			  .costs = one && !(r->columns && r->columns < WIDE),
			  .keys_at = PERCENT +
				     r->diff->n_columns * (2 * PERCENT + COST + 2 + VERDICT),
			  .object_width = object_width(r) };
	size_t at = 0, n = 0, left = 0;
	uint32_t row;

	p.keys_at += (p.costs ? 2 * COST : 0) + (p.samples ? SAMPLES : 0);
	put_head(&p);
	put_titles(&p);
	while ((row = pipa_diff_next_row(r, &at)) != PIPA_NONE)
		if (!r->limit || n < r->limit) {
			put_row(&p, row);
			n++;
		} else {
			left++;
		}
	if (left)
		pipa_buf_printf(out, "# %zu more rows\n", left);
}
