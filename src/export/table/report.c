#include "export/table/report.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "analyze/profile/short_name.h"
#include "base/buf.h"
#include "base/visible.h"
#include "codec/doc.h"
#include "export/text/file_notes.h"
#include "export/text/plain.h"
#include "export/text/stack_ends.h"
#include "export/text/unresolved.h"

static double share(uint64_t part, uint64_t all)
{
	return all ? 100 * (double)part / (double)all : 0;
}

/* Return the largest share of a row among all events. */
static double row_share(const struct pipa_top *top, size_t row)
{
	const struct pipa_weight *weights = top->o.children ? top->total : top->self;
	double most = 0, one;
	size_t i;

	for (i = 0; i < top->n_events; i++) {
		one = share(weights[row * top->n_events + i].weight, top->all[i].weight);
		most = one > most ? one : most;
	}
	return most;
}

size_t pipa_report_rows(const struct pipa_top *top, double percent_limit)
{
	size_t i, n = 0;

	for (i = 0; i < top->n; i++)
		n = row_share(top, i) >= percent_limit ? i + 1 : n;
	return n;
}

/* Does the event have samples? */
static bool is_shown(const struct pipa_top *top, size_t event)
{
	return top->all[event].count > 0;
}

/* ---- text ------------------------------------------------------------------------------------------ */

static void put_damage(const struct pipa_damage *damage, struct pipa_buf *out)
{
	if (damage->count)
		pipa_buf_printf(out, "# corrupt: %llu records, first at offset %llu: %s\n",
				(unsigned long long)damage->count, (unsigned long long)damage->at,
				damage->what);
}

/*
 * Note what the report omits: corrupt parts of a recording, malformed lines and skipped samples of
 * text.
 */
static void put_skipped(const struct pipa_losses *losses, const struct pipa_damage *damage,
			struct pipa_buf *out)
{
	put_damage(damage, out);
	if (losses->cut_stacks)
		pipa_buf_printf(out, "# truncated samples skipped: %llu\n",
				(unsigned long long)losses->cut_stacks);
	if (!damage->count && losses->damaged)
		pipa_buf_printf(out, "# malformed lines skipped: %llu\n",
				(unsigned long long)losses->damaged);
}

static void put_losses(const struct pipa_report *r, struct pipa_buf *out)
{
	const struct pipa_losses *losses = &r->profile->losses;

	pipa_buf_printf(out, "# lost: %llu samples, %llu records; throttled %llu times\n",
			(unsigned long long)losses->lost_samples,
			(unsigned long long)losses->lost_records,
			(unsigned long long)losses->throttled);
	put_skipped(losses, &r->recording->damage, out);
}

static void put_events(const struct pipa_report *r, struct pipa_buf *out)
{
	size_t i;

	for (i = 0; i < r->top->n_events; i++) {
		if (!is_shown(r->top, i))
			continue;
		pipa_buf_printf(out, "# Samples: %llu of event '",
				(unsigned long long)r->top->all[i].count);
		pipa_visible_put(out,
				 pipa_profile_string(r->profile, r->profile->events.items[i].name));
		pipa_buf_printf(out, "', weight %llu\n", (unsigned long long)r->top->all[i].weight);
	}
}

/* Return the suffix of a key: inlined symbols are marked. */
static const char *key_suffix(const struct pipa_top *top, const struct pipa_top_row *row, size_t i)
{
	return top->o.keys[i] == PIPA_KEY_SYMBOL ? pipa_frame_mark(row->key[i]) : "";
}

/* Return the text of a key in a column; with -v, DSOs have their path. The object of a symbol is named once. */
static const char *cell_text(const struct pipa_report *r, const struct pipa_top_row *row, size_t i,
			     char buf[static 64])
{
	uint32_t key = row->key[i];
	const char *text;
	size_t k;

	if (r->verbose && r->top->o.keys[i] == PIPA_KEY_OBJECT && key < r->profile->objects.n)
		return pipa_profile_string(r->profile, r->profile->objects.items[key].path);
	text = pipa_top_text(r->top, row, i, buf);
	if (r->top->o.keys[i] != PIPA_KEY_SYMBOL || r->full_names || r->verbose)
		return text;
	for (k = 0; k < r->top->o.n_keys; k++)
		if (r->top->o.keys[k] == PIPA_KEY_OBJECT)
			text = pipa_short_name_in(text, pipa_object_short(r->profile, row->key[k]));
	return text;
}

