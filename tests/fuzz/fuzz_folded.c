/*
 * Folded stacks: any bytes can be read, and what is written of them reads back as the same text. They can be
 * drawn, and the tree that is copied is the one that is built stack by stack.
 */
#include "analyze/profile/flame.h"
#include "base/buf.h"
#include "export/exchange/folded.h"
#include "export/view/flame_svg.h"
#include "export/view/view.h"
#include "fuzz.h"
#include "import/folded.h"
#include "model/profile.h"

static int put(void *ctx, const char *bytes, size_t len)
{
	pipa_buf_add(ctx, bytes, len);
	return 0;
}

static void compare(const struct pipa_flame *a, const struct pipa_flame *b)
{
	size_t i;

	MUST(a->n_nodes == b->n_nodes && a->n_frames == b->n_frames && a->depth == b->depth);
	MUST(a->total[0] == b->total[0] && a->samples[0] == b->samples[0]);
	for (i = 0; i < a->n_nodes; i++) {
		const struct pipa_flame_node *node = &a->nodes[i];

		MUST(memcmp(node, &b->nodes[i], sizeof(*node)) == 0);
		MUST(memcmp(&a->costs[0][i], &b->costs[0][i], sizeof(a->costs[0][i])) == 0);
		MUST(node->next == PIPA_NONE || (a->nodes[node->next].parent == node->parent &&
						 a->nodes[node->next].frame > node->frame));
		MUST(node->child == PIPA_NONE || a->nodes[node->child].parent == i);
		MUST(a->costs[0][i].total >= a->costs[0][i].self);
	}
}

static void draw(const struct pipa_profile *p)
{
	const struct pipa_flame_options all = { .event = PIPA_NONE }, first = { .event = 0 };
	const struct pipa_flame_svg_style style = { 0 };
	struct pipa_flame copied, built;
	struct pipa_buf out = { 0 };
	struct pipa_view view = {
		.view = "flame", .title = "", .event = "", .unit = "samples", .profile = p
	};

	MUST(pipa_flame_make(p, &all, &copied) == 0);
	MUST(pipa_flame_make(p, &first, &built) == 0);
	compare(&copied, &built);
	view.flame = &copied;
	pipa_flame_svg_write(&view, &style, &out);
	pipa_view_write_data(&view, &out);
	MUST(out.status == 0);
	pipa_buf_done(&out);
	pipa_flame_done(&copied);
	pipa_flame_done(&built);
}

static uint64_t fold(const char *text, size_t len, size_t piece, struct pipa_buf *out)
{
	const struct pipa_folded_format format = { .event = PIPA_NONE, .names.raw_names = true };
	struct pipa_profile p = { 0 };
	struct pipa_folded *folded = pipa_folded_new(&p);
	uint64_t damaged;
	size_t at;

	MUST(folded);
	for (at = 0; at < len; at += piece)
		MUST(pipa_folded_put(folded, text + at, len - at < piece ? len - at : piece) == 0);
	MUST(pipa_folded_end(folded) == 0);
	pipa_folded_free(folded);
	MUST(pipa_folded_write(&p, &format, put, out) == 0);
	damaged = p.losses.damaged;
	if (piece > len)
		draw(&p);
	pipa_profile_done(&p);
	return damaged;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_buf once = { 0 }, pieces = { 0 }, again = { 0 };
	bool special = memchr(data, '#', size) || memchr(data, '\0', size) ||
		       memchr(data, '\r', size);

	fold((const char *)data, size, size + 1, &once);
	fold((const char *)data, size, size % 5 + 1, &pieces);
	MUST(strcmp(pipa_buf_str(&once), pipa_buf_str(&pieces)) == 0);
	/* a sum may have more digits than are read, a name may come out as a comment */
	if (fold(pipa_buf_str(&once), once.len, once.len + 1, &again) == 0 && !special)
		MUST(strcmp(pipa_buf_str(&once), pipa_buf_str(&again)) == 0);
	pipa_buf_done(&once);
	pipa_buf_done(&pieces);
	pipa_buf_done(&again);
	return 0;
}
