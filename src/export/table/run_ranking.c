/* Write the comparison of several commands as text, Markdown or CSV. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "export/table/run.h"
#include "export/text/number.h"
#include "export/text/plain.h"

enum {
	COLUMN = 10,
	RUNS = 6,
	RELATIVE = 16,
	WIDTH_DEFAULT = 100,
	COMMAND_MIN = 20,   /* columns of a command; below that, user and system time are omitted */
	COMMAND_MAX = 1000, /* of a command where lines may have any width */
};

/* One unit for all rows of a column. */
struct scale {
	const char *unit;
	double factor;
	int digits;
};

/* Choose the unit by the value of the reference, so that it has four digits or more. */
static struct scale scale_for(enum pipa_run_key key, double value)
{
	const struct pipa_run_key_info *info = &pipa_run_keys[key];

	if (strcmp(info->unit, "s") == 0 && value < 1e-3)
		return (struct scale){ "us", 1e6, 1 };
	if (strcmp(info->unit, "s") == 0 && value < 1)
		return (struct scale){ "ms", 1e3, value < 0.01 ? 3 : value < 0.1 ? 2 : 1 };
	if (strcmp(info->unit, "kB") == 0 && value >= 10240)
		return (struct scale){ "MiB", 1.0 / 1024, 1 };
	return (struct scale){ info->unit, 1, info->digits };
}

static struct scale metric_scale(const struct pipa_run_ranking *r)
{
	return scale_for(r->key, r->items[r->reference].spread.mean);
}

static const char *scaled_text(const struct scale *scale, double value, char text[64])
{
	if (isnan(value))
		return "-";
	return pipa_number_text(value * scale->factor, scale->digits, false, text, 64);
}

static void put_column(struct pipa_buf *out, const struct scale *scale, double value)
{
	char text[64];

	pipa_buf_printf(out, " %*s", COLUMN - 1, scaled_text(scale, value, text));
}

/* Format "1.99 +- 0.01", "1.00" for the reference. */
static const char *ratio_text(const struct pipa_run_candidate *c, const char *plus, char text[64])
{
	if (isnan(c->ratio))
		return "-";
	if (isnan(c->ratio_sd))
		snprintf(text, 64, "%.2f", c->ratio);
	else
		snprintf(text, 64, "%.2f %s %.2f", c->ratio, plus, c->ratio_sd);
	return text;
}

/* ---- text --------------------------------------------------------------------------------------- */

static void put_table(const struct pipa_run_ranking *r, size_t width, struct pipa_buf *out)
{
	const struct scale metric = metric_scale(r);
	struct scale cpu = scale_for(PIPA_RUN_TIME,
				     r->items[r->reference].run->values[PIPA_RUN_TIME]);
	const size_t fixed = 6 * COLUMN + RUNS + 2 + RELATIVE;
	bool narrow = width && width < fixed + COMMAND_MIN;
	size_t columns = !width ? COMMAND_MAX : width - fixed + (narrow ? 2 * COLUMN : 0);
	char text[64];
	size_t i;

	pipa_buf_printf(out, "\n%*s%*s%*s%*s", COLUMN, "mean", COLUMN, "sd", COLUMN, "min", COLUMN,
			"max");
	if (!narrow)
		pipa_buf_printf(out, "%*s%*s", COLUMN, "user", COLUMN, "system");
	pipa_buf_printf(out, "%*s  %-*s%s\n", RUNS, "runs", RELATIVE, "relative", "command");
	pipa_buf_printf(out, "%*s%*s%*s%*s", COLUMN, metric.unit, COLUMN, metric.unit, COLUMN,
			metric.unit, COLUMN, metric.unit);
	if (!narrow)
		pipa_buf_printf(out, "%*s%*s", COLUMN, cpu.unit, COLUMN, cpu.unit);
	while (out->len && out->data[out->len - 1] == ' ')
		out->len--;
	pipa_buf_putc(out, '\n');
	for (i = 0; i < r->n; i++) {
		const struct pipa_run_candidate *c = &r->items[i];

		put_column(out, &metric, c->spread.mean);
		put_column(out, &metric, c->spread.sd);
		put_column(out, &metric, c->spread.min);
		put_column(out, &metric, c->spread.max);
		if (!narrow) {
			put_column(out, &cpu, c->run->values[PIPA_RUN_USER_SECONDS]);
			put_column(out, &cpu, c->run->values[PIPA_RUN_SYS_SECONDS]);
		}
		pipa_buf_printf(out, "%*zu  %-*s ", RUNS, c->run->runs, RELATIVE - 1,
				ratio_text(c, "+-", text));
		pipa_plain_put(out, c->run->command, columns);
		pipa_buf_putc(out, '\n');
	}
}

