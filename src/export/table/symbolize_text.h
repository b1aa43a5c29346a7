/*
 * Write the symbols of an address as text, in the format of addr2line, or as JSON
 * (docs/format/symbolize.schema.json). A result ends with a newline, so that the reader of a pipe
 * gets it complete.
 */
#ifndef PIPA_EXPORT_TABLE_SYMBOLIZE_TEXT_H
#define PIPA_EXPORT_TABLE_SYMBOLIZE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_buf;

struct pipa_symbolize_text_frame {
	const char *function;	/* NULL: unknown */
	size_t function_len;	/* 0: NUL-terminated */
	const char *file;	/* NULL: unknown */
	size_t file_len;	/* 0: NUL-terminated */
	uint64_t symbol_offset; /* bytes after the start of the function; 0 for inlined functions */
	uint32_t line, column;	/* 0: unknown */
	bool inlined;		/* into the next frame */
	bool has_symbol_offset;
};

struct pipa_symbolize_text {
	uint64_t address;
	const char *object; /* NULL: unknown, or the same for all addresses */
	const struct pipa_symbolize_text_frame *frames; /* innermost first */
	size_t n;					/* 0: unknown */
};

enum pipa_symbolize_form { PIPA_SYMBOLIZE_TEXT, PIPA_SYMBOLIZE_ADDR2LINE, PIPA_SYMBOLIZE_JSON };

/* Write the result. `addresses`: print the address first in formats that do not include it. */
void pipa_symbolize_text_write(const struct pipa_symbolize_text *answer,
			       enum pipa_symbolize_form form, bool addresses, struct pipa_buf *out);

#endif
