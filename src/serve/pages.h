/* The pages of pipad, as HTML without a script: a list of runs with filters, and the details of one. */
#ifndef PIPA_SERVE_PAGES_H
#define PIPA_SERVE_PAGES_H

#include "serve/web.h"

struct pipa_results;

/* Write the page for a request; status 404 for another path or an unknown run. Reads the store. */
void pipa_pages_write(struct pipa_results *store, const struct pipa_web_request *request,
		      struct pipa_web_reply *reply);

#endif
