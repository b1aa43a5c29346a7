#include "export/view/view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/str.h"
#include "codec/base64.h"
#include "codec/sha256.h"
#include "export/view/view_text.h"
#include "export/view/web.h"
#include "model/recording.h"

/* ---- columns ------------------------------------------------------------------------------------------ */

enum { MOST_BYTES = 10 }; /* of a varint */

static inline char *put_number(char *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*to++ = (char)(value | 0x80);
	*to++ = (char)value;
	return to;
}

void pipa_view_column_put(struct pipa_buf *bytes, const uint64_t *numbers, size_t n)
{
	char *start = pipa_buf_room(bytes, n * MOST_BYTES), *to = start;
	size_t i;

	if (!start)
		return;
	for (i = 0; i < n; i++)
		to = put_number(to, numbers[i]);
	pipa_buf_wrote(bytes, (size_t)(to - start));
}

void pipa_view_column_end(struct pipa_buf *bytes, struct pipa_buf *out)
{
	pipa_buf_putc(out, '"');
	pipa_base64_put(out, bytes->data, bytes->len);
	pipa_buf_putc(out, '"');
	if (bytes->status && !out->status)
		out->status = bytes->status;
	pipa_buf_reset(bytes);
}

bool pipa_view_column_pack(pipa_view_pack_fn *pack, struct pipa_buf *bytes, struct pipa_buf *out)
{
	enum { LARGE = 128 << 10 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf packed = { .max = bytes->max };
	int rc;

	if (!pack || bytes->len < LARGE || bytes->status) {
		pipa_view_column_end(bytes, out);
		return false;
	}
	rc = pack(bytes->data, bytes->len, &packed);
	if (rc < 0 && !out->status)
		out->status = rc;
	pipa_view_column_end(&packed, out);
	pipa_buf_reset(bytes);
	return true;
}

static void put_name(struct pipa_buf *out, const char *name)
{
	pipa_buf_printf(out, ",\n\"%s\":", name);
}

/* Columns of the data, and which of them are compressed. */
struct columns {
	const struct pipa_view *view;
	struct pipa_buf bytes, packed; /* of the current column; comma-separated names */
};

static void end_column(struct columns *c, const char *name, struct pipa_buf *out)
{
	put_name(out, name);
	if (pipa_view_column_pack(c->view->pack, &c->bytes, out))
		pipa_buf_printf(&c->packed, "%s\"%s\"", c->packed.len ? "," : "", name);
}

/*
 * Write strings in order of first use by a frame; numbers: [string of the flame graph] its new
 * index.
 */
static void put_strings(const struct pipa_flame *flame, uint32_t *numbers, struct pipa_buf *out)
{
	const struct pipa_string *strings = flame->strings.items;
	uint32_t n = 1;
	size_t i, k;

	put_name(out, "strings");
	pipa_buf_puts(out, "[\"\"");
	for (i = 0; i < flame->n_frames; i++) {
		uint32_t both[] = { flame->frames[i].name, flame->frames[i].object };

		for (k = 0; k < 2; k++) {
			if (!both[k] || numbers[both[k]])
				continue;
			numbers[both[k]] = n++;
			pipa_buf_puts(out, ",\n");
			pipa_view_put_json(out, strings[both[k]].text, strings[both[k]].len);
		}
	}
	pipa_buf_putc(out, ']');
}

static void put_frames(struct columns *c, const uint32_t *numbers, struct pipa_buf *out)
{
	const struct pipa_flame *flame = c->view->flame;
	uint64_t n = flame->n_frames;
	size_t i;

	pipa_view_column_put(&c->bytes, &n, 1);
	for (i = 0; i < flame->n_frames; i++) {
		const struct pipa_flame_frame *frame = &flame->frames[i];
		uint64_t row[] = { numbers[frame->name], numbers[frame->object],
				   (uint64_t)frame->kind + 8 * (uint64_t)frame->inlined };

		pipa_view_column_put(&c->bytes, row, 3);
	}
	end_column(c, "frames", out);
}

/* Write rows of the tree: levels up from the previous node to the parent; frame; self. */
static char *put_nodes(const struct pipa_flame *flame, size_t from, size_t until, char *to)
{
	const struct pipa_flame_node *nodes = flame->nodes;
	const struct pipa_flame_cost *costs = flame->costs[PIPA_FLAME_NOW];
	size_t i;

	for (i = from; i < until; i++) {
		uint32_t last = i ? (uint32_t)i - 1 : PIPA_NONE;
		uint64_t up = 0;

		for (; last != nodes[i].parent; last = nodes[last].parent)
			up++;
		to = put_number(to, up);
		to = put_number(to, nodes[i].frame);
		to = put_number(to, costs[i].self);
	}
	return to;
}

static void put_tree(struct columns *c, struct pipa_buf *out)
{
	enum { ROWS = 4096 }; /* rows per reservation of buffer space */
	const struct pipa_flame *flame = c->view->flame;
	uint64_t n = flame->n_nodes;
	size_t from, until;

	pipa_view_column_put(&c->bytes, &n, 1);
	for (from = 0; from < n; from = until) {
		char *start;

		until = n - from < ROWS ? n : from + ROWS;
		start = pipa_buf_room(&c->bytes, (until - from) * 3 * MOST_BYTES);
		if (!start)
			break;
		pipa_buf_wrote(&c->bytes, (size_t)(put_nodes(flame, from, until, start) - start));
	}
	end_column(c, "tree", out);
}

/* Return the weight that all samples have, or 0 if they differ. */
static uint64_t period_of(const struct pipa_flame *flame)
{
	uint64_t period = 0, weight;
	bool known = false;
	size_t i;

	for (i = 0; i < flame->n_nodes; i++) {
		const struct pipa_flame_cost *cost = &flame->costs[PIPA_FLAME_NOW][i];

		if (!known && cost->count) {
			period = cost->self / cost->count;
			known = true;
		}
		if (__builtin_mul_overflow(period, cost->count, &weight) || weight != cost->self)
			return 0;
	}
	return known ? period : 1;
}

static void put_counts(struct columns *c, struct pipa_buf *out)
{
	const struct pipa_flame *flame = c->view->flame;
	uint64_t period = period_of(flame);
	size_t i;

	if (period) {
		put_name(out, "period");
		pipa_buf_printf(out, "%" PRIu64, period);
		return;
	}
	for (i = 0; i < flame->n_nodes; i++)
		pipa_view_column_put(&c->bytes, &flame->costs[PIPA_FLAME_NOW][i].count, 1);
	end_column(c, "counts", out);
}

static void put_base(struct columns *c, struct pipa_buf *out)
{
	const struct pipa_flame *flame = c->view->flame;
	const char *title = c->view->base_title ? c->view->base_title : "";
	size_t i;

	put_name(out, "base");
	pipa_buf_puts(out, "{\"title\":");
	pipa_view_put_json(out, title, strlen(title));
	pipa_buf_printf(out, ",\"total\":%" PRIu64 ",\"samples\":%" PRIu64 "}",
			flame->total[PIPA_FLAME_BASE], flame->samples[PIPA_FLAME_BASE]);
	for (i = 0; i < flame->n_nodes; i++)
		pipa_view_column_put(&c->bytes, &flame->costs[PIPA_FLAME_BASE][i].self, 1);
	end_column(c, "base_self", out);
}

/* ---- what the reader should know ------------------------------------------------------------------------ */

void pipa_view_notes(const struct pipa_profile *p, const struct pipa_recording *recording,
		     struct pipa_buf *out)
{
	const struct pipa_losses *l = &p->losses;
	const struct pipa_damage *damage = recording ? &recording->damage : NULL;

	if (l->lost_samples || l->lost_records)
		pipa_buf_printf(out, "lost: %" PRIu64 " sample%s, %" PRIu64 " record%s\n",
				l->lost_samples, pipa_str_plural(l->lost_samples), l->lost_records,
				pipa_str_plural(l->lost_records));
	if (l->throttled)
		pipa_buf_printf(out, "throttled %" PRIu64 " time%s\n", l->throttled,
				pipa_str_plural(l->throttled));
	if (l->cut_stacks)
		pipa_buf_printf(out, "truncated samples skipped: %" PRIu64 "\n", l->cut_stacks);
	if (l->unwound_truncated && l->unwound)
		pipa_buf_printf(out, "truncated stacks: %" PRIu64 " of %" PRIu64 "\n",
				l->unwound_truncated, l->unwound);
	else if (l->unwound_truncated) /* chains of the kernel, of which only these are counted */
		pipa_buf_printf(out, "truncated stacks: %" PRIu64 "\n", l->unwound_truncated);
	if (damage && damage->count)
		pipa_buf_printf(out, "corrupt records: %" PRIu64 "%s\n", damage->count,
				damage->incomplete ? "; the rest of the file is not read" : "");
	else if (l->damaged)
		pipa_buf_printf(out, "malformed lines skipped: %" PRIu64 "\n", l->damaged);
}

static void put_notes(const struct pipa_view *v, struct pipa_buf *out)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf notes = { 0 };
	const char *line, *end;

	if (v->notes)
		pipa_buf_puts(&notes, v->notes);
	if (v->profile)
		pipa_view_notes(v->profile, v->recording, &notes);
	put_name(out, "notes");
	pipa_buf_putc(out, '[');
	for (line = pipa_buf_str(&notes); (end = strchr(line, '\n')); line = end + 1) {
		if (line != pipa_buf_str(&notes))
			pipa_buf_putc(out, ',');
		pipa_view_put_json(out, line, (size_t)(end - line));
	}
	pipa_buf_putc(out, ']');
	if (notes.status && !out->status)
		out->status = notes.status;
}

