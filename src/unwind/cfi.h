/*
 * Call frame information as it is in a file: .eh_frame and .debug_frame are lists of CIEs (what
 * many functions have in common) and FDEs (one range of code each, and the instructions that say
 * where the registers of the caller are). unwind/rows.h runs the instructions.
 *
 * Versions 1, 3 and 4, 32- and 64-bit DWARF, the augmentations z R P L S B G and "eh", all
 * DW_EH_PE_* encodings that a linker can leave for code. Nothing is allocated; what is returned is
 * borrowed from the bytes. Damage is -EBADMSG and never a read outside of them.
 */
#ifndef PIPA_UNWIND_CFI_H
#define PIPA_UNWIND_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"
#include "base/span.h"

/* One section of it, and the addresses that its pointers may be relative to. */
struct pipa_cfi {
	struct pipa_span bytes;
	uint64_t addr; /* of the section, as linked */
	uint64_t text, data;
	bool is_eh; /* .eh_frame, not .debug_frame */
	bool is64;
	bool swapped;
};

struct pipa_cie {
	uint64_t at; /* its offset in the section */
	uint8_t version;
	uint8_t address_size;
	uint8_t pointer_encoding; /* DW_EH_PE_* of the FDEs' addresses */
	bool augmented;		  /* 'z': FDEs have a sized extra part */
	bool signal_frame;	  /* 'S': the caller was interrupted, it did not call */
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra_column;
	struct pipa_span code; /* the instructions */
};

struct pipa_fde {
	uint64_t at;
	struct pipa_cie cie;
	uint64_t start, end; /* the range of code, as linked; never empty */
	struct pipa_span code;
};

enum pipa_cfi_kind {
	PIPA_CFI_END, /* a terminator; linkers leave some in the middle: *next may not be the end */
	PIPA_CFI_CIE,
	PIPA_CFI_FDE,
	PIPA_CFI_BAD, /* *next is after it: continue there */
};

/*
 * Decode the entry at `at`, and return the offset of the next. Fills ret->cie for a CIE, all of it
 * for an FDE.
 */
enum pipa_cfi_kind pipa_cfi_at(const struct pipa_cfi *cfi, uint64_t at, uint64_t *next,
			       struct pipa_fde *ret);

/*
 * The same for a pass over a section, where most FDEs share the CIE of the previous one: ret must
 * be as the last call left it, and zeroed before the first.
 */
enum pipa_cfi_kind pipa_cfi_next(const struct pipa_cfi *cfi, uint64_t at, uint64_t *next,
				 struct pipa_fde *ret);

/* DW_EH_PE_* */
enum {
	PIPA_EH_PE_ABSPTR = 0x00,
	PIPA_EH_PE_ULEB = 0x01,
	PIPA_EH_PE_U2 = 0x02,
	PIPA_EH_PE_U4 = 0x03,
	PIPA_EH_PE_U8 = 0x04,
	PIPA_EH_PE_SIGNED = 0x08,
	PIPA_EH_PE_SLEB = 0x09,
	PIPA_EH_PE_S2 = 0x0a,
	PIPA_EH_PE_S4 = 0x0b,
	PIPA_EH_PE_S8 = 0x0c,
	PIPA_EH_PE_PCREL = 0x10,
	PIPA_EH_PE_TEXTREL = 0x20,
	PIPA_EH_PE_DATAREL = 0x30,
	PIPA_EH_PE_FUNCREL = 0x40,
	PIPA_EH_PE_ALIGNED = 0x50,
	PIPA_EH_PE_INDIRECT = 0x80,
	PIPA_EH_PE_OMIT = 0xff,
};

/*
 * A pointer in one of these encodings. `func` is what "relative to the function" means. The cursor's
 * status is set for encodings that name no address in the file: omitted or indirect ones.
 */
uint64_t pipa_cfi_pointer(const struct pipa_cfi *cfi, struct pipa_cursor *c, uint8_t encoding,
			  uint64_t func);

#endif
