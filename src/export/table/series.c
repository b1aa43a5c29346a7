#include "export/table/series.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/time/zone.h"
#include "base/visible.h"
#include "codec/doc.h"
#include "export/text/number.h"
#include "export/text/plain.h"

enum { HEADER_EVERY = 20 }; /* rows of one section between headers, as sar does on a terminal */

struct pipa_series_writer {
	struct pipa_series_sink sink;
	struct pipa_series_format format;
	struct pipa_buf *out;
	const struct pipa_section *section; /* section of the rows that are being written */
	uint64_t tick_ns;		    /* of the last row */
	size_t rows;			    /* since the last header */
	bool several; /* intervals have several sections: each time a header */
	bool average;
	struct pipa_doc doc;
	bool in_doc;

	char common[256]; /* common start of all rows of an interval */
	size_t common_len;
	struct pipa_tick common_tick;
};

/* Append the common start of the rows of an interval; `put` makes it for the first row. */
static void put_common(struct pipa_series_writer *w, const struct pipa_tick *tick,
		       void (*put)(const struct pipa_series_writer *w,
				   const struct pipa_tick *tick))
{
	size_t start = w->out->len;

	if (w->common_len && tick->wall_ns == w->common_tick.wall_ns &&
	    tick->interval_s == w->common_tick.interval_s) {
		pipa_buf_add(w->out, w->common, w->common_len);
		return;
	}
	put(w, tick);
	w->common_len = w->out->status ? 0 : w->out->len - start;
	w->common_tick = *tick;
	if (w->common_len > sizeof(w->common))
		w->common_len = 0;
	else if (w->common_len)
		memcpy(w->common, w->out->data + start, w->common_len);
}

static bool is_word(const struct pipa_column *column)
{
	return column->unit == PIPA_UNIT_WORD;
}

/* Append like " %*s": a negative width aligns to the left. */
static void put_label(struct pipa_buf *out, const char *text, int width)
{
	size_t columns = pipa_plain_width(text), wide = (size_t)abs(width),
	       blanks = columns < wide ? wide - columns : 0;

	pipa_buf_fill(out, ' ', 1 + (width > 0 ? blanks : 0));
	pipa_visible_put(out, text);
	pipa_buf_fill(out, ' ', width < 0 ? blanks : 0);
}

/* ---- sar's tables ------------------------------------------------------------------------------ */

static void put_clock(const struct pipa_series_writer *w, const struct pipa_tick *tick)
{
	int64_t seconds = (int64_t)(tick->wall_ns / PIPA_NS_PER_SEC);
	int width = w->format.fractions ? 12 : 11;
	struct pipa_date date;

	if (w->average) {
		pipa_buf_printf(w->out, "%-*s", width, "Average:");
		return;
	}
	date = pipa_date_at(seconds + pipa_zone_offset(w->format.zone, seconds));
	pipa_buf_printf(w->out, "%02d:%02d:%02d", date.hour, date.minute, date.second);
	if (w->format.fractions)
		pipa_buf_printf(w->out, ".%03u",
				(unsigned int)(tick->wall_ns % PIPA_NS_PER_SEC / PIPA_NS_PER_MS));
	else
		pipa_buf_puts(w->out, "   ");
}

static int label_width(const struct pipa_section *section)
{
	if (strcmp(section->label, "FILESYSTEM") == 0 || strcmp(section->label, "SENSOR") == 0)
		return 24;
	if (strcmp(section->label, "CGROUP") == 0)
		return -40; /* paths are left-aligned */
	return strcmp(section->label, "CPU") == 0 ? 7 : 9;
}

static int column_width(const struct pipa_column *column)
{
	size_t len = strlen(column->name);

	return len > 9 ? (int)len : 9;
}

/* Append a space and the text, right-aligned in its column. */
static void put_cell(struct pipa_buf *out, int width, const char *text)
{
	size_t len = strlen(text);

	pipa_buf_fill(out, ' ', 1 + (len < (size_t)width ? (size_t)width - len : 0));
	pipa_buf_add(out, text, len);
}

static void put_header(struct pipa_series_writer *w, const struct pipa_section *section,
		       const struct pipa_tick *tick)
{
	size_t i;

	pipa_buf_putc(w->out, '\n');
	put_common(w, tick, put_clock);
	if (section->label)
		pipa_buf_printf(w->out, " %*s", label_width(section), section->label);
	for (i = 0; i < section->n_columns; i++) {
		const struct pipa_column *column = &section->columns[i];

		if (is_word(column))
			pipa_buf_printf(w->out, "  %s", column->name);
		else
			put_cell(w->out, column_width(column), column->name);
	}
	pipa_buf_putc(w->out, '\n');
}