/* Write the sentence of hyperfine: the best command, and how many times better it is than each. */
static void put_summary(const struct pipa_run_ranking *r, bool color, size_t columns,
			struct pipa_buf *out)
{
	const struct pipa_run_key_info *info = &pipa_run_keys[r->key];
	bool is_time = r->key == PIPA_RUN_TIME, is_rate = r->key == PIPA_RUN_THROUGHPUT;
	const char *than = is_time || is_rate ? "times faster than" :
			   info->better < 0   ? "times less than" :
			   info->better > 0   ? "times more than" :
						"times as much in";
	char text[64];
	size_t i;

	pipa_buf_printf(out, "\n%sSummary%s\n  ", color ? "\033[1m" : "", color ? "\033[0m" : "");
	pipa_plain_put(out, r->items[r->reference].run->command, columns);
	if (is_time || is_rate)
		pipa_buf_puts(out, " ran\n");
	else if (info->better)
		pipa_buf_printf(out, " has the %s %s\n", info->better < 0 ? "lowest" : "highest",
				info->name);
	else
		pipa_buf_printf(out, " is the reference of %s\n", info->name);
	for (i = 0; i < r->n; i++) {
		const struct pipa_run_candidate *c = &r->items[i];

		if (i == r->reference || isnan(c->ratio))
			continue;
		pipa_buf_printf(out, "    %s %s ", ratio_text(c, "+-", text), than);
		pipa_plain_put(out, c->run->command, columns);
		if (c->verdict == PIPA_VERDICT_SAME)
			pipa_buf_puts(out, " (within noise)");
		else if (c->verdict == PIPA_VERDICT_UNKNOWN)
			pipa_buf_puts(out, " (one run: unknown noise)");
		pipa_buf_putc(out, '\n');
	}
}

static void put_notes(const struct pipa_run_ranking *r, bool color, size_t width,
		      struct pipa_buf *out)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf note = { 0 };
	bool titled = false;
	size_t i, k;

	for (i = 0; i < r->n; i++)
		for (k = 0; k < r->items[i].run->notes.n; k++) {
			if (!titled)
				pipa_buf_printf(out, "\n%sNotes%s\n", color ? "\033[1m" : "",
						color ? "\033[0m" : "");
			titled = true;
			pipa_buf_reset(&note);
			pipa_buf_printf(&note, "%s: %s", r->items[i].run->command,
					r->items[i].run->notes.items[k]);
			pipa_plain_wrap(out, pipa_buf_str(&note), 2, width);
		}
}

void pipa_run_ranking_text(const struct pipa_run_ranking *r, const struct pipa_run_format *format,
			   struct pipa_buf *out)
{
	size_t width = format->width ? format->width : WIDTH_DEFAULT;
	size_t columns = !format->width			 ? COMMAND_MAX :
			 width > (size_t)2 * COMMAND_MIN ? width - (size_t)2 * COMMAND_MIN :
							   COMMAND_MIN;

	pipa_buf_printf(out, "\n%spipa run:%s %zu commands compared by %s (%s)\n",
			format->color ? "\033[1m" : "", format->color ? "\033[0m" : "", r->n,
			pipa_run_keys[r->key].name, pipa_run_keys[r->key].title);
	if (r->warmup)
		pipa_buf_printf(out, "%u warm-up run%s of each command\n", r->warmup,
				r->warmup > 1 ? "s" : "");
	if (!isnan(r->shell_seconds))
		pipa_buf_printf(out, "start-up time of sh, subtracted: %.3f ms\n",
				r->shell_seconds * 1e3);
	put_table(r, format->width, out);
	if (r->items[r->reference].ratio > 0) /* not NaN: all values are 0 */
		put_summary(r, format->color, columns, out);
	put_notes(r, format->color, width, out);
}

/* ---- Markdown ----------------------------------------------------------------------------------- */

