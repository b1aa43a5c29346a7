#include "job/query/finding.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/buf.h"
#include "codec/doc.h"

void pipa_found(struct pipa_finding *f, enum pipa_found_state state, const char *fmt, ...)
{
	va_list ap;

	f->state = state;
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
}

void pipa_found_fix(struct pipa_finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->fix, sizeof(f->fix), fmt, ap);
	va_end(ap);
}

static void write_text(const struct pipa_finding *findings, size_t n, bool color,
		       struct pipa_buf *out)
{
	static const char *const marks[] = { "ok", "partial", "no" };
	static const char *const colors[] = { "\033[32m", "\033[33m", "\033[31m" };
	size_t i;

	for (i = 0; i < n; i++) {
		const struct pipa_finding *f = &findings[i];

		pipa_buf_printf(out, "%s%-7s%s %-18s %s\n", color ? colors[f->state] : "",
				marks[f->state], color ? "\033[0m" : "", f->name, f->text);
		if (f->fix[0])
			pipa_buf_printf(out, "%27s try: %s\n", "", f->fix);
	}
}

static void write_json(const struct pipa_finding *findings, size_t n, struct pipa_buf *out)
{
	static const char *const names[] = { "ok", "partial", "missing" };
	struct pipa_doc doc;
	size_t i;

	pipa_doc_begin(&doc, PIPA_DOC_JSON, out);
	pipa_doc_str(&doc, "schema", "pipa-doctor/1");
	pipa_doc_list(&doc, "checks");
	for (i = 0; i < n; i++) {
		pipa_doc_map(&doc, NULL);
		pipa_doc_str(&doc, "name", findings[i].name);
		pipa_doc_str(&doc, "state", names[findings[i].state]);
		pipa_doc_str(&doc, "text", findings[i].text);
		if (findings[i].fix[0])
			pipa_doc_str(&doc, "fix", findings[i].fix);
		pipa_doc_end(&doc);
	}
	pipa_doc_end(&doc);
	pipa_doc_finish(&doc);
}

void pipa_findings_write(const struct pipa_finding *findings, size_t n, bool json, bool color,
			 struct pipa_buf *out)
{
	if (json)
		write_json(findings, n, out);
	else
		write_text(findings, n, color, out);
}
