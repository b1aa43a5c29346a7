/*
 * Verdict of a page: the text of the most important finding; without one a sentence on the load of the
 * machine.
 */
#include <ctype.h>

#include "analyze/rules/evaluate.h"
#include "analyze/rules/rule_text.h"
#include "base/auto.h"
#include "export/report/html_report_own.h"
#include "model/context.h"

/* A clause of the sentence; it is left out unless all variables of its templates are present. */
struct verdict_clause {
	const char *needs[2]; /* variables; NULL: none */
	const char *text[PIPA_LANGUAGE_NR];
};

static const struct verdict_clause clauses[] = {
	{ { "cpu_busy", "num_cpu" },
	  { "the {num_cpu} CPUs were busy **{cpu_busy:.1f} %** of the time",
	    "{num_cpu} 个 CPU 的忙碌时间占 **{cpu_busy:.1f} %**" } },
	{ { "avg_memused_percent" },
	  { "memory was in use to **{avg_memused_percent:.0f} %**",
	    "内存使用 **{avg_memused_percent:.0f} %**" } },
	{ { "busiest_disk_name", "avg_disk_util" },
	  { "the busiest disk, {busiest_disk_name}, was utilized **{avg_disk_util:.1f} %**",
	    "最繁忙的磁盘 {busiest_disk_name} 的利用率为 **{avg_disk_util:.1f} %**" } },
	{ { "busiest_iface", "avg_ifutil" },
	  { "the busiest network interface was {busiest_iface}",
	    "最繁忙的网络接口是 {busiest_iface}" } },
	{ { "ipc" }, { "IPC was **{ipc:.2f}**", "每周期执行 **{ipc:.2f}** 条指令" } },
};

static const char *const no_bottleneck[PIPA_LANGUAGE_NR] = { "**No bottleneck was found.** ",
							     "**没有发现瓶颈。**" };
static const char *const no_statistics[PIPA_LANGUAGE_NR] = {
	"**No statement is possible:** the input has no statistics of the machine.",
	"**无法得出结论：**输入中没有机器的统计数据。"
};
static const char *const comma[PIPA_LANGUAGE_NR] = { ", ", "，" };
static const char *const full_stop[PIPA_LANGUAGE_NR] = { ".", "。" };

static bool is_present(const struct pipa_context *context, const char *name)
{
	const struct pipa_variable *variable = name ? pipa_context_find(context, name) : NULL;

	return !name || (variable && variable->value.kind != PIPA_VALUE_ABSENT);
}

static bool is_usable(const struct pipa_context *context, const struct verdict_clause *clause)
{
	return is_present(context, clause->needs[0]) && is_present(context, clause->needs[1]);
}

/* Return the severity without a finding: "unknown" if nothing could be decided. */
static const char *severity_without_finding(const struct pipa_context *context)
{
	size_t i;

	for (i = 0; i < PIPA_COUNT(clauses); i++)
		if (is_usable(context, &clauses[i]))
			return "none";
	return "unknown";
}

/* Append a template that describes a machine without a bottleneck. */
static void put_description(const struct pipa_context *context, enum pipa_language language,
			    struct pipa_buf *out)
{
	size_t i, n = 0, start;

	for (i = 0; i < PIPA_COUNT(clauses); i++) {
		const struct verdict_clause *clause = &clauses[i];

		if (!is_usable(context, clause))
			continue;
		pipa_buf_puts(out, n++ ? comma[language] : no_bottleneck[language]);
		start = out->len;
		pipa_buf_puts(out, clause->text[language]);
		if (n == 1 && !out->status && language == PIPA_LANGUAGE_EN)
			out->data[start] = (char)toupper((unsigned char)out->data[start]);
	}
	pipa_buf_puts(out, n ? full_stop[language] : no_statistics[language]);
}

/* Return the index of the most important finding of the diagnosis, else of the audit; n if there is none. */
static size_t find_main_finding(const struct pipa_html_report *page)
{
	const struct pipa_findings *findings = page->findings;
	size_t i, audit = findings->n;

	for (i = 0; i < findings->n; i++) {
		const struct pipa_rule_entry *rule = &page->rules->items[findings->order[i]];

		if (rule->severity == PIPA_SEVERITY_INFO)
			continue;
		if (!rule->is_audit)
			return i;
		if (audit == findings->n)
			audit = i;
	}
	return audit;
}

void pipa_html_put_verdict(const struct pipa_html_report *page, struct pipa_doc *doc)
{
	const struct pipa_findings *findings = page->findings;
	size_t at = find_main_finding(page);
	const struct pipa_rule_entry *rule = at < findings->n ?
						     &page->rules->items[findings->order[at]] :
						     NULL;
	enum pipa_language i;

	pipa_doc_map(doc, "verdict");
	pipa_doc_str(doc, "severity",
		     rule ? pipa_severity_text(rule->severity) :
			    severity_without_finding(page->context));
	pipa_doc_map(doc, "text");
	for (i = 0; i < PIPA_LANGUAGE_NR; i++) {
		PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
		PIPA_AUTO(pipa_buf_done) struct pipa_buf runs = { 0 };
		const struct pipa_rule_scalar *scalar = rule ? pipa_rule_words_in(&rule->finding,
										  i) :
							       NULL;

		if (scalar)
			pipa_buf_puts(&text, scalar->text);
		else
			put_description(page->context, i, &text);
		pipa_rule_text_write(pipa_buf_str(&text), page->context, PIPA_MARKUP_RUNS, &runs);
		if (text.status || runs.status)
			doc->out->status = text.status ? text.status : runs.status;
		else
			pipa_doc_json(doc, pipa_language_code(i), runs.data, runs.len);
	}
	pipa_doc_end(doc);
	if (rule)
		pipa_doc_u64(doc, "finding", at);
	else
		pipa_doc_str(doc, "finding", NULL);
	pipa_doc_end(doc);
}
