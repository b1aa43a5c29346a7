/* gRPC's health checks (grpc.health.v1), for load balancers. On the thread of the server. */
#ifndef PIPA_SERVE_HEALTH_H
#define PIPA_SERVE_HEALTH_H

#include "net/server/call.h"

/* The state of the services; zero, with `serving` set, is the start. */
struct pipa_health {
	bool serving;
	struct pipa_health_watcher *watchers;
};

/* Change the state and notify the watchers; when the server stops, their calls end. */
void pipa_health_set(struct pipa_health *health, bool serving, bool stopping);

/* Ends with NULL. */
extern const struct pipa_grpc_method *const pipa_health_methods[];

#endif