/* Write a symbol in at most this many columns. Returns its width. */
static size_t put_symbol(const char *text, size_t columns, struct pipa_buf *out)
{
	size_t len = strlen(text);

	if (len > columns) /* bytes are at least columns */
		return pipa_plain_put_symbol(out, text, columns);
	pipa_visible_put(out, text);
	return pipa_plain_width(text);
}

/* Columns of symbols: where there is no terminal, and on the narrowest one. */
enum { SYMBOL_COLUMNS = 80, SYMBOL_COLUMNS_MIN = 24 };

enum { ADDRESS_WIDTH = 18 }; /* "0xffffffff821fdb89" */

/* Write what is before a symbol: with -v its address, then the letter of its mode. Returns the width. */
static size_t put_symbol_start(const struct pipa_report *r, const struct pipa_top_row *row,
			       struct pipa_buf *out)
{
	const struct pipa_location *at = row->location == PIPA_NONE ?
						 NULL :
						 &r->profile->locations.items[row->location];
	char address[24] = "";

	if (r->verbose) {
		if (at)
			snprintf(address, sizeof(address), "0x%llx",
				 (unsigned long long)(at->mode == PIPA_MODE_KERNEL ? at->address :
										     at->offset));
		pipa_buf_printf(out, "%-*s ", ADDRESS_WIDTH, address);
	}
	pipa_buf_printf(out, "[%c] ", pipa_mode_letter(at ? at->mode : PIPA_MODE_UNKNOWN));
	return strlen("[k] ") + (r->verbose ? ADDRESS_WIDTH + 1 : 0);
}

/* Write a key as it is in a column. Returns the width, without that of the text in the last column. */
static size_t put_cell(const struct pipa_report *r, const struct pipa_report_widths *widths,
		       const struct pipa_top_row *row, size_t i, bool last, struct pipa_buf *out)
{
	const char *mark = key_suffix(r->top, row, i), *text;
	size_t width = 0;
	char buf[64];

	text = cell_text(r, row, i, buf);
	if (r->top->o.keys[i] == PIPA_KEY_SYMBOL) {
		width = put_symbol_start(r, row, out) + put_symbol(text, widths->symbol, out);
		pipa_buf_puts(out, mark);
		return width + strlen(mark);
	}
	pipa_visible_put(out, text);
	pipa_buf_puts(out, mark);
	return width + (last ? 0 : pipa_plain_width(text)) + strlen(mark);
}

/* ---- columns --------------------------------------------------------------------------------------- */

static const struct {
	const char *name, *title;
	size_t width; /* of the value of one event */
} values[PIPA_REPORT_KEY] = {
	[PIPA_REPORT_OVERHEAD] = { "overhead", "Overhead", 8 },
	[PIPA_REPORT_OVERHEAD_SYS] = { "overhead_sys", "sys", 8 },
	[PIPA_REPORT_OVERHEAD_US] = { "overhead_us", "usr", 8 },
	[PIPA_REPORT_OVERHEAD_CHILDREN] = { "overhead_children", "Children", 8 },
	[PIPA_REPORT_SAMPLE] = { "sample", "Samples", 12 },
	[PIPA_REPORT_PERIOD] = { "period", "Period", 12 },
};

enum pipa_report_value pipa_report_value_find(const char *name, size_t len)
{
	enum pipa_report_value i;

	for (i = 0; i < PIPA_REPORT_KEY; i++)
		if (strlen(values[i].name) == len && memcmp(values[i].name, name, len) == 0)
			break;
	return i;
}

bool pipa_report_fields_has(const struct pipa_report_fields *fields, enum pipa_report_value value)
{
	size_t i;

	for (i = 0; i < fields->n; i++)
		if (fields->items[i].value == value)
			return true;
	return false;
}

void pipa_report_fields_add(struct pipa_report_fields *fields, enum pipa_report_value value,
			    enum pipa_key key)
{
	size_t i;

	for (i = 0; i < fields->n; i++)
		if (fields->items[i].value == value &&
		    (value != PIPA_REPORT_KEY || fields->items[i].key == key))
			return;
	fields->items[fields->n++] = (struct pipa_report_field){ value, key };
}

