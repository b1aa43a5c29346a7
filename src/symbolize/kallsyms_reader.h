/*
 * Find, read and decode the kallsyms of a kernel: a file given by the user, the bundle's, perf's
 * copy or that of the running kernel.
 *
 * The kernel generates /proc/kallsyms for each reader, which takes longer than all other steps: it
 * is read at most once, and can be read in the background.
 */
#ifndef PIPA_SYMBOLIZE_KALLSYMS_READER_H
#define PIPA_SYMBOLIZE_KALLSYMS_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "symbol/table/kallsyms.h"

struct pipa_kallsyms_reader;
struct pipa_locate_options;
struct pipa_root;
struct pipa_wanted_kernel;

/* An address of the kernel or of a module. */
struct pipa_kallsyms_address {
	uint64_t addr;
	uint64_t base; /* address of _text of the recorded kernel; 0: unknown, or a module */
};

/*
 * Create a reader. `path` is the file given by the user, or NULL. `root` has /proc; NULL: that of
 * this machine. All arguments are borrowed. NULL on allocation failure.
 */
struct pipa_kallsyms_reader *pipa_kallsyms_reader_new(const char *path,
						      const struct pipa_locate_options *locate,
						      struct pipa_root *root);
void pipa_kallsyms_reader_free(struct pipa_kallsyms_reader *reader);

/* Start to read the kallsyms of this kernel in the background, if it is the running one. */
void pipa_kallsyms_reader_preload(struct pipa_kallsyms_reader *reader,
				  const struct pipa_wanted_kernel *kernel);

/* Read the running kernel's list now, and use it for all later calls. 0 or a negative errno. */
int pipa_kallsyms_reader_use_running(struct pipa_kallsyms_reader *reader);

/*
 * Find the kallsyms of a kernel and decode the symbols of these addresses. `modules`: some are in
 * modules, which only a list of the same boot has. 1, 0 if there is none (see
 * pipa_kallsyms_reader_hidden()), or -ENOMEM.
 */
int pipa_kallsyms_reader_find(struct pipa_kallsyms_reader *reader,
			      const struct pipa_wanted_kernel *kernel,
			      const struct pipa_kallsyms_address *addrs, size_t n, bool modules);

/* Decode the whole list of the running kernel. 0 or a negative errno. */
int pipa_kallsyms_reader_decode_running(struct pipa_kallsyms_reader *reader);

/* Return the table that was decoded last, and its text; empty if none was found. */
const struct pipa_kallsyms *pipa_kallsyms_reader_table(const struct pipa_kallsyms_reader *reader);
struct pipa_span pipa_kallsyms_reader_text(const struct pipa_kallsyms_reader *reader);

/* Was a list found whose addresses are hidden (kptr_restrict)? */
bool pipa_kallsyms_reader_hidden(const struct pipa_kallsyms_reader *reader);

/*
 * Return the offset of the list's kernel from the recorded one, which may be another boot of the
 * same kernel.
 */
uint64_t pipa_kallsyms_reader_slide(const struct pipa_kallsyms_reader *reader, uint64_t base);

/*
 * Free the table, the background read, and the text unless it is that of
 * pipa_kallsyms_reader_use_running().
 */
void pipa_kallsyms_reader_release(struct pipa_kallsyms_reader *reader);

#endif
