/* Lines and inlined functions of one object, with all files that its debug information needs. */
#ifndef PIPA_SYMBOLIZE_DEBUG_INFO_H
#define PIPA_SYMBOLIZE_DEBUG_INFO_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "base/thread/parallel.h"
#include "base/thread/worker.h"
#include "symbol/dwarf/dwarf.h"

struct pipa_locate_options;
struct pipa_located;

struct pipa_debug_info {
	struct pipa_dwarf *dwarf; /* NULL: not open */
	const struct pipa_locate_options *locate;
	struct pipa_span alt; /* dwz file, shared by several debug files */
	struct {
		struct pipa_span *items;
		size_t n, cap;
	} splits;	      /* .dwo files, in the order of requests */
	pthread_mutex_t lock; /* protects splits */
	bool unpacked;
	struct pipa_worker thread; /* decompresses sections */
	atomic_uint next_part;	   /* next part to decompress */
	atomic_uint parts_done;
	struct pipa_dwarf *clones[PIPA_PARALLEL_MAX]; /* one per thread; the first is `dwarf` */
};

/* Lookups of one thread, as for pipa_dwarf_resolve(). */
struct pipa_debug_share {
	const uint64_t *addrs;
	size_t n;
	pipa_dwarf_found_fn found;
	void *ctx;
	int status; /* result of pipa_dwarf_resolve() */
};

/*
 * Open the DWARF of located files. Like pipa_dwarf_new(). The located files and the options must
 * outlive it, and it must not move while open. Call pipa_debug_info_done() in any case.
 */
int pipa_debug_info_open(struct pipa_debug_info *info, const struct pipa_locate_options *locate,
			 const struct pipa_located *located);
void pipa_debug_info_done(struct pipa_debug_info *info);

/*
 * Start a thread that decompresses sections until the first lookup, which then helps. `dwarf`
 * itself must not be used before pipa_debug_info_unpack().
 */
void pipa_debug_info_begin(struct pipa_debug_info *info);
void pipa_debug_info_unpack(struct pipa_debug_info *info);

/* Return the number of shares for n lookups; 1 if threads would cost more than they gain. */
unsigned int pipa_debug_info_shares(size_t n);

/* Run all shares at the same time, one thread each. 0, or the first status other than 0. */
int pipa_debug_info_resolve(struct pipa_debug_info *info, struct pipa_debug_share *shares,
			    unsigned int n);

#endif
