#include "export/text/unresolved.h"

#include "base/buf.h"
#include "codec/doc.h"

static const struct {
	const char *id, *text;
} reasons[PIPA_UNRESOLVED_NR] = {
	[PIPA_UNRESOLVED_NO_MAPPING] = { "no_mapping", "no mapping" },
	[PIPA_UNRESOLVED_NO_FILE] = { "no_file", "file not found" },
	[PIPA_UNRESOLVED_BUILD_ID_MISMATCH] = { "build_id_mismatch", "build ID mismatch" },
	[PIPA_UNRESOLVED_NO_SYMBOL] = { "no_symbol", "no symbol" },
	[PIPA_UNRESOLVED_JIT_NO_MAP] = { "jit_no_map", "JIT code without a perf map" },
	[PIPA_UNRESOLVED_KPTR_RESTRICT] = { "kptr_restrict",
					    "kernel symbols hidden (kptr_restrict)" },
	[PIPA_UNRESOLVED_OTHER_KERNEL] = { "other_kernel", "no symbols of the recorded kernel" },
};

enum { FIRST = PIPA_RESOLVED + 1 };

const char *pipa_unresolved_id(enum pipa_unresolved reason)
{
	return reasons[reason].id;
}

static uint32_t first_event(const struct pipa_profile *p)
{
	uint32_t event = 0;

	while (event < p->events.n && !p->events.items[event].count)
		event++;
	return event;
}

void pipa_unresolved_find(const struct pipa_profile *p, struct pipa_unresolved_shares *ret)
{
	uint64_t weights[PIPA_UNRESOLVED_NR] = { 0 }, all = 0, none = 0;
	uint32_t event = first_event(p);
	size_t i;

	for (i = 0; i < p->samples.n; i++) {
		const struct pipa_sample *s = &p->samples.items[i];

		if (s->event != event)
			continue;
		all += s->weight;
		if (s->stack != PIPA_NONE)
			weights[p->locations.items[p->stacks.items[s->stack].location]
					.unresolved] += s->weight;
	}
	for (i = FIRST; i < PIPA_UNRESOLVED_NR; i++) {
		ret->by_reason[i] = all ? 100 * (double)weights[i] / (double)all : 0;
		none += weights[i];
	}
	ret->by_reason[PIPA_RESOLVED] = 0;
	ret->all = all ? 100 * (double)none / (double)all : 0;
}

/* Would the percentage be printed as more than 0.00? */
static bool is_shown(double percent)
{
	return percent >= 0.005;
}

void pipa_unresolved_text(const struct pipa_unresolved_shares *s, struct pipa_buf *out)
{
	size_t i, n = 0;

	if (!is_shown(s->all))
		return;
	pipa_buf_printf(out, "# unresolved: %.2f%%", s->all);
	for (i = FIRST; i < PIPA_UNRESOLVED_NR; i++)
		if (is_shown(s->by_reason[i]))
			pipa_buf_printf(out, "%s %s %.2f%%", n++ ? "," : ":", reasons[i].text,
					s->by_reason[i]);
	pipa_buf_putc(out, '\n');
}

void pipa_unresolved_doc(const struct pipa_unresolved_shares *s, struct pipa_doc *doc)
{
	size_t i;

	pipa_doc_map(doc, "unresolved");
	pipa_doc_double(doc, "percent", s->all);
	for (i = FIRST; i < PIPA_UNRESOLVED_NR; i++)
		if (s->by_reason[i] > 0)
			pipa_doc_double(doc, reasons[i].id, s->by_reason[i]);
	pipa_doc_end(doc);
}
