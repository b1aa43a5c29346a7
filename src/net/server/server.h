/*
 * A gRPC server: listening sockets, connections in plain text (HTTP/2 with prior knowledge) or TLS, one thread with
 * epoll. It waits only for sockets: handlers that wait for a disk do so on another thread, which posts the result
 * with pipa_server_post().
 */
#ifndef PIPA_NET_SERVER_SERVER_H
#define PIPA_NET_SERVER_SERVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "net/server/session.h"

struct pipa_error;
struct pipa_listeners;
struct pipa_server;
struct pipa_tls_server;

struct pipa_server_counters {
	_Atomic uint64_t accepted, refused, open;    /* connections */
	_Atomic uint64_t bytes_received, bytes_sent; /* on sockets */
	_Atomic uint64_t flooded, timed_out; /* connections that were closed for this reason */
};

struct pipa_server_options {
	struct pipa_grpc_service service; /* copied; `budget` is set by the server */
	size_t max_buffered;		  /* bytes of requests, of all connections */
	unsigned int max_connections;
	/* A connection is refused or closed early: the address of the client and the reason. May be NULL. */
	void (*refused)(void *ctx, const char *peer, const char *why);
	void *ctx;
};

/* A task for the thread of the server, embedded in a struct of the poster. */
struct pipa_server_task {
	struct pipa_server_task *next;
	void (*fn)(struct pipa_server_task *task);
};

int pipa_server_new(const struct pipa_server_options *options, struct pipa_server **ret,
		    struct pipa_error *err);
void pipa_server_free(struct pipa_server *server);

/* Accept connections from these sockets, which the server takes. Before it runs. */
int pipa_server_listen(struct pipa_server *server, struct pipa_listeners *listeners,
		       struct pipa_error *err);

/* Use TLS for new connections from now on; takes `tls`. On the server's thread, or before it runs. */
void pipa_server_set_tls(struct pipa_server *server, struct pipa_tls_server *tls);

/* Serve until pipa_server_stop() has let all accepted calls finish. */
int pipa_server_run(struct pipa_server *server, struct pipa_error *err);

/* Run a task on the thread of the server. Any thread. */
void pipa_server_post(struct pipa_server *server, struct pipa_server_task *task);

/* Run the tasks that were posted after the server's end. */
void pipa_server_run_tasks(struct pipa_server *server);

/* Accept nothing more, finish the calls within that time, and end. A second call ends at once. Any thread. */
void pipa_server_stop(struct pipa_server *server, uint64_t grace_ns);

const struct pipa_server_counters *pipa_server_counters(const struct pipa_server *server);

/* Return the address of the `peer` of a head or an ended call, and the subject of its certificate or "". */
const char *pipa_server_peer_text(const void *peer);

#endif
