/* Attributes of the resource from OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME. */
#ifndef PIPA_JOB_EXCHANGE_OTLP_RESOURCE_H
#define PIPA_JOB_EXCHANGE_OTLP_RESOURCE_H

#include <stddef.h>

#include "export/exchange/otlp.h"

struct pipa_log;

enum { PIPA_OTLP_RESOURCE_MAX = 64 };

struct pipa_otlp_resource_list {
	struct pipa_otlp_resource_text items[PIPA_OTLP_RESOURCE_MAX];
	size_t n;
	char *strings; /* that the items point to; free it */
};

/*
 * Read the variables, then add the items that are given unless their key is set. An invalid
 * OTEL_RESOURCE_ATTRIBUTES is reported to `log` and ignored as a whole. 0 or -ENOMEM.
 */
int pipa_otlp_resource_read(const struct pipa_otlp_resource_text *more, size_t n_more,
			    const struct pipa_log *log, struct pipa_otlp_resource_list *ret);

/* Return the name of an architecture of uname(2) in semantic conventions: "amd64" for x86_64. */
const char *pipa_otlp_arch_name(const char *machine);

#endif