/* Write a command as code in a cell: | is escaped, and backticks are fenced by more of them. */
static void put_code(struct pipa_buf *out, const char *command)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf plain = { 0 };
	const char *fence = strchr(command, '`') ? "``" : "`";
	const char *at;

	pipa_plain_put(&plain, command, COMMAND_MAX);
	pipa_buf_puts(out, fence);
	for (at = pipa_buf_str(&plain); *at; at++)
		pipa_buf_printf(out, "%s%c", *at == '|' ? "\\" : "", *at);
	pipa_buf_puts(out, fence);
}

void pipa_run_ranking_markdown(const struct pipa_run_ranking *r, struct pipa_buf *out)
{
	const struct scale scale = metric_scale(r);
	const char *mean = r->key == PIPA_RUN_TIME ? "Mean" : pipa_run_keys[r->key].name;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf unit = { 0 };
	char text[64], sd[64];
	size_t i, k;

	if (scale.unit[0])
		pipa_buf_printf(&unit, " [%s]", scale.unit);
	pipa_buf_puts(out, "| Command |");
	for (k = 0; k < r->n_parameters; k++)
		pipa_buf_printf(out, " %s |", r->parameters[k]);
	pipa_buf_printf(out, " %s%s | Min%s | Max%s | Relative |\n|:---|", mean,
			pipa_buf_str(&unit), pipa_buf_str(&unit), pipa_buf_str(&unit));
	for (k = 0; k < r->n_parameters + 4; k++)
		pipa_buf_puts(out, "---:|");
	pipa_buf_putc(out, '\n');
	for (i = 0; i < r->n; i++) {
		const struct pipa_run_candidate *c = &r->items[i];

		pipa_buf_puts(out, "| ");
		put_code(out, c->run->command);
		pipa_buf_puts(out, " |");
		for (k = 0; k < r->n_parameters; k++)
			pipa_buf_printf(out, " %s |", c->values[k]);
		pipa_buf_printf(out, " %s", scaled_text(&scale, c->spread.mean, text));
		if (!isnan(c->spread.sd))
			pipa_buf_printf(out, " \u00b1 %s", scaled_text(&scale, c->spread.sd, sd));
		pipa_buf_printf(out, " | %s", scaled_text(&scale, c->spread.min, text));
		pipa_buf_printf(out, " | %s", scaled_text(&scale, c->spread.max, text));
		pipa_buf_printf(out, " | %s |\n", ratio_text(c, "\u00b1", text));
	}
}

/* ---- CSV ---------------------------------------------------------------------------------------- */

static void put_number(struct pipa_buf *out, double value)
{
	if (!isnan(value))
		pipa_buf_printf(out, "%.9g", value);
}

/* Write hyperfine's columns in its order, in base units, then ours. */
void pipa_run_ranking_csv(const struct pipa_run_ranking *r, struct pipa_buf *out)
{
	size_t i, k;

	pipa_buf_puts(out, "command,mean,stddev,median,user,system,min,max");
	for (k = 0; k < r->n_parameters; k++)
		pipa_buf_printf(out, ",parameter_%s", r->parameters[k]);
	pipa_buf_puts(out, ",runs,failed,metric,unit,ratio,ratio_stddev,verdict\n");
	for (i = 0; i < r->n; i++) {
		const struct pipa_run_candidate *c = &r->items[i];
		const double numbers[] = { c->spread.mean,
					   c->spread.sd,
					   c->spread.median,
					   c->run->values[PIPA_RUN_USER_SECONDS],
					   c->run->values[PIPA_RUN_SYS_SECONDS],
					   c->spread.min,
					   c->spread.max };

		pipa_plain_put_csv(out, c->run->command, "");
		for (k = 0; k < PIPA_COUNT(numbers); k++) {
			pipa_buf_putc(out, ',');
			put_number(out, numbers[k]);
		}
		for (k = 0; k < r->n_parameters; k++) {
			pipa_buf_putc(out, ',');
			pipa_plain_put_csv(out, c->values[k], "");
		}
		pipa_buf_printf(out, ",%zu,%zu,%s,%s,", c->run->runs, c->failed,
				pipa_run_keys[r->key].name, pipa_run_keys[r->key].unit);
		put_number(out, c->ratio);
		pipa_buf_putc(out, ',');
		put_number(out, c->ratio_sd);
		pipa_buf_printf(out, ",%s\n", pipa_run_rank_text(r, i));
	}
}
