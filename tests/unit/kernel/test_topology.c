#include "kernel/machine/topology.h"

#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "kernel/machine/root.h"
#include "lib/test.h"

static void place(int cpu, const char *what, int value)
{
	char path[200], text[32];

	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/topology/%s", cpu, what);
	snprintf(text, sizeof(text), "%d\n", value);
	pipa_test_file(pipa_test_dir(), path, text);
}

/* Two sockets of two cores of two threads: cpu N is thread N/4 of core N/2 % 2 in socket N % 2. */
static struct pipa_root *machine(void)
{
	struct pipa_root *root = NULL;
	int cpu;

	for (cpu = 0; cpu < 8; cpu++) {
		place(cpu, "physical_package_id", cpu % 2);
		place(cpu, "die_id", cpu % 2 ? 1 : 0);
		place(cpu, "core_id", cpu / 2 % 2);
	}
	pipa_test_file(pipa_test_dir(), "sys/devices/system/cpu/online", "0-7\n");
	pipa_test_file(pipa_test_dir(), "sys/devices/system/node/online", "0-1\n");
	pipa_test_file(pipa_test_dir(), "sys/devices/system/node/node0/cpulist", "0,2,4,6\n");
	pipa_test_file(pipa_test_dir(), "sys/devices/system/node/node1/cpulist", "1,3,5,7\n");
	CHECK_EQ(pipa_root_open(pipa_test_dir(), &root, NULL), 0);
	return root;
}

static struct pipa_root *empty_machine(void)
{
	struct pipa_root *root = NULL;

	pipa_test_file(pipa_test_dir(), "sys/nothing", "");
	CHECK_EQ(pipa_root_open(pipa_test_dir(), &root, NULL), 0);
	return root;
}

TEST(cpus_that_are_online_can_count)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = machine();
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus cpus = { 0 };

	CHECK_EQ(pipa_topology_online(root, &cpus, NULL), 0);
	CHECK_EQ(cpus.n, 8);
	CHECK_EQ(cpus.items[7], 7);
}

TEST(each_cpu_has_its_socket_die_core_and_node)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = machine();
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus cpus = { 0 };
	struct pipa_cpu_place places[8];
	int cpu;

	CHECK_EQ(pipa_topology_online(root, &cpus, NULL), 0);
	CHECK_EQ(pipa_topology_places(root, &cpus, places), 0);
	for (cpu = 0; cpu < 8; cpu++) {
		CHECK_EQ(places[cpu].cpu, cpu);
		CHECK_EQ(places[cpu].socket, cpu % 2);
		CHECK_EQ(places[cpu].die, cpu % 2);
		CHECK_EQ(places[cpu].core, cpu / 2 % 2);
		CHECK_EQ(places[cpu].node, cpu % 2);
	}
}

TEST(places_follow_the_set_that_was_asked_for)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = machine();
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus cpus = { 0 };
	struct pipa_cpu_place places[2];

	CHECK_EQ(pipa_cpus_parse("3,6", &cpus, NULL), 0);
	CHECK_EQ(pipa_topology_places(root, &cpus, places), 0);
	CHECK_EQ(places[0].cpu, 3);
	CHECK_EQ(places[0].socket, 1);
	CHECK_EQ(places[0].node, 1);
	CHECK_EQ(places[1].cpu, 6);
	CHECK_EQ(places[1].node, 0);
}

TEST(machine_without_topology_files_has_one_die_and_one_node)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = empty_machine();
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus cpus = { 0 };
	struct pipa_cpu_place one;

	CHECK_EQ(pipa_cpus_add(&cpus, 5), 0);
	CHECK_EQ(pipa_topology_places(root, &cpus, &one), 0);
	CHECK_EQ(one.cpu, 5);
	CHECK_EQ(one.socket, -1);
	CHECK_EQ(one.core, -1);
	CHECK_EQ(one.die, 0);
	CHECK_EQ(one.node, 0);
}

TEST(node_without_a_readable_cpu_list_is_skipped)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = machine();
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus cpus = { 0 };
	struct pipa_cpu_place places[8];

	pipa_test_file(pipa_test_dir(), "sys/devices/system/node/online", "0-2\n");
	pipa_test_file(pipa_test_dir(), "sys/devices/system/node/node0/cpulist", "nonsense\n");
	CHECK_EQ(pipa_topology_online(root, &cpus, NULL), 0);
	CHECK_EQ(pipa_topology_places(root, &cpus, places), 0);
	CHECK_EQ(places[0].node, 0);
	CHECK_EQ(places[1].node, 1);
}

TEST(without_a_list_of_cpus_it_is_an_error)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = empty_machine();
	struct pipa_cpus cpus = { 0 };
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_topology_online(root, &cpus, &err), -ENOENT);
	CHECK_HAS(err.what, "/sys/devices/system/cpu/online");
	pipa_test_file(pipa_test_dir(), "sys/devices/system/cpu/online", "\n");
	CHECK_EQ(pipa_topology_online(root, &cpus, &err), -ENODATA);
	CHECK_HAS(err.what, "lists no CPU");
	pipa_test_file(pipa_test_dir(), "sys/devices/system/cpu/online", "zero\n");
	CHECK_EQ(pipa_topology_online(root, &cpus, &err), -EINVAL);
	CHECK_HAS(err.what, "zero");
	pipa_cpus_done(&cpus);
}
