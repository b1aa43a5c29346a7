#include "export/table/facts.h"

#include "model/facts.h"

static void put_fact(struct pipa_doc *doc, const struct pipa_fact *fact)
{
	const struct pipa_fact *inner;

	switch (fact->kind) {
	case PIPA_FACT_TEXT: pipa_doc_str(doc, fact->key, fact->text); return;
	case PIPA_FACT_NUMBER: pipa_doc_u64(doc, fact->key, fact->number); return;
	case PIPA_FACT_MAP: pipa_doc_map(doc, fact->key); break;
	case PIPA_FACT_LIST: pipa_doc_list(doc, fact->key); break;
	}
	for (inner = fact->first; inner; inner = inner->next) {
		bool leaf = inner->kind == PIPA_FACT_TEXT || inner->kind == PIPA_FACT_NUMBER;

		if (leaf || doc->depth + 2 < PIPA_DOC_DEPTH)
			put_fact(doc, inner);
	}
	pipa_doc_end(doc);
}

void pipa_facts_export(const struct pipa_facts *facts, enum pipa_doc_format format,
		       struct pipa_buf *out)
{
	const struct pipa_fact *fact;
	struct pipa_doc doc;

	pipa_doc_begin(&doc, format, out);
	for (fact = facts->top.first; fact; fact = fact->next)
		put_fact(&doc, fact);
	pipa_doc_finish(&doc);
}
