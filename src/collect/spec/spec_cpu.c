/* Describe the CPUs: model, topology, frequencies. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cpus.h"
#include "base/str.h"
#include "collect/spec/arm_parts.h"
#include "collect/spec/spec_own.h"
#include "kernel/machine/topology.h"

/* ---- /proc/cpuinfo ----------------------------------------------------------------------------------------- */

/* Return the first value of one of two names, "" if there is none. */
static const char *info(const char *text, const char *name, const char *other, char *ret,
			size_t size)
{
	ret[0] = '\0';
	while (*text) {
		size_t len = strcspn(text, "\n");
		const char *colon = memchr(text, ':', len);
		size_t n = colon ? (size_t)(colon - text) : 0;

		while (n && isspace((unsigned char)text[n - 1]))
			n--;
		if (n && ((strlen(name) == n && memcmp(text, name, n) == 0) ||
			  (other && strlen(other) == n && memcmp(text, other, n) == 0))) {
			snprintf(ret, size, "%.*s", (int)(len - (size_t)(colon + 1 - text)),
				 colon + 1);
			return pipa_spec_narrow(ret);
		}
		text += len + (text[len] == '\n');
	}
	return ret;
}

/* Write the model: x86 has a name, arm numbers, riscv an ISA string. */
static void put_model(struct spec *spec, struct pipa_fact *section, const char *cpuinfo)
{
	char name[256], vendor[256], number[32];
	uint64_t implementer = 0, part = 0;
	bool arm = pipa_str_u64(info(cpuinfo, "CPU implementer", NULL, number, sizeof(number)),
				&implementer) == 0 &&
		   pipa_str_u64(info(cpuinfo, "CPU part", NULL, number, sizeof(number)), &part) ==
			   0;
	const char *known = arm ? pipa_arm_part((unsigned int)implementer, (unsigned int)part) :
				  NULL;

	if (!info(cpuinfo, "model name", "uarch", name, sizeof(name))[0] && known)
		snprintf(name, sizeof(name), "%s", known);
	else if (!name[0] && arm)
		snprintf(name, sizeof(name), "implementer %#" PRIx64 " part %#" PRIx64, implementer,
			 part);
	known = arm ? pipa_arm_vendor((unsigned int)implementer) : NULL;
	if (!info(cpuinfo, "vendor_id", "mvendorid", vendor, sizeof(vendor))[0] && known)
		snprintf(vendor, sizeof(vendor), "%s", known);
	else if (!vendor[0] && arm)
		snprintf(vendor, sizeof(vendor), "%#" PRIx64, implementer);
	pipa_spec_text(spec, section, "Model name", name);
	pipa_spec_text(spec, section, "Vendor ID", vendor);
}

/* ---- places and clocks ------------------------------------------------------------------------------------- */

/* Count present CPUs, or online ones if unknown. */
static uint64_t count_cpus(struct spec *spec)
{
	static const char *const files[] = { "present", "online" };
	char text[4096];
	size_t i;

	for (i = 0; i < PIPA_COUNT(files); i++) {
		PIPA_AUTO(pipa_cpus_done) struct pipa_cpus cpus = { 0 };
		int rc = pipa_cpus_parse(pipa_spec_line(spec, PIPA_SYS, text, sizeof(text),
							"devices/system/cpu/%s", files[i]),
					 &cpus, NULL);

		if (rc == -ENOMEM)
			spec->facts->status = rc;
		if (rc == 0 && cpus.n)
			return cpus.n;
	}
	return 0;
}

/* Write the maximum frequency of any CPU, as lscpu does, else the current one. */
static void put_clock(struct spec *spec, struct pipa_fact *section, const char *cpuinfo)
{
	PIPA_AUTO(pipa_spec_names_done) struct spec_names cpus = { 0 };
	uint64_t khz, most = 0;
	char text[64];
	size_t i;

	pipa_spec_list(spec, PIPA_SYS, "devices/system/cpu", "cpu", &cpus);
	for (i = 0; i < cpus.n; i++)
		if (isdigit((unsigned char)cpus.items[i][3]) &&
		    pipa_root_read_u64(spec->root, PIPA_SYS, &khz,
				       "devices/system/cpu/%s/cpufreq/cpuinfo_max_freq",
				       cpus.items[i]) == 0 &&
		    khz > most)
			most = khz;
	if (most)
		snprintf(text, sizeof(text), "%" PRIu64 ".%03u0", most / 1000,
			 (unsigned int)(most % 1000));
	else
		info(cpuinfo, "cpu MHz", NULL, text, sizeof(text));
	pipa_spec_text(spec, section, "CPU MHz (max)", text);
}

