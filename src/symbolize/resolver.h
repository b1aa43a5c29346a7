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
	const char *exe; /* path of a file; NULL: use pid */
	uint32_t pid;
	const char *vmlinux; /* image of the running kernel, for its lines; NULL: none */
};

/*
 * Result for an address, valid during the call; its strings until the next batch. A name by range
 * is NUL-terminated and valid only during the call.
 */
struct pipa_resolved {
	uint64_t address;
	const char *object; /* of a process; NULL: no mapping */
	const char *symbol; /* from the symbol table, not NUL-terminated; NULL: none */
	size_t symbol_len;
	bool by_range; /* named by its FDE range, not by a symbol: see symbolize/fde_ranges.h */
	uint64_t symbol_offset;		       /* offset from the start of the symbol */
	const struct pipa_dwarf_frame *frames; /* innermost first */
	size_t n_frames;		       /* 0: no lines */
};

/*
 * Receive the result of one address of a batch; called once per address. A large batch is divided
 * into up to PIPA_PARALLEL_MAX parts: the addresses of a part ascend, and different parts are
 * called from different threads at the same time. A result other than 0 ends the part.
 */
typedef int (*pipa_resolved_fn)(void *ctx, unsigned int part, size_t index,
				const struct pipa_resolved *what);

int pipa_resolver_open(const struct pipa_resolver_options *options, struct pipa_resolver **ret,
		       struct pipa_error *err);
void pipa_resolver_close(struct pipa_resolver *resolver);
PIPA_DEFINE_AUTO(pipa_resolver_close, struct pipa_resolver *)

/* Resolve a batch. 0, -ENOMEM, -ESRCH if the process has ended, or the result of receive(). */
int pipa_resolver_resolve(struct pipa_resolver *resolver, const uint64_t *addrs, size_t n,
			  pipa_resolved_fn receive, void *ctx, struct pipa_error *err);

/* Were there kernel addresses that kptr_restrict hides from this user? */
bool pipa_resolver_kernel_hidden(const struct pipa_resolver *resolver);

#endif
