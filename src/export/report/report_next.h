/*
 * Write proposals for the next measurement: as the part "next" of a report's data, a list of {"id", "why": {"en",
 * "zh"}, "command", "config"}, or as text.
 */
#ifndef PIPA_EXPORT_REPORT_REPORT_NEXT_H
#define PIPA_EXPORT_REPORT_REPORT_NEXT_H

#include "model/rules.h"

struct pipa_buf;
struct pipa_next_steps;

void pipa_report_put_next(const struct pipa_next_steps *steps, struct pipa_buf *out);
void pipa_report_put_next_text(const struct pipa_next_steps *steps, enum pipa_language language,
			       struct pipa_buf *out);

#endif