void pipa_report_fields_default(struct pipa_report_fields *fields,
				const struct pipa_top_options *top, bool samples)
{
	size_t i;

	if (top->children)
		pipa_report_fields_add(fields, PIPA_REPORT_OVERHEAD_CHILDREN, 0);
	pipa_report_fields_add(fields, PIPA_REPORT_OVERHEAD, 0);
	if (samples)
		pipa_report_fields_add(fields, PIPA_REPORT_SAMPLE, 0);
	for (i = 0; i < top->n_keys; i++)
		pipa_report_fields_add(fields, PIPA_REPORT_KEY, top->keys[i]);
}

static size_t shown_events(const struct pipa_top *top)
{
	size_t i, n = 0;

	for (i = 0; i < top->n_events; i++)
		n += is_shown(top, i);
	return n ? n : 1;
}

/* Return the position of a column's key among those of the rows. */
static size_t key_of(const struct pipa_top *top, const struct pipa_report_field *field)
{
	size_t i;

	for (i = 0; i + 1 < top->o.n_keys && top->o.keys[i] != field->key;)
		i++;
	return i;
}

/* As in perf, overhead is called self beside children. */
static const char *title_of(const struct pipa_report *r, size_t i)
{
	const struct pipa_report_field *field = &r->fields.items[i];

	if (field->value == PIPA_REPORT_KEY)
		return pipa_key_title(&r->top->o, field->key);
	if (field->value == PIPA_REPORT_OVERHEAD && i &&
	    field[-1].value == PIPA_REPORT_OVERHEAD_CHILDREN)
		return "Self";
	return values[field->value].title;
}

/* Give symbols in the last column what the others leave of the terminal. */
static void limit_symbols(const struct pipa_report *r, struct pipa_report_widths *widths)
{
	const struct pipa_report_field *last = &r->fields.items[r->fields.n - 1];
	size_t used = strlen("  [k] "), c;

	if (!r->columns || widths->symbol == SIZE_MAX)
		return;
	for (c = 0; c + 1 < r->fields.n; c++)
		used += 2 + widths->columns[c];
	if (last->value == PIPA_REPORT_KEY && last->key == PIPA_KEY_SYMBOL)
		widths->symbol = r->columns > used ? r->columns - used : 0;
	if (widths->symbol < SYMBOL_COLUMNS_MIN)
		widths->symbol = SYMBOL_COLUMNS_MIN;
}

/* Find the width of each column: of values by the number of events, of keys by the widest cell. */
static void measure_columns(const struct pipa_report *r, struct pipa_report_widths *ret)
{
	size_t n_events = shown_events(r->top), i, k, len, start, c, *widths = ret->columns;
	char buf[64];

	ret->symbol = r->full_names || r->verbose ? SIZE_MAX : SYMBOL_COLUMNS;
	if (r->columns && ret->symbol != SIZE_MAX)
		ret->symbol = r->columns;

	for (c = 0; c < r->fields.n; c++) {
		const struct pipa_report_field *field = &r->fields.items[c];

		widths[c] = strlen(title_of(r, c));
		if (field->value != PIPA_REPORT_KEY) {
			widths[c] = values[field->value].width * n_events;
			continue;
		}
		k = key_of(r->top, field);
		start = field->key != PIPA_KEY_SYMBOL ? 0 :
			r->verbose		      ? ADDRESS_WIDTH + 1 + strlen("[k] ") :
							strlen("[k] ");
		for (i = 0; i < ret->rows && c + 1 < r->fields.n;
		     i++) { /* nothing follows the last one */
			len = pipa_plain_width(cell_text(r, &r->top->items[i], k, buf));
			if (field->key == PIPA_KEY_SYMBOL && len > ret->symbol)
				len = ret->symbol;
			len += start + strlen(key_suffix(r->top, &r->top->items[i], k));
			widths[c] = len > widths[c] ? len : widths[c];
		}
	}
	limit_symbols(r, ret);
}

