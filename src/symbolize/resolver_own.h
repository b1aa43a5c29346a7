/* State of a resolver: shared by the resolver_*.c files only. */
#ifndef PIPA_SYMBOLIZE_RESOLVER_OWN_H
#define PIPA_SYMBOLIZE_RESOLVER_OWN_H

#include <pthread.h>

#include "base/buf.h"
#include "base/thread/parallel.h"
#include "locate/files.h"
#include "symbolize/resolver.h"

struct pipa_code_file;
struct pipa_kallsyms_reader;
struct pipa_symbols;

/* A file of the process, opened or known not to be there. */
struct pipa_process_code {
	char *path; /* as its map has it */
	uint64_t inode;
	struct pipa_code_file *file; /* NULL: not available */
};

struct pipa_resolver_question {
	uint64_t address;
	size_t index; /* where it was requested */
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
	struct pipa_buf maps, jit_text;
	struct pipa_kallsyms_reader *kallsyms;
	struct pipa_symbols *jit;
	bool kallsyms_asked, jit_asked;
	pthread_mutex_t lock; /* of the files' unwind tables */
	/* of the batch */
	pipa_resolved_fn tell;
	void *ctx;
	struct pipa_resolver_question *asked; /* by rising address */
	struct pipa_resolver_question *spare; /* to sort with */
	uint64_t *linked;
	uint32_t *found;
	size_t room; /* of these four */
};

/*
 * Tell of n questions from the first one on. They are in the file at r->linked[0..n); in the table,
 * where they are; or in neither. 0 or what telling returned.
 */
int pipa_resolver_in_file(struct pipa_resolver *r, struct pipa_code_file *file, const char *object,
			  size_t first, size_t n);
/* -ENOMEM as well. The file runs `slide` above where it is linked; the table names what it does not. */
int pipa_resolver_in_moved(struct pipa_resolver *r, struct pipa_code_file *file, uint64_t slide,
			   const struct pipa_symbols *beneath, const char *object, size_t first,
			   size_t n);
int pipa_resolver_in_table(struct pipa_resolver *r, const struct pipa_symbols *symbols,
			   const char *object, size_t first, size_t n);
int pipa_resolver_in_none(struct pipa_resolver *r, const char *object, size_t first, size_t n);

/*
 * Locate a file by its path and read its symbols; -ENOENT, -ESTALE, -EBADMSG when it is not an ELF file, or
 * -ENOMEM.
 */
int pipa_resolver_open_file(const struct pipa_locate_options *locate, const char *path,
			    struct pipa_code_file **ret);
/* Read the symbols of a file that was located, which is taken in any case. As pipa_resolver_open_file(). */
int pipa_resolver_read_file(struct pipa_code_file *file, struct pipa_code_file **ret);

/* By address; `spare` is room for as many. The index of each is its place in the array. */
void pipa_resolver_sort(struct pipa_resolver_question *asked, struct pipa_resolver_question *spare,
			size_t n);

/* The process's half. */
int pipa_resolver_read_maps(struct pipa_resolver *r, struct pipa_error *err);
int pipa_resolver_in_process(struct pipa_resolver *r, size_t n);
void pipa_resolver_process_done(struct pipa_resolver *r);

#endif
