/*
 * Find the valid names nearest to an invalid one, for "did you mean". The matcher keeps the best
 * few by edit distance (a swap of neighbours counts once), so that thousands of names cost no
 * memory.
 */
#ifndef PIPA_BASE_NEAREST_H
#define PIPA_BASE_NEAREST_H

#include <stddef.h>

enum { PIPA_NEAREST_KEEP = 3, PIPA_NEAREST_LEN = 96 };

struct pipa_nearest {
	const char *wanted; /* loan: must outlive the matcher */
	size_t n;
	struct {
		char name[PIPA_NEAREST_LEN];
		unsigned int distance;
	} best[PIPA_NEAREST_KEEP];
};

void pipa_nearest_offer(struct pipa_nearest *near, const char *name);

/* Write "did you mean a, b or c?" into text, or "" if nothing was near; returns text. */
const char *pipa_nearest_hint(const struct pipa_nearest *near, char *text, size_t size);

#endif
