/*
 * Source lines and inlined functions from DWARF 2 to 5: an address to the functions it belongs to.
 *
 * The bytes of the files are passed in (locate/ finds them) and must outlive the struct. Sections
 * are parsed on demand: the unit of an address (.debug_aranges, else the ranges of the units), the
 * functions and line table of units that were hit, the inlined tree of functions that were hit.
 * Parsed data is kept as sorted tables; a later lookup costs three binary searches.
 *
 * Supports compressed sections, separate debug files, dwz's shared file (.gnu_debugaltlink), split
 * units (.dwo and .dwp) and relocatable files (kernel modules, objects) of x86_64, aarch64 and
 * riscv64. Corrupt and hostile input loses results; time is bounded by a fixed multiple of the
 * size of the files.
 *
 * Not thread-safe: a lookup may parse more. Use pipa_dwarf_clone() for another thread.
 */
#ifndef PIPA_SYMBOL_DWARF_DWARF_H
#define PIPA_SYMBOL_DWARF_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/auto.h"
#include "base/span.h"

struct pipa_dwarf;
struct pipa_error;

/* A split unit to fetch. */
struct pipa_dwarf_split {
	const char *name;     /* DW_AT_dwo_name: a path, often relative to comp_dir */
	const char *comp_dir; /* may be NULL */
	uint64_t id;
};

struct pipa_dwarf_files {
	struct pipa_span main;	  /* the file that was mapped; may be empty if debug is not */
	struct pipa_span debug;	  /* its separate debug file, or empty */
	struct pipa_span alt;	  /* the file that .gnu_debugaltlink names, or empty */
	struct pipa_span package; /* split units in one file (.dwp), searched first; or empty */
	/*
	 * Fetch a .dwo file; false if there is none. The bytes must outlive the struct. NULL: split
	 * units have lines, but no names and no inlined functions.
	 */
	bool (*fetch)(void *ctx, const struct pipa_dwarf_split *wanted, struct pipa_span *ret);
	void *ctx;
};

/*
 * Open the DWARF of a file: that of the debug file if it has DWARF, else that of the main file.
 * -EBADMSG if neither is an ELF image, -ENOENT if neither has DWARF, or -ENOMEM.
 */
int pipa_dwarf_new(const struct pipa_dwarf_files *files, struct pipa_dwarf **ret,
		   struct pipa_error *err);
void pipa_dwarf_free(struct pipa_dwarf *dwarf);
PIPA_DEFINE_AUTO(pipa_dwarf_free, struct pipa_dwarf *)

/* Do not read line tables: only functions are needed. To be called before the first lookup. */
void pipa_dwarf_leave_lines(struct pipa_dwarf *dwarf);

/*
 * Clone for another thread: shares the decompressed sections and the unit index with the first,
 * which must outlive it, and parses on its own. Afterwards both may be used at the same time, and
 * fetch() may be called by both. -ENOMEM.
 */
int pipa_dwarf_clone(struct pipa_dwarf *first, struct pipa_dwarf **ret, struct pipa_error *err);

/*
 * Decompress sections before the first lookup, which would do it one after the other. The parts are
 * disjoint: threads may do one each at the same time. Errors appear when a section is read.
 */
enum { PIPA_DWARF_PARTS = 2 };
bool pipa_dwarf_packed(const struct pipa_dwarf *dwarf); /* false: not worth a thread */
void pipa_dwarf_unpack(struct pipa_dwarf *dwarf, unsigned int part);

/*
 * Build line tables before the first lookup, one after the other while go_on() returns true. For a
 * thread that waits until another one has decompressed part 0 and then looks up most of the file.
 */
void pipa_dwarf_preload_lines(struct pipa_dwarf *dwarf, bool (*go_on)(void *ctx), void *ctx);

/* One function at an address. Strings are valid until pipa_dwarf_free(). */
struct pipa_dwarf_frame {
	const char *function; /* linkage (mangled) name if there is one; NULL: unknown */
	const char *file;     /* directory and name as recorded by the compiler; NULL: unknown */
	uint32_t line;	      /* of the address, or of the call to the previous frame; 0: unknown */
	uint32_t column;      /* 0: unknown */
	uint32_t start_line;  /* of the function's definition; 0: unknown */
	bool inlined;	      /* into the next frame */
};

enum { PIPA_DWARF_FRAMES_MAX = 256 }; /* limit; outer inlined functions beyond it are dropped */

/*
 * Receive the frames of the index-th address, innermost first; n is 0 if nothing is known. The
 * frames are valid during the call. A result other than 0 ends the pass.
 */
typedef int (*pipa_dwarf_found_fn)(void *ctx, size_t index, const struct pipa_dwarf_frame *frames,
				   size_t n);

/*
 * Look up n link-time virtual addresses; ascending order is fastest. Those of a relocatable file
 * are laid out as in symbol/table/image.h. -ENOMEM, or the result of found().
 */
int pipa_dwarf_resolve(struct pipa_dwarf *dwarf, const uint64_t *addrs, size_t n,
		       pipa_dwarf_found_fn found, void *ctx);

#endif
