/*
 * Resolve addresses to symbols and lines in batches, of a file or of a running process.
 *
 * Files stay open, so that the next batch costs only its own lookups. The mappings of a process
 * are read again if an address is unknown.
 */
#ifndef PIPA_SYMBOLIZE_RESOLVER_H
#define PIPA_SYMBOLIZE_RESOLVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/auto.h"
#include "base/thread/parallel.h"
#include "symbol/dwarf/dwarf.h"

struct pipa_error;
struct pipa_resolver;

struct pipa_resolver_options {
	const char *exe; /* a file's path; NULL: the process */
	uint32_t pid;
	const char *vmlinux; /* the running kernel's image, for its lines; NULL: none */
};

/*
 * What is at an address: valid during the call, its texts until the next batch. A name by range is
 * borrowed for the call too, and terminated.
 */
struct pipa_resolved {
	uint64_t address;
	const char *object; /* of a process; NULL when nothing is mapped there */
	const char *symbol; /* as the table of symbols has it, not terminated; NULL: none */
	size_t symbol_len;
	bool by_range;		/* what it is called is not a symbol: see symbolize/fde_ranges.h */
	uint64_t symbol_offset; /* bytes after its start */
	const struct pipa_dwarf_frame *frames; /* innermost first */
	size_t n_frames;		       /* 0: no lines are known */
};

/*
 * Called once for each address of a batch, in no order. A large batch is dealt out in up to
 * PIPA_PARALLEL_MAX parts: one part's addresses rise and come one after the other, different parts come
 * from different threads at the same time. A result other than 0 ends the part.
 */
typedef int (*pipa_resolved_fn)(void *ctx, unsigned int part, size_t index,
				const struct pipa_resolved *what);

int pipa_resolver_open(const struct pipa_resolver_options *options, struct pipa_resolver **ret,
		       struct pipa_error *err);
void pipa_resolver_close(struct pipa_resolver *resolver);
PIPA_DEFINE_AUTO(pipa_resolver_close, struct pipa_resolver *)

/* -ENOMEM, or -ESRCH when the process is gone, or what tell() returned. */
int pipa_resolver_ask(struct pipa_resolver *resolver, const uint64_t *addrs, size_t n,
		      pipa_resolved_fn tell, void *ctx, struct pipa_error *err);

/* Some of the addresses were the kernel's, which does not tell this user where what is. */
bool pipa_resolver_kernel_hidden(const struct pipa_resolver *resolver);

#endif
