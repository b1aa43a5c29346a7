#include "export/text/stack_ends.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "codec/doc.h"

static const char *const hints[PIPA_STACK_END_NR] = {
	[PIPA_STACK_TRUNCATED] = "record larger stack dumps: --call-graph dwarf,65528",
	[PIPA_STACK_NO_REGISTERS] = "record all user registers",
	[PIPA_STACK_NO_CFI] =
		"install the file or its debug package, or compile with frame pointers",
	[PIPA_STACK_BAD_CFI] = "provide the file that was running",
};

enum { LINES_MAX = 5, DUMP_MAX = 65528 /* limit of a perf record */ };

/* Return advice on how to get complete stacks; NULL: none. */
static const char *hint_for(const struct pipa_profile *p, enum pipa_stack_end end)
{
	if (end == PIPA_STACK_TRUNCATED && p->losses.stack_bytes >= DUMP_MAX)
		return "use --call-graph fp if the code has frame pointers";
	return hints[end];
}

static const char *object_path(const struct pipa_profile *p, const struct pipa_truncated_stack *cut)
{
	return cut->object == PIPA_NONE ?
		       "[unknown]" :
		       pipa_profile_string(p, p->objects.items[cut->object].path);
}

static int by_count(const void *a, const void *b)
{
	const struct pipa_truncated_stack *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	return (int)x->why - (int)y->why;
}

/*
 * Return the truncated stacks, most frequent first. The caller frees the list. NULL if there are
 * none, or on allocation failure.
 */
static struct pipa_truncated_stack *sort_by_count(const struct pipa_profile *p)
{
	struct pipa_truncated_stack *list = p->truncated_stacks.n ?
						    malloc(p->truncated_stacks.n * sizeof(*list)) :
						    NULL;

	if (!list)
		return NULL;
	memcpy(list, p->truncated_stacks.items, p->truncated_stacks.n * sizeof(*list));
	qsort(list, p->truncated_stacks.n, sizeof(*list), by_count);
	return list;
}

static double percentage(uint64_t part, uint64_t all)
{
	return all ? 100 * (double)part / (double)all : 0;
}

void pipa_stack_ends_text(const struct pipa_profile *p, struct pipa_buf *out)
{
	const struct pipa_losses *l = &p->losses;
	struct pipa_truncated_stack *cuts;
	size_t i;

	if (!l->unwound) {
		if (l->unwound_truncated)
			pipa_buf_printf(out, "# truncated stacks: %llu\n",
					(unsigned long long)l->unwound_truncated);
		return;
	}
	pipa_buf_printf(out, "# stacks: %.2f%% of %llu complete",
			percentage(l->unwound - l->unwound_truncated, l->unwound),
			(unsigned long long)l->unwound);
	if (l->unwound_joined)
		pipa_buf_printf(out, "; %.2f%% completed with outer frames of an earlier sample",
				percentage(l->unwound_joined, l->unwound));
	if (l->unwound_fp_fallback)
		pipa_buf_printf(out, "; %.2f%% with frames found by frame-pointer fallback",
				percentage(l->unwound_fp_fallback, l->unwound));
	pipa_buf_putc(out, '\n');
	cuts = sort_by_count(p);
	for (i = 0; cuts && i < p->truncated_stacks.n && i < LINES_MAX; i++) {
		const char *hint = hint_for(p, cuts[i].why), *path = object_path(p, &cuts[i]);
		const char *slash = strrchr(path, '/');

		pipa_buf_printf(out, "#   %.2f%% end in %s: %s%s%s\n",
				percentage(cuts[i].count, l->unwound),
				slash && slash[1] ? slash + 1 : path,
				pipa_stack_end_text(cuts[i].why), hint ? "; " : "",
				hint ? hint : "");
	}
	if (p->truncated_stacks.n > LINES_MAX)
		pipa_buf_printf(out, "#   %zu more\n", p->truncated_stacks.n - LINES_MAX);
	free(cuts);
}

void pipa_stack_ends_doc(const struct pipa_profile *p, struct pipa_doc *doc)
{
	const struct pipa_losses *l = &p->losses;
	struct pipa_truncated_stack *cuts;
	size_t i;

	if (!l->unwound) {
		if (l->unwound_truncated)
			pipa_doc_u64(doc, "truncated_stacks", l->unwound_truncated);
		return;
	}
	pipa_doc_map(doc, "stacks");
	pipa_doc_u64(doc, "unwound", l->unwound);
	pipa_doc_u64(doc, "complete", l->unwound - l->unwound_truncated);
	pipa_doc_u64(doc, "joined", l->unwound_joined);
	pipa_doc_u64(doc, "fp_fallback", l->unwound_fp_fallback);
	pipa_doc_list(doc, "truncated");
	cuts = sort_by_count(p);
	for (i = 0; cuts && i < p->truncated_stacks.n; i++) {
		pipa_doc_map(doc, NULL);
		pipa_doc_str(doc, "dso", object_path(p, &cuts[i]));
		pipa_doc_str(doc, "reason", pipa_stack_end_id(cuts[i].why));
		pipa_doc_u64(doc, "samples", cuts[i].count);
		if (hint_for(p, cuts[i].why))
			pipa_doc_str(doc, "hint", hint_for(p, cuts[i].why));
		pipa_doc_end(doc);
	}
	free(cuts);
	pipa_doc_end(doc);
	pipa_doc_end(doc);
}
