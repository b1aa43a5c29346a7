/* Fetch a document over HTTP or HTTPS. */
#ifndef PIPA_NET_GET_H
#define PIPA_NET_GET_H

#include <stddef.h>
#include <stdint.h>

struct pipa_error;

struct pipa_get_options {
	const char *url;
	uint64_t connect_ns; /* timeout of the connection */
	uint64_t step_ns;    /* timeout of the response header, and of each further 100 KiB */
	uint64_t until_ns;   /* deadline of the whole response, of pipa_clock_ns(); 0: none */
	uint64_t max_bytes;  /* of the body */
	int (*put)(void *ctx, const void *bytes,
		   size_t len); /* each piece of a body of status 200 */
	void *ctx;
};

/*
 * Return the status of the complete response, 200 or 404 for example, else a negative errno:
 * -ETIMEDOUT, -ETIME (until_ns has passed), -ECONNREFUSED, -EHOSTUNREACH (unknown name), -EBADMSG
 * (not HTTP, or truncated), -EFBIG (more than max_bytes), -ELOOP (too many redirects),
 * -EPROTONOSUPPORT (HTTPS, and built without it), -EKEYREJECTED (its certificate), or the result of
 * put().
 */
int pipa_http_get(const struct pipa_get_options *options, struct pipa_error *err);

#endif
