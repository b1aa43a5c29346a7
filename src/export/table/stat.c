#include "export/table/stat.h"

void pipa_stat_export(const struct pipa_stat *stat, const struct pipa_stat_format *format,
		      struct pipa_buf *out)
{
	switch (format->form) {
	case PIPA_STAT_TEXT: pipa_stat_text(stat, format, out); break;
	case PIPA_STAT_CSV: pipa_stat_csv(stat, format, out); break;
	case PIPA_STAT_JSON:
	case PIPA_STAT_YAML: pipa_stat_doc(stat, format, out); break;
	}
}
