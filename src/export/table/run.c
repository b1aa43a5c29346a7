#include "export/table/run.h"

void pipa_run_export(const struct pipa_run_report *report, const struct pipa_run_format *look,
		     struct pipa_buf *out)
{
	if (look->form == PIPA_RUN_TEXT)
		pipa_run_text(report, look, out);
	else
		pipa_run_doc(report, look, out);
}
