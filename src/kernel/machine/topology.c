#include "kernel/machine/topology.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/file.h"
#include "kernel/machine/root.h"

/* The CPUs of /proc/stat, one line each: "cpu12 ...". 0 or a negative errno. */
static int online_of_stat(struct pipa_root *root, struct pipa_cpus *ret)
{
	PIPA_AUTO(pipa_fd_close) int fd = pipa_root_file(root, PIPA_PROC, 0, "stat");
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 }, list = { 0 };
	int rc = fd < 0 ? fd : pipa_file_read_fd(fd, &text);
	const char *at;

	if (rc < 0)
		return rc;
	for (at = text.data; at; at = strchr(at, '\n')) {
		at += *at == '\n';
		/* the first line, without a number, is their sum */
		if (strncmp(at, "cpu", 3) == 0 && at[3] >= '0' && at[3] <= '9')
			pipa_buf_printf(&list, "%s%lu", list.len ? "," : "",
					strtoul(at + 3, NULL, 10));
	}
	if (list.status || !list.len)
		return list.status ? list.status : -ENODATA;
	return pipa_cpus_parse(list.data, ret, NULL);
}

/* Where /sys is not mounted, as in some containers, /proc/stat names them too. */
int pipa_topology_online(struct pipa_root *root, struct pipa_cpus *ret, struct pipa_error *err)
{
	char text[4096];
	ssize_t n = pipa_root_read(root, PIPA_SYS, text, sizeof(text), "devices/system/cpu/online");
	int rc;

	if (n < 0 && online_of_stat(root, ret) == 0)
		return 0;
	if (n < 0)
		return pipa_fail(err, (int)n, "read /sys/devices/system/cpu/online");
	rc = pipa_cpus_parse(text, ret, err);
	if (rc == 0 && !ret->n)
		rc = pipa_refuse(err, -ENODATA, "/sys/devices/system/cpu/online lists no CPU");
	return rc;
}

static int read_place(struct pipa_root *root, int cpu, const char *what)
{
	int value;

	if (pipa_root_read_int(root, PIPA_SYS, &value, "devices/system/cpu/cpu%d/topology/%s", cpu,
			       what) < 0)
		return -1;
	return value;
}

static int set_nodes(struct pipa_root *root, const struct pipa_cpus *cpus,
		     struct pipa_cpu_place *places)
{
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus nodes = { 0 };
	char text[4096];
	size_t i, k;

	if (pipa_root_read(root, PIPA_SYS, text, sizeof(text), "devices/system/node/online") < 0 ||
	    pipa_cpus_parse(text, &nodes, NULL) < 0)
		return 0; /* a kernel without NUMA: everything is on node 0 */

	for (i = 0; i < nodes.n; i++) {
		PIPA_AUTO(pipa_cpus_done) struct pipa_cpus members = { 0 };

		if (pipa_root_read(root, PIPA_SYS, text, sizeof(text),
				   "devices/system/node/node%d/cpulist", nodes.items[i]) < 0 ||
		    pipa_cpus_parse(text, &members, NULL) < 0)
			continue;
		for (k = 0; k < cpus->n; k++)
			if (pipa_cpus_has(&members, cpus->items[k]))
				places[k].node = nodes.items[i];
	}
	return 0;
}

int pipa_topology_places(struct pipa_root *root, const struct pipa_cpus *cpus,
			 struct pipa_cpu_place *ret)
{
	size_t i;

	for (i = 0; i < cpus->n; i++) {
		int cpu = cpus->items[i];
		int die = read_place(root, cpu, "die_id");

		ret[i] = (struct pipa_cpu_place){
			.cpu = cpu,
			.socket = read_place(root, cpu, "physical_package_id"),
			.die = die < 0 ? 0 : die, /* before 5.2, and on most arm64: one die */
			.core = read_place(root, cpu, "core_id"),
		};
	}
	return set_nodes(root, cpus, ret);
}
