#include "export/text/stack_ends.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "codec/doc.h"

static const struct {
	const char *id, *text, *help;
} ends[PIPA_STACK_END_NR] = {
	[PIPA_STACK_COMPLETE] = { "complete", "complete", NULL },
	[PIPA_STACK_TRUNCATED] = { "dump_too_short", "stack dump too short",
				   "record larger stack dumps: --call-graph dwarf,65528" },
	[PIPA_STACK_OTHER_STACK] = { "other_stack", "stack continues outside the dump", NULL },
	[PIPA_STACK_NO_REGISTERS] = { "no_registers", "register not recorded",
				      "record all user registers" },
	[PIPA_STACK_NO_MAPPING] = { "no_mapping", "no mapping at the return address", NULL },
	[PIPA_STACK_NO_CFI] = { "no_cfi", "no unwind information",
				"install the file or its debug package, or compile with frame "
				"pointers" },
	[PIPA_STACK_BAD_CFI] = { "bad_cfi", "malformed unwind information",
				 "provide the file that was running" },
	[PIPA_STACK_NO_PROGRESS] = { "no_progress", "no progress", NULL },
	[PIPA_STACK_TOO_MANY] = { "too_many_frames", "too many frames", NULL },
};

enum { LINES = 5, STACK_MOST = 65528 /* maximum size of a stack dump */ };

/* Return advice on a kind of truncated stack, or NULL. */
static const char *advice_for(const struct pipa_profile *p, enum pipa_stack_end end)
{
	if (end == PIPA_STACK_TRUNCATED && p->losses.stack_bytes >= STACK_MOST)
		return "use --call-graph fp if the code has frame pointers";
	return ends[end].help;
}

const char *pipa_stack_end_id(enum pipa_stack_end end)
{
	return ends[end].id;
}

const char *pipa_stack_end_text(enum pipa_stack_end end)
{
	return ends[end].text;
}

static const char *object_of(const struct pipa_profile *p, const struct pipa_truncated_stack *cut)
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
 * Return the reasons by decreasing frequency. NULL on allocation failure or if there are none. The
 * caller frees them.
 */
static struct pipa_truncated_stack *sort_truncated(const struct pipa_profile *p)
{
	struct pipa_truncated_stack *list = p->cuts.n ? malloc(p->cuts.n * sizeof(*list)) : NULL;

	if (!list)
		return NULL;
	memcpy(list, p->cuts.items, p->cuts.n * sizeof(*list));
	qsort(list, p->cuts.n, sizeof(*list), by_count);
	return list;
}

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100 * (double)part / (double)all : 0;
}

void pipa_stack_ends_text(const struct pipa_profile *p, struct pipa_buf *out)
{
	const struct pipa_losses *l = &p->losses;
	struct pipa_truncated_stack *cuts;
	size_t i;

	if (!l->unwound)
		return;
	pipa_buf_printf(out, "# stacks: %.2f%% of %llu complete",
			percent(l->unwound - l->unwound_truncated, l->unwound),
			(unsigned long long)l->unwound);
	if (l->unwound_joined)
		pipa_buf_printf(out, "; %.2f%% completed with outer frames of an earlier sample",
				percent(l->unwound_joined, l->unwound));
	if (l->unwound_guessed)
		pipa_buf_printf(out, "; %.2f%% with frames found by frame-pointer fallback",
				percent(l->unwound_guessed, l->unwound));
	pipa_buf_putc(out, '\n');
	cuts = sort_truncated(p);
	for (i = 0; cuts && i < p->cuts.n && i < LINES; i++) {
		const char *help = advice_for(p, cuts[i].why), *path = object_of(p, &cuts[i]);
		const char *slash = strrchr(path, '/');

		pipa_buf_printf(out, "#   %.2f%% end in %s: %s%s%s\n",
				percent(cuts[i].count, l->unwound),
				slash && slash[1] ? slash + 1 : path, ends[cuts[i].why].text,
				help ? "; " : "", help ? help : "");
	}
	if (p->cuts.n > LINES)
		pipa_buf_printf(out, "#   %zu more\n", p->cuts.n - LINES);
	free(cuts);
}

void pipa_stack_ends_doc(const struct pipa_profile *p, struct pipa_doc *doc)
{
	const struct pipa_losses *l = &p->losses;
	struct pipa_truncated_stack *cuts;
	size_t i;

	if (!l->unwound)
		return;
	pipa_doc_map(doc, "stacks");
	pipa_doc_u64(doc, "unwound", l->unwound);
	pipa_doc_u64(doc, "complete", l->unwound - l->unwound_truncated);
	pipa_doc_u64(doc, "joined", l->unwound_joined);
	pipa_doc_u64(doc, "fp_fallback", l->unwound_guessed);
	pipa_doc_list(doc, "truncated");
	cuts = sort_truncated(p);
	for (i = 0; cuts && i < p->cuts.n; i++) {
		pipa_doc_map(doc, NULL);
		pipa_doc_str(doc, "dso", object_of(p, &cuts[i]));
		pipa_doc_str(doc, "reason", ends[cuts[i].why].id);
		pipa_doc_u64(doc, "samples", cuts[i].count);
		if (advice_for(p, cuts[i].why))
			pipa_doc_str(doc, "hint", advice_for(p, cuts[i].why));
		pipa_doc_end(doc);
	}
	free(cuts);
	pipa_doc_end(doc);
	pipa_doc_end(doc);
}
