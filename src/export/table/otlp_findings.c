#include "export/table/otlp_findings.h"

#include <inttypes.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/visible.h"
#include "codec/doc.h"

static bool has_effect(const struct pipa_otlp_findings *f, enum pipa_otlp_rule rule,
		       enum pipa_otlp_receiver receiver, enum pipa_otlp_effect effect)
{
	return f->receivers >> receiver & 1 && pipa_otlp_rule_effect(rule, receiver) == effect;
}

/* Is a breach of the rule refused by one of the receivers that count? */
static bool is_error(const struct pipa_otlp_findings *f, enum pipa_otlp_rule rule)
{
	enum pipa_otlp_receiver i;

	for (i = 0; i < PIPA_OTLP_RECEIVER_NR; i++)
		if (has_effect(f, rule, i, PIPA_OTLP_REFUSES))
			return true;
	return false;
}

void pipa_otlp_findings_count(const struct pipa_otlp_findings *f, uint64_t *ret_errors,
			      uint64_t *ret_warnings)
{
	enum pipa_otlp_rule rule;

	*ret_errors = *ret_warnings = 0;
	for (rule = 0; rule < PIPA_OTLP_RULE_NR; rule++)
		*(is_error(f, rule) ? ret_errors : ret_warnings) += f->check->counts[rule];
}

/* Count the findings with that effect on a receiver. */
static uint64_t count_effects(const struct pipa_otlp_findings *f, enum pipa_otlp_receiver receiver,
			      enum pipa_otlp_effect effect)
{
	enum pipa_otlp_rule rule;
	uint64_t n = 0;

	for (rule = 0; rule < PIPA_OTLP_RULE_NR; rule++)
		if (pipa_otlp_rule_effect(rule, receiver) == effect)
			n += f->check->counts[rule];
	return n;
}

/* Count the findings of a rule that are kept. */
static uint64_t count_kept(const struct pipa_otlp_check *check, enum pipa_otlp_rule rule)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < check->findings.n; i++)
		n += check->findings.items[i].rule == rule;
	return n;
}

/* ---- text -------------------------------------------------------------------------------------- */

static void put_count(struct pipa_buf *out, uint64_t n, const char *what)
{
	pipa_buf_printf(out, "%" PRIu64 " %s%s", n, what, n == 1 ? "" : "s");
}

/* Append "; refused by profcheck, Parca" if a receiver has that effect. */
static void put_receivers(const struct pipa_otlp_findings *f, enum pipa_otlp_rule rule,
			  enum pipa_otlp_effect effect, const char *verb, struct pipa_buf *out)
{
	enum pipa_otlp_receiver i;
	unsigned int n = 0;

	for (i = 0; i < PIPA_OTLP_RECEIVER_NR; i++)
		if (has_effect(f, rule, i, effect))
			pipa_buf_printf(out, "%s%s", n++ ? ", " : verb, pipa_otlp_receiver_name(i));
}

static void put_findings(const struct pipa_otlp_findings *f, bool errors, struct pipa_buf *out)
{
	const char *severity = errors ? "error" : "warning";
	enum pipa_otlp_rule rule;
	uint64_t kept;
	size_t i;

	for (i = 0; i < f->check->findings.n; i++) {
		const struct pipa_otlp_finding *finding = &f->check->findings.items[i];
		size_t start = out->len;

		if (is_error(f, finding->rule) != errors)
			continue;
		pipa_buf_printf(out, "%s: %s: %s", severity, f->check->texts.data + finding->path,
				f->check->texts.data + finding->text);
		put_receivers(f, finding->rule, PIPA_OTLP_REFUSES, "; refused by ", out);
		put_receivers(f, finding->rule, PIPA_OTLP_LOSES, "; data lost in ", out);
		pipa_buf_printf(out, " [%s]", pipa_otlp_rule_name(finding->rule));
		pipa_visible_since(out, start);
		pipa_buf_putc(out, '\n');
	}
	for (rule = 0; rule < PIPA_OTLP_RULE_NR; rule++) {
		kept = count_kept(f->check, rule);
		if (f->check->counts[rule] > kept && is_error(f, rule) == errors)
			pipa_buf_printf(out, "%s: %" PRIu64 " more of [%s]\n", severity,
					f->check->counts[rule] - kept, pipa_otlp_rule_name(rule));
	}
}

static void put_receiver(const struct pipa_otlp_findings *f, enum pipa_otlp_receiver receiver,
			 struct pipa_buf *out)
{
	uint64_t refused = count_effects(f, receiver, PIPA_OTLP_REFUSES);
	uint64_t lost = count_effects(f, receiver, PIPA_OTLP_LOSES);

	pipa_buf_printf(out, "%s: ", pipa_otlp_receiver_name(receiver));
	if (refused) {
		pipa_buf_puts(out, "refuses the payload, ");
		put_count(out, refused, "error");
	} else {
		pipa_buf_puts(out, "accepts the payload");
	}
	if (lost) {
		pipa_buf_puts(out, ", loses data in ");
		put_count(out, lost, "place");
	}
	pipa_buf_putc(out, '\n');
}

