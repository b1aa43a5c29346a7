/*
 * Name of a frame in folded stacks. Recordings get the names that reports show (`as_reported`);
 * text of perf script gets those of stackcollapse-perf.pl:
 *
 *	f(int, char *)                  f          parameters are removed; Go's pkg.(*T).M and
 *	                                           (anonymous namespace) are kept
 *	["'x;y]                         [x:y]      quotes are removed, ; would end the frame
 *	La/b/C;.run  in "java"          a/b/C:.run
 *	[unknown] (/lib/libx.so)        [libx.so]  the object represents its unresolved frames, also if
 *	                                           pipa names them (symbolize/fde_ranges.h)
 *	a->b  (from a perf map)         a;b_[i]    b was inlined into a
 */
#ifndef PIPA_EXPORT_EXCHANGE_FOLD_NAME_H
#define PIPA_EXPORT_EXCHANGE_FOLD_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_buf;
struct pipa_location;
struct pipa_profile;

struct pipa_fold_format {
	bool addrs;	  /* append the address to unresolved frames: [libx.so <7f00c0de>] */
	bool kernel;	  /* append _[k] to kernel frames */
	bool jit;	  /* append _[j] to frames of JIT code */
	bool raw_names;	  /* do not edit symbols; only ; becomes : */
	bool as_reported; /* use the symbols that report and flamegraph show; only ; becomes : */
	bool java;	  /* the thread's command is java */
};

/*
 * Append the frames of a location, outermost first, each followed by a semicolon. Appends nothing
 * for a symbol in parentheses, which is not a function.
 */
void pipa_fold_name(const struct pipa_profile *p, const struct pipa_location *location,
		    const struct pipa_fold_format *format, struct pipa_buf *out);

#endif
