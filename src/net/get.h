/* Fetch a document over HTTP or HTTPS. */
#ifndef PIPA_NET_GET_H
#define PIPA_NET_GET_H

#include <stddef.h>
#include <stdint.h>

struct pipa_error;

struct pipa_get_options {
	const char *url;
	uint64_t connect_ns;  /* until a connection stands */
	uint64_t patience_ns; /* for the head, and for each further 100 KiB */
	uint64_t until_ns;    /* of pipa_clock_ns(): it has to be there by then; 0: whenever */
	uint64_t max_bytes;   /* of the body */
	int (*put)(void *ctx, const void *bytes,
		   size_t len); /* each piece of a body of status 200 */
	void *ctx;
};

/*
 * The status of the response, 200 or 404 for example, when it has come as a whole. Else a negative
 * errno: -ETIMEDOUT, -ETIME (not there by until_ns), -ECONNREFUSED, -EHOSTUNREACH (the name is not known), -EBADMSG (no HTTP, or cut
 * off), -EFBIG (more than max_bytes), -ELOOP (redirected too often), -EPROTONOSUPPORT (HTTPS, and not
 * built with it), -EKEYREJECTED (its certificate), or what put() returned.
 */
int pipa_http_get(const struct pipa_get_options *options, struct pipa_error *err);

#endif
