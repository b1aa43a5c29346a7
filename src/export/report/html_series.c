/*
 * Series of a page (web/README.md): a block of text per group, with a segment for its axis and for each
 * row, so that a page decodes only the rows that it draws. Pages with too many values have extents per
 * minute instead, and the evidence of findings in full resolution beside them.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/thread/parallel.h"
#include "base/vec.h"
#include "codec/base64.h"
#include "codec/varint.h"
#include "export/report/html_report_own.h"
#include "model/series.h"

enum {
	REDUCED_S = 60,
	MAX_COLUMNS = 64, /* bits of a set of columns */
	MEAN_DIGITS = 2,  /* a mean of counts has a fraction */
	MAX_VARINT = 10,  /* bytes */
};

/* Forms of a column. */
enum { FORM_MISSING, FORM_CONSTANT, FORM_QUANTIZED, FORM_DOUBLES, FORM_QUANTIZED_DIGITS };

/* Larger quantized values are not integers of a JavaScript number. */
#define MAX_QUANTIZED 4503599627370496.0 /* 2^52 */

static bool has_values(const struct pipa_column *column)
{
	return column->kind != PIPA_METRIC_TEXT && column->unit != PIPA_UNIT_WORD;
}

/* ---- plan ---------------------------------------------------------------------------------------- */

/* Return the columns of a section that the page can have. */
static uint64_t all_columns(const struct pipa_section *section)
{
	return section->n_columns < MAX_COLUMNS ? (UINT64_C(1) << section->n_columns) - 1 :
						  UINT64_MAX;
}

static size_t number_columns(const struct pipa_section *section)
{
	size_t i, n = 0;

	for (i = 0; i < section->n_columns && i < MAX_COLUMNS; i++)
		n += has_values(&section->columns[i]);
	return n;
}

/* Return the end of the minute of a time. */
static uint64_t minute_of(uint64_t wall_ns)
{
	const uint64_t length = UINT64_C(1000000000) * REDUCED_S;

	return (wall_ns + length - 1) / length;
}

/* Count the minutes with intervals. A clock that was set back does not start another one. */
static size_t count_minutes(const struct pipa_series_axis *axis, size_t n_ticks)
{
	size_t i, n = 0;

	for (i = 0; i < n_ticks; i++)
		n += !i || minute_of(axis->wall_ns[i]) != minute_of(axis->wall_ns[i - 1]);
	return n;
}

static struct pipa_html_group *add_group(struct pipa_html_writer *w, size_t group, uint64_t columns)
{
	struct pipa_html_group *added = PIPA_VEC_ADD(&w->series);

	if (added)
		*added = (struct pipa_html_group){ .group = group, .columns = columns };
	else
		w->pieces.status = -ENOMEM;
	return added;
}

static void add_row(struct pipa_html_writer *w, struct pipa_html_group *group, size_t row)
{
	struct pipa_html_row *added = PIPA_VEC_ADD(&group->rows);

	if (added)
		*added = (struct pipa_html_row){ .row = row };
	else
		w->pieces.status = -ENOMEM;
}

void pipa_html_series_plan(struct pipa_html_writer *w)
{
	const struct pipa_series_set *set = w->page->series;
	uint64_t max = w->page->max_values ? w->page->max_values : PIPA_HTML_VALUES_MAX, sum = 0;
	size_t i, k;

	for (i = 0; set && i < set->groups.n; i++) {
		const struct pipa_series_group *group = &set->groups.items[i];

		for (k = 0; k < group->n; k++)
			sum += group->items[k].n * number_columns(group->section);
	}
	for (i = 0; set && i < set->groups.n; i++) {
		const struct pipa_series_group *group = &set->groups.items[i];
		struct pipa_html_group *added;
		size_t minutes;

		if (!group->n || !group->n_ticks)
			continue;
		added = add_group(w, i, all_columns(group->section));
		if (!added)
			return;
		minutes = sum > max ?
				  count_minutes(pipa_series_axis_of(set, group), group->n_ticks) :
				  0;
		/* three values per minute must be fewer than the values of its intervals */
		added->reduced_s = sum > max && group->n_ticks > 3 * minutes ? REDUCED_S : 0;
		added->n = added->reduced_s ? minutes : group->n_ticks;
		w->series.is_reduced |= added->reduced_s != 0;
		for (k = 0; k < group->n; k++)
			add_row(w, added, k);
	}
}

