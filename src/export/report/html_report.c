#include "export/report/html_report.h"

#include <string.h>

#include "base/auto.h"
#include "codec/base64.h"
#include "codec/sha256.h"
#include "export/report/html_report_own.h"
#include "export/report/report_words.h"
#include "export/view/view_text.h"
#include "export/view/web.h"

enum { MEMORY_MAX = 256 << 20 }; /* of the data without series, and of the samples */

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
		pipa_report_put_message(doc, "text", page->notes[i].text);
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
}

static void put_profile_summary(const struct pipa_html_report *page, struct pipa_doc *doc)
{
	const struct pipa_view *view = page->profile;
	const struct pipa_losses none = { 0 };
	const struct pipa_losses *losses = view && view->profile ? &view->profile->losses : &none;

	if (!view)
		return;
	pipa_doc_map(doc, "profile");
	pipa_doc_str(doc, "event", view->event);
	pipa_doc_u64(doc, "samples", view->flame->samples[PIPA_FLAME_NOW]);
	pipa_doc_u64(doc, "lost", losses->lost_samples + losses->lost_records);
	if (page->profile_wall_ns)
		pipa_doc_u64(doc, "wall_ms", pipa_html_ms(page->profile_wall_ns));
	else
		pipa_doc_str(doc, "wall_ms", NULL);
	pipa_doc_end(doc);
}

/* Write the payload. */
static void put_data(struct pipa_html_writer *w)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf json = { .max = MEMORY_MAX };
	const struct pipa_html_report *page = w->page;
	struct pipa_doc doc;
	size_t i;

	pipa_doc_begin(&doc, PIPA_DOC_JSON_LINE, &json);
	put_head(&doc, page);
	pipa_html_put_quality(page, &doc);
	pipa_html_put_findings(w, &doc);
	pipa_html_put_loads(page, &doc);
	pipa_html_put_series(w, &doc);
	put_profile_summary(page, &doc);
	pipa_html_put_facts(page, &doc);
	for (i = 0; i < page->n_parts; i++)
		pipa_doc_json(&doc, page->parts[i].name, page->parts[i].json, page->parts[i].len);
	pipa_doc_finish(&doc);
	if (!w->pieces.status)
		w->pieces.status = json.status;
	pipa_view_put_doc(&w->pieces.buf, pipa_buf_str(&json), json.len);
}

/* Write the samples as a separate element. */
static void put_profile(struct pipa_html_writer *w)
{
	struct pipa_buf *out = &w->pieces.buf;

	if (!w->page->profile)
		return;
	pipa_buf_puts(out, "<script type=\"application/json\" id=\"pipa-profile\">");
	pipa_view_write_data(w->page->profile, out);
	pipa_buf_puts(out, "</script>\n");
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

/* Append a piece of the blocks to a buffer. */
static int keep_bytes(void *ctx, const char *bytes, size_t len)
{
	struct pipa_buf *kept = ctx;

	pipa_buf_add(kept, bytes, len);
	return kept->status;
}

/*
 * Make the elements of all blocks. The data before them has their segments: they are in memory,
 * compressed, until it is written.
 */
static void keep_blocks(struct pipa_html_writer *w, struct pipa_buf *kept)
{
	struct pipa_pieces page = w->pieces;

	w->pieces = (struct pipa_pieces){ .buf.max = MEMORY_MAX, .put = keep_bytes, .ctx = kept };
	pipa_html_put_blocks(w);
	page.status = pipa_pieces_end(&w->pieces);
	pipa_buf_done(&w->pieces.buf);
	w->pieces = page;
}

/* Pass the blocks on without another copy. */
static void put_kept(struct pipa_html_writer *w, const struct pipa_buf *kept)
{
	if (pipa_pieces_end(&w->pieces) == 0 && kept->len)
		w->pieces.status = w->pieces.put(w->pieces.ctx, kept->data, kept->len);
}

static void put_placeholder(struct pipa_html_writer *w, const struct pipa_buf *blocks,
			    const char *name, size_t len)
{
	static const char *const names[] = { "style-hash", "script-hash", "lang",
					     "title",	   "style",	  "data",
					     "script",	   "blocks",	  "profile" };
	struct pipa_buf *out = &w->pieces.buf;
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
	case 5: put_data(w); break;
	case 6: put_text(&pipa_web_report_script, out); break;
	case 7: put_kept(w, blocks); break;
	case 8: put_profile(w); break;
	default: break;
	}
}

int pipa_html_report_write(const struct pipa_html_report *page, pipa_put_fn *put, void *ctx)
{
	struct pipa_html_writer w = { .page = page,
				      .pieces = { .buf.max = MEMORY_MAX, .put = put, .ctx = ctx } };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf blocks = { .max = MEMORY_MAX };
	const char *at = pipa_web_report_page.bytes, *open, *close;

	pipa_html_series_plan(&w);
	pipa_html_keep_evidence(&w);
	keep_blocks(&w, &blocks);
	while (!w.pieces.status && (open = strstr(at, "{{")) && (close = strstr(open, "}}"))) {
		pipa_buf_add(&w.pieces.buf, at, (size_t)(open - at));
		put_placeholder(&w, &blocks, open + 2, (size_t)(close - open - 2));
		pipa_pieces_flush(&w.pieces);
		at = close + 2;
	}
	pipa_buf_puts(&w.pieces.buf, at);
	pipa_pieces_end(&w.pieces);
	pipa_html_series_done(&w.series);
	pipa_buf_done(&w.pieces.buf);
	return w.pieces.status;
}
