#include "export/answer.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "codec/doc.h"

/*
 *	0x1139 work (inlined) at /src/work.c:12
 *	0x1139 main+0x29 in /usr/bin/work at /src/main.c:20
 *
 * Every line is whole: whoever looks for one frame of one address needs no other line.
 */
static void write_text(const struct pipa_answer *a, struct pipa_buf *out)
{
	size_t i;

	for (i = 0; i < a->n; i++) {
		const struct pipa_answer_frame *f = &a->frames[i];

		pipa_buf_printf(out, "0x%" PRIx64 " %s", a->address,
				f->function ? f->function : "??");
		if (f->has_into)
			pipa_buf_printf(out, "+0x%" PRIx64, f->into);
		if (f->inlined)
			pipa_buf_puts(out, " (inlined)");
		if (a->object)
			pipa_buf_printf(out, " in %s", a->object);
		if (f->file)
			pipa_buf_printf(out, " at %s:%u", f->file, f->line);
		pipa_buf_putc(out, '\n');
	}
	if (a->n)
		return;
	pipa_buf_printf(out, "0x%" PRIx64 " ??%s%s\n", a->address, a->object ? " in " : "",
			a->object ? a->object : "");
}

static void write_addr2line(const struct pipa_answer *a, bool addresses, struct pipa_buf *out)
{
	size_t i;

	if (addresses)
		pipa_buf_printf(out, "0x%016" PRIx64 "\n", a->address);
	for (i = 0; i < a->n; i++) {
		const struct pipa_answer_frame *f = &a->frames[i];

		pipa_buf_printf(out, "%s\n%s:", f->function ? f->function : "??",
				f->file ? f->file : "??");
		if (f->line)
			pipa_buf_printf(out, "%u\n", f->line);
		else
			pipa_buf_puts(out, "?\n");
	}
	if (!a->n)
		pipa_buf_puts(out, "??\n??:0\n");
}

static void write_json_frame(struct pipa_doc *doc, const struct pipa_answer_frame *f)
{
	pipa_doc_map(doc, NULL);
	pipa_doc_str(doc, "function", f->function);
	if (f->has_into)
		pipa_doc_u64(doc, "offset", f->into);
	if (f->file)
		pipa_doc_str(doc, "file", f->file);
	if (f->line)
		pipa_doc_u64(doc, "line", f->line);
	if (f->column)
		pipa_doc_u64(doc, "column", f->column);
	if (f->inlined)
		pipa_doc_bool(doc, "inlined", true);
	pipa_doc_end(doc);
}

static void write_json(const struct pipa_answer *a, struct pipa_buf *out)
{
	struct pipa_doc doc;
	char address[20];
	size_t i;

	snprintf(address, sizeof(address), "0x%" PRIx64, a->address);
	pipa_doc_begin(&doc, PIPA_DOC_JSON_LINE, out);
	pipa_doc_str(&doc, "schema", "pipa-symbolize/1");
	pipa_doc_str(&doc, "address", address);
	if (a->object)
		pipa_doc_str(&doc, "object", a->object);
	pipa_doc_list(&doc, "frames");
	for (i = 0; i < a->n; i++)
		write_json_frame(&doc, &a->frames[i]);
	pipa_doc_end(&doc);
	pipa_doc_finish(&doc);
}

void pipa_answer_write(const struct pipa_answer *answer, enum pipa_answer_form form, bool addresses,
		       struct pipa_buf *out)
{
	switch (form) {
	case PIPA_ANSWER_TEXT: write_text(answer, out); break;
	case PIPA_ANSWER_ADDR2LINE: write_addr2line(answer, addresses, out); break;
	case PIPA_ANSWER_JSON: write_json(answer, out); break;
	}
}