static void put_titles(const struct pipa_report *r, const size_t *widths, struct pipa_buf *out)
{
	size_t n = r->fields.n, i;

	pipa_buf_puts(out, "#\n");
	for (i = 0; i < n; i++) {
		const char *title = title_of(r, i);
		size_t pad = widths[i] > strlen(title) ? widths[i] - strlen(title) : 0;
		bool key = r->fields.items[i].value == PIPA_REPORT_KEY;

		pipa_buf_puts(out, i ? "  " : "# ");
		pipa_buf_fill(out, ' ', key ? 0 : pad);
		pipa_buf_puts(out, title);
		pipa_buf_fill(out, ' ', key && i + 1 < n ? pad : 0);
	}
	pipa_buf_putc(out, '\n');
	for (i = 0; i < n; i++) {
		pipa_buf_puts(out, i ? "  " : "# ");
		pipa_buf_fill(out, '.',
			      widths[i] < 60 || r->fields.items[i].value != PIPA_REPORT_KEY ?
				      widths[i] :
				      60);
	}
	pipa_buf_puts(out, "\n#\n");
}

/*
 * Append a percentage like "%7.2f%%", without printf, which took a tenth of the time of a large
 * table. Values halfway between two results are left to printf, so that they are rounded as perf's.
 */
static void put_percent(double percent, struct pipa_buf *out)
{
	double scaled = percent * 100;
	unsigned int hundredths = scaled < 1e6 ? (unsigned int)scaled : 0, i;
	double rest = scaled - hundredths;
	char text[] = "   0.00%";

	if ((rest > 0.5 - 1e-6 && rest < 0.5 + 1e-6) || scaled >= 1e6 - 1) {
		pipa_buf_printf(out, "%7.2f%%", percent);
		return;
	}
	hundredths += rest > 0.5;
	text[6] = (char)('0' + hundredths % 10);
	text[5] = (char)('0' + hundredths / 10 % 10);
	hundredths /= 100;
	for (i = 3; hundredths || i == 3; i--, hundredths /= 10)
		text[i] = (char)('0' + hundredths % 10);
	pipa_buf_add(out, text, sizeof(text) - 1);
}

/* Write a value of a row, one number per event that has samples. */
static void put_value(const struct pipa_report *r, size_t row, enum pipa_report_value value,
		      struct pipa_buf *out)
{
	const struct pipa_top *top = r->top;
	size_t i;

	for (i = 0; i < top->n_events; i++) {
		size_t at = row * top->n_events + i;
		uint64_t all = top->all[i].weight, self = top->self[at].weight;
		uint64_t kernel = top->kernel ? top->kernel[at].weight : 0;

		if (!is_shown(top, i))
			continue;
		switch (value) {
		case PIPA_REPORT_OVERHEAD: put_percent(share(self, all), out); break;
		case PIPA_REPORT_OVERHEAD_SYS: put_percent(share(kernel, all), out); break;
		case PIPA_REPORT_OVERHEAD_US: put_percent(share(self - kernel, all), out); break;
		case PIPA_REPORT_OVERHEAD_CHILDREN:
			put_percent(share(top->total[at].weight, all), out);
			break;
		case PIPA_REPORT_SAMPLE:
			pipa_buf_printf(out, "%12llu", (unsigned long long)top->self[at].count);
			break;
		case PIPA_REPORT_PERIOD:
			pipa_buf_printf(out, "%12llu", (unsigned long long)self);
			break;
		case PIPA_REPORT_KEY: break;
		}
	}
}

/* ---- trees ----------------------------------------------------------------------------------------- */

/* Return the weight that the share of a branch is of. */
static uint64_t whole_of(const struct pipa_report *r, const struct pipa_call *call)
{
	return r->fractal ? r->tree->items[call->parent].weight : r->top->all[0].weight;
}

