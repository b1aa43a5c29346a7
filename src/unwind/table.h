/*
 * What one object (a program, a library, the vdso) says about unwinding: for any of its addresses
 * the row of rules by which the caller's registers are found.
 *
 * Sources, in this order: .eh_frame; .debug_frame of the file itself and of its separate debug
 * file; what is in .gnu_debugdata's image if the file has neither. Files without section headers
 * are read by their segments.
 *
 * Opening costs next to nothing where the linker left an index, and a row is computed when its
 * address is requested (about a third of a microsecond): a program touches few of its functions and
 * comes back to them, so whoever asks keeps rows (struct pipa_unwinder does), and no table of all
 * rows is ever built. After pipa_unwind_table_new() a table is only read: any number of threads may
 * ask.
 *
 * Addresses are as linked. The files' bytes are borrowed and must outlive the table.
 */
#ifndef PIPA_UNWIND_TABLE_H
#define PIPA_UNWIND_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/auto.h"
#include "base/span.h"

struct pipa_cfi;
struct pipa_error;
struct pipa_fde;
struct pipa_row;
struct pipa_unwind_arch;
struct pipa_unwind_table;

struct pipa_unwind_files {
	struct pipa_span main;	/* the file that was mapped; may be empty if debug is not */
	struct pipa_span debug; /* its separate debug file, or empty */
};

/*
 * -EBADMSG if neither is an ELF image, -ENOTSUP for an architecture that unwind/arch.h does not
 * support. A file without CFI is not a failure.
 */
int pipa_unwind_table_new(const struct pipa_unwind_files *files, struct pipa_unwind_table **ret,
			  struct pipa_error *err);
void pipa_unwind_table_free(struct pipa_unwind_table *table);
PIPA_DEFINE_AUTO(pipa_unwind_table_free, struct pipa_unwind_table *)

const struct pipa_unwind_arch *pipa_unwind_table_arch(const struct pipa_unwind_table *table);
bool pipa_unwind_table_swapped(const struct pipa_unwind_table *table); /* other byte order */

/* Return the linked address of an offset in the file; false if it is not code. */
bool pipa_unwind_table_addr(const struct pipa_unwind_table *table, uint64_t offset,
			    uint64_t *ret_addr);

/* Return the number of FDEs; 0: there is no CFI. */
size_t pipa_unwind_table_count(const struct pipa_unwind_table *table);

/* 0; -ENOENT if no FDE covers the address, -EBADMSG if its CFI is malformed. */
int pipa_unwind_table_row(const struct pipa_unwind_table *table, uint64_t addr,
			  struct pipa_row *ret);

/* Return the range of the FDE, which names code without a symbol. */
bool pipa_unwind_range(const struct pipa_unwind_table *table, uint64_t addr, uint64_t *ret_start,
		       uint64_t *ret_end);

/* Up to `size` bytes at an address that is not written to at run time. Returns how many there are. */
size_t pipa_unwind_table_bytes(const struct pipa_unwind_table *table, uint64_t addr, void *to,
			       size_t size);

/* The same without a copy: the bytes from the address to the end of its segment; NULL: none. */
const uint8_t *pipa_unwind_table_span(const struct pipa_unwind_table *table, uint64_t addr,
				      size_t *ret_size);

/*
 * Is the code compiled with frame pointers? Of up to `most` FDEs, spread over the table: how many
 * make a stack frame, and how many of these keep a frame pointer. (Leaf functions without a frame
 * tell nothing.)
 */
struct pipa_unwind_fp {
	size_t frames;
	size_t with_fp;
};

void pipa_unwind_table_fp(const struct pipa_unwind_table *table, size_t most,
			  struct pipa_unwind_fp *ret);

/*
 * Every `stride`-th FDE (1: all) by address, source by source; ends with what a callback returned if
 * that is not 0.
 */
int pipa_unwind_table_each(const struct pipa_unwind_table *table, size_t stride,
			   int (*each)(void *ctx, const struct pipa_cfi *cfi,
				       const struct pipa_fde *fde),
			   void *ctx);

#endif
