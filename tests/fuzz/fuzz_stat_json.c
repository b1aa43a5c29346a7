/*
 * A report as the baseline of a comparison: rows that are taken are whole, and written again with our
 * own writer they are read as the same rows.
 */
#include <math.h>

#include "base/buf.h"
#include "base/error.h"
#include "codec/doc.h"
#include "fuzz.h"
#include "import/stat_json.h"
#include "model/counts.h"
#include "model/stat.h"

static void write_row(struct pipa_doc *doc, const struct pipa_base_row *row)
{
	pipa_doc_map(doc, NULL);
	pipa_doc_str(doc, "event", row->name);
	pipa_doc_double(doc, "value", row->spread.mean);
	if (row->spread.n > 1) {
		pipa_doc_map(doc, "spread");
		pipa_doc_u64(doc, "n", row->spread.n);
		pipa_doc_double(doc, "mean", row->spread.mean);
		pipa_doc_double(doc, "sd", row->spread.sd);
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
}

static void write_base(const struct pipa_base *base, struct pipa_buf *out)
{
	struct pipa_doc doc;
	size_t i;

	pipa_doc_begin(&doc, PIPA_DOC_JSON, out);
	pipa_doc_str(&doc, "schema", "pipa-stat/1");
	pipa_doc_list(&doc, "events");
	for (i = 0; i < base->n; i++)
		write_row(&doc, &base->items[i]);
	pipa_doc_end(&doc);
	pipa_doc_finish(&doc);
}

/* U+FFFE and U+FFFF are not characters: the writer replaces them. */
static bool is_writable(const char *name)
{
	return !strstr(name, "\xef\xbf\xbe") && !strstr(name, "\xef\xbf\xbf");
}

static void check_base(const struct pipa_base *base)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	PIPA_AUTO(pipa_base_done) struct pipa_base again = { 0 };
	size_t i;

	for (i = 0; i < base->n; i++) {
		MUST(base->items[i].name && base->items[i].where);
		MUST(base->items[i].spread.n >= 1 && isfinite(base->items[i].spread.mean));
		MUST(base->items[i].spread.n == 1 || base->items[i].spread.sd >= 0);
	}
	write_base(base, &text);
	MUST(text.status == 0);
	MUST(pipa_stat_json_decode(text.data, text.len, &again, NULL) == 0);
	MUST(again.n == base->n);
	for (i = 0; i < base->n; i++) {
		const struct pipa_spread *a = &base->items[i].spread, *b = &again.items[i].spread;

		MUST(!is_writable(base->items[i].name) ||
		     strcmp(base->items[i].name, again.items[i].name) == 0);
		MUST(a->n == b->n && a->mean == b->mean);
		MUST(a->n == 1 || a->sd == b->sd);
	}
}

/* Reports as counts: each consumes bytes, and its rows have an event. */
static void check_counts(const char *text, size_t len)
{
	size_t used, i;

	for (; len; text += used, len -= used) {
		PIPA_AUTO(pipa_counts_done) struct pipa_counts counts = { 0 };
		struct pipa_error err = { 0 };

		if (pipa_stat_json_counts(text, len, &counts, &used, &err) < 0) {
			MUST(err.code < 0 && err.what[0]);
			return;
		}
		MUST(used > 0 && used <= len);
		for (i = 0; i < counts.n; i++)
			MUST(counts.items[i].event < counts.texts.n || !counts.items[i].event);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_base base = { .n = 42 };
	struct pipa_error err = { 0 };

	if (pipa_stat_json_decode((const char *)data, size, &base, &err) == 0) {
		check_base(&base);
		pipa_base_done(&base);
	} else {
		MUST(base.n == 42 && !base.items);
		MUST(err.code < 0 && err.what[0]);
	}
	check_counts((const char *)data, size);
	return 0;
}
