/*
 * Data frames as .xlsx workbooks (Office Open XML): a header row, then a row per row of the frame. A sheet ends after
 * 1,048,576 rows, the limit of the format, and the next one continues.
 *
 * Numbers have all their digits, but spreadsheet programs compute with doubles: integers above 2^53 are rounded by
 * them. Texts are cells of text, never formulas; control characters are replaced by U+FFFD. -EFBIG: a text of more than
 * 32,767 characters, the limit of a cell, or a workbook of 4 GiB.
 */
#ifndef PIPA_EXPORT_FRAME_XLSX_H
#define PIPA_EXPORT_FRAME_XLSX_H

#include "codec/frame.h"

/* Create a writer; everything in the options is borrowed until it is freed. NULL on allocation failure. */
struct pipa_frame_writer *pipa_xlsx_new(const struct pipa_frame_options *options);

#endif
