/*
 * Write the characterization of a workload as the part "characterization" of a report's data: a list of
 * {"id", "text": {"en", "zh"}, "values": [[name, number, unit]...]}.
 */
#ifndef PIPA_EXPORT_REPORT_REPORT_WORK_H
#define PIPA_EXPORT_REPORT_REPORT_WORK_H

struct pipa_buf;
struct pipa_characterization;

void pipa_report_put_work(const struct pipa_characterization *work, struct pipa_buf *out);

#endif
