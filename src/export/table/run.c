#include "export/table/run.h"

void pipa_run_export(const struct pipa_run_report *report, const struct pipa_run_format *format,
		     struct pipa_buf *out)
{
	const struct pipa_run_ranking *ranking = report->ranking;

	if (ranking && format->form == PIPA_RUN_MARKDOWN)
		pipa_run_ranking_markdown(ranking, out);
	else if (ranking && format->form == PIPA_RUN_CSV)
		pipa_run_ranking_csv(ranking, out);
	else if (ranking && ranking->n > 1 && format->form == PIPA_RUN_TEXT)
		pipa_run_ranking_text(ranking, format, out);
	else if (format->form == PIPA_RUN_TEXT)
		pipa_run_text(report, format, out);
	else
		pipa_run_doc(report, format, out);
}
