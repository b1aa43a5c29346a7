#include "export/report/report_next.h"

#include "analyze/report/collect_next.h"
#include "base/buf.h"
#include "base/visible.h"
#include "export/report/report_words.h"

void pipa_report_put_next(const struct pipa_next_steps *steps, struct pipa_buf *out)
{
	size_t i;

	pipa_buf_putc(out, '[');
	for (i = 0; i < steps->n; i++) {
		const struct pipa_next_step *step = &steps->items[i];

		pipa_buf_puts(out, i ? ",{\"id\":" : "{\"id\":");
		pipa_report_put_string(out, step->id);
		pipa_buf_puts(out, ",\"why\":");
		pipa_report_put_words(out, step->why);
		pipa_buf_puts(out, ",\"command\":");
		pipa_report_put_string(out, step->command);
		pipa_buf_puts(out, ",\"config\":");
		pipa_report_put_string(out, step->config);
		pipa_buf_putc(out, '}');
	}
	pipa_buf_putc(out, ']');
}

void pipa_report_put_next_text(const struct pipa_next_steps *steps, enum pipa_language language,
			       struct pipa_buf *out)
{
	static const char *const nothing[PIPA_LANGUAGE_NR] = {
		"# No further measurement is proposed: the data is complete.\n",
		"# 数据完整，无需进一步采集。\n",
	};
	size_t i;

	if (!steps->n)
		pipa_buf_puts(out, nothing[language]);
	for (i = 0; i < steps->n; i++) {
		pipa_buf_puts(out, i ? "\n# " : "# ");
		pipa_visible_put(out, steps->items[i].why[language]);
		pipa_buf_printf(out, "\n%s\n", steps->items[i].command);
	}
}
