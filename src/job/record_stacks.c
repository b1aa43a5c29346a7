#include "job/record_stacks.h"

#include <linux/capability.h>
#include <stdbool.h>
#include <sys/resource.h>

#include "job/record.h"
#include "kernel/privilege.h"
#include "kernel/root.h"

enum {
	LEAST = 2048,	       /* less has hardly a caller in it */
	FIRST_RATE = 40 << 20, /* bytes a second that are copied unasked */
	DEEP_RATE = 128 << 20, /* and where stacks are seen to be deep */
	DEEP_PART = 40,	       /* rings hold 25 ms of those, which seldom all are that deep */
	STEP = 1024,
};

static bool may_lock_all(struct pipa_root *root)
{
	int paranoid;

	return pipa_privilege_has(pipa_privilege_caps(root), CAP_IPC_LOCK) ||
	       (pipa_root_read_int(root, PIPA_PROC, &paranoid, "sys/kernel/perf_event_paranoid") ==
			0 &&
		paranoid < 0);
}

/* The kernel's ration for each CPU, and a part of what this process may lock besides. */
uint64_t pipa_record_ring_room(struct pipa_root *root, size_t n_cpus)
{
	struct rlimit own = { 0 };
	uint64_t kib = 0, bytes, room = PIPA_RING_LEAST;

	if (may_lock_all(root))
		return PIPA_RING_MOST_STACKS;
	pipa_root_read_u64(root, PIPA_PROC, &kib, "sys/kernel/perf_event_mlock_kb");
	getrlimit(RLIMIT_MEMLOCK, &own);
	bytes = own.rlim_cur == RLIM_INFINITY ? PIPA_RING_MOST_STACKS : own.rlim_cur;
	bytes = (kib << 10) + bytes / (n_cpus ? n_cpus : 1);
	while (room * 2 < bytes && room < PIPA_RING_MOST_STACKS)
		room *= 2;
	return room;
}

uint32_t pipa_record_stack_first(uint64_t hz, uint64_t room)
{
	uint32_t bytes;

	for (bytes = PIPA_STACK_BYTES; hz && bytes >= LEAST; bytes /= 2)
		if (hz * bytes <= FIRST_RATE &&
		    hz * (PIPA_SAMPLE_BYTES + bytes) / PIPA_RING_LIVE_PART <= room)
			return bytes;
	return 0;
}

uint32_t pipa_record_stack_deep(uint64_t hz, uint64_t room, uint32_t first)
{
	uint64_t bytes = PIPA_STACK_BYTES_MOST;

	if (!hz || !first)
		return 0;
	if (bytes > DEEP_RATE / hz)
		bytes = DEEP_RATE / hz / STEP * STEP;
	if (bytes + PIPA_SAMPLE_BYTES > room * DEEP_PART / hz)
		bytes = (room * DEEP_PART / hz) / STEP * STEP;
	return bytes >= 2 * (uint64_t)first ? (uint32_t)bytes : 0;
}
