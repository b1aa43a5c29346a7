#include "measure/sample/dump_size.h"

#include <sys/resource.h>

#include "kernel/machine/root.h"
#include "lib/machines.h"
#include "lib/test.h"

enum { ALL = PIPA_RING_STACKS_MAX, KI = 1 << 10, MI = 1 << 20 };

TEST(the_piece_of_the_stack_gets_smaller_with_the_rate)
{
	CHECK_EQ(pipa_record_stack_written(1, ALL), 8192);
	CHECK_EQ(pipa_record_stack_written(997, ALL), 8192);
	CHECK_EQ(pipa_record_stack_written(5000, ALL), 8192);
	CHECK_EQ(pipa_record_stack_written(9999, ALL), 4096);
	CHECK_EQ(pipa_record_stack_written(20000, ALL), 2048);
	CHECK_EQ(pipa_record_stack_written(30000, ALL), 0);
	CHECK_EQ(pipa_record_stack_written(UINT32_MAX, ALL), 0);
	CHECK_EQ(pipa_record_stack_written(0, ALL), 0); /* not by time */
}

TEST(the_piece_of_the_stack_gets_smaller_with_the_ring)
{
	CHECK_EQ(pipa_record_stack_written(997, 512 * KI), 8192);
	CHECK_EQ(pipa_record_stack_written(2000, 512 * KI), 4096);
	CHECK_EQ(pipa_record_stack_written(997, 128 * KI), 2048);
	CHECK_EQ(pipa_record_stack_written(997, 64 * KI), 0);
}

TEST(dumps_that_are_unwound_live_are_as_large_as_rate_and_ring_permit)
{
	CHECK_EQ(pipa_record_stack_live(997, ALL), 65528);
	CHECK_EQ(pipa_record_stack_live(5000, ALL), 65528);
	CHECK_EQ(pipa_record_stack_live(5000, 16 * MI), 65528);
	CHECK_EQ(pipa_record_stack_live(9999, ALL), 32 * KI);
	CHECK_EQ(pipa_record_stack_live(20000, ALL), 16 * KI);
	CHECK_EQ(pipa_record_stack_live(997, 4 * MI), 65528);
	CHECK_EQ(pipa_record_stack_live(997, 512 * KI), 10 * KI);
	CHECK_EQ(pipa_record_stack_live(997, 64 * KI), 0);
	CHECK_EQ(pipa_record_stack_live(0, ALL), 0); /* not by time */
	CHECK_EQ(pipa_record_stack_live(30000, ALL), 0);
	CHECK_EQ(pipa_record_stack_live(UINT32_MAX, ALL), 0);
}

TEST(the_rate_for_a_dump_size_is_the_highest_that_has_it)
{
	static const uint64_t rooms[] = { 512 * KI, 4 * MI, ALL };
	uint64_t needed, hz, most;
	size_t i;

	CHECK_EQ(pipa_record_stack_rate(65528, ALL), 5120);
	CHECK_EQ(pipa_record_stack_rate(65529, ALL), 0);
	CHECK_EQ(pipa_record_stack_rate(0, ALL), 0);
	CHECK_EQ(pipa_record_stack_rate(65528, 64 * KI), 19);
	for (i = 0; i < PIPA_COUNT(rooms); i++)
		for (needed = 1; needed <= 65528; needed += 777) {
			hz = pipa_record_stack_rate(needed, rooms[i]);
			if (!hz)
				continue;
			CHECK(pipa_record_stack_live(hz, rooms[i]) >= needed);
			for (most = hz + 1; most < hz + 20; most++)
				CHECK(pipa_record_stack_live(most, rooms[i]) < needed);
		}
}

TEST(rings_take_a_small_part_of_the_memory)
{
	const char *machine = machine_server();
	struct pipa_root *root;

	CHECK_EQ(pipa_root_open(machine, &root, NULL), 0);
	machine_file(machine, "proc/meminfo", "MemTotal:        4194304 kB\nMemFree: 1 kB\n");
	CHECK_EQ(pipa_record_ring_room(root, 1), 64 * MI);
	CHECK_EQ(pipa_record_ring_room(root, 2), 32 * MI);
	CHECK_EQ(pipa_record_ring_room(root, 64), 1 * MI);
	CHECK_EQ(pipa_record_ring_room(root, 1024), 512 * KI);
	pipa_root_close(root);
}

TEST(privileged_users_get_the_largest_rings)
{
	const char *machine = machine_server();
	struct pipa_root *root;

	machine_file(machine, "proc/meminfo", "MemTotal:     1073741824 kB\n");
	CHECK_EQ(pipa_root_open(machine, &root, NULL), 0);
	CHECK_EQ(pipa_record_ring_room(root, 64), ALL);
	pipa_root_close(root);
}

TEST(unprivileged_users_get_rings_within_the_mlock_limits)
{
	struct rlimit own = { .rlim_cur = 8 * MI, .rlim_max = 8 * MI };
	const char *machine = machine_server();
	struct pipa_root *root;

	machine_file(machine, "proc/self/status", "Name:\tpipa\nCapEff:\t0000000000000000\n");
	machine_file(machine, "proc/sys/kernel/perf_event_mlock_kb", "516\n");
	CHECK_EQ(pipa_root_open(machine, &root, NULL), 0);
	CHECK_EQ(setrlimit(RLIMIT_MEMLOCK, &own), 0);
	CHECK_EQ(pipa_record_ring_room(root, 1), 8 * MI);
	CHECK_EQ(pipa_record_ring_room(root, 2), 4 * MI);
	CHECK_EQ(pipa_record_ring_room(root, 64), 512 * KI);
	own.rlim_cur = 0;
	CHECK_EQ(setrlimit(RLIMIT_MEMLOCK, &own), 0);
	CHECK_EQ(pipa_record_ring_room(root, 1), 512 * KI);
	pipa_root_close(root);
}
