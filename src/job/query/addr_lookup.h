/*
 * Implement `pipa symbolize`: read addresses in batches, resolve them in parallel, print them in
 * input order. All complete lines that are available form a batch, and its results are written
 * before more input is awaited.
 */
#ifndef PIPA_JOB_QUERY_ADDR_LOOKUP_H
#define PIPA_JOB_QUERY_ADDR_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/log.h"
#include "export/table/symbolize_text.h"
#include "symbolize/resolver.h"

struct pipa_error;

struct pipa_addr_lookup_options {
	struct pipa_resolver_options resolver;
	enum pipa_symbolize_form form;
	bool addresses;	  /* as pipa_symbolize_text_write() */
	bool not_inlined; /* only the function that was not inlined, with the line of the address */
	bool mangled;	  /* print raw, mangled symbols */
	char *const *words; /* addresses; none: read in_fd */
	size_t n_words;
	int in_fd, out_fd;
	struct pipa_log log;
};

/*
 * Look up the addresses. Returns the number of words that are not addresses, each of which was
 * noted, or a negative errno.
 */
int pipa_addr_lookup_run(const struct pipa_addr_lookup_options *options, struct pipa_error *err);

#endif