static void put_show(const struct pipa_view_show *show, struct pipa_buf *out)
{
	if (!show->icicle && !show->absolute && !show->color)
		return;
	put_name(out, "show");
	pipa_buf_printf(out, "{\"icicle\":%s", show->icicle ? "true" : "false");
	if (show->absolute)
		pipa_buf_puts(out, ",\"absolute\":true");
	if (show->color)
		pipa_buf_printf(out, ",\"color\":\"%s\"", show->color);
	pipa_buf_putc(out, '}');
}

static void put_head(const struct pipa_view *v, struct pipa_buf *out)
{
	static const char *const by[] = { "", "thread", "process", "comm" };
	const char *texts[] = { "view",	  v->view, "title", v->title, "event",
				v->event, "unit",  v->unit, "by",     by[v->by] };
	const struct pipa_losses none = { 0 }, *l = v->profile ? &v->profile->losses : &none;
	size_t i;

	pipa_buf_puts(out, "{\"schema\":\"pipa.view/1\"");
	for (i = 0; i < PIPA_COUNT(texts); i += 2) {
		put_name(out, texts[i]);
		pipa_view_put_json(out, texts[i + 1], strlen(texts[i + 1]));
	}
	pipa_buf_printf(out,
			",\n\"total\":%" PRIu64 ",\n\"samples\":%" PRIu64 ",\n\"lost\":%" PRIu64
			",\n\"complete\":%s",
			v->flame->total[PIPA_FLAME_NOW], v->flame->samples[PIPA_FLAME_NOW],
			l->lost_samples + l->lost_records,
			v->recording && v->recording->damage.count ? "false" : "true");
	put_notes(v, out);
	put_show(&v->show, out);
}

