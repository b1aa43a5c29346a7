/*
 * Code bytes of an image by linked address; of a relocatable file by the section layout of
 * symbol/table/image.h.
 */
#ifndef PIPA_SYMBOL_TABLE_CODE_H
#define PIPA_SYMBOL_TABLE_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

struct pipa_code {
	uint16_t machine; /* EM_X86_64, ... */
	bool relocatable; /* call targets are not relocated yet */
	struct pipa_span bytes;
};

/* Borrow the bytes of the file; false if it is not an ELF image, or has no such bytes. */
bool pipa_code_find(struct pipa_span file, uint64_t addr, uint64_t size, struct pipa_code *ret);

#endif
