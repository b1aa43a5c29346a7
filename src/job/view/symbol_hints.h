/* Print which package or server would resolve the unresolved code of a profile. */
#ifndef PIPA_JOB_VIEW_SYMBOL_HINTS_H
#define PIPA_JOB_VIEW_SYMBOL_HINTS_H

struct pipa_buf;
struct pipa_profile;

/*
 * Append a line on JIT code without a perf map, if it has at least one percent of the samples of the first event.
 * Append a line for each of the three files with the most samples in code without a symbol, at least one percent
 * of the first event each: "# 64.95% in code of libcrypto.so.3 without symbols: install libssl3-dbgsym". Nothing
 * for files that are in no package. `root` is where the package database is; NULL: this machine. 0 or -ENOMEM.
 */
int pipa_symbol_hints_text(const struct pipa_profile *profile, const char *root,
			   struct pipa_buf *out);

#endif
