/*
 * Data frames as .xlsx workbooks (Office Open XML): a header row, then a row per row of the frame. A sheet ends after
 * 1,048,576 rows, the limit of the format, and the next one continues.
 *
 * Numbers have all their digits, but spreadsheet programs compute with doubles: integers above 2^53 are rounded by
 * them. Texts are cells of text, never formulas; control characters are replaced by U+FFFD. -EFBIG: a text of more than
 * PIPA_XLSX_TEXT_MAX characters, the limit of a cell, or a workbook of 4 GiB.
 */
#ifndef PIPA_EXPORT_FRAME_XLSX_H
#define PIPA_EXPORT_FRAME_XLSX_H

#include "codec/frame.h"

enum { PIPA_XLSX_TEXT_MAX = 32767 }; /* UTF-16 code units of a cell */

/* Create a writer; everything in the options is borrowed until it is freed. NULL on allocation failure. */
struct pipa_frame_writer *pipa_xlsx_new(const struct pipa_frame_options *options);

/* Return the name of the column of the first text that was too long, in the last row; NULL: there was none. */
const char *pipa_xlsx_long_column(const struct pipa_frame_writer *w);

#endif