void pipa_html_series_done(struct pipa_html_series *series)
{
	size_t i;

	for (i = 0; i < series->n; i++)
		free(series->items[i].rows.items);
	free(series->items);
	*series = (struct pipa_html_series){ 0 };
}

void pipa_html_series_keep(struct pipa_html_writer *w, struct pipa_series_ref ref)
{
	struct pipa_html_series *series = &w->series;
	struct pipa_html_group *group = NULL;
	bool is_reduced = false;
	size_t i;

	for (i = 0; i < series->n; i++) {
		if (series->items[i].group != ref.group)
			continue;
		is_reduced |= series->items[i].reduced_s != 0;
		if (series->items[i].is_evidence)
			group = &series->items[i];
	}
	if (!is_reduced || ref.column >= MAX_COLUMNS)
		return;
	if (!group) {
		group = add_group(w, ref.group, 0);
		if (!group)
			return;
		group->is_evidence = true;
		group->n = w->page->series->groups.items[ref.group].n_ticks;
	}
	group->columns |= UINT64_C(1) << ref.column;
	for (i = 0; i < group->rows.n; i++)
		if (group->rows.items[i].row == ref.row)
			return;
	add_row(w, group, ref.row);
}

bool pipa_html_series_find(const struct pipa_html_writer *w, struct pipa_series_ref ref,
			   size_t ret[static 3])
{
	bool found = false;
	size_t i, k;

	for (i = 0; i < w->series.n; i++) {
		const struct pipa_html_group *group = &w->series.items[i];
		uint64_t bit = ref.column < MAX_COLUMNS ? UINT64_C(1) << ref.column : 0;

		if (group->group != ref.group || !(group->columns & bit))
			continue;
		for (k = 0; k < group->rows.n; k++) {
			if (group->rows.items[k].row != ref.row)
				continue;
			ret[0] = i; /* evidence comes after the reduced groups */
			ret[1] = k;
			ret[2] = (size_t)__builtin_popcountll(group->columns & (bit - 1));
			found = true;
		}
	}
	return found;
}

/* ---- columns ------------------------------------------------------------------------------------- */

static inline char *put_varint(char *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*to++ = (char)(value | 0x80);
	*to++ = (char)value;
	return to;
}

static void put_double(struct pipa_buf *out, double value)
{
	unsigned char bytes[8];
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	pipa_le_put(bytes, bits, sizeof(bytes));
	pipa_buf_add(out, bytes, sizeof(bytes));
}

/* Append values as differences of their decimals: 0 for a missing one. */
static void put_quantized(const double *values, size_t n, double scale, struct pipa_buf *out)
{
	char *start = pipa_buf_room(out, n * MAX_VARINT), *to = start;
	int64_t last = 0;
	size_t i;

	for (i = 0; start && i < n; i++) {
		double scaled = values[i] * scale;
		int64_t quantized;

		if (isnan(scaled)) {
			*to++ = 0;
			continue;
		}
		quantized = (int64_t)(scaled + (scaled < 0 ? -0.5 : 0.5));
		to = put_varint(to, 1 + pipa_zigzag(quantized - last));
		last = quantized;
	}
	if (start)
		pipa_buf_wrote(out, (size_t)(to - start));
}

/* Append a column in the shortest form; `is_mean`: its values have more digits than the column. */
static void put_column(const double *values, size_t n, int digits, bool is_mean,
		       struct pipa_buf *out)
{
	bool is_constant = n > 0 && !isnan(values[0]), is_missing = true, is_small = true;
	double scale;
	size_t i;

