/*
 * Find, read and decode the kallsyms of a kernel: a file that the user named, the bundle's, perf's copy or that
 * of the running kernel.
 *
 * The kernel generates /proc/kallsyms for each reader, which takes longer than anything else: it is read at most
 * once, and can be read in the background.
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
	uint64_t base; /* where _text of the recorded kernel was; 0: not known, or a module */
};

/*
 * `path` is the file that the user named, or NULL. `root` is where /proc is; NULL: that of this machine. All is
 * borrowed. Return NULL on allocation failure.
 */
struct pipa_kallsyms_reader *pipa_kallsyms_reader_new(const char *path,
						      const struct pipa_locate_options *locate,
						      struct pipa_root *root);
void pipa_kallsyms_reader_free(struct pipa_kallsyms_reader *reader);

/* Start to read the kallsyms of this kernel in the background, if it is the running one. */
void pipa_kallsyms_reader_preload(struct pipa_kallsyms_reader *reader,
				  const struct pipa_wanted_kernel *kernel);

/*
 * Read the running kernel's list now and keep it: it is the one that is found from now on. 0 or a negative
 * errno.
 */
int pipa_kallsyms_reader_use_running(struct pipa_kallsyms_reader *reader);

/*
 * Find the kallsyms of a kernel and decode what these addresses need; `modules`: some are of
 * modules, which only the list of the same boot has. 1, 0 if there is none (see
 * pipa_kallsyms_reader_hidden()), or -ENOMEM.
 */
int pipa_kallsyms_reader_find(struct pipa_kallsyms_reader *reader,
			      const struct pipa_wanted_kernel *kernel,
			      const struct pipa_kallsyms_address *addrs, size_t n, bool modules);

/* Decode all of the running kernel's list. 0 or a negative errno. */
int pipa_kallsyms_reader_decode_running(struct pipa_kallsyms_reader *reader);

/* The table that was decoded last, and its text; empty when none was found. */
const struct pipa_kallsyms *pipa_kallsyms_reader_table(const struct pipa_kallsyms_reader *reader);
struct pipa_span pipa_kallsyms_reader_text(const struct pipa_kallsyms_reader *reader);

/* A list was found, but without addresses: kptr_restrict. */
bool pipa_kallsyms_reader_hidden(const struct pipa_kallsyms_reader *reader);

/* Return how far the list's kernel is above the recorded one: they may be two boots of the same. */
uint64_t pipa_kallsyms_reader_slide(const struct pipa_kallsyms_reader *reader, uint64_t base);

/*
 * Free the table, what was read in the background, and the text unless it is that of
 * pipa_kallsyms_reader_use_running().
 */
void pipa_kallsyms_reader_release(struct pipa_kallsyms_reader *reader);

#endif
