/* Write the contents of a report screen to a file. */
#ifndef PIPA_SCREEN_REPORT_REPORT_WRITE_H
#define PIPA_SCREEN_REPORT_REPORT_WRITE_H

#include <stdbool.h>

struct pipa_report_view;

/*
 * To the view's path: comma-separated where it ends in .csv, else text. Where a file is already the view
 * asks first. What became of it is told in the view.
 */
void pipa_report_write_file(struct pipa_report_view *view, bool over);

#endif