/* Write sar's restart line before the first rows after a restart. */
static void put_restart(struct pipa_series_writer *w, const struct pipa_restart *restart)
{
	const struct pipa_tick then = { .wall_ns = restart->wall_ns };

	pipa_buf_putc(w->out, '\n');
	put_clock(w, &then);
	pipa_buf_printf(w->out, "  %s RESTART",
			restart->of == PIPA_RESTART_MACHINE ? "LINUX" : "COLLECTOR");
	if (restart->cpus)
		pipa_buf_printf(w->out, "\t(%u CPU)", restart->cpus);
	pipa_buf_putc(w->out, '\n');
	w->section = NULL;
}

/* Is this the first row after a restart? */
static bool is_after_restart(const struct pipa_series_writer *w, const struct pipa_tick *tick)
{
	return tick->restart && !w->average && tick->wall_ns != w->tick_ns;
}

/* Is a header due: at a change of section, and after HEADER_EVERY rows? */
static bool wants_header(const struct pipa_series_writer *w, const struct pipa_section *section,
			 const struct pipa_tick *tick)
{
	if (section != w->section)
		return true;
	return tick->wall_ns != w->tick_ns && (w->several || w->average || w->rows >= HEADER_EVERY);
}

static int text_row(struct pipa_series_sink *self, const struct pipa_section *section,
		    const struct pipa_tick *tick, const char *instance, const double *values)
{
	struct pipa_series_writer *w = (struct pipa_series_writer *)(void *)self;
	char cell[64];
	size_t i;

	assert(section);
	if (is_after_restart(w, tick))
		put_restart(w, tick->restart);
	if (wants_header(w, section, tick)) {
		w->several |= w->section && section != w->section && tick->wall_ns == w->tick_ns;
		put_header(w, section, tick);
		w->rows = 0;
	}
	w->section = section;
	w->tick_ns = tick->wall_ns;
	w->rows++;
	put_common(w, tick, put_clock);
	if (section->label)
		put_label(w->out, instance, label_width(section));
	for (i = 0; i < section->n_columns; i++) {
		if (is_word(&section->columns[i])) {
			pipa_buf_puts(w->out, "  ");
			pipa_visible_put(w->out, instance = pipa_instance_next(instance));
			continue;
		}
		if (isnan(values[i]))
			snprintf(cell, sizeof(cell), "-");
		else
			pipa_number_text(values[i], section->columns[i].digits, true, cell,
					 sizeof(cell));
		put_cell(w->out, column_width(&section->columns[i]), cell);
	}
	pipa_buf_putc(w->out, '\n');
	return w->out->status;
}

/* ---- sadf -d ----------------------------------------------------------------------------------- */

/* Append text without semicolons, which would begin another column. */
static void put_csv(struct pipa_buf *out, const char *text)
{
	const char *semicolon;

	for (; (semicolon = strchr(text, ';')); text = semicolon + 1) {
		pipa_visible_add(out, text, (size_t)(semicolon - text));
		pipa_buf_puts(out, "\\x3b");
	}
	pipa_visible_put(out, text);
}

static void csv_header(const struct pipa_series_writer *w, const struct pipa_section *section)
{
	size_t i;

	pipa_buf_puts(w->out, "# hostname;interval;timestamp");
	if (section->label)
		pipa_buf_printf(w->out, ";%s", section->label);
	for (i = 0; i < section->n_columns; i++) {
		pipa_buf_putc(w->out, ';');
		pipa_buf_puts(w->out, section->columns[i].name);
	}
	pipa_buf_putc(w->out, '\n');
}

static void csv_times(const struct pipa_series_writer *w, const struct pipa_tick *tick)
{
	struct pipa_date date = pipa_date_at((int64_t)(tick->wall_ns / PIPA_NS_PER_SEC));
	char text[80];

	snprintf(text, sizeof(text), "%04d-%02d-%02d %02d:%02d:%02d", date.year, date.month,
		 date.day, date.hour, date.minute, date.second);
	put_csv(w->out, w->format.host);
	if (w->format.fractions)
		pipa_buf_printf(w->out, ";%.3f;%s.%03u UTC", tick->interval_s, text,
				(unsigned int)(tick->wall_ns % PIPA_NS_PER_SEC / PIPA_NS_PER_MS));
	else
		pipa_buf_printf(w->out, ";%.0f;%s UTC", tick->interval_s, text);
}

static void csv_restart(struct pipa_series_writer *w, const struct pipa_restart *restart)
{
	const struct pipa_tick then = { .wall_ns = restart->wall_ns, .interval_s = -1 };

	csv_times(w, &then);
	pipa_buf_printf(w->out, ";%s-RESTART\t(%u CPU)\n",
			restart->of == PIPA_RESTART_MACHINE ? "LINUX" : "COLLECTOR", restart->cpus);
	w->section = NULL;
}