/* Write a node of the call tree, indented. */
static void put_call(const struct pipa_report *r, const struct pipa_report_widths *widths,
		     const struct pipa_call *call, size_t depth, struct pipa_buf *out)
{
	size_t before = 12 - 1 + 2 * depth + 8 + 2, columns = widths->symbol;
	char buf[64];

	if (r->columns && columns != SIZE_MAX)
		columns = r->columns > before + SYMBOL_COLUMNS_MIN ? r->columns - before :
								     SYMBOL_COLUMNS_MIN;

	/* put_percent() writes "%6.2f%%" with one more character before it */
	pipa_buf_fill(out, ' ', 12 - 1 + 2 * depth);
	if (r->branch == PIPA_BRANCH_PERCENT)
		put_percent(share(call->weight, whole_of(r, call)), out);
	else
		pipa_buf_printf(out, "%8llu",
				(unsigned long long)(r->branch == PIPA_BRANCH_COUNT ?
							     call->count :
							     call->weight));
	pipa_buf_puts(out, "  ");
	put_symbol(pipa_frame_text(r->profile, call->name, buf), columns, out);
	pipa_buf_puts(out, pipa_frame_mark(call->name));
	pipa_buf_puts(out, call->cut ? " [truncated]" : "");
	pipa_buf_puts(out, call->deeper ? " [deeper]\n" : "\n");
	if (call->deeper && r->deeper)
		++*r->deeper;
}

/* Write the call tree below a row iteratively; omits branches below the limit. */
static void put_calls(const struct pipa_report *r, const struct pipa_report_widths *widths,
		      uint32_t root, struct pipa_buf *out)
{
	const struct pipa_call *calls = r->tree->items;
	uint32_t i = calls[root].child, in = root;
	size_t depth = 0, lines = 0;

	for (;;) {
		/* siblings are sorted: all that follow a light one are lighter */
		if (i == PIPA_NONE ||
		    share(calls[i].weight, whole_of(r, &calls[i])) < r->branch_limit) {
			if (in == root)
				return;
			i = calls[in].next;
			in = calls[in].parent;
			depth--;
			continue;
		}
		if (r->max_branch && lines++ == r->max_branch)
			return;
		put_call(r, widths, &calls[i], depth++, out);
		in = i;
		i = calls[i].child;
	}
}

void pipa_report_head(const struct pipa_report *r, struct pipa_report_widths *ret,
		      struct pipa_buf *out)
{
	struct pipa_unresolved_shares nameless;

	ret->rows = pipa_report_rows(r->top, r->percent_limit);
	put_events(r, out);
	put_losses(r, out);
	pipa_unresolved_find(r->profile, &nameless);
	pipa_unresolved_text(&nameless, out);
	if (pipa_file_notes_text(r->profile, out) < 0 && !out->status)
		out->status = -ENOMEM;
	pipa_stack_ends_text(r->profile, out);
	measure_columns(r, ret);
	put_titles(r, ret->columns, out);
}

void pipa_report_row(const struct pipa_report *r, const struct pipa_report_widths *widths,
		     size_t row, struct pipa_buf *out)
{
	uint32_t root = r->tree ? r->tree->rows[row] : PIPA_NONE;
	size_t i, len, n = r->fields.n;

	if (row_share(r->top, row) < r->percent_limit)
		return;
	for (i = 0; i < n; i++) {
		const struct pipa_report_field *field = &r->fields.items[i];

		pipa_buf_puts(out, "  ");
		if (field->value != PIPA_REPORT_KEY) {
			put_value(r, row, field->value, out);
			continue;
		}
		len = put_cell(r, widths, &r->top->items[row], key_of(r->top, field), i + 1 == n,
			       out);
		if (i + 1 < n)
			pipa_buf_fill(out, ' ', widths->columns[i] - len);
	}
	pipa_buf_putc(out, '\n');
	if (root != PIPA_NONE && r->tree->items[root].child != PIPA_NONE) {
		put_calls(r, widths, root, out);
		pipa_buf_putc(out, '\n');
	}
}

static void write_text(const struct pipa_report *r, struct pipa_buf *out)
{
	struct pipa_report_widths widths;
	size_t i;

	pipa_report_head(r, &widths, out);
	for (i = 0; i < widths.rows; i++)
		pipa_report_row(r, &widths, i, out);
}

/* ---- CSV ------------------------------------------------------------------------------------------- */

