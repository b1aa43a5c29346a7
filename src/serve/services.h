/*
 * The services of pipad: PIPA's (pipa.PIPAD) and pipa's own (pipa.store.v1.Store). The handlers run on the thread of the
 * server; changes are committed by the store's writer thread, and everything else that reads a disk runs on the threads
 * of `jobs`.
 */
#ifndef PIPA_SERVE_SERVICES_H
#define PIPA_SERVE_SERVICES_H

#include "base/error.h"
#include "net/server/call.h"

struct pipa_health;
struct pipa_jobs;
struct pipa_results;
struct pipa_server;

/* Context of the handlers; borrowed, set before the server runs. */
struct pipa_services {
	struct pipa_results *store;
	struct pipa_server *server;
	struct pipa_jobs *jobs;
	struct pipa_jobs *downloads; /* separate: a thread waits for a client that reads slowly */
	struct pipa_health *health;
};

/* End with NULL. */
extern const struct pipa_grpc_method *const pipa_pipad_methods[];
extern const struct pipa_grpc_method *const pipa_store_methods[];

/* Return the gRPC code of a failure of the store. */
enum pipa_grpc_code pipa_services_code(int rc);

/* Finish a call with a failure; a hint is appended to the message. */
void pipa_services_fail(struct pipa_grpc_call *call, enum pipa_grpc_code code,
			const struct pipa_error *err);

#endif
