/* Write the contents of a report screen to a file. */
#ifndef PIPA_SCREEN_REPORT_REPORT_WRITE_H
#define PIPA_SCREEN_REPORT_REPORT_WRITE_H

#include <stdbool.h>

struct pipa_report_view;

/*
 * Write to the view's path: CSV if it ends in .csv, else text. If the file exists, the view prompts
 * first. The result is shown in the view.
 */
void pipa_report_write_file(struct pipa_report_view *view, bool over);

#endif
