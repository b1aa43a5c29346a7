#include "serve/health.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "codec/proto.h"
#include "rpc/message.h"
#include "rpc/pipad_messages.h"
#include "rpc/store_messages.h"
#include "serve/auth.h"
#include "serve/services.h"

enum { REQUEST_MAX = 4 << 10 }; /* no token is needed: no large request either */

enum serving_status { UNKNOWN, SERVING, NOT_SERVING, SERVICE_UNKNOWN };

struct pipa_health_watcher {
	struct pipa_health_watcher *next, **link;
	struct pipa_grpc_call *call;
	bool known;
};

struct request {
	struct pipa_span service;
};

static const struct pipa_proto_field request_fields[] = {
	PIPA_PROTO_FIELD(request, 1, STRING, service),
};

static const struct pipa_proto_message request_message = { .name = "HealthCheckRequest",
							   .fields = request_fields,
							   .n_fields = 1,
							   .size = sizeof(struct request) };

static bool is_known(struct pipa_span service)
{
	static const char *const names[] = { "", PIPA_PIPAD_SERVICE, PIPA_STORE_SERVICE };
	size_t i;

	for (i = 0; i < PIPA_COUNT(names); i++)
		if (service.size == strlen(names[i]) &&
		    (!service.size || memcmp(service.data, names[i], service.size) == 0))
			return true;
	return false;
}

static struct pipa_health *health_of(const struct pipa_grpc_call *call)
{
	return ((const struct pipa_services *)pipa_grpc_call_services(call))->health;
}

static void send_status(struct pipa_grpc_call *call, enum serving_status status)
{
	const uint8_t message[] = { 1 << 3, (uint8_t)status };

	pipa_grpc_call_send(call, (struct pipa_span){ message, sizeof(message) });
}

static bool decode_service(struct pipa_grpc_call *call, struct pipa_span message, bool *known)
{
	struct pipa_proto_memory memory = { .max = 1 << 16 };
	struct request request;
	int rc = pipa_rpc_decode(&request_message, message, &memory, &request, NULL);

	if (rc < 0)
		pipa_grpc_call_finish(call, PIPA_GRPC_INVALID_ARGUMENT, "malformed request");
	else
		*known = is_known(request.service);
	pipa_proto_memory_done(&memory);
	return rc == 0;
}

static void on_check(struct pipa_grpc_call *call, struct pipa_span message)
{
	bool known;

	if (!decode_service(call, message, &known))
		return;
	if (!known) {
		pipa_grpc_call_finish(call, PIPA_GRPC_NOT_FOUND, "unknown service");
		return;
	}
	send_status(call, health_of(call)->serving ? SERVING : NOT_SERVING);
	pipa_grpc_call_finish(call, PIPA_GRPC_OK, NULL);
}

static void notify_watcher(struct pipa_health_watcher *watcher, bool serving)
{
	send_status(watcher->call, !watcher->known ? SERVICE_UNKNOWN :
				   serving	   ? SERVING :
						     NOT_SERVING);
}

static void on_watch(struct pipa_grpc_call *call, struct pipa_span message)
{
	struct pipa_health *health = health_of(call);
	struct pipa_health_watcher *watcher;
	bool known;

	if (!decode_service(call, message, &known))
		return;
	watcher = calloc(1, sizeof(*watcher));
	if (!watcher) {
		pipa_grpc_call_finish(call, PIPA_GRPC_RESOURCE_EXHAUSTED, "out of memory");
		return;
	}
	*watcher = (struct pipa_health_watcher){
		.next = health->watchers, .link = &health->watchers, .call = call, .known = known
	};
	if (watcher->next)
		watcher->next->link = &watcher->next;
	health->watchers = watcher;
	pipa_grpc_call_set_user(call, watcher);
	notify_watcher(watcher, health->serving);
}

static void on_done(struct pipa_grpc_call *call)
{
	struct pipa_health_watcher *watcher = pipa_grpc_call_user(call);

	if (!watcher)
		return;
	*watcher->link = watcher->next;
	if (watcher->next)
		watcher->next->link = watcher->link;
	free(watcher);
}

void pipa_health_set(struct pipa_health *health, bool serving, bool stopping)
{
	struct pipa_health_watcher *watcher;
	bool changed = health->serving != serving;

	health->serving = serving;
	for (watcher = health->watchers; watcher; watcher = watcher->next) {
		if (changed && watcher->known)
			notify_watcher(watcher, serving);
		if (stopping)
			pipa_grpc_call_finish(watcher->call, PIPA_GRPC_UNAVAILABLE,
					      "the server stops");
	}
}

static const struct pipa_grpc_method check = { .path = "/grpc.health.v1.Health/Check",
					       .access = PIPA_ACCESS_NONE,
					       .max_request = REQUEST_MAX,
					       .message = on_check };
static const struct pipa_grpc_method watch = { .path = "/grpc.health.v1.Health/Watch",
					       .replies = true,
					       .access = PIPA_ACCESS_NONE,
					       .max_request = REQUEST_MAX,
					       .message = on_watch,
					       .done = on_done };

const struct pipa_grpc_method *const pipa_health_methods[] = { &check, &watch, NULL };