static void write_csv(const struct pipa_report *r, struct pipa_buf *out)
{
	const struct pipa_top *top = r->top;
	size_t rows = pipa_report_rows(top, r->percent_limit), i, k;
	char buf[64];

	pipa_buf_puts(out, "event,children_percent,self_percent,children,self,samples");
	for (k = 0; k < top->o.n_keys; k++) {
		pipa_buf_putc(out, ',');
		pipa_plain_put_csv(out, pipa_key_name(&top->o, top->o.keys[k]), "");
	}
	pipa_buf_putc(out, '\n');
	for (i = 0; i < rows * top->n_events; i++) {
		size_t event = i % top->n_events;

		if (!is_shown(top, event) || row_share(top, i / top->n_events) < r->percent_limit)
			continue;
		pipa_plain_put_csv(
			out, pipa_profile_string(r->profile, r->profile->events.items[event].name),
			"");
		pipa_buf_printf(out, ",%.4f,%.4f,%llu,%llu,%llu",
				share(top->total[i].weight, top->all[event].weight),
				share(top->self[i].weight, top->all[event].weight),
				(unsigned long long)top->total[i].weight,
				(unsigned long long)top->self[i].weight,
				(unsigned long long)top->self[i].count);
		for (k = 0; k < top->o.n_keys; k++) {
			const struct pipa_top_row *row = &top->items[i / top->n_events];

			pipa_buf_putc(out, ',');
			pipa_plain_put_csv(out, pipa_top_text(top, row, k, buf),
					   key_suffix(top, row, k));
		}
		pipa_buf_putc(out, '\n');
	}
}

/* ---- JSON ------------------------------------------------------------------------------------------ */

static uint64_t all_samples(const struct pipa_profile *p)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < p->events.n; i++)
		n += p->events.items[i].count;
	return n;
}

