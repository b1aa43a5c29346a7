/* Lookups of names that answer, fail and do not end. */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/thread/worker.h"
#include "lib/test.h"
#include "net/host_lookup.h"
#include "net/stream.h"

static _Atomic bool released;
static _Atomic int ended;

/* Block until the test permits to go on, then find 127.0.0.1. */
static int look_up_late(const char *host, const char *port, const struct addrinfo *hints,
			struct addrinfo **ret)
{
	int rc;

	(void)host;
	while (!released)
		poll(NULL, 0, 1);
	rc = getaddrinfo("127.0.0.1", port, hints, ret);
	ended++;
	return rc;
}

static int look_up_nothing(const char *host, const char *port, const struct addrinfo *hints,
			   struct addrinfo **ret)
{
	(void)host;
	(void)port;
	(void)hints;
	(void)ret;
	return EAI_NONAME;
}

static void wait_for_end_of(int n)
{
	while (ended < n)
		poll(NULL, 0, 1);
}

TEST(lookup_that_answers_gives_addresses)
{
	struct addrinfo *addresses = NULL;
	struct pipa_error err = { 0 };
	const struct sockaddr_in *in;

	released = true;
	CHECK_EQ(pipa_host_lookup_by(look_up_late, "any.example", "4317", NULL, UINT64_MAX,
				     &addresses, &err),
		 0);
	in = (const struct sockaddr_in *)(const void *)addresses->ai_addr;
	CHECK_EQ(ntohl(in->sin_addr.s_addr), INADDR_LOOPBACK);
	CHECK_EQ(ntohs(in->sin_port), 4317);
	freeaddrinfo(addresses);
}

TEST(numeric_address_needs_no_lookup)
{
	struct addrinfo *addresses = NULL;
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_host_lookup("::1", "80", NULL, 1, &addresses, &err), 0);
	CHECK_EQ(addresses->ai_family, AF_INET6);
	freeaddrinfo(addresses);
}

TEST(unknown_name_is_an_error_with_its_text)
{
	struct addrinfo *addresses = NULL;
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_host_lookup_by(look_up_nothing, "no.example", "80", NULL, UINT64_MAX,
				     &addresses, &err),
		 -EHOSTUNREACH);
	CHECK(strstr(err.what, "no.example: "));
}

TEST(lookup_that_does_not_end_is_abandoned_at_the_deadline)
{
	uint64_t start = pipa_clock_ns();
	struct addrinfo *addresses = NULL;
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_host_lookup_by(look_up_late, "slow.example", "80", NULL,
				     start + 50 * PIPA_NS_PER_MS, &addresses, &err),
		 -ETIMEDOUT);
	CHECK(pipa_clock_ns() - start >= 50 * PIPA_NS_PER_MS);
	CHECK(!addresses);
	CHECK(strstr(err.what, "cannot look up slow.example"));
	released = true; /* the thread frees the late result */
	wait_for_end_of(1);
}

static void stop_soon(void *ctx)
{
	poll(NULL, 0, 50);
	pipa_stop_at(ctx, 0);
}

TEST(another_thread_ends_a_lookup)
{
	struct addrinfo *addresses = NULL;
	struct pipa_error err = { 0 };
	struct pipa_worker thread = { 0 };
	struct pipa_stop stop;

	CHECK_EQ(pipa_stop_init(&stop), 0);
	CHECK_EQ(pipa_worker_start(&thread, "stop", PIPA_WORKER_STACK_IO, stop_soon, &stop), 0);
	CHECK_EQ(pipa_host_lookup_by(look_up_late, "slow.example", "80", &stop, UINT64_MAX,
				     &addresses, &err),
		 -ETIMEDOUT);
	pipa_worker_join(&thread);
	pipa_stop_done(&stop);
	released = true;
	wait_for_end_of(1);
}

TEST(number_of_abandoned_lookups_is_limited)
{
	struct addrinfo *addresses = NULL;
	struct pipa_error err = { 0 };
	int i;

	for (i = 0; i < PIPA_HOST_LOOKUP_MAX; i++)
		CHECK_EQ(pipa_host_lookup_by(look_up_late, "slow.example", "80", NULL, 1,
					     &addresses, &err),
			 -ETIMEDOUT);
	CHECK_EQ(pipa_host_lookup_by(look_up_late, "slow.example", "80", NULL, 1, &addresses, &err),
		 -EBUSY);
	released = true;
	wait_for_end_of(PIPA_HOST_LOOKUP_MAX);
	while (pipa_host_lookup_by(look_up_nothing, "no.example", "80", NULL, UINT64_MAX,
				   &addresses, &err) == -EBUSY)
		poll(NULL, 0, 1);
	CHECK_EQ(err.code, -EHOSTUNREACH);
}
