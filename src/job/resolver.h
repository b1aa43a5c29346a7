/*
 * Addresses to what is there, asked in batches: those of a file as it is linked, or those of a
 * running process.
 *
 * What was opened once stays open, so that the next batch costs only its own questions. A process's
 * map is read anew for each batch, as it may have loaded a library since.
 */
#ifndef PIPA_JOB_RESOLVER_H
#define PIPA_JOB_RESOLVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/auto.h"
#include "symbol/dwarf.h"

struct pipa_error;
struct pipa_resolver;

struct pipa_resolver_options {
	const char *exe; /* a file's path; NULL: the process */
	uint32_t pid;
	const char *vmlinux; /* the running kernel's image, for its lines; NULL: none */
};

/* Texts are loans until the resolver is closed, the object's until the next batch. */
struct pipa_resolved {
	uint64_t address;
	const char *object; /* of a process; NULL when nothing is mapped there */
	const char *symbol; /* as the table of symbols has it, not terminated; NULL: none */
	size_t symbol_len;
	bool by_range;	 /* what it is called is no symbol: see job/ranges.h */
	uint64_t into;	 /* bytes behind its start */
	size_t frames;	 /* number of the first one */
	size_t n_frames; /* 0: no lines are known */
};

struct pipa_resolved_batch {
	const struct pipa_resolved *rows; /* in the order they were asked for; a loan */
	const struct pipa_dwarf_frame *frames;
	bool kernel_hidden; /* some are the kernel's, which does not tell this user where what is */
};

int pipa_resolver_open(const struct pipa_resolver_options *options, struct pipa_resolver **ret,
		       struct pipa_error *err);
void pipa_resolver_close(struct pipa_resolver *resolver);
PIPA_DEFINE_AUTO(pipa_resolver_close, struct pipa_resolver *)

/* -ENOMEM, or -ESRCH when the process is gone. */
int pipa_resolver_ask(struct pipa_resolver *resolver, const uint64_t *addrs, size_t n,
		      struct pipa_resolved_batch *ret, struct pipa_error *err);

#endif
