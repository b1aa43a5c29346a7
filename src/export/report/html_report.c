#include "export/report/html_report.h"

#include <string.h>

#include "base/auto.h"
#include "codec/base64.h"
#include "codec/sha256.h"
#include "export/report/html_report_own.h"
#include "export/view/view_text.h"
#include "export/view/web.h"

enum {
	PIECE = 256 << 10,	 /* bytes that are passed on at once */
	PAYLOAD_MAX = 256 << 20, /* limits of memory */
};

/* ---- pieces -------------------------------------------------------------------------------------- */

static void flush_all(struct pipa_html_writer *w)
{
	if (!w->status)
		w->status = w->out.status;
	if (!w->status && w->out.len)
		w->status = w->put(w->ctx, w->out.data, w->out.len);
	pipa_buf_reset(&w->out);
}

void pipa_html_flush(struct pipa_html_writer *w)
{
	if (w->out.len >= PIECE || w->out.status)
		flush_all(w);
}

/* ---- data ---------------------------------------------------------------------------------------- */

static void put_head(struct pipa_doc *doc, const struct pipa_html_report *page)
{
	size_t i;

	pipa_doc_str(doc, "schema", "pipa.report/1");
	pipa_doc_str(doc, "pipa", page->version);
	pipa_doc_str(doc, "title", page->title);
	pipa_doc_str(doc, "lang", pipa_language_code(page->language));
	pipa_doc_list(doc, "inputs");
	for (i = 0; i < page->n_inputs; i++)
		pipa_doc_str(doc, NULL, page->inputs[i]);
	pipa_doc_end(doc);
	pipa_doc_list(doc, "unusable");
	for (i = 0; i < page->n_notes; i++) {
		pipa_doc_map(doc, NULL);
		pipa_doc_str(doc, "name", page->notes[i].name);
		pipa_doc_str(doc, "text", page->notes[i].text);
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
}

/* Write the payload. */
static void put_data(struct pipa_html_writer *w)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf json = { .max = PAYLOAD_MAX };
	const struct pipa_html_report *page = w->page;
	struct pipa_doc doc;
	size_t i;

	pipa_doc_begin(&doc, PIPA_DOC_JSON_LINE, &json);
	put_head(&doc, page);
	for (i = 0; i < page->n_parts; i++)
		pipa_doc_json(&doc, page->parts[i].name, page->parts[i].json, page->parts[i].len);
	pipa_doc_finish(&doc);
	if (!w->status)
		w->status = json.status;
	pipa_view_put_doc(&w->out, pipa_buf_str(&json), json.len);
	pipa_html_flush(w);
}

/* Write the samples as an element of their own. */
static void put_profile(struct pipa_html_writer *w)
{
	if (!w->page->profile)
		return;
	pipa_buf_puts(&w->out, "<script type=\"application/json\" id=\"pipa-profile\">");
	flush_all(w);
	pipa_view_write_data(w->page->profile, &w->out);
	pipa_buf_puts(&w->out, "</script>\n");
	flush_all(w);
}

/* ---- the page ------------------------------------------------------------------------------------ */

static void put_hash(const struct pipa_web_text *text, struct pipa_buf *out)
{
	uint8_t hash[PIPA_SHA256_SIZE];

	pipa_sha256(text->bytes, text->len, hash);
	pipa_base64_put(out, hash, sizeof(hash));
}

static void put_text(const struct pipa_web_text *text, struct pipa_buf *out)
{
	pipa_buf_add(out, text->bytes, text->len);
}

static void put_placeholder(struct pipa_html_writer *w, const char *name, size_t len)
{
	static const char *const names[] = { "style-hash", "script-hash", "lang",
					     "title",	   "style",	  "blocks",
					     "data",	   "profile",	  "script" };
	struct pipa_buf *out = &w->out;
	size_t i;

	for (i = 0; i < PIPA_COUNT(names); i++)
		if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0)
			break;
	switch (i) {
	case 0: put_hash(&pipa_web_report_style, out); break;
	case 1: put_hash(&pipa_web_report_script, out); break;
	case 2: pipa_buf_puts(out, pipa_language_code(w->page->language)); break;
	case 3: pipa_view_put_xml(out, w->page->title, strlen(w->page->title), 200); break;
	case 4: put_text(&pipa_web_report_style, out); break;
	case 5: break; /* series */
	case 6: put_data(w); break;
	case 7: put_profile(w); break;
	case 8: put_text(&pipa_web_report_script, out); break;
	default: break;
	}
}

int pipa_html_report_write(const struct pipa_html_report *page,
			   int (*put)(void *ctx, const char *bytes, size_t len), void *ctx)
{
	struct pipa_html_writer w = {
		.page = page, .out.max = PAYLOAD_MAX, .put = put, .ctx = ctx
	};
	const char *at = pipa_web_report_page.bytes, *open, *close;

	while (!w.status && (open = strstr(at, "{{")) && (close = strstr(open, "}}"))) {
		pipa_buf_add(&w.out, at, (size_t)(open - at));
		put_placeholder(&w, open + 2, (size_t)(close - open - 2));
		pipa_html_flush(&w);
		at = close + 2;
	}
	pipa_buf_puts(&w.out, at);
	flush_all(&w);
	pipa_buf_done(&w.out);
	return w.status;
}
