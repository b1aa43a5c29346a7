/* Parse "http://host:port/path". */
#ifndef PIPA_NET_URL_H
#define PIPA_NET_URL_H

#include <stdbool.h>

struct pipa_url {
	bool secure;   /* https */
	bool has_port; /* it was written, else it is that of the scheme */
	char host[256];
	char port[6];
	char path[2048]; /* with its "/", and what follows a "?" */
};

/*
 * -EINVAL if it is invalid: another scheme, a user name, invalid characters, too long. The fragment
 * is left out.
 */
int pipa_url_parse(const char *text, struct pipa_url *ret);

/* Where a redirection leads to: an address, or a path on the same server. */
int pipa_url_join(const struct pipa_url *base, const char *location, struct pipa_url *ret);

/* Decode percent-encoding in place; false if an escape is invalid or a NUL. */
bool pipa_percent_decode(char *text);

#endif
