/* Header of a line program: its encoding, directories and files. */
#ifndef PIPA_SYMBOL_DWARF_DWARF_LINE_HEAD_H
#define PIPA_SYMBOL_DWARF_DWARF_LINE_HEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cursor.h"

struct pipa_dw_lines;
struct pipa_dw_unit;

struct pipa_dw_line_head {
	uint16_t version;
	uint8_t min_size; /* minimum_instruction_length */
	uint8_t max_ops;  /* maximum_operations_per_instruction: above 1 for VLIW */
	int8_t line_base;
	uint8_t line_range;
	uint8_t opcode_base;
	const uint8_t *lengths; /* standard_opcode_lengths */
	struct pipa_cursor program;
};

/* Read the header at the unit's stmt_list, and the files into lines. False if it is malformed. */
bool pipa_dw_line_head_read(struct pipa_dw_unit *unit, struct pipa_dw_lines *lines,
			    struct pipa_dw_line_head *ret);

/* Read one file entry of DWARF 2 to 4; false on allocation failure or at the end of the list. */
bool pipa_dw_line_file_add(struct pipa_dw_lines *lines, struct pipa_cursor *c);

#endif
