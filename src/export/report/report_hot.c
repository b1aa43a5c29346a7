#include "export/report/report_hot.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/listing.h"
#include "base/auto.h"
#include "base/buf.h"
#include "export/report/report_words.h"
#include "export/view/view_text.h"

enum {
	ROWS_MAX = 12,	/* lines and instructions of a function */
	TEXT_MAX = 200, /* bytes of a source line */
};

/* Write the text of a source line without its indentation. */
static void put_source(const struct pipa_report_hot *hot, const struct pipa_listing_line *line,
		       struct pipa_buf *out)
{
	size_t len = 0;
	const char *text = hot->line(hot->ctx, line->file, line->line, &len);

	for (; text && len && (*text == ' ' || *text == '\t'); text++)
		len--;
	pipa_view_put_json(out, text ? text : "", text ? (len < TEXT_MAX ? len : TEXT_MAX) : 0);
}

static double percent(const struct pipa_report_hot *hot, uint64_t weight)
{
	return hot->listing->weight ? 100 * (double)weight / (double)hot->listing->weight : 0;
}

static int by_line_weight(const void *a, const void *b)
{
	const struct pipa_listing_line *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static int by_row_weight(const void *a, const void *b)
{
	const struct pipa_listing_row *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Write the source lines with most samples. 0 or -ENOMEM. */
static int put_lines(const struct pipa_report_hot *hot, struct pipa_buf *out)
{
	PIPA_AUTO(free) struct pipa_listing_line *lines = NULL;
	size_t n, i;
	int rc = pipa_listing_lines(hot->listing, &lines, &n);

	if (rc < 0)
		return rc;
	if (n)
		qsort(lines, n, sizeof(*lines), by_line_weight);
	for (i = 0; i < n && i < ROWS_MAX && lines[i].weight; i++) {
		pipa_buf_puts(out, i ? ",[" : "[");
		pipa_report_put_string(out, lines[i].file);
		pipa_buf_printf(out, ",%" PRIu32 ",%.4g,", lines[i].line,
				percent(hot, lines[i].weight));
		put_source(hot, &lines[i], out);
		pipa_buf_putc(out, ']');
	}
	return 0;
}

/* Write the instructions with most samples. 0 or -ENOMEM. */
static int put_instructions(const struct pipa_report_hot *hot, struct pipa_buf *out)
{
	const struct pipa_listing *listing = hot->listing;
	PIPA_AUTO(free) struct pipa_listing_row *rows = NULL;
	size_t n = listing->rows.n, i;

	if (!n)
		return 0;
	rows = malloc(n * sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	memcpy(rows, listing->rows.items, n * sizeof(*rows));
	qsort(rows, n, sizeof(*rows), by_row_weight);
	for (i = 0; i < n && i < ROWS_MAX && rows[i].weight; i++) {
		pipa_buf_printf(out, "%s[\"0x%" PRIx64 "\",%.4g,", i ? "," : "", rows[i].addr,
				percent(hot, rows[i].weight));
		pipa_report_put_string(out, rows[i].text ? rows[i].text : "");
		pipa_buf_putc(out, ']');
	}
	return 0;
}

int pipa_report_put_hot(const struct pipa_report_hot *hot, struct pipa_buf *out)
{
	const char *note = hot->listing ? hot->listing->problem : NULL;
	int rc = 0;

	pipa_buf_puts(out, "{\"symbol\":");
	pipa_report_put_string(out, hot->symbol);
	pipa_buf_puts(out, ",\"object\":");
	pipa_report_put_string(out, hot->object);
	pipa_buf_printf(out, ",\"scope\":\"%s\",\"self\":%.6g,\"total\":%.6g,\"samples\":%" PRIu64,
			hot->scope, hot->self, hot->total, hot->samples);
	if (note) {
		pipa_buf_puts(out, ",\"note\":");
		pipa_report_put_message_words(out, note);
	}
	pipa_buf_puts(out, ",\"lines\":[");
	if (hot->listing)
		rc = put_lines(hot, out);
	pipa_buf_puts(out, "],\"instructions\":[");
	if (hot->listing && !rc)
		rc = put_instructions(hot, out);
	pipa_buf_puts(out, "]}");
	return rc;
}
