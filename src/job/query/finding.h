/* Findings of `pipa doctor`: a line each, as text or JSON. */
#ifndef PIPA_JOB_QUERY_FINDING_H
#define PIPA_JOB_QUERY_FINDING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/auto.h"

struct pipa_buf;

enum pipa_found_state { PIPA_FOUND_GOOD, PIPA_FOUND_PARTLY, PIPA_FOUND_MISSING };

struct pipa_finding {
	const char *name;
	enum pipa_found_state state;
	char text[200];
	char fix[200]; /* a command to run, or "" */
};

void pipa_found(struct pipa_finding *finding, enum pipa_found_state state, const char *fmt, ...)
	PIPA_PRINTF(3, 4);
void pipa_found_fix(struct pipa_finding *finding, const char *fmt, ...) PIPA_PRINTF(2, 3);

/* Append the findings: a line each, or one JSON document. */
void pipa_findings_write(const struct pipa_finding *findings, size_t n, bool json, bool color,
			 struct pipa_buf *out);

#endif