static void doc_whole(struct pipa_doc *doc, const struct pipa_profile *p,
		      const struct pipa_recording *recording)
{
	size_t i;

	pipa_doc_u64(doc, "samples", all_samples(p));
	pipa_doc_u64(doc, "lost",
		     p->losses.lost_samples + p->losses.lost_records + p->losses.cut_stacks);
	pipa_doc_u64(doc, "throttled", p->losses.throttled);
	pipa_doc_bool(doc, "complete",
		      !recording->damage.count && !p->losses.damaged && !p->losses.cut_stacks);
	if (p->losses.cut_stacks)
		pipa_doc_u64(doc, "truncated_samples", p->losses.cut_stacks);
	if (p->losses.damaged && !recording->damage.count)
		pipa_doc_u64(doc, "malformed_lines", p->losses.damaged);
	if (recording->damage.count) {
		pipa_doc_u64(doc, "damaged", recording->damage.count);
		pipa_doc_u64(doc, "damaged_at", recording->damage.at);
		pipa_doc_str(doc, "damage", recording->damage.what);
	}
	pipa_doc_list(doc, "events");
	for (i = 0; i < p->events.n; i++) {
		const struct pipa_profile_event *event = &p->events.items[i];

		pipa_doc_map(doc, NULL);
		pipa_doc_str(doc, "name", pipa_profile_string(p, event->name));
		pipa_doc_u64(doc, "samples", event->count);
		pipa_doc_u64(doc, "weight", event->weight);
		pipa_doc_u64(doc, "lost", event->lost);
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
}

static void doc_row(struct pipa_doc *doc, const struct pipa_report *r, size_t row)
{
	const struct pipa_top *top = r->top;
	size_t i, k;
	char buf[64];

	pipa_doc_map(doc, NULL);
	for (k = 0; k < top->o.n_keys; k++) {
		pipa_doc_str(doc, pipa_key_name(&top->o, top->o.keys[k]),
			     pipa_top_text(top, &top->items[row], k, buf));
		if (key_suffix(top, &top->items[row], k)[0])
			pipa_doc_bool(doc, "inlined", true);
	}
	pipa_doc_list(doc, "events");
	for (i = 0; i < top->n_events; i++) {
		size_t at = row * top->n_events + i;

		pipa_doc_map(doc, NULL);
		pipa_doc_double(doc, "children_percent",
				share(top->total[at].weight, top->all[i].weight));
		pipa_doc_double(doc, "self_percent",
				share(top->self[at].weight, top->all[i].weight));
		pipa_doc_u64(doc, "children", top->total[at].weight);
		pipa_doc_u64(doc, "self", top->self[at].weight);
		pipa_doc_u64(doc, "samples", top->self[at].count);
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
	pipa_doc_end(doc);
}

static void write_json(const struct pipa_report *r, struct pipa_buf *out)
{
	size_t rows = pipa_report_rows(r->top, r->percent_limit), i;
	struct pipa_unresolved_shares nameless;
	struct pipa_doc doc;

	pipa_doc_begin(&doc, PIPA_DOC_JSON, out);
	pipa_doc_str(&doc, "schema", "pipa-report/1");
	doc_whole(&doc, r->profile, r->recording);
	pipa_unresolved_find(r->profile, &nameless);
	pipa_unresolved_doc(&nameless, &doc);
	if (pipa_file_notes_doc(r->profile, &doc) < 0)
		out->status = -ENOMEM;
	pipa_stack_ends_doc(r->profile, &doc);
	pipa_doc_list(&doc, "rows");
	for (i = 0; i < rows; i++)
		if (row_share(r->top, i) >= r->percent_limit)
			doc_row(&doc, r, i);
	pipa_doc_end(&doc);
	pipa_doc_finish(&doc);
}

void pipa_report_write(const struct pipa_report *r, enum pipa_report_form form,
		       struct pipa_buf *out)
{
	switch (form) {
	case PIPA_REPORT_TEXT: write_text(r, out); break;
	case PIPA_REPORT_CSV: write_csv(r, out); break;
	case PIPA_REPORT_JSON: write_json(r, out); break;
	}
}

/* ---- the recording itself -------------------------------------------------------------------------- */

static void stats_json(const struct pipa_profile *p, const struct pipa_recording *recording,
		       const char *(*record_name)(uint32_t type, char buf[static 24]),
		       struct pipa_buf *out)
{
	struct pipa_doc doc;
	uint32_t type;
	char buf[24];

	pipa_doc_begin(&doc, PIPA_DOC_JSON, out);
	pipa_doc_str(&doc, "schema", "pipa-report-stats/1");
	doc_whole(&doc, p, recording);
	pipa_doc_u64(&doc, "total", recording->records);
	pipa_doc_map(&doc, "records");
	for (type = 0; type <= PIPA_RECORD_TYPES; type++)
		if (recording->counts[type])
			pipa_doc_u64(&doc, record_name(type, buf), recording->counts[type]);
	pipa_doc_end(&doc);
	pipa_doc_finish(&doc);
}

void pipa_report_stats(const struct pipa_profile *p, const struct pipa_recording *recording,
		       const char *(*record_name)(uint32_t type, char buf[static 24]),
		       enum pipa_report_form form, struct pipa_buf *out)
{
	uint32_t type;
	char buf[24];
	size_t i;

	if (form == PIPA_REPORT_JSON) {
		stats_json(p, recording, record_name, out);
		return;
	}
	pipa_buf_printf(out, "%20s events: %10llu\n", "TOTAL",
			(unsigned long long)recording->records);
	for (type = 0; type <= PIPA_RECORD_TYPES; type++)
		if (recording->counts[type])
			pipa_buf_printf(out, "%20s events: %10llu  (%4.1f%%)\n",
					record_name(type, buf),
					(unsigned long long)recording->counts[type],
					share(recording->counts[type], recording->records));
	for (i = 0; i < p->events.n; i++) {
		pipa_visible_put(out, pipa_profile_string(p, p->events.items[i].name));
		pipa_buf_printf(out, " stats:\n%20s events: %10llu\n", "SAMPLE",
				(unsigned long long)p->events.items[i].count);
	}
	put_skipped(&p->losses, &recording->damage, out);
}

void pipa_report_header(const struct pipa_recording *recording, struct pipa_buf *out)
{
	size_t i, start;

	for (i = 0; i < recording->facts.n; i++) {
		start = out->len;
		pipa_buf_printf(out, "# %s : %s", recording->facts.items[i].name,
				recording->facts.items[i].text);
		pipa_visible_since(out, start);
		pipa_buf_putc(out, '\n');
	}
	for (i = 0; i < recording->files.n; i++) {
		const struct pipa_recorded_file *file = &recording->files.items[i];
		size_t k;

		pipa_buf_puts(out, "# build ID : ");
		for (k = 0; k < file->build_id.len; k++)
			pipa_buf_printf(out, "%02x", file->build_id.bytes[k]);
		pipa_buf_putc(out, ' ');
		pipa_visible_put(out, file->path);
		pipa_buf_putc(out, '\n');
	}
}
