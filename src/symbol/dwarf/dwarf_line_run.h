/* State machine of a line program: opcodes in, rows out. */
#ifndef PIPA_SYMBOL_DWARF_DWARF_LINE_RUN_H
#define PIPA_SYMBOL_DWARF_DWARF_LINE_RUN_H

#include <stdbool.h>

struct pipa_dw_line_head;
struct pipa_dw_lines;
struct pipa_dw_work;

/*
 * Run the program after the header. Sequences are added to `lines`, their rows to those of the work
 * area, which are emptied first, and their ranges to its map. On allocation failure lines->status
 * is set.
 */
void pipa_dw_line_run(struct pipa_dw_line_head *head, bool zero_is_code,
		      struct pipa_dw_lines *lines, struct pipa_dw_work *work);

#endif
