#include "export/report/report_work.h"

#include <math.h>
#include "analyze/report/characterize.h"
#include "base/buf.h"
#include "export/report/report_words.h"

static void put_statement(const struct pipa_work_statement *statement, struct pipa_buf *out)
{
	size_t i;

	pipa_buf_puts(out, "{\"id\":");
	pipa_report_put_string(out, statement->id);
	pipa_buf_puts(out, ",\"text\":");
	pipa_report_put_words(out, statement->text);
	pipa_buf_puts(out, ",\"values\":[");
	for (i = 0; i < statement->n_values; i++) {
		const struct pipa_work_value *value = &statement->values[i];

		pipa_buf_puts(out, i ? ",[" : "[");
		pipa_report_put_string(out, value->name);
		if (isfinite(value->value))
			pipa_buf_printf(out, ",%.12g,", value->value);
		else
			pipa_buf_puts(out, ",null,");
		pipa_report_put_string(out, value->unit);
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
