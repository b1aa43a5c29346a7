/*
 * Set of CPU or node numbers, as the kernel writes it ("0-3,7"): a sorted array without
 * duplicates.
 */
#ifndef PIPA_BASE_CPUS_H
#define PIPA_BASE_CPUS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/auto.h"

struct pipa_buf;
struct pipa_error;

enum { PIPA_CPU_MAX = 65536 }; /* past any kernel's NR_CPUS: a number above is a mistake */

struct pipa_cpus {
	int *items;
	size_t n, cap;
};

void pipa_cpus_done(struct pipa_cpus *cpus);

/*
 * Parse "0-3,7" or the strided form "0-30:2/8" of kernel 4.15+; a trailing newline is fine, an
 * empty list is an empty set. On failure ret is untouched.
 */
int pipa_cpus_parse(const char *text, struct pipa_cpus *ret, struct pipa_error *err);

int pipa_cpus_add(struct pipa_cpus *cpus, int cpu);
bool pipa_cpus_has(const struct pipa_cpus *cpus, int cpu);
int pipa_cpus_copy(const struct pipa_cpus *from, struct pipa_cpus *ret);

/* The members of a that are in b too. */
int pipa_cpus_common(const struct pipa_cpus *a, const struct pipa_cpus *b, struct pipa_cpus *ret);

/* Append n ascending numbers as ranges, "0-3,7"; nothing for an empty set. */
void pipa_cpus_put(const int *cpus, size_t n, struct pipa_buf *out);

static inline void pipa_cpus_done_auto(struct pipa_cpus *cpus)
{
	pipa_cpus_done(cpus);
}

#endif
