/* State machine of a line program: opcodes in, rows out. */
#ifndef PIPA_SYMBOL_DWARF_DWARF_LINE_RUN_H
#define PIPA_SYMBOL_DWARF_DWARF_LINE_RUN_H

#include <stdbool.h>

struct pipa_dw_line_head;
struct pipa_dw_lines;
struct pipa_dw_work;

/*
 * Run the program behind the head. Sequences go into lines; their rows behind each other into those of the
 * work, which are emptied first, and their places into its map. Without memory lines->status says so.
 */
void pipa_dw_line_run(struct pipa_dw_line_head *head, bool zero_is_code,
		      struct pipa_dw_lines *lines, struct pipa_dw_work *work);

#endif
