/* Query what is not in any file: uname, statvfs, addresses. */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>

#include "collect/spec/spec.h"

static int machine(void *ctx, char *ret, unsigned long size)
{
	struct utsname names;

	(void)ctx;
	if (uname(&names) < 0)
		return -errno;
	snprintf(ret, size, "%s", names.machine);
	return 0;
}

static int room(void *ctx, const char *place, struct pipa_spec_room *ret)
{
	struct statvfs s;

	(void)ctx;
	if (statvfs(place, &s) < 0)
		return -errno;
	*ret = (struct pipa_spec_room){
		.total = (uint64_t)s.f_blocks * s.f_frsize,
		.unused = (uint64_t)s.f_bfree * s.f_frsize,
		.available = (uint64_t)s.f_bavail * s.f_frsize,
	};
	return 0;
}

/* Count the bits of a mask. */
static unsigned int prefix_of(const void *mask, size_t len)
{
	const unsigned char *p = mask;
	unsigned int bits = 0;

	for (; mask && len; len--, p++)
		bits += (unsigned int)__builtin_popcount(*p);
	return bits;
}

/* Return the bytes of an address. */
static const void *bytes_of(const struct sockaddr *address, bool is_v6)
{
	const struct sockaddr_in6 *six = (const void *)address;
	const struct sockaddr_in *four = (const void *)address;

	if (!address)
		return NULL;
	return is_v6 ? (const void *)&six->sin6_addr : (const void *)&four->sin_addr;
}

static int addresses(void *ctx,
		     void (*each)(void *arg, const char *iface, bool is_v6, const char *text),
		     void *arg)
{
	struct ifaddrs *all, *one;

	(void)ctx;
	if (getifaddrs(&all) < 0)
		return -errno;
	for (one = all; one; one = one->ifa_next) {
		int family = one->ifa_addr ? one->ifa_addr->sa_family : AF_UNSPEC;
		bool is_v6 = family == AF_INET6;
		char text[INET6_ADDRSTRLEN + 8];
		size_t len;

		if ((!is_v6 && family != AF_INET) ||
		    !inet_ntop(family, bytes_of(one->ifa_addr, is_v6), text, sizeof(text)))
			continue;
		len = strlen(text);
		snprintf(text + len, sizeof(text) - len, "/%u",
			 prefix_of(bytes_of(one->ifa_netmask, is_v6), is_v6 ? 16 : 4));
		each(arg, one->ifa_name, is_v6, text);
	}
	freeifaddrs(all);
	return 0;
}

const struct pipa_spec_host pipa_spec_host = {
	.machine = machine,
	.room = room,
	.addresses = addresses,
};
