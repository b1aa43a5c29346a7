/* Quality of a page's data (web/README.md): the time it covers, its phases and its defects. */
#include "analyze/quality/quality.h"

#include "analyze/series/phases.h"
#include "export/report/html_report_own.h"

/* Write the time from the first interval to the last, by the best clock of the sources. */
static void put_time(const struct pipa_html_report *page, struct pipa_doc *doc)
{
	static const char *const clocks[] = { [PIPA_CLOCK_UTC] = "utc",
					      [PIPA_CLOCK_ELAPSED] = "elapsed",
					      [PIPA_CLOCK_ASSUMED] = "assumed" };
	const struct pipa_series_set *set = page->series;
	bool has[3] = { false };
	uint64_t begin = UINT64_MAX, end = 0;
	size_t i;

	for (i = 0; set && i < set->groups.n; i++) {
		const struct pipa_series_group *group = &set->groups.items[i];
		const struct pipa_series_axis *axis = pipa_series_axis_of(set, group);
		uint64_t start;

		if (!group->n_ticks)
			continue;
		start = axis->wall_ns[0] - (uint64_t)((double)axis->interval_s[0] * 1e9);
		begin = start < begin ? start : begin;
		if (axis->wall_ns[group->n_ticks - 1] > end)
			end = axis->wall_ns[group->n_ticks - 1];
		has[set->sources.items[group->source].clock] = true;
	}
	if (!end)
		return;
	pipa_doc_map(doc, "time");
	pipa_doc_u64(doc, "begin_ms", pipa_html_ms(begin));
	pipa_doc_u64(doc, "end_ms", pipa_html_ms(end));
	pipa_doc_str(doc, "clock",
		     clocks[has[PIPA_CLOCK_UTC]	    ? PIPA_CLOCK_UTC :
			    has[PIPA_CLOCK_ASSUMED] ? PIPA_CLOCK_ASSUMED :
						      PIPA_CLOCK_ELAPSED]);
	pipa_doc_end(doc);
}

static void put_phases(const struct pipa_phases *phases, struct pipa_doc *doc)
{
	const char *const texts[PIPA_LANGUAGE_NR] = {
		pipa_phases_text_in(phases->reason, PIPA_LANGUAGE_EN),
		pipa_phases_text_in(phases->reason, PIPA_LANGUAGE_ZH)
	};
	uint64_t until = phases->steady.until_ns ? phases->steady.until_ns : phases->end_ns;
	uint64_t from = phases->steady.from_ns ? phases->steady.from_ns : phases->begin_ns;

	pipa_doc_map(doc, "phases");
	pipa_doc_str(doc, "reason", pipa_phases_key(phases->reason));
	pipa_html_put_words(doc, "text", texts);
	pipa_doc_u64(doc, "from_ms", pipa_html_ms(from));
	pipa_doc_u64(doc, "until_ms", pipa_html_ms(until));
	pipa_doc_double(doc, "level", phases->level);
	pipa_doc_double(doc, "tolerance", phases->tolerance);
	pipa_doc_end(doc);
}

static void put_defect(const struct pipa_defect *defect, struct pipa_doc *doc)
{
	const char *const effects[PIPA_LANGUAGE_NR] = {
		pipa_defect_effect(defect->kind, PIPA_LANGUAGE_EN),
		pipa_defect_effect(defect->kind, PIPA_LANGUAGE_ZH)
	};

	pipa_doc_map(doc, NULL);
	pipa_doc_str(doc, "kind", pipa_defect_name(defect->kind));
	pipa_doc_str(doc, "section", defect->section);
	pipa_doc_str(doc, "instance", defect->instance);
	pipa_doc_str(doc, "column", defect->column);
	pipa_doc_u64(doc, "from_ms", pipa_html_ms(defect->from_ns));
	pipa_doc_u64(doc, "until_ms", pipa_html_ms(defect->until_ns));
	pipa_doc_u64(doc, "count", defect->count);
	pipa_doc_double(doc, "share", defect->share);
	pipa_doc_bool(doc, "repaired", defect->is_repaired);
	pipa_html_put_words(doc, "effect", effects);
	pipa_doc_end(doc);
}

void pipa_html_put_quality(const struct pipa_html_report *page, struct pipa_doc *doc)
{
	size_t i;

	put_time(page, doc);
	if (page->phases)
		put_phases(page->phases, doc);
	if (!page->quality)
		return;
	pipa_doc_list(doc, "quality");
	for (i = 0; i < page->quality->n; i++)
		put_defect(&page->quality->items[i], doc);
	pipa_doc_end(doc);
	pipa_doc_u64(doc, "unlisted_defects", page->quality->unlisted);
}
