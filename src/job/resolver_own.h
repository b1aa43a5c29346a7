/* What the halves of job/resolver share: any file, and a running process. */
#ifndef PIPA_JOB_RESOLVER_OWN_H
#define PIPA_JOB_RESOLVER_OWN_H

#include "base/buf.h"
#include "base/strings.h"
#include "job/resolver.h"
#include "locate/files.h"
#include "symbol/kallsyms.h"

struct pipa_code_file;
struct pipa_symbols;

/* A file of the process, opened or known not to be there. */
struct pipa_process_code {
	char *path; /* as its map has it */
	uint64_t inode;
	struct pipa_code_file *file; /* NULL: it cannot be had */
};

struct pipa_resolver_row {
	struct pipa_resolved answer;
	size_t index; /* where it was asked for */
};

struct pipa_resolver {
	struct pipa_resolver_options o;
	char root[32]; /* of the process */
	struct pipa_locate_options locate, plain;
	struct pipa_code_file *exe, *vmlinux;
	struct {
		struct pipa_process_code *items;
		size_t n, cap;
	} codes;
	struct {
		struct pipa_dwarf_frame *items;
		size_t n, cap;
	} frames;
	struct pipa_strings range_names;
	struct pipa_buf maps, kallsyms_text, jit_text;
	struct pipa_kallsyms kallsyms;
	struct pipa_symbols *jit;
	bool kallsyms_asked, jit_asked;
	/* of the batch */
	struct pipa_resolver_row *rows; /* by rising address */
	struct pipa_resolved *answers;
	uint64_t *linked;
	uint32_t *found;
};

/* n rows from the first one on lie in the file, at r->linked[0..n): 0 or -ENOMEM. */
int pipa_resolver_in_file(struct pipa_resolver *r, struct pipa_code_file *file, size_t first,
			  size_t n);

/* The same of a table alone, whose addresses the rows have. */
void pipa_resolver_in_table(struct pipa_resolver *r, const struct pipa_symbols *symbols,
			    size_t first, size_t n);

/* The process's half. */
int pipa_resolver_read_maps(struct pipa_resolver *r, struct pipa_error *err);
int pipa_resolver_in_process(struct pipa_resolver *r, size_t n);
void pipa_resolver_process_done(struct pipa_resolver *r);

#endif
