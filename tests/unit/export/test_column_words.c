/* Descriptions of metrics are in the page in Chinese: web/report/lang_columns.js. */
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "codec/doc.h"
#include "export/view/web.h"
#include "lib/test.h"
#include "model/counter_section.h"
#include "model/sections.h"

/* Is the text a key of the table? */
static bool is_key(const char *page, const char *text)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf key = { 0 };

	pipa_doc_put_quoted(&key, text);
	pipa_buf_puts(&key, ": \"");
	return strstr(page, pipa_buf_str(&key)) != NULL;
}

/* Append the descriptions of a section that have no row. */
static void find_missing(const char *page, const struct pipa_section *section,
			 struct pipa_buf *missing)
{
	size_t i;

	for (i = 0; i < section->n_columns; i++) {
		const char *text = section->columns[i].description, *colon = strstr(text, ": ");

		if (section->columns[i].kind == PIPA_METRIC_TEXT || !*text)
			continue;
		/* "MemFree: free memory": the name of the kernel stays */
		if (!is_key(page, text) && !(colon && is_key(page, colon + 2)))
			pipa_buf_printf(missing, "%s\n", text);
	}
}

TEST(descriptions_of_all_metrics_are_translated)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf missing = { 0 };
	const char *page = pipa_web_report_script.bytes;
	size_t i;

	for (i = 0; i < PIPA_SECTION_NR; i++)
		find_missing(page, &pipa_sections[i], &missing);
	find_missing(page, &pipa_counter_section, &missing);
	CHECK_STR(pipa_buf_str(&missing), "");
}
