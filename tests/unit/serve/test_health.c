/* Watchers of the health of a server, on sessions in memory. */
#include "serve/health.h"

#include <sys/resource.h>

#include "base/auto.h"
#include "base/clock.h"
#include "lib/test.h"
#include "net/h2.h"
#include "net/server/session.h"
#include "serve/services.h"

enum { SESSIONS = 400, WATCHES = 100 };

static struct pipa_health health = { .serving = true };
static struct pipa_services services = { .health = &health };
static struct pipa_grpc_budget budget = { .max = 1 << 20 };
static const struct pipa_grpc_service service = {
	.methods = pipa_health_methods,
	.services = &services,
	.limits = { .header_bytes = 4096, .streams = WATCHES, .max_message = 100000 },
	.budget = &budget,
};
static struct pipa_grpc_session *sessions[SESSIONS];
static size_t received;

static int on_field(void *ctx PIPA_UNUSED, int32_t stream PIPA_UNUSED,
		    struct pipa_span name PIPA_UNUSED, struct pipa_span value PIPA_UNUSED)
{
	return 0;
}

static int on_data(void *ctx PIPA_UNUSED, int32_t stream PIPA_UNUSED, struct pipa_span bytes)
{
	received += bytes.size;
	return 0;
}

static void on_closed(void *ctx PIPA_UNUSED, int32_t stream PIPA_UNUSED, uint32_t code PIPA_UNUSED)
{
}

static void ignore_wake(void *peer PIPA_UNUSED)
{
}

static void exchange(struct pipa_h2 *h2, struct pipa_grpc_session *session)
{
	struct pipa_span span;
	size_t n;

	do {
		n = 0;
		while (pipa_h2_output(h2, &span) == 0 && span.size) {
			n += span.size;
			CHECK_EQ(pipa_grpc_session_receive(session, span, 1), 0);
		}
		while (pipa_grpc_session_output(session, &span) == 0 && span.size) {
			n += span.size;
			CHECK_EQ(pipa_h2_receive(h2, span), 0);
		}
	} while (n);
}

/* A connection with as many watchers as it may have. */
static struct pipa_grpc_session *watch(void)
{
	static const struct pipa_h2_events events = { .field = on_field,
						      .data = on_data,
						      .closed = on_closed };
	static const struct pipa_h2_field fields[] = {
		{ ":method", "POST", false },
		{ ":scheme", "http", false },
		{ ":authority", "x", false },
		{ ":path", "/grpc.health.v1.Health/Watch", false },
		{ "content-type", "application/grpc", false },
	};
	static const uint8_t empty[5];
	const struct pipa_h2_limits limits = { .header_bytes = 8192, .streams = WATCHES };
	struct pipa_h2_body bodies[WATCHES];
	struct pipa_grpc_session *session = pipa_grpc_session_new(&service, NULL, ignore_wake, 1);
	struct pipa_h2 *h2 = pipa_h2_new(PIPA_H2_CLIENT, &limits, &events, NULL);
	size_t i;

	CHECK(session && h2);
	exchange(h2, session);
	for (i = 0; i < WATCHES; i++) {
		bodies[i] = (struct pipa_h2_body){ .pieces = { { empty, sizeof(empty) } } };
		CHECK(pipa_h2_request(h2, fields, PIPA_COUNT(fields), &bodies[i]) > 0);
	}
	exchange(h2, session);
	CHECK_EQ(pipa_grpc_session_calls(session), WATCHES);
	pipa_h2_free(h2);
	return session;
}

static uint64_t used_us(void)
{
	struct rusage use;

	CHECK_EQ(getrusage(RUSAGE_SELF, &use), 0);
	return (uint64_t)use.ru_utime.tv_sec * 1000000 + (uint64_t)use.ru_utime.tv_usec;
}

/* Return the CPU time of the end of all connections, in the order of their begin or the opposite one. */
static uint64_t end_us(bool oldest_first)
{
	uint64_t begin;
	size_t i;

	for (i = 0; i < SESSIONS; i++)
		sessions[i] = watch();
	begin = used_us();
	for (i = 0; i < SESSIONS; i++)
		pipa_grpc_session_free(sessions[oldest_first ? i : SESSIONS - 1 - i]);
	CHECK(!health.watchers);
	return used_us() - begin;
}

TEST(the_end_of_a_watcher_does_not_depend_on_the_number_of_others)
{
	uint64_t newest_first = end_us(false);

	CHECK(end_us(true) < 4 * newest_first + 500000);
}

TEST(watchers_that_are_left_are_notified)
{
	struct pipa_grpc_session *first = watch(), *second = watch(), *third = watch();
	struct pipa_span span;
	size_t n = 0;

	CHECK_EQ(received, 3 * WATCHES * 7);
	pipa_grpc_session_free(second);
	pipa_health_set(&health, false, false);
	while (pipa_grpc_session_output(first, &span) == 0 && span.size)
		n += span.size;
	CHECK_EQ(n, WATCHES * (9 + 7)); /* a DATA frame for each */
	pipa_grpc_session_free(first);
	pipa_grpc_session_free(third);
	CHECK(!health.watchers);
}
