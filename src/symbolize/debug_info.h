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
	struct pipa_dwarf *dwarf; /* NULL while nothing is open */
	const struct pipa_locate_options *locate;
	struct pipa_span alt; /* what several debug files share */
	struct {
		struct pipa_span *items;
		size_t n, cap;
	} splits;	      /* .dwo files, as they were requested */
	pthread_mutex_t lock; /* of splits */
	bool unpacked;
	struct pipa_worker thread; /* decompresses sections */
	atomic_uint next_part;	   /* that nobody decompresses yet */
	atomic_uint parts_done;
	struct pipa_dwarf *twins[PIPA_PARALLEL_MAX]; /* for threads; the first is `dwarf` itself */
};

/* What one thread asks for, as pipa_dwarf_resolve(). */
struct pipa_debug_share {
	const uint64_t *addrs;
	size_t n;
	pipa_dwarf_found_fn found;
	void *ctx;
	int status; /* what pipa_dwarf_resolve() returned */
};

/*
 * As pipa_dwarf_new(). The located files and the options must outlive it, and it may not move while it
 * is open. pipa_debug_info_done() in any case.
 */
int pipa_debug_info_open(struct pipa_debug_info *info, const struct pipa_locate_options *locate,
			 const struct pipa_located *located);
void pipa_debug_info_done(struct pipa_debug_info *info);

/*
 * Compressed sections are decompressed by a thread from now on, until somebody asks, who then
 * helps. Nothing may be asked of `dwarf` itself before pipa_debug_info_unpack().
 */
void pipa_debug_info_begin(struct pipa_debug_info *info);
void pipa_debug_info_unpack(struct pipa_debug_info *info);

/* How many shares n questions are to be dealt out in; 1 when threads would cost more than they gain. */
unsigned int pipa_debug_info_shares(size_t n);

/* All shares at the same time, a thread each. 0, or the first status that is not. */
int pipa_debug_info_ask(struct pipa_debug_info *info, struct pipa_debug_share *shares,
			unsigned int n);

#endif
