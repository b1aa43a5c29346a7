/*
 * Checks of OTLP payloads: any bytes can be checked, all findings have texts and are counted, and no more are kept than
 * asked for.
 */
#include "analyze/exchange/otlp_check.h"
#include "export/table/otlp_findings.h"
#include "fuzz.h"

static void check(struct pipa_span payload, const struct pipa_otlp_check_options *options)
{
	PIPA_AUTO(pipa_otlp_check_done) struct pipa_otlp_check result = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct pipa_otlp_findings findings = { .check = &result, .name = "x", .receivers = 5 };
	uint64_t errors, warnings, counted = 0, kept[PIPA_OTLP_RULE_NR] = { 0 };
	enum pipa_otlp_rule rule;
	size_t i;

	if (pipa_otlp_check(payload, options, &result) < 0)
		return;
	for (i = 0; i < result.findings.n; i++) {
		const struct pipa_otlp_finding *finding = &result.findings.items[i];

		MUST(finding->text < result.texts.len && result.texts.data[finding->text]);
		MUST(finding->path < finding->text && result.texts.data[finding->path]);
		MUST(++kept[finding->rule] <= options->limit);
	}
	for (rule = 0; rule < PIPA_OTLP_RULE_NR; rule++) {
		MUST(kept[rule] <= result.counts[rule]);
		MUST(!kept[rule] == !result.counts[rule]);
		counted += result.counts[rule];
	}
	pipa_otlp_findings_count(&findings, &errors, &warnings);
	MUST(errors + warnings == counted);
	pipa_otlp_findings_write_text(&findings, &text);
	pipa_otlp_findings_write_json(&findings, &text);
	MUST(!text.status);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_otlp_check_options options = { .limit = 3 };

	check((struct pipa_span){ data, size }, &options);
	options.fixed_layout = true;
	options.layout = PIPA_OTLP_1_9;
	check((struct pipa_span){ data, size }, &options);
	return 0;
}
