/* Hot functions of a recording for a report, with their hottest source lines and instructions. */
#ifndef PIPA_JOB_ANALYZE_HOT_SPOTS_H
#define PIPA_JOB_ANALYZE_HOT_SPOTS_H

struct pipa_analysis;
struct pipa_buf;

/* Write the part "hot" of the data of a report (export/report/report_hot.h). 0 or -ENOMEM. */
int pipa_hot_spots_write(const struct pipa_analysis *analysis, struct pipa_buf *out);

#endif
