#include "export/report/report_next.h"

#include <string.h>

#include "analyze/report/collect_next.h"
#include "base/buf.h"
#include "base/visible.h"
#include "export/view/view_text.h"

static void put_string(struct pipa_buf *out, const char *text)
{
	pipa_view_put_json(out, text, strlen(text));
}

void pipa_report_put_next(const struct pipa_next_steps *steps, struct pipa_buf *out)
{
	size_t i;
	int language;

	pipa_buf_putc(out, '[');
	for (i = 0; i < steps->n; i++) {
		const struct pipa_next_step *step = &steps->items[i];

		pipa_buf_puts(out, i ? ",{\"id\":" : "{\"id\":");
		put_string(out, step->id);
		pipa_buf_puts(out, ",\"why\":{");
		for (language = 0; language < PIPA_LANGUAGE_NR; language++) {
			pipa_buf_puts(out, language ? "," : "");
			put_string(out, pipa_language_code((enum pipa_language)language));
			pipa_buf_putc(out, ':');
			put_string(out, step->why[language]);
		}
		pipa_buf_puts(out, "},\"command\":");
		put_string(out, step->command);
		pipa_buf_puts(out, ",\"config\":");
		put_string(out, step->config);
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
