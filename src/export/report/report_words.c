#include "export/report/report_words.h"

#include <string.h>

#include "base/buf.h"
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
