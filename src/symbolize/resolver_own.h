/* State of a resolver. Private to the resolver_*.c files. */
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

/* A file of the process, open or known to be missing. */
struct pipa_process_code {
	char *path; /* from its mapping */
	uint64_t inode;
	struct pipa_code_file *file; /* NULL: not available */
};

struct pipa_resolver_lookup {
	uint64_t address;
	size_t index; /* position in the caller's batch */
};

struct pipa_resolver {
	struct pipa_resolver_options o;
	char root[32]; /* root directory of the process */
	struct pipa_locate_options locate, plain;
	struct pipa_code_file *exe, *vmlinux;
	struct {
		struct pipa_process_code *items;
		size_t n, cap;
	} codes;
	struct pipa_buf maps, jit_text;
	struct pipa_kallsyms_reader *kallsyms;
	struct pipa_symbols *jit;
	bool kallsyms_asked, jit_read;
	pthread_mutex_t lock; /* protects the files' unwind tables */
	/* current batch */
	pipa_resolved_fn receive;
	void *ctx;
	struct pipa_resolver_lookup *lookups; /* sorted by address */
	struct pipa_resolver_lookup *spare;   /* for sorting */
	uint64_t *linked;
	uint32_t *found;
	size_t room; /* capacity of these four */
};

/*
 * Resolve n lookups from `first` on: in a file at r->linked[0..n), in a symbol table, or in
 * neither. 0, or the result of receive().
 */
int pipa_resolver_in_file(struct pipa_resolver *r, struct pipa_code_file *file, const char *object,
			  size_t first, size_t n);
/*
 * Resolve lookups in a file that runs `slide` above its link-time address; `beneath` has symbols
 * for addresses outside of it. -ENOMEM, or the result of receive().
 */
int pipa_resolver_in_moved(struct pipa_resolver *r, struct pipa_code_file *file, uint64_t slide,
			   const struct pipa_symbols *beneath, const char *object, size_t first,
			   size_t n);
int pipa_resolver_in_table(struct pipa_resolver *r, const struct pipa_symbols *symbols,
			   const char *object, size_t first, size_t n);
int pipa_resolver_in_none(struct pipa_resolver *r, const char *object, size_t first, size_t n);

/*
 * Locate a file by its path and read its symbols. 0, -ENOENT, -ESTALE, -EBADMSG if it is not an ELF
 * file, or -ENOMEM.
 */
int pipa_resolver_open_file(const struct pipa_locate_options *locate, const char *path,
			    struct pipa_code_file **ret);
/*
 * Read the symbols of a located file, whose ownership is taken in any case. Like
 * pipa_resolver_open_file().
 */
int pipa_resolver_read_file(struct pipa_code_file *file, struct pipa_code_file **ret);

/*
 * Sort lookups by address; `spare` has space for n. Sets the index of each to its position before.
 */
void pipa_resolver_sort(struct pipa_resolver_lookup *lookups, struct pipa_resolver_lookup *spare,
			size_t n);

/* Functions for a running process. */
int pipa_resolver_read_maps(struct pipa_resolver *r, struct pipa_error *err);
int pipa_resolver_in_process(struct pipa_resolver *r, size_t n);
void pipa_resolver_process_done(struct pipa_resolver *r);

#endif
