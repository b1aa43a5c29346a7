/* What the halves of symbolize/symbolize share: programs and what they made, and the kernel. */
#ifndef PIPA_SYMBOLIZE_SYMBOLIZE_OWN_H
#define PIPA_SYMBOLIZE_SYMBOLIZE_OWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "symbol/table/kallsyms.h"
#include "symbol/text/demangle.h"
#include "symbolize/debug_info.h"
#include "symbolize/fde_ranges.h"
#include "symbolize/symbolize.h"

struct pipa_image;
struct pipa_symbols;
struct pipa_wanted_kernel;

/* The locations of one object, by rising offset. */
struct pipa_batch {
	const uint32_t *locations; /* numbers */
	uint64_t *offsets;
	uint32_t *found; /* symbols */
	size_t n;
};

enum { PIPA_SYMBOLIZER_FILES = 64 }; /* that are open at the same time */

/* A program's or library's files, looked for and opened. */
struct pipa_symbolizer_file {
	uint32_t object;
	struct pipa_located located;
	struct pipa_debug_info info;
	int status; /* of opening info */
};

struct pipa_symbolizer {
	struct pipa_profile *p;
	const struct pipa_recording *recording;
	const struct pipa_symbolize_options *o;
	struct pipa_buf kallsyms_text;
	struct pipa_kallsyms kallsyms;
	enum pipa_unresolved kernel; /* PIPA_NAMED: there is kallsyms; else why there is none */
	bool kernel_asked;
	struct {
		struct pipa_symbolizer_file *items[PIPA_SYMBOLIZER_FILES];
		size_t n;
	} ahead;			    /* files that are named later */
	struct pipa_symbolizer_file *file;  /* that is being named, or NULL */
	const struct pipa_located *located; /* whose code may be named by its stretches, or NULL */
	struct pipa_ranges ranges;
	uint64_t range_start, range_end; /* the last one that was named, */
	uint32_t range_function;	 /* and as what */
	char name[PIPA_DEMANGLE_MAX + 1];
};

/* The function of that name in that source file (NULL: not known); PIPA_NONE without memory. */
uint32_t pipa_symbolizer_function(struct pipa_symbolizer *w, uint32_t object, const char *name,
				  size_t len, const char *file);

/*
 * What resolve() found, given to the locations; equal symbols follow each other. The batch's offsets
 * are addresses as the symbols have them.
 */
int pipa_symbolizer_set_function(struct pipa_symbolizer *w, uint32_t object,
				 const struct pipa_batch *batch, const struct pipa_symbols *symbols,
				 enum pipa_unresolved nameless);

/* Names by offsets into an image, with lines where they were asked for and the files have them. */
int pipa_symbolizer_image(struct pipa_symbolizer *w, uint32_t object,
			  const struct pipa_batch *batch, const struct pipa_image *image,
			  const struct pipa_located *located);

/* The debug information of a file, for what is asked. 0 or as pipa_debug_info_open(). */
int pipa_symbolizer_open_info(const struct pipa_symbolizer *w, struct pipa_debug_info *info,
			      const struct pipa_located *located);

/* As pipa_symbolizer_set_function(), with source lines and what was inlined. */
int pipa_symbolizer_lines(struct pipa_symbolizer *w, uint32_t object,
			  const struct pipa_batch *batch, const struct pipa_image *image,
			  const struct pipa_located *located);

/*
 * Files of the objects of these locations, which are sorted by object, are looked for, and the largest of
 * their packed debug files are unpacked by threads until it is their turn. 0 or -ENOMEM.
 */
int pipa_symbolizer_begin(struct pipa_symbolizer *w, const uint32_t *locations, size_t n);
/* The object's files, opened if they are not; NULL without memory. */
struct pipa_symbolizer_file *pipa_symbolizer_open(struct pipa_symbolizer *w, uint32_t object);
void pipa_symbolizer_close(struct pipa_symbolizer *w, struct pipa_symbolizer_file *file);
void pipa_symbolizer_end(struct pipa_symbolizer *w);

/* There is no symbol: its stretch of unwind information stands for one, where there is any. */
int pipa_symbolizer_range(struct pipa_symbolizer *w, uint32_t object, uint32_t location,
			  uint64_t addr);

void pipa_symbolizer_set_unresolved(struct pipa_symbolizer *w, const struct pipa_batch *batch,
				    enum pipa_unresolved why);

/* Why a file that was looked for gives no names. */
enum pipa_unresolved pipa_symbolizer_reason(enum pipa_located_state state);

/* Its own build id, or the one the recording's list has for that path. */
struct pipa_build_id pipa_symbolizer_build_id(const struct pipa_symbolizer *w,
					      const struct pipa_object *object);

/* What is known of the kernel that was recorded; the id is where the build id is put. */
struct pipa_wanted_kernel pipa_symbolizer_wanted_kernel(const struct pipa_symbolizer *w,
							struct pipa_build_id *id);

/* Is there a list of its symbols? 1: its text is in w->kallsyms_text; 0: w->kernel says why not. */
int pipa_symbolizer_list(struct pipa_symbolizer *w);

/* The kernel itself, its modules, and what it made. */
int pipa_symbolizer_kernel(struct pipa_symbolizer *w, uint32_t number,
			   const struct pipa_batch *batch);
int pipa_symbolizer_module(struct pipa_symbolizer *w, uint32_t number,
			   const struct pipa_batch *batch);
int pipa_symbolizer_ksymbol(struct pipa_symbolizer *w, uint32_t number,
			    const struct pipa_batch *batch);

#endif