/* Is the CPU the first of its socket, or of its core? */
static bool is_first(const struct pipa_cpu_place *places, size_t i, bool cores)
{
	size_t k;

	for (k = 0; k < i; k++)
		if (places[k].socket == places[i].socket &&
		    (!cores ||
		     (places[k].die == places[i].die && places[k].core == places[i].core)))
			return false;
	return true;
}

/* Write sockets, cores and threads, if every CPU has a topology. */
static void put_places(struct spec *spec, struct pipa_fact *section)
{
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus cpus = { 0 };
	PIPA_AUTO(free) struct pipa_cpu_place *places = NULL;
	size_t i, sockets = 0, cores = 0;
	int rc = pipa_topology_online(spec->root, &cpus, NULL);

	if (rc == 0)
		places = calloc(cpus.n, sizeof(*places));
	if (rc == -ENOMEM || (rc == 0 && !places))
		spec->facts->status = -ENOMEM;
	if (!places || pipa_topology_places(spec->root, &cpus, places) < 0)
		return;
	for (i = 0; i < cpus.n; i++) {
		if (places[i].socket < 0 || places[i].core < 0)
			return;
		sockets += is_first(places, i, false);
		cores += is_first(places, i, true);
	}
	pipa_facts_number(spec->facts, section, "Socket(s)", sockets);
	pipa_facts_number(spec->facts, section, "Core(s) per socket", cores / sockets);
	pipa_facts_number(spec->facts, section, "Thread(s) per core", cpus.n / cores);
}

/* ---- sections ------------------------------------------------------------------------------------------------ */

void pipa_spec_cpu(struct spec *spec, struct pipa_fact *section)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf cpuinfo = { 0 };
	char text[16384];

	pipa_spec_read(spec, PIPA_PROC, "cpuinfo", &cpuinfo);
	if (!pipa_spec_line(spec, PIPA_PROC, text, sizeof(text), "sys/kernel/arch")[0] &&
	    spec->host->machine(spec->host->ctx, text, sizeof(text)) < 0)
		text[0] = '\0';
	pipa_spec_text(spec, section, "Architecture", text);
	pipa_facts_number(spec->facts, section, "CPU(s)", count_cpus(spec));
	put_model(spec, section, pipa_buf_str(&cpuinfo));
	put_clock(spec, section, pipa_buf_str(&cpuinfo));
	pipa_spec_text(spec, section, "BogoMIPS",
		       info(pipa_buf_str(&cpuinfo), "bogomips", "BogoMIPS", text, sizeof(text)));
	if (!info(pipa_buf_str(&cpuinfo), "flags", "Features", text, sizeof(text))[0])
		info(pipa_buf_str(&cpuinfo), "isa", NULL, text, sizeof(text));
	pipa_spec_text(spec, section, "Flags", text);
	put_places(spec, section);
}

void pipa_spec_numa(struct spec *spec, struct pipa_fact *section)
{
	PIPA_AUTO(pipa_spec_names_done) struct spec_names nodes = { 0 };
	struct pipa_fact *map = NULL;
	char text[4096];
	size_t i;

	pipa_spec_list(spec, PIPA_SYS, "devices/system/node", "node", &nodes);
	for (i = 0; i < nodes.n; i++) {
		if (!isdigit((unsigned char)nodes.items[i][4]))
			continue;
		if (!map)
			map = pipa_facts_map(spec->facts, section, "numa_topology");
		pipa_facts_text(spec->facts, map, nodes.items[i],
				pipa_spec_line(spec, PIPA_SYS, text, sizeof(text),
					       "devices/system/node/%s/cpulist", nodes.items[i]));
	}
	if (!map)
		pipa_spec_status(spec, section, "the kernel shows no NUMA nodes");
}

static bool is_listed(const struct pipa_fact *list, const char *text)
{
	const struct pipa_fact *fact;

	for (fact = list->first; fact; fact = fact->next)
		if (strcmp(fact->text, text) == 0)
			return true;
	return false;
}

void pipa_spec_governor(struct spec *spec, struct pipa_fact *section)
{
	PIPA_AUTO(pipa_spec_names_done) struct spec_names policies = { 0 };
	struct pipa_fact *list = NULL;
	char text[64];
	size_t i;

	pipa_spec_list(spec, PIPA_SYS, "devices/system/cpu/cpufreq", "policy", &policies);
	for (i = 0; i < policies.n; i++) {
		if (!pipa_spec_line(spec, PIPA_SYS, text, sizeof(text),
				    "devices/system/cpu/cpufreq/%s/scaling_governor",
				    policies.items[i])[0])
			continue;
		if (!list)
			list = pipa_facts_list(spec->facts, section, "unique_governors");
		if (!is_listed(list, text))
			pipa_facts_text(spec->facts, list, NULL, text);
	}
	if (!list)
		pipa_spec_status(spec, section, "no cpufreq driver");
}
