#include "export/report/report_words.h"

#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "codec/doc.h"
#include "export/table/messages.h"
#include "export/view/view_text.h"

void pipa_report_put_string(struct pipa_buf *out, const char *text)
{
	pipa_view_put_json(out, text, strlen(text));
}

void pipa_report_put_words(struct pipa_buf *out, const char *const words[static PIPA_LANGUAGE_NR])
{
	int language;

	for (language = 0; language < PIPA_LANGUAGE_NR; language++) {
		pipa_buf_puts(out, language ? "," : "{");
		pipa_report_put_string(out, pipa_language_code((enum pipa_language)language));
		pipa_buf_putc(out, ':');
		pipa_report_put_string(out, words[language]);
	}
	pipa_buf_putc(out, '}');
}

void pipa_report_put_message_words(struct pipa_buf *out, const char *message)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf chinese = { 0 };
	const char *words[PIPA_LANGUAGE_NR] = { [PIPA_LANGUAGE_EN] = message };

	pipa_message_put(message, PIPA_LANGUAGE_ZH, &chinese);
	words[PIPA_LANGUAGE_ZH] = pipa_buf_str(&chinese);
	pipa_report_put_words(out, words);
	if (chinese.status && !out->status)
		out->status = chinese.status;
}

void pipa_report_put_message(struct pipa_doc *doc, const char *key, const char *message)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf json = { 0 };

	if (message)
		pipa_report_put_message_words(&json, message);
	else
		pipa_buf_puts(&json, "null");
	pipa_doc_json(doc, key, pipa_buf_str(&json), json.len);
	if (json.status && !doc->out->status)
		doc->out->status = json.status;
}
