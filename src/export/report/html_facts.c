/* Facts of a page (web/README.md): metrics of the run, and the description of the machine. */
#include <math.h>

#include "export/report/html_report_own.h"
#include "model/facts.h"
#include "model/run.h"

static const char *group_key(enum pipa_run_group group)
{
	switch (group) {
	case PIPA_RUN_WORK: return "work";
	case PIPA_RUN_COUNTS: return "counts";
	case PIPA_RUN_COMMAND: return "command";
	case PIPA_RUN_CPU: return "cpu";
	case PIPA_RUN_MEMORY: return "memory";
	case PIPA_RUN_DISK: return "disk";
	case PIPA_RUN_NETWORK: return "network";
	case PIPA_RUN_ENERGY:
	case PIPA_RUN_GROUPS: break;
	}
	return "energy";
}

static void put_metrics(const struct pipa_run *run, struct pipa_doc *doc)
{
	enum pipa_run_key key;

	pipa_doc_list(doc, "metrics");
	for (key = 0; key < PIPA_RUN_KEYS; key++) {
		if (isnan(run->values[key]))
			continue;
		pipa_doc_map(doc, NULL);
		pipa_doc_str(doc, "key", pipa_run_keys[key].name);
		pipa_doc_str(doc, "title", pipa_run_keys[key].title);
		pipa_doc_str(doc, "unit", pipa_run_keys[key].unit);
		pipa_doc_str(doc, "group", group_key(pipa_run_keys[key].group));
		if (pipa_run_keys[key].group == PIPA_RUN_DISK && run->dev)
			pipa_doc_str(doc, "of", run->dev);
		pipa_doc_double(doc, "value", run->values[key]);
		pipa_doc_int(doc, "digits", pipa_run_keys[key].digits);
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
}

/* Write an entry of the description, without the levels that are too deep for a page. */
static void put_fact(const struct pipa_fact *fact, const char *key, struct pipa_doc *doc)
{
	const struct pipa_fact *entry;

	switch (fact->kind) {
	case PIPA_FACT_TEXT: pipa_doc_str(doc, key, fact->text); return;
	case PIPA_FACT_NUMBER: pipa_doc_u64(doc, key, fact->number); return;
	case PIPA_FACT_MAP: pipa_doc_map(doc, key); break;
	case PIPA_FACT_LIST: pipa_doc_list(doc, key); break;
	}
	for (entry = fact->first; entry; entry = entry->next)
		if (doc->depth + 2 < PIPA_DOC_DEPTH || entry->kind == PIPA_FACT_TEXT ||
		    entry->kind == PIPA_FACT_NUMBER)
			put_fact(entry, fact->kind == PIPA_FACT_LIST ? NULL : entry->key, doc);
	pipa_doc_end(doc);
}

void pipa_html_put_facts(const struct pipa_html_report *page, struct pipa_doc *doc)
{
	if (page->run)
		put_metrics(page->run, doc);
	if (page->facts)
		put_fact(&page->facts->top, "system", doc);
}