	if (is_mean && digits < MEAN_DIGITS)
		digits = MEAN_DIGITS;
	else
		is_mean = false;
	scale = pow(10, digits);
	for (i = 0; i < n; i++) {
		is_missing &= isnan(values[i]) != 0;
		is_constant &= values[i] == values[0];
		is_small &= !(fabs(values[i]) * scale >= MAX_QUANTIZED); /* also of a NaN */
	}
	if (is_missing) {
		pipa_buf_putc(out, FORM_MISSING);
	} else if (is_constant) {
		pipa_buf_putc(out, FORM_CONSTANT);
		put_double(out, values[0]);
	} else if (is_small) {
		pipa_buf_putc(out, is_mean ? FORM_QUANTIZED_DIGITS : FORM_QUANTIZED);
		if (is_mean)
			pipa_buf_putc(out, (char)digits);
		put_quantized(values, n, scale, out);
	} else {
		pipa_buf_putc(out, FORM_DOUBLES);
		for (i = 0; i < n; i++)
			put_double(out, values[i]);
	}
}

/* ---- segments ------------------------------------------------------------------------------------ */

/* Memory for a row. Each thread has its own. */
struct block_writer {
	struct pipa_html_writer *w;
	double *values, *min, *mean, *max; /* [intervals of the longest axis] */
	struct pipa_buf raw, packed;
};

/* Append bytes as blocks of deflate that are not compressed (RFC 1951, 3.2.4). */
static void store_deflate(const char *bytes, size_t len, struct pipa_buf *out)
{
	enum { MAX = 65535 };
	unsigned char head[5];

	do {
		size_t n = len < MAX ? len : MAX;

		head[0] = n == len; /* the last one */
		pipa_le_put(head + 1, n, 2);
		pipa_le_put(head + 3, ~n & MAX, 2);
		pipa_buf_add(out, head, sizeof(head));
		pipa_buf_add(out, bytes, n);
		bytes += n;
		len -= n;
	} while (len);
}

/* Compress the raw bytes and empty them. A failure stays in `packed`. */
static void pack_segment(struct block_writer *b)
{
	const struct pipa_html_writer *w = b->w;
	int rc = b->raw.status;

	if (!rc && w->page->pack)
		rc = w->page->pack(pipa_buf_str(&b->raw), b->raw.len, &b->packed);
	else if (!rc)
		store_deflate(pipa_buf_str(&b->raw), b->raw.len, &b->packed);
	if (rc && !b->packed.status)
		b->packed.status = rc;
	pipa_buf_reset(&b->raw);
}

/* Write the compressed bytes as a segment of the block, whose text has *at bytes so far, and empty them. */
static struct pipa_html_segment write_segment(struct block_writer *b, uint64_t *at)
{
	struct pipa_html_writer *w = b->w;
	struct pipa_html_segment segment = { .offset = *at };
	size_t before = w->pieces.buf.len;

	if (!w->pieces.status)
		w->pieces.status = b->packed.status;
	pipa_base64_put(&w->pieces.buf, b->packed.data, b->packed.len);
	segment.len = w->pieces.buf.len - before;
	*at += segment.len;
	pipa_buf_reset(&b->packed);
	pipa_pieces_flush(&w->pieces);
	return segment;
}

/* Write the axis: number of intervals, their ends, runs of equal lengths. */
static void put_axis(struct block_writer *b, struct pipa_html_group *group, uint64_t *at)
{
	const struct pipa_series_set *set = b->w->page->series;
	const struct pipa_series_axis *axis = pipa_series_axis_of(set,
								  &set->groups.items[group->group]);
	const size_t n_ticks = set->groups.items[group->group].n_ticks;
	uint64_t last = 0, length = 0, count = 0;
	size_t i;

	pipa_varint_put(&b->raw, group->n);
	for (i = 0; i < n_ticks; i++) {
		uint64_t end = pipa_html_ms(axis->wall_ns[i]);

		if (group->reduced_s) {
			uint64_t minute = minute_of(axis->wall_ns[i]);

			if (i && minute == minute_of(axis->wall_ns[i - 1]))
				continue;
			end = minute * REDUCED_S * 1000;
		}
		pipa_varint_put(&b->raw, pipa_zigzag((int64_t)(end - last)));
		last = end;
	}
	for (i = 0; i < n_ticks && !group->reduced_s; i++) {
		uint64_t ms = (uint64_t)((double)axis->interval_s[i] * 1000 + 0.5);

		if (count && ms != length) {
			pipa_varint_put(&b->raw, length);
			pipa_varint_put(&b->raw, count);
			count = 0;
		}
		length = ms;
		count++;
	}
	pipa_varint_put(&b->raw, group->reduced_s ? UINT64_C(1000) * REDUCED_S : length);
	pipa_varint_put(&b->raw, group->reduced_s ? group->n : count);
	pack_segment(b);
	group->axis = write_segment(b, at);
}

