/* One object's lines and inlined functions, with all that has to be mapped beside its own files. */
#ifndef PIPA_JOB_DEBUG_INFO_H
#define PIPA_JOB_DEBUG_INFO_H

#include <stddef.h>

#include "base/span.h"

struct pipa_dwarf;
struct pipa_locate_options;
struct pipa_located;

struct pipa_debug_info {
	struct pipa_dwarf *dwarf; /* NULL while nothing is open */
	const struct pipa_locate_options *locate;
	struct pipa_span alt; /* what several debug files share */
	struct {
		struct pipa_span *items;
		size_t n, cap;
	} splits; /* .dwo files, as they were asked for */
};

/*
 * As pipa_dwarf_new(). The located files and the options must outlive it, and it may not move while it
 * is open. pipa_debug_info_done() in any case.
 */
int pipa_debug_info_open(struct pipa_debug_info *info, const struct pipa_locate_options *locate,
			 const struct pipa_located *located);
void pipa_debug_info_done(struct pipa_debug_info *info);

#endif
