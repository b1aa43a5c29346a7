#include "net/retry.h"

#include <errno.h>
#include <sys/random.h>

#include "base/clock.h"
#include "net/grpc.h"
#include "net/stream.h"

bool pipa_retry_is_retryable(int grpc_code, bool has_delay)
{
	switch (grpc_code) {
	case PIPA_GRPC_CANCELLED:
	case PIPA_GRPC_DEADLINE_EXCEEDED:
	case PIPA_GRPC_ABORTED:
	case PIPA_GRPC_OUT_OF_RANGE:
	case PIPA_GRPC_UNAVAILABLE:
	case PIPA_GRPC_DATA_LOSS: return true;
	case PIPA_GRPC_RESOURCE_EXHAUSTED: return has_delay;
	default: return false;
	}
}

bool pipa_retry_is_final(int rc)
{
	switch (rc) {
	case -EPROTO:
	case -EBADMSG:
	case -EKEYREJECTED:
	case -EPROTONOSUPPORT:
	case -EINVAL:
	case -EFBIG:
	case -E2BIG:
	case -ELOOP:
	case -ENOMEM: return true;
	default: return false;
	}
}

uint64_t pipa_retry_backoff_ns(unsigned int n, uint64_t random)
{
	uint64_t ns = PIPA_NS_PER_SEC;

	for (; n > 1 && ns < 30 * PIPA_NS_PER_SEC; n--)
		ns += ns / 2;
	if (ns > 30 * PIPA_NS_PER_SEC)
		ns = 30 * PIPA_NS_PER_SEC;
	return ns / 2 + random % ns; /* from half to one and a half */
}

static uint64_t random_number(void)
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number))
		number = pipa_clock_ns() * UINT64_C(0x9e3779b97f4a7c15) >> 16;
	return number;
}

int pipa_retry_wait(struct pipa_stop *stop, unsigned int n, const uint64_t *demanded_ns,
		    uint64_t until_ns)
{
	uint64_t wait = pipa_retry_backoff_ns(n, random_number());

	if (demanded_ns && *demanded_ns >= INT64_MAX)
		return -ETIMEDOUT;
	if (demanded_ns) /* at least; the random part spreads the clients */
		wait = *demanded_ns + wait / 4;
	if (pipa_clock_ns() + wait >= pipa_stop_min(stop, until_ns))
		return -ETIMEDOUT;
	return pipa_stop_sleep(stop, pipa_clock_ns() + wait) < 0 ? -EINTR : 0;
}
