/* Describe network interfaces and their addresses, in the terms of ip(8). */
#include <linux/if.h>
#include <string.h>

#include "collect/spec/spec_own.h"

static const struct {
	unsigned int flag;
	const char *name;
} flags[] = {
	{ IFF_LOOPBACK, "LOOPBACK" },
	{ IFF_BROADCAST, "BROADCAST" },
	{ IFF_POINTOPOINT, "POINTOPOINT" },
	{ IFF_MULTICAST, "MULTICAST" },
	{ IFF_NOARP, "NOARP" },
	{ IFF_ALLMULTI, "ALLMULTI" },
	{ IFF_PROMISC, "PROMISC" },
	{ IFF_MASTER, "MASTER" },
	{ IFF_SLAVE, "SLAVE" },
	{ IFF_DEBUG, "DEBUG" },
	{ IFF_DYNAMIC, "DYNAMIC" },
	{ IFF_AUTOMEDIA, "AUTOMEDIA" },
	{ IFF_PORTSEL, "PORTSEL" },
	{ IFF_NOTRAILERS, "NOTRAILERS" },
	{ IFF_UP, "UP" },
};

/*
 * Write the state. The file has the flags that are set; those that depend on the carrier are
 * derived as in the kernel.
 */
static void put_state(struct spec *spec, struct pipa_fact *iface, const char *name)
{
	struct pipa_fact *list = pipa_facts_list(spec->facts, iface, "state");
	uint64_t set = 0, carrier = 0, dormant = 0;
	char state[32];
	bool running;
	size_t i;

	pipa_root_read_u64(spec->root, PIPA_SYS, &set, "class/net/%s/flags", name);
	pipa_root_read_u64(spec->root, PIPA_SYS, &carrier, "class/net/%s/carrier", name);
	pipa_root_read_u64(spec->root, PIPA_SYS, &dormant, "class/net/%s/dormant", name);
	pipa_spec_line(spec, PIPA_SYS, state, sizeof(state), "class/net/%s/operstate", name);
	running = strcmp(state, "up") == 0 || strcmp(state, "unknown") == 0;
	if (set & IFF_UP && !running)
		pipa_facts_text(spec->facts, list, NULL, "NO-CARRIER");
	for (i = 0; i < PIPA_COUNT(flags); i++)
		if (set & flags[i].flag)
			pipa_facts_text(spec->facts, list, NULL, flags[i].name);
	if (set & IFF_UP && carrier)
		pipa_facts_text(spec->facts, list, NULL, "LOWER_UP");
	if (set & IFF_UP && dormant)
		pipa_facts_text(spec->facts, list, NULL, "DORMANT");
}

/* Lists of an interface that are being filled. */
struct wanted {
	struct spec *spec;
	const char *iface;
	struct pipa_fact *v4, *v6;
};

static void on_address(void *arg, const char *iface, bool is_v6, const char *text)
{
	struct wanted *wanted = arg;

	if (strcmp(iface, wanted->iface) == 0)
		pipa_facts_text(wanted->spec->facts, is_v6 ? wanted->v6 : wanted->v4, NULL, text);
}

void pipa_spec_net(struct spec *spec, struct pipa_fact *section)
{
	PIPA_AUTO(pipa_spec_names_done) struct spec_names names = { 0 };
	struct pipa_fact *map = NULL, *iface;
	char text[128];
	size_t i;

	pipa_spec_list(spec, PIPA_SYS, "class/net", "", &names);
	for (i = 0; i < names.n; i++) {
		struct wanted wanted = { .spec = spec, .iface = names.items[i] };

		/* bonding_masters is a file in the same directory */
		if (!pipa_root_has(spec->root, PIPA_SYS, "class/net/%s/flags", names.items[i]))
			continue;
		if (!map)
			map = pipa_facts_map(spec->facts, section, "network_interfaces");
		iface = pipa_facts_map(spec->facts, map, names.items[i]);
		put_state(spec, iface, names.items[i]);
		pipa_spec_text(spec, iface, "mac",
			       pipa_spec_line(spec, PIPA_SYS, text, sizeof(text),
					      "class/net/%s/address", names.items[i]));
		wanted.v4 = pipa_facts_list(spec->facts, iface, "ipv4");
		wanted.v6 = pipa_facts_list(spec->facts, iface, "ipv6");
		spec->host->addresses(spec->host->ctx, on_address, &wanted);
	}
	if (!map)
		pipa_spec_status(spec, section, "no interfaces in /sys/class/net");
}