/*
 * Return the intervals of a group that start a minute, and n_ticks after the last one; NULL on allocation failure. The
 * caller frees them.
 */
static size_t *find_minutes(const struct pipa_series_axis *axis, size_t n_ticks, size_t minutes)
{
	size_t *starts = calloc(minutes + 1, sizeof(*starts)), i, at = 0;
	uint64_t last = 0;

	for (i = 0; starts && i < n_ticks; i++) {
		const uint64_t minute = minute_of(axis->wall_ns[i]);

		if (!i || minute != last)
			starts[at++] = i;
		last = minute;
	}
	if (starts)
		starts[at] = n_ticks;
	return starts;
}

/* Return the minute of an interval: the last one that does not start after it. */
static size_t find_minute(const size_t *starts, size_t minutes, size_t interval)
{
	size_t low = 0, high = minutes;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (starts[middle] <= interval)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Compute the extent and the mean of the values of a minute. */
static void reduce_minute(const double *values, size_t n, double *ret_min, double *ret_mean,
			  double *ret_max)
{
	double sum = 0, min = INFINITY, max = -INFINITY;
	size_t i, present = 0;

	for (i = 0; i < n; i++) {
		const double value = values[i];

		if (isnan(value))
			continue;
		min = value < min ? value : min;
		max = value > max ? value : max;
		sum += value;
		present++;
	}
	*ret_min = present ? min : NAN;
	*ret_mean = present ? sum / (double)present : NAN;
	*ret_max = present ? max : NAN;
}

/* Reduce n values from interval `from`, which is in a minute, to extents of minutes. Returns their number. */
static size_t reduce_minutes(const size_t *starts, size_t minute, size_t from, size_t n,
			     struct block_writer *b)
{
	const size_t until = from + n;
	size_t i, end, at = 0;

	for (i = from; i < until; i = end, at++) {
		end = starts[minute + at + 1] < until ? starts[minute + at + 1] : until;
		reduce_minute(b->values + (i - from), end - i, &b->min[at], &b->mean[at],
			      &b->max[at]);
	}
	return at;
}

/* Encode the columns of a row and compress them. */
static void pack_row(struct block_writer *b, const struct pipa_html_group *group,
		     const size_t *starts, struct pipa_html_row *row)
{
	const struct pipa_series_set *set = b->w->page->series;
	const struct pipa_series_group *g = &set->groups.items[group->group];
	size_t from = g->items[row->row].first, n = g->items[row->row].n, i, minutes;

	if (from > g->n_ticks)
		from = g->n_ticks;
	if (n > g->n_ticks - from)
		n = g->n_ticks - from;
	row->first = !group->reduced_s ? from : n ? find_minute(starts, group->n, from) : 0;
	row->n = group->reduced_s ? 0 : n;
	for (i = 0; i < g->section->n_columns && i < MAX_COLUMNS; i++) {
		const struct pipa_column *column = &g->section->columns[i];
		struct pipa_series_ref ref = { group->group, row->row, i };

		if (!(group->columns >> i & 1) || !has_values(column))
			continue;
		pipa_series_read(set, ref, from, n, b->values);
		if (!group->reduced_s) {
			put_column(b->values, n, column->digits, false, &b->raw);
			continue;
		}
		minutes = reduce_minutes(starts, row->first, from, n, b);
		put_column(b->min, minutes, column->digits, false, &b->raw);
		put_column(b->mean, minutes, column->digits, true, &b->raw);
		put_column(b->max, minutes, column->digits, false, &b->raw);
		row->n = minutes;
	}
	pack_segment(b);
}

/* Rows that several threads encode at the same time. */
struct row_batch {
	struct block_writer writers[PIPA_PARALLEL_MAX];
	const struct pipa_html_group *group;
	size_t *starts;		    /* of minutes, if the group is reduced */
	struct pipa_html_row *rows; /* the first of the batch */
};

static void pack_batch(void *ctx, unsigned int part)
{
	struct row_batch *batch = ctx;

	pack_row(&batch->writers[part], batch->group, batch->starts, &batch->rows[part]);
}

/* Write the rows of a group in their order; long ones are encoded on several threads. */
static void put_rows(struct row_batch *batch, struct pipa_html_group *group, unsigned int width,
		     uint64_t *at)
{
	struct pipa_html_writer *w = batch->writers[0].w;
	const struct pipa_series_set *set = w->page->series;
	const struct pipa_series_group *g = &set->groups.items[group->group];
	size_t k, i;

	batch->group = group;
	batch->starts = NULL;
	if (group->reduced_s) {
		batch->starts = find_minutes(pipa_series_axis_of(set, g), g->n_ticks, group->n);
		if (!batch->starts && !w->pieces.status)
			w->pieces.status = -ENOMEM;
	}
	for (k = 0; k < group->rows.n && !w->pieces.status; k += i) {
		size_t left = group->rows.n - k;
		unsigned int n = left < width ? (unsigned int)left : width;

		batch->rows = &group->rows.items[k];
		pipa_parallel(n, pack_batch, batch);
		for (i = 0; i < n; i++)
			batch->rows[i].at = write_segment(&batch->writers[i], at);
	}
	free(batch->starts);
}

void pipa_html_put_blocks(struct pipa_html_writer *w)
{
	enum { MAX_RAW = 1 << 30, MIN_PER_THREAD = 100000 /* values of a row */ };
	const struct pipa_series_set *set = w->page->series;
	const unsigned int width = pipa_parallel_width();
	PIPA_AUTO(free) double *memory = NULL;
	struct row_batch batch = { .writers[0].w = w };
	size_t i, most = 1;

	for (i = 0; i < w->series.n; i++)
		if (set->groups.items[w->series.items[i].group].n_ticks > most)
			most = set->groups.items[w->series.items[i].group].n_ticks;
	memory = reallocarray(NULL, most, sizeof(*memory) * 4 * width);
	if (!memory && !w->pieces.status)
		w->pieces.status = -ENOMEM;
	for (i = 0; memory && i < width; i++) {
		double *own = memory + 4 * most * i;

		batch.writers[i] = (struct block_writer){ .w = w,
							  .values = own,
							  .min = own + most,
							  .mean = own + 2 * most,
							  .max = own + 3 * most,
							  .raw.max = MAX_RAW,
							  .packed.max = MAX_RAW };
	}
	for (i = 0; i < w->series.n && !w->pieces.status; i++) {
		struct pipa_html_group *group = &w->series.items[i];
		const struct pipa_series_group *g = &set->groups.items[group->group];
		uint64_t at = 0;

		pipa_buf_printf(&w->pieces.buf, "<script type=\"text/plain\" id=\"block-%zu\">", i);
		put_axis(&batch.writers[0], group, &at);
		put_rows(&batch, group,
			 g->n_ticks * g->section->n_columns < MIN_PER_THREAD ? 1 : width, &at);
		pipa_buf_puts(&w->pieces.buf, "</script>\n");
	}
	for (i = 0; i < width; i++) {
		pipa_buf_done(&batch.writers[i].raw);
		pipa_buf_done(&batch.writers[i].packed);
	}
}

/* ---- description --------------------------------------------------------------------------------- */

static const char *kind_text(enum pipa_metric_kind kind)
{
	switch (kind) {
	case PIPA_METRIC_GAUGE: return "gauge";
	case PIPA_METRIC_RATE: return "rate";
	case PIPA_METRIC_DELTA: return "delta";
	case PIPA_METRIC_SHARE: return "share";
	case PIPA_METRIC_MEAN: return "mean";
	case PIPA_METRIC_ATTRIBUTE: return "attribute";
	case PIPA_METRIC_TEXT: break;
	}
	return "text";
}

static void put_segment(struct pipa_doc *doc, const char *key,
			const struct pipa_html_segment *segment)
{
	pipa_doc_list(doc, key);
	pipa_doc_u64(doc, NULL, segment->offset);
	pipa_doc_u64(doc, NULL, segment->len);
	pipa_doc_end(doc);
}

static void put_description(struct pipa_doc *doc, const struct pipa_column *column)
{
	pipa_doc_map(doc, NULL);
	pipa_doc_str(doc, "id", column->id);
	pipa_doc_str(doc, "name", column->name);
	pipa_doc_str(doc, "unit", has_values(column) ? pipa_unit_text(column->unit) : "");
	pipa_doc_int(doc, "digits", column->digits);
	pipa_doc_str(doc, "kind", has_values(column) ? kind_text(column->kind) : "text");
	pipa_doc_str(doc, "description", column->description);
	pipa_doc_end(doc);
}

static void put_instance(struct pipa_doc *doc, const struct pipa_section *section,
			 const char *instance, const struct pipa_html_row *row)
{
	const char *word = instance;
	size_t i, words = 0;

	pipa_doc_map(doc, NULL);
	pipa_doc_str(doc, "name", instance);
	for (i = 0; i < section->n_columns; i++) {
		if (section->columns[i].unit != PIPA_UNIT_WORD)
			continue;
		if (!words++)
			pipa_doc_list(doc, "words");
		word = pipa_instance_next(word);
		pipa_doc_str(doc, NULL, word);
	}
	if (words)
		pipa_doc_end(doc);
	pipa_doc_u64(doc, "first", row->first);
	pipa_doc_u64(doc, "n", row->n);
	put_segment(doc, "at", &row->at);
	pipa_doc_end(doc);
}

void pipa_html_put_series(const struct pipa_html_writer *w, struct pipa_doc *doc)
{
	static const char *const clocks[] = { [PIPA_CLOCK_UTC] = "utc",
					      [PIPA_CLOCK_ELAPSED] = "elapsed",
					      [PIPA_CLOCK_ASSUMED] = "assumed" };
	const struct pipa_series_set *set = w->page->series;
	size_t i, k;

	pipa_doc_list(doc, "series");
	for (i = 0; i < w->series.n; i++) {
		const struct pipa_html_group *group = &w->series.items[i];
		const struct pipa_series_group *g = &set->groups.items[group->group];
		const struct pipa_section *section = g->section;

		pipa_doc_map(doc, NULL);
		pipa_doc_str(doc, "section", section->name);
		pipa_doc_str(doc, "title", section->title);
		pipa_doc_str(doc, "label", section->label);
		pipa_doc_str(doc, "source", set->sources.items[g->source].name);
		pipa_doc_str(doc, "clock", clocks[set->sources.items[g->source].clock]);
		pipa_doc_u64(doc, "n", group->n);
		pipa_doc_u64(doc, "reduced_s", group->reduced_s);
		if (group->is_evidence)
			pipa_doc_bool(doc, "evidence", true);
		pipa_doc_list(doc, "columns");
		for (k = 0; k < section->n_columns && k < MAX_COLUMNS; k++)
			if (group->columns >> k & 1)
				put_description(doc, &section->columns[k]);
		pipa_doc_end(doc);
		put_segment(doc, "axis", &group->axis);
		pipa_doc_list(doc, "instances");
		for (k = 0; k < group->rows.n; k++)
			put_instance(doc, section, g->items[group->rows.items[k].row].instance,
				     &group->rows.items[k]);
		pipa_doc_end(doc);
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
}
