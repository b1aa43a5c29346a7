#include "job/record_stacks.h"

#include <sys/resource.h>

#include "kernel/root.h"
#include "lib/machines.h"
#include "lib/test.h"

enum { ALL = PIPA_RING_MOST_STACKS, KI = 1 << 10, MI = 1 << 20 };

TEST(the_piece_of_the_stack_gets_smaller_with_the_rate)
{
	CHECK_EQ(pipa_record_stack_first(1, ALL), 8192);
	CHECK_EQ(pipa_record_stack_first(997, ALL), 8192);
	CHECK_EQ(pipa_record_stack_first(5000, ALL), 8192);
	CHECK_EQ(pipa_record_stack_first(9999, ALL), 4096);
	CHECK_EQ(pipa_record_stack_first(20000, ALL), 2048);
	CHECK_EQ(pipa_record_stack_first(30000, ALL), 0);
	CHECK_EQ(pipa_record_stack_first(UINT32_MAX, ALL), 0);
	CHECK_EQ(pipa_record_stack_first(0, ALL), 0); /* not by time */
}

TEST(the_piece_of_the_stack_gets_smaller_with_the_ring)
{
	CHECK_EQ(pipa_record_stack_first(997, 512 * KI), 8192);
	CHECK_EQ(pipa_record_stack_first(2000, 512 * KI), 4096);
	CHECK_EQ(pipa_record_stack_first(997, 128 * KI), 2048);
	CHECK_EQ(pipa_record_stack_first(997, 64 * KI), 0);
}

TEST(the_larger_piece_is_at_least_twice_the_first)
{
	CHECK_EQ(pipa_record_stack_deep(997, ALL, 8192), 65528);
	CHECK_EQ(pipa_record_stack_deep(4999, ALL, 8192), 26 * KI);
	CHECK_EQ(pipa_record_stack_deep(9999, ALL, 4096), 13 * KI);
	CHECK_EQ(pipa_record_stack_deep(9999, ALL, 8192), 0);
	CHECK_EQ(pipa_record_stack_deep(997, 512 * KI, 8192), 20 * KI);
	CHECK_EQ(pipa_record_stack_deep(997, 64 * KI, 2048), 0);
	CHECK_EQ(pipa_record_stack_deep(997, ALL, 0), 0);
	CHECK_EQ(pipa_record_stack_deep(0, ALL, 8192), 0);
	CHECK_EQ(pipa_record_stack_deep(UINT32_MAX, ALL, 8192), 0);
}

TEST(who_may_lock_all_gets_the_most)
{
	struct pipa_root *root;

	CHECK_EQ(pipa_root_open(machine_server(), &root, NULL), 0);
	CHECK_EQ(pipa_record_ring_room(root, 64), ALL);
	pipa_root_close(root);
}

TEST(who_may_not_lock_all_gets_the_rations)
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
