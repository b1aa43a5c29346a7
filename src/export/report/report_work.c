#include "export/report/report_work.h"

#include <math.h>
#include <string.h>

#include "analyze/report/characterize.h"
#include "base/buf.h"
#include "export/view/view_text.h"

static void put_string(struct pipa_buf *out, const char *text)
{
	pipa_view_put_json(out, text, strlen(text));
}

static void put_statement(const struct pipa_work_statement *statement, struct pipa_buf *out)
{
	int language;
	size_t i;

	pipa_buf_puts(out, "{\"id\":");
	put_string(out, statement->id);
	pipa_buf_puts(out, ",\"text\":{");
	for (language = 0; language < PIPA_LANGUAGE_NR; language++) {
		pipa_buf_puts(out, language ? "," : "");
		put_string(out, pipa_language_code((enum pipa_language)language));
		pipa_buf_putc(out, ':');
		put_string(out, statement->text[language]);
	}
	pipa_buf_puts(out, "},\"values\":[");
	for (i = 0; i < statement->n_values; i++) {
		const struct pipa_work_value *value = &statement->values[i];

		pipa_buf_puts(out, i ? ",[" : "[");
		put_string(out, value->name);
		if (isfinite(value->value))
			pipa_buf_printf(out, ",%.12g,", value->value);
		else
			pipa_buf_puts(out, ",null,");
		put_string(out, value->unit);
		pipa_buf_putc(out, ']');
	}
	pipa_buf_puts(out, "]}");
}

void pipa_report_put_work(const struct pipa_characterization *work, struct pipa_buf *out)
{
	size_t i;

	pipa_buf_putc(out, '[');
	for (i = 0; i < work->n; i++) {
		pipa_buf_puts(out, i ? "," : "");
		put_statement(&work->items[i], out);
	}
	pipa_buf_putc(out, ']');
}