static void put_columns(struct columns *c, struct pipa_buf *out)
{
	const struct pipa_flame *flame = c->view->flame;
	PIPA_AUTO(free) uint32_t *numbers = calloc(flame->strings.n + 1, sizeof(*numbers));

	if (numbers) {
		put_strings(flame, numbers, out);
		put_frames(c, numbers, out);
	} else if (!out->status) {
		out->status = -ENOMEM;
	}
	put_tree(c, out);
	put_counts(c, out);
	if (flame->has_base)
		put_base(c, out);
	if (c->packed.len) {
		put_name(out, "deflate");
		pipa_buf_printf(out, "[%s]", pipa_buf_str(&c->packed));
	}
	if (c->packed.status && !out->status)
		out->status = c->packed.status;
}

void pipa_view_write_data(const struct pipa_view *v, struct pipa_buf *out)
{
	struct columns columns = { .view = v, .bytes.max = out->max };
	size_t i;

	put_head(v, out);
	put_columns(&columns, out);
	pipa_buf_done(&columns.bytes);
	pipa_buf_done(&columns.packed);
	for (i = 0; i < v->n_parts; i++) {
		put_name(out, v->parts[i].name);
		pipa_view_put_doc(out, v->parts[i].json, v->parts[i].len);
	}
	pipa_buf_puts(out, "}\n");
}

/* ---- the page ----------------------------------------------------------------------------------------- */

static void put_hash(const struct pipa_web_text *text, struct pipa_buf *out)
{
	uint8_t hash[PIPA_SHA256_SIZE];

	pipa_sha256(text->bytes, text->len, hash);
	pipa_base64_put(out, hash, sizeof(hash));
}

static void put_placeholder(const struct pipa_view *v, const char *name, size_t len,
			    struct pipa_buf *out)
{
	if (len == 10 && memcmp(name, "style-hash", len) == 0)
		put_hash(&pipa_web_style, out);
	else if (len == 11 && memcmp(name, "script-hash", len) == 0)
		put_hash(&pipa_web_script, out);
	else if (len == 5 && memcmp(name, "title", len) == 0)
		pipa_view_put_xml(out, v->title, strlen(v->title), 200);
	else if (len == 5 && memcmp(name, "style", len) == 0)
		pipa_buf_add(out, pipa_web_style.bytes, pipa_web_style.len);
	else if (len == 4 && memcmp(name, "data", len) == 0)
		pipa_view_write_data(v, out);
	else if (len == 6 && memcmp(name, "script", len) == 0)
		pipa_buf_add(out, pipa_web_script.bytes, pipa_web_script.len);
}

void pipa_view_write_page(const struct pipa_view *v, struct pipa_buf *out)
{
	const char *at = pipa_web_page.bytes, *open, *close;

	while ((open = strstr(at, "{{")) && (close = strstr(open, "}}"))) {
		pipa_buf_add(out, at, (size_t)(open - at));
		put_placeholder(v, open + 2, (size_t)(close - open - 2), out);
		at = close + 2;
	}
	pipa_buf_puts(out, at);
}
