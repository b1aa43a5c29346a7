/*
 * The file of a program, library, module or kernel with its debug file: symbols, unwind table,
 * DWARF. Each is read when it is first requested. Not thread-safe.
 */
#ifndef PIPA_SYMBOLIZE_CODE_FILE_H
#define PIPA_SYMBOLIZE_CODE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/auto.h"
#include "locate/files.h"

struct pipa_code_file;
struct pipa_debug_info;
struct pipa_image;
struct pipa_unwind_table;

/*
 * Create a code file from located files, whose ownership it takes in any case. The options are
 * borrowed. NULL on allocation failure.
 */
struct pipa_code_file *pipa_code_file_new(const struct pipa_locate_options *locate,
					  struct pipa_located *located);
void pipa_code_file_free(struct pipa_code_file *file);
PIPA_DEFINE_AUTO(pipa_code_file_free, struct pipa_code_file *)

const struct pipa_located *pipa_code_file_located(const struct pipa_code_file *file);

/* Return 0, -ENOENT if there is no file, or -ESTALE if it has another build id or inode. */
int pipa_code_file_status(const struct pipa_code_file *file);

/* Get its symbols. 0, as pipa_code_file_status(), -EBADMSG if it is not an ELF file, or -ENOMEM. */
int pipa_code_file_image(struct pipa_code_file *file, const struct pipa_image **ret);

/* Like pipa_code_file_image(), while a thread opens and decompresses its DWARF. */
int pipa_code_file_read(struct pipa_code_file *file, const struct pipa_image **ret);

/* Get its unwind table: 0, or as pipa_code_file_image() and pipa_unwind_table_new(). */
int pipa_code_file_unwind_table(struct pipa_code_file *file, const struct pipa_unwind_table **ret);

/* Get its DWARF: 0, or as pipa_code_file_image() and pipa_dwarf_new(). */
int pipa_code_file_debug_info(struct pipa_code_file *file, struct pipa_debug_info **ret);

/* Find the FDE range that contains a link-time address. 1, 0 if there is none, or -ENOMEM. */
int pipa_code_file_range(struct pipa_code_file *file, uint64_t addr, uint64_t *ret_start,
			 uint64_t *ret_end);

/* Find the range between two symbols that contains a link-time address without one. 1, 0 or -ENOMEM. */
int pipa_code_file_gap(struct pipa_code_file *file, uint64_t addr, uint64_t *ret_start,
		       uint64_t *ret_end);

/*
 * Return the address of _text in a kernel image, by which it is compared with a running kernel; 0:
 * not found.
 */
uint64_t pipa_code_file_kernel_text(const struct pipa_code_file *file);

/* Free the DWARF and, with `image`, the symbols; they are read again on request. */
void pipa_code_file_release(struct pipa_code_file *file, bool image);

#endif
