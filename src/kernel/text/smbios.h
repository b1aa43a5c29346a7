/*
 * Parse the SMBIOS tables of the firmware (/sys/firmware/dmi/tables/DMI) structure by structure:
 *
 *	type 1  length 1  handle 2  fields, up to length   strings, each ended by a NUL   another NUL
 *
 * A string field holds the number of its string, from 1. Pure and safe on any bytes.
 */
#ifndef PIPA_KERNEL_TEXT_SMBIOS_H
#define PIPA_KERNEL_TEXT_SMBIOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

enum {
	PIPA_SMBIOS_BIOS = 0,
	PIPA_SMBIOS_SYSTEM = 1,
	PIPA_SMBIOS_BASEBOARD = 2,
	PIPA_SMBIOS_CHASSIS = 3,
	PIPA_SMBIOS_PROCESSOR = 4,
	PIPA_SMBIOS_MEMORY = 17,
	PIPA_SMBIOS_END = 127,
};

struct pipa_smbios {
	uint8_t type;
	struct pipa_span fields; /* including the header of four bytes */
	struct pipa_span texts;
};

/*
 * Return the structure at the front of `rest` and advance `rest`; false at the end, or if the
 * structure is truncated.
 */
bool pipa_smbios_next(struct pipa_span *rest, struct pipa_smbios *ret);

/*
 * Copy the string whose number is at the offset, without surrounding spaces, and return it; "" if
 * there is none.
 */
const char *pipa_smbios_text(const struct pipa_smbios *s, size_t offset, char *ret, size_t size);

/* Read a number of 1, 2, 4 or 8 bytes at the offset; false if the structure is too short. */
bool pipa_smbios_number(const struct pipa_smbios *s, size_t offset, size_t bytes, uint64_t *ret);

#endif
