/* Parse "http://host:port/path". */
#ifndef PIPA_NET_URL_H
#define PIPA_NET_URL_H

#include <stdbool.h>

struct pipa_url {
	bool secure;   /* https */
	bool has_port; /* the URL has one; else it is that of the scheme */
	char host[256];
	char port[6];
	char path[2048]; /* with the leading "/" and the query */
};

/*
 * -EINVAL if it is invalid: another scheme, a user name, invalid characters, a port above 65535, too long. The
 * fragment is left out.
 */
int pipa_url_parse(const char *text, struct pipa_url *ret);

/* Resolve the Location of a redirection: a URL, or a path on the same server. */
int pipa_url_join(const struct pipa_url *base, const char *location, struct pipa_url *ret);

/* Decode percent-encoding in place; false if an escape is invalid or a NUL. */
bool pipa_percent_decode(char *text);

#endif
