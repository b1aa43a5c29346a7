/*
 * An HTTP/1.1 server for few, short pages, based on libevent's evhttp: one thread, GET and HEAD, limits of connections,
 * sizes and time. The handler runs on that thread and may wait for a disk.
 */
#ifndef PIPA_SERVE_WEB_H
#define PIPA_SERVE_WEB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct pipa_error;
struct pipa_listeners;
struct pipa_tls_server;
struct pipa_web;

/* Borrowed during the call; texts are as sent, not decoded. */
struct pipa_web_request {
	const char *path;	   /* decoded, without the query */
	const char *query;	   /* "a=b&c=d", or "" */
	const char *authorization; /* value of the field, or "" */
	const char *host;	   /* the same */
};

/* Zero is an empty 200 of type text/plain. */
struct pipa_web_reply {
	int status;
	const char *type;
	const char *challenge; /* WWW-Authenticate, or NULL */
	struct pipa_buf body;
};

struct pipa_web_options {
	void (*handle)(void *ctx, const struct pipa_web_request *request,
		       struct pipa_web_reply *reply);
	void *ctx;
	unsigned int max_connections;
	unsigned int idle_s;	/* of a connection without bytes */
	unsigned int head_s;	/* for the head of a request; fewer while no connection is free */
	unsigned int max_age_s; /* of a connection, idle or not */
};

/* Takes the sockets. */
int pipa_web_new(const struct pipa_web_options *options, struct pipa_listeners *listeners,
		 struct pipa_web **ret, struct pipa_error *err);
void pipa_web_free(struct pipa_web *web);

/* Use TLS for new connections; takes `tls`. Any thread. */
void pipa_web_set_tls(struct pipa_web *web, struct pipa_tls_server *tls);

/* Serve until pipa_web_stop(), which any thread may call. */
void pipa_web_run(struct pipa_web *web);
void pipa_web_stop(struct pipa_web *web);

#endif
