/*
 * State of a symbolizer. Private to the files of symbolize/ that implement it: programs, JIT code,
 * the kernel, source lines.
 */
#ifndef PIPA_SYMBOLIZE_SYMBOLIZE_OWN_H
#define PIPA_SYMBOLIZE_SYMBOLIZE_OWN_H

#include "locate/files.h"
#include "symbol/text/demangle.h"
#include "symbolize/code_files.h"
#include "symbolize/jitdumps.h"
#include "symbolize/symbolize.h"

struct pipa_debuginfod;
struct pipa_image;
struct pipa_kallsyms_reader;
struct pipa_symbols;

/* The locations of one object, sorted by offset. */
struct pipa_batch {
	const uint32_t *locations; /* indexes */
	uint64_t *offsets;
	uint32_t *found; /* indexes of symbols */
	size_t n;
};

struct pipa_symbolizer {
	struct pipa_symbolize_options o;
	struct pipa_profile *p;
	const struct pipa_recording *recording;
	struct pipa_locate_options locate;
	struct pipa_debuginfod *debuginfod;
	struct pipa_bundle_files *kept;
	struct pipa_jitdumps jitdumps;
	struct pipa_code_files *files;
	struct pipa_unwind_tables *tables;
	struct pipa_kallsyms_reader *kallsyms;
	/* state of one call of pipa_symbolize() */
	enum pipa_lines lines;
	const uint32_t *wanted; /* indexes of locations */
	size_t n_wanted;
	bool kallsyms_asked, has_kallsyms;
	struct pipa_code_file *file;	 /* its FDE ranges name code without a symbol; NULL: none */
	uint64_t range_start, range_end; /* last range that was named, */
	uint32_t range_function;	 /* and its function */
	char name[PIPA_DEMANGLE_MAX + 1];
};

/* Intern a function by name and source file (NULL: unknown); PIPA_NONE on allocation failure. */
uint32_t pipa_symbolizer_function(struct pipa_symbolizer *s, uint32_t object, const char *name,
				  size_t len, const char *file);

/*
 * Set the functions of a batch from symbols; equal symbols follow each other. The batch's offsets
 * are addresses of the symbol table. 0 or -ENOMEM.
 */
int pipa_symbolizer_set_functions(struct pipa_symbolizer *s, uint32_t object,
				  const struct pipa_batch *batch,
				  const struct pipa_symbols *symbols, enum pipa_unresolved why);

/* Like pipa_symbolizer_set_functions(), with source lines and inlined functions. */
int pipa_symbolizer_set_lines(struct pipa_symbolizer *s, uint32_t object,
			      const struct pipa_batch *batch, const struct pipa_image *image,
			      struct pipa_code_file *file);

/* Set functions, and lines if requested: offsets are link-time addresses, symbols are known. */
int pipa_symbolizer_set_found(struct pipa_symbolizer *s, uint32_t object,
			      const struct pipa_batch *batch, const struct pipa_image *image,
			      struct pipa_code_file *file);

/* Resolve offsets into a file and set functions and lines. */
int pipa_symbolizer_resolve_file(struct pipa_symbolizer *s, uint32_t object,
				 const struct pipa_batch *batch, const struct pipa_image *image,
				 struct pipa_code_file *file);

/* Open the DWARF of a file as the options require. Like pipa_code_file_debug_info(). */
int pipa_symbolizer_open_info(const struct pipa_symbolizer *s, struct pipa_code_file *file,
			      struct pipa_debug_info **ret);

/*
 * Open the files of the wanted locations, which are sorted by object, and start threads that
 * decompress the largest of their debug files. 0 or -ENOMEM.
 */
int pipa_symbolizer_preload(struct pipa_symbolizer *s);

/* Name a location without a symbol by its FDE range, if there is one. 0 or -ENOMEM. */
int pipa_symbolizer_set_range(struct pipa_symbolizer *s, uint32_t object, uint32_t location,
			      uint64_t addr);

void pipa_symbolizer_set_unresolved(struct pipa_symbolizer *s, const struct pipa_batch *batch,
				    enum pipa_unresolved why);

/* Return the reason for which a file resolves nothing. */
enum pipa_unresolved pipa_symbolizer_file_reason(const struct pipa_code_file *file);

/* Find and decode kallsyms at the first call. 1, 0 if there is none, or -ENOMEM. */
int pipa_symbolizer_read_kallsyms(struct pipa_symbolizer *s);

/*
 * Symbolize a batch of the kernel, of a module, or of a function that the kernel generated. 0 or
 * -ENOMEM.
 */
int pipa_symbolizer_kernel(struct pipa_symbolizer *s, uint32_t number,
			   const struct pipa_batch *batch);
int pipa_symbolizer_module(struct pipa_symbolizer *s, uint32_t number,
			   const struct pipa_batch *batch);
int pipa_symbolizer_ksymbol(struct pipa_symbolizer *s, uint32_t number,
			    const struct pipa_batch *batch);

#endif
