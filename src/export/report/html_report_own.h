/* Page under construction: shared by the files of export/report only. */
#ifndef PIPA_EXPORT_REPORT_HTML_REPORT_OWN_H
#define PIPA_EXPORT_REPORT_HTML_REPORT_OWN_H

#include "base/buf.h"
#include "codec/doc.h"
#include "export/report/html_report.h"

struct pipa_html_writer {
	const struct pipa_html_report *page;
	struct pipa_buf out; /* bytes that are not passed on yet */
	int (*put)(void *ctx, const char *bytes, size_t len);
	void *ctx;
	int status; /* 0 or the first failure */
};

/* Pass the bytes of `out` on if they are many. */
void pipa_html_flush(struct pipa_html_writer *w);

#endif
