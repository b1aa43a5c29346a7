/* Write the findings of a check of OTLP profiles as text or JSON. */
#ifndef PIPA_EXPORT_TABLE_OTLP_FINDINGS_H
#define PIPA_EXPORT_TABLE_OTLP_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/exchange/otlp_check.h"

struct pipa_buf;

struct pipa_otlp_findings {
	const struct pipa_otlp_check *check;
	const char *name;	/* of the file */
	unsigned int receivers; /* those that count, a bit per enum pipa_otlp_receiver */
};

/* Count the findings that a receiver refuses, and the others. */
void pipa_otlp_findings_count(const struct pipa_otlp_findings *findings, uint64_t *ret_errors,
			      uint64_t *ret_warnings);

/*
 * Write one line per finding with its path: first the errors, which are findings that a receiver refuses, then the
 * warnings; then the number of findings that were not kept, and a line per receiver.
 */
void pipa_otlp_findings_write_text(const struct pipa_otlp_findings *findings, struct pipa_buf *out);

/* Write docs/format/otlp-check.schema.json. */
void pipa_otlp_findings_write_json(const struct pipa_otlp_findings *findings, struct pipa_buf *out);

#endif