static int csv_row(struct pipa_series_sink *self, const struct pipa_section *section,
		   const struct pipa_tick *tick, const char *instance, const double *values)
{
	struct pipa_series_writer *w = (struct pipa_series_writer *)(void *)self;
	size_t i;

	assert(section);
	if (w->average)
		return 0; /* a stream does not end, and its reader would treat an average as an interval */
	if (is_after_restart(w, tick))
		csv_restart(w, tick->restart);
	if (section != w->section)
		csv_header(w, section);
	w->section = section;
	w->tick_ns = tick->wall_ns;
	put_common(w, tick, csv_times);
	if (section->label) { /* sysstat's number of "all CPUs" */
		bool all = strcmp(section->label, "CPU") == 0 && strcmp(instance, "all") == 0;

		pipa_buf_putc(w->out, ';');
		put_csv(w->out, all ? "-1" : instance);
	}
	for (i = 0; i < section->n_columns; i++) {
		char cell[64] = "";

		if (is_word(&section->columns[i])) {
			pipa_buf_putc(w->out, ';');
			pipa_visible_put(w->out, instance = pipa_instance_next(instance));
			continue;
		}
		if (!isnan(values[i]))
			pipa_number_text(values[i], section->columns[i].digits, true, cell,
					 sizeof(cell));
		pipa_buf_putc(w->out, ';');
		pipa_buf_puts(w->out, cell);
	}
	pipa_buf_putc(w->out, '\n');
	return w->out->status;
}

/* ---- an object a tick -------------------------------------------------------------------------- */

static void json_open(struct pipa_series_writer *w, const struct pipa_tick *tick)
{
	pipa_doc_begin(&w->doc, PIPA_DOC_JSON_LINE, w->out);
	pipa_doc_str(&w->doc, "schema", "pipa-monitor/1");
	if (w->average)
		pipa_doc_bool(&w->doc, "average", true);
	pipa_doc_double(&w->doc, "time", round((double)tick->wall_ns / 1e3) / 1e6);
	pipa_doc_double(&w->doc, "interval", tick->interval_s);
	if (tick->restart && !w->average)
		pipa_doc_str(&w->doc, "restart",
			     tick->restart->of == PIPA_RESTART_MACHINE ? "machine" : "collector");
	if (tick->late)
		pipa_doc_u64(&w->doc, "missed_intervals", tick->late);
	w->in_doc = true;
	w->section = NULL;
}

static int json_row(struct pipa_series_sink *self, const struct pipa_section *section,
		    const struct pipa_tick *tick, const char *instance, const double *values)
{
	struct pipa_series_writer *w = (struct pipa_series_writer *)(void *)self;
	size_t i;

	assert(section);
	if (!w->in_doc)
		json_open(w, tick);
	if (section != w->section) {
		if (w->section)
			pipa_doc_end(&w->doc);
		pipa_doc_list(&w->doc, section->name);
	}
	w->section = section;
	pipa_doc_map(&w->doc, NULL);
	if (pipa_section_is_of_tasks(section))
		pipa_doc_u64(&w->doc, section->label, strtoull(instance, NULL, 10));
	else if (section->label)
		pipa_doc_str(&w->doc, section->label, instance);
	for (i = 0; i < section->n_columns; i++)
		if (is_word(&section->columns[i]))
			pipa_doc_str(&w->doc, section->columns[i].name,
				     instance = pipa_instance_next(instance));
		else
			pipa_doc_double(&w->doc, section->columns[i].name,
					isnan(values[i]) ? NAN : round(values[i] * 1e4) / 1e4);
	pipa_doc_end(&w->doc);
	return w->out->status;
}

static int json_end(struct pipa_series_sink *self, const struct pipa_tick *tick PIPA_UNUSED)
{
	struct pipa_series_writer *w = (struct pipa_series_writer *)(void *)self;

	if (!w->in_doc)
		return 0;
	if (w->section)
		pipa_doc_end(&w->doc);
	pipa_doc_finish(&w->doc);
	w->in_doc = false;
	return w->out->status;
}

/* ---- the writer -------------------------------------------------------------------------------- */

struct pipa_series_writer *pipa_series_writer_new(const struct pipa_series_format *format,
						  struct pipa_buf *out)
{
	static const struct pipa_series_sink sinks[] = {
		[PIPA_SERIES_TEXT] = { .row = text_row },
		[PIPA_SERIES_CSV] = { .row = csv_row },
		[PIPA_SERIES_JSON] = { .row = json_row, .end = json_end },
	};
	struct pipa_series_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->sink = sinks[format->form];
	w->format = *format;
	w->out = out;
	return w;
}

void pipa_series_writer_free(struct pipa_series_writer *w)
{
	free(w);
}

struct pipa_series_sink *pipa_series_writer_sink(struct pipa_series_writer *w)
{
	return &w->sink;
}

void pipa_series_writer_source(struct pipa_series_writer *w, const char *host, bool fractions)
{
	w->format.host = host;
	w->format.fractions = fractions;
}

void pipa_series_writer_average(struct pipa_series_writer *w)
{
	w->average = true;
	w->section = NULL;
	w->common_len = 0;
}
