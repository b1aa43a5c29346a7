#include "export/table/run.h"

void pipa_run_export(const struct pipa_run_report *report, const struct pipa_run_format *look,
		     struct pipa_buf *out)
{
	const struct pipa_run_ranking *ranking = report->ranking;

	if (ranking && look->form == PIPA_RUN_MARKDOWN)
		pipa_run_ranking_markdown(ranking, out);
	else if (ranking && look->form == PIPA_RUN_CSV)
		pipa_run_ranking_csv(ranking, out);
	else if (ranking && ranking->n > 1 && look->form == PIPA_RUN_TEXT)
		pipa_run_ranking_text(ranking, look, out);
	else if (look->form == PIPA_RUN_TEXT)
		pipa_run_text(report, look, out);
	else
		pipa_run_doc(report, look, out);
}
