/*
 * One mapped file and its symbols.
 *
 * The bytes of the files are passed in (locate/ finds them) and must outlive the object. Symbol
 * tables in order of preference: .symtab of the debug file, .symtab of the file, .gnu_debugdata
 * and .dynsym together; PLT stubs always, as NAME@plt; Go's table if none of these has Go's
 * functions.
 *
 * resolve() takes an offset in the file as a mapping gives it: address - start of the mapping +
 * file offset. In kernel modules (ET_REL) it is the offset from the module's base, with the
 * sections laid out as the kernel's loader does.
 */
#ifndef PIPA_SYMBOL_TABLE_IMAGE_H
#define PIPA_SYMBOL_TABLE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/auto.h"
#include "base/span.h"

struct pipa_error;
struct pipa_image;
struct pipa_symbols;

struct pipa_image_files {
	struct pipa_span main;	/* the file that was mapped; may be empty if debug is not */
	struct pipa_span debug; /* its separate debug file, or empty */
};

enum pipa_symbol_source { /* Bits: sources of the names. */
			  PIPA_FROM_DEBUG_FILE = 1 << 0,
			  PIPA_FROM_SYMTAB = 1 << 1,
			  PIPA_FROM_MINIDEBUG = 1 << 2,
			  PIPA_FROM_DYNSYM = 1 << 3,
			  PIPA_FROM_PLT = 1 << 4,
			  PIPA_FROM_GO = 1 << 5,
};

/*
 * Read the symbols of a file. -EBADMSG if neither file is an ELF image; an invalid debug file is
 * ignored. An image without symbols is not a failure: pipa_image_sources() is 0 then.
 */
int pipa_image_new(const struct pipa_image_files *files, struct pipa_image **ret,
		   struct pipa_error *err);
void pipa_image_free(struct pipa_image *object);
PIPA_DEFINE_AUTO(pipa_image_free, struct pipa_image *)

unsigned int pipa_image_sources(const struct pipa_image *object); /* enum pipa_symbol_source */

/* Return the table by linked virtual address, borrowed. resolve() returns its indices. */
const struct pipa_symbols *pipa_image_symbols(const struct pipa_image *object);

/* Resolve n ascending file offsets to symbols; PIPA_SYMBOL_NONE if there is none. */
void pipa_image_resolve(const struct pipa_image *object, const uint64_t *offsets, size_t n,
			uint32_t *out);

/*
 * Resolve n ascending run-time addresses of an image that runs `slide` above its link-time address:
 * a vmlinux, whose slide is the difference of its _text from that of kallsyms.
 */
void pipa_image_resolve_moved(const struct pipa_image *object, uint64_t slide,
			      const uint64_t *addrs, size_t n, uint32_t *out);

/* Return the virtual address of a file offset, as used by resolve(); false if no code is there. */
bool pipa_image_addr(const struct pipa_image *object, uint64_t offset, uint64_t *ret);

/*
 * Return the address of a symbol of any kind: the function table has one name per address, and
 * _text may share its address with the kernel's first function. 0 if there is none.
 */
uint64_t pipa_image_find(struct pipa_span file, const char *name);

/*
 * Return the source line of a virtual address for files without DWARF (Go's table). The file's name
 * is borrowed. False if unknown.
 */
bool pipa_image_line(const struct pipa_image *object, uint64_t addr, const char **ret_file,
		     uint32_t *ret_line);

/*
 * Find the code between two symbols that holds a virtual address without a symbol, within its executable segment;
 * false if there is none, as in relocatable images.
 */
bool pipa_image_gap(const struct pipa_image *object, uint64_t addr, uint64_t *ret_start,
		    uint64_t *ret_end);

#endif
