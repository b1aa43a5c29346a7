#include "export/exchange/flame_csv.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/pieces.h"
#include "base/vec.h"
#include "export/exchange/fold_tree.h"
#include "export/exchange/folded.h"
#include "model/profile.h"

/* A stack of the file: its node in the tree. */
struct row {
	uint32_t node;
	uint64_t weight;
};

struct writer {
	struct pipa_fold_tree tree;
	struct row *rows;
	size_t n;
	struct {
		uint32_t *items;
		size_t n, cap;
	} path;		      /* nodes of a stack, innermost first */
	struct pipa_buf text; /* of a row */
	struct pipa_pieces out;
	uint64_t total;
};

/* Append the stack of a node, outermost frame first. */
static void put_stack(struct writer *w, uint32_t node, struct pipa_buf *out)
{
	w->path.n = 0;
	for (; node != PIPA_NONE; node = w->tree.items[node].parent) {
		uint32_t *step = PIPA_VEC_ADD(&w->path);

		if (!step) {
			out->status = -ENOMEM;
			return;
		}
		*step = node;
	}
	while (w->path.n) {
		const struct pipa_fold_node *n = &w->tree.items[w->path.items[--w->path.n]];
		const struct pipa_string *name = &w->tree.names.items[n->name];

		pipa_buf_add(out, name->text, name->len);
		if (w->path.n)
			pipa_buf_putc(out, ';');
	}
}

/* Append a CSV field, in quotes if it needs them; its text has no control characters. */
static void put_field(struct pipa_buf *out, const struct pipa_buf *text)
{
	const char *c = pipa_buf_str(text), *quote;

	if (!strpbrk(c, ",\"")) {
		pipa_buf_add(out, c, text->len);
		return;
	}
	pipa_buf_putc(out, '"');
	for (; (quote = strchr(c, '"')); c = quote + 1) {
		pipa_buf_add(out, c, (size_t)(quote - c));
		pipa_buf_puts(out, "\"\"");
	}
	pipa_buf_puts(out, c);
	pipa_buf_putc(out, '"');
}

static int heaviest_first(const void *a_, const void *b_)
{
	const struct row *a = a_, *b = b_;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

static int sort_rows(struct writer *w)
{
	size_t i;

	w->rows = malloc((w->tree.n + 1) * sizeof(*w->rows));
	if (!w->rows)
		return -ENOMEM;
	for (i = 0; i < w->tree.n; i++) {
		const struct pipa_fold_node *node = &w->tree.items[i];

		if (!node->ends)
			continue;
		w->rows[w->n++] = (struct row){ (uint32_t)i, node->weight };
		w->total += node->weight;
	}
	qsort(w->rows, w->n, sizeof(*w->rows), heaviest_first);
	return 0;
}

static int write_rows(struct writer *w)
{
	struct pipa_buf *out = &w->out.buf;
	size_t i;

	pipa_buf_puts(out, "stack,weight,weight_pct\r\n");
	for (i = 0; i < w->n && pipa_pieces_flush(&w->out); i++) {
		uint64_t weight = w->rows[i].weight;

		pipa_buf_reset(&w->text);
		put_stack(w, w->rows[i].node, &w->text);
		put_field(out, &w->text);
		pipa_buf_putc(out, ',');
		pipa_fold_tree_put_weight(&w->tree, weight, out);
		pipa_buf_printf(out, ",%.2f%%\r\n",
				w->total ? (double)weight / (double)w->total * 100 : 0.0);
		if (w->text.status)
			return w->text.status;
	}
	return pipa_pieces_end(&w->out);
}

int pipa_flame_csv_write(const struct pipa_profile *profile,
			 const struct pipa_folded_format *format,
			 int (*put)(void *ctx, const char *bytes, size_t len), void *ctx)
{
	/* the length of a line is limited only by memory: a stack can have many long names */
	struct writer w = { .text.max = SIZE_MAX / 4,
			    .out = { .buf.max = SIZE_MAX / 4, .put = put, .ctx = ctx } };
	int rc = pipa_folded_make(profile, format, &w.tree);

	if (!rc)
		rc = sort_rows(&w);
	if (!rc)
		rc = write_rows(&w);
	pipa_fold_tree_done(&w.tree);
	free(w.rows);
	free(w.path.items);
	pipa_buf_done(&w.text);
	pipa_buf_done(&w.out.buf);
	return rc;
}