void pipa_otlp_findings_write_text(const struct pipa_otlp_findings *f, struct pipa_buf *out)
{
	const struct pipa_otlp_sizes *sizes = &f->check->sizes;
	enum pipa_otlp_receiver i;
	uint64_t errors, warnings;

	pipa_otlp_findings_count(f, &errors, &warnings);
	pipa_buf_puts(out, f->name);
	pipa_visible_since(out, 0);
	pipa_buf_puts(out, ": OTLP profiles, ");
	if (f->check->json)
		pipa_buf_puts(out, "JSON");
	else
		pipa_buf_printf(out, "protobuf, layout %s",
				pipa_otlp_layout_name(f->check->layout));
	if (!f->check->counts[PIPA_OTLP_RULE_MALFORMED]) {
		pipa_buf_puts(out, "; ");
		put_count(out, sizes->resources, "resource");
		pipa_buf_puts(out, ", ");
		put_count(out, sizes->profiles, "profile");
		pipa_buf_puts(out, ", ");
		put_count(out, sizes->samples, "sample");
	}
	pipa_buf_puts(out, "; ");
	put_count(out, errors, "error");
	pipa_buf_puts(out, ", ");
	put_count(out, warnings, "warning");
	pipa_buf_putc(out, '\n');
	put_findings(f, true, out);
	put_findings(f, false, out);
	for (i = 0; i < PIPA_OTLP_RECEIVER_NR; i++)
		if (f->receivers >> i & 1)
			put_receiver(f, i, out);
}

/* ---- JSON -------------------------------------------------------------------------------------- */

static void put_receiver_list(struct pipa_doc *doc, const struct pipa_otlp_findings *f,
			      enum pipa_otlp_rule rule, const char *key,
			      enum pipa_otlp_effect effect)
{
	enum pipa_otlp_receiver i;

	pipa_doc_list(doc, key);
	for (i = 0; i < PIPA_OTLP_RECEIVER_NR; i++)
		if (has_effect(f, rule, i, effect))
			pipa_doc_str(doc, NULL, pipa_otlp_receiver_name(i));
	pipa_doc_end(doc);
}

static void put_json_receivers(struct pipa_doc *doc, const struct pipa_otlp_findings *f)
{
	enum pipa_otlp_receiver i;

	pipa_doc_map(doc, "receivers");
	for (i = 0; i < PIPA_OTLP_RECEIVER_NR; i++) {
		if (!(f->receivers >> i & 1))
			continue;
		pipa_doc_map(doc, pipa_otlp_receiver_name(i));
		pipa_doc_bool(doc, "accepts", count_effects(f, i, PIPA_OTLP_REFUSES) == 0);
		pipa_doc_u64(doc, "refused", count_effects(f, i, PIPA_OTLP_REFUSES));
		pipa_doc_u64(doc, "lost", count_effects(f, i, PIPA_OTLP_LOSES));
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
}

static void put_json_findings(struct pipa_doc *doc, const struct pipa_otlp_findings *f)
{
	const struct pipa_otlp_check *check = f->check;
	enum pipa_otlp_rule rule;
	size_t i;

	pipa_doc_map(doc, "counts");
	for (rule = 0; rule < PIPA_OTLP_RULE_NR; rule++)
		if (check->counts[rule])
			pipa_doc_u64(doc, pipa_otlp_rule_name(rule), check->counts[rule]);
	pipa_doc_end(doc);
	pipa_doc_list(doc, "findings");
	for (i = 0; i < check->findings.n; i++) {
		const struct pipa_otlp_finding *finding = &check->findings.items[i];

		pipa_doc_map(doc, NULL);
		pipa_doc_str(doc, "severity", is_error(f, finding->rule) ? "error" : "warning");
		pipa_doc_str(doc, "rule", pipa_otlp_rule_name(finding->rule));
		pipa_doc_str(doc, "path", check->texts.data + finding->path);
		pipa_doc_str(doc, "text", check->texts.data + finding->text);
		put_receiver_list(doc, f, finding->rule, "refused_by", PIPA_OTLP_REFUSES);
		put_receiver_list(doc, f, finding->rule, "lost_by", PIPA_OTLP_LOSES);
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
}

void pipa_otlp_findings_write_json(const struct pipa_otlp_findings *f, struct pipa_buf *out)
{
	const struct pipa_otlp_sizes *sizes = &f->check->sizes;
	uint64_t errors, warnings;
	struct pipa_doc doc;

	pipa_otlp_findings_count(f, &errors, &warnings);
	pipa_doc_begin(&doc, PIPA_DOC_JSON, out);
	pipa_doc_str(&doc, "schema", "pipa-otlp-check/1");
	pipa_doc_str(&doc, "file", f->name);
	pipa_doc_str(&doc, "encoding", f->check->json ? "json" : "protobuf");
	pipa_doc_str(&doc, "layout",
		     f->check->json ? NULL : pipa_otlp_layout_name(f->check->layout));
	pipa_doc_u64(&doc, "resources", sizes->resources);
	pipa_doc_u64(&doc, "profiles", sizes->profiles);
	pipa_doc_u64(&doc, "samples", sizes->samples);
	pipa_doc_u64(&doc, "errors", errors);
	pipa_doc_u64(&doc, "warnings", warnings);
	put_json_receivers(&doc, f);
	put_json_findings(&doc, f);
	pipa_doc_finish(&doc);
}
