#include "measure/sample/dump_size.h"

#include <stdint.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/file/file.h"
#include "kernel/machine/privilege.h"
#include "kernel/machine/root.h"
#include "measure/sample/record.h"

enum {
	LEAST = 2048,		 /* smaller dumps contain hardly a caller */
	WRITTEN_RATE = 40 << 20, /* bytes per second and CPU, written to the file by default */
	LIVE_RATE = 320 << 20,	 /* maximum bytes per second that a CPU copies: 5,000 full dumps */
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

/* Round down to a power of two between PIPA_RING_MIN and PIPA_RING_STACKS_MAX. */
static uint64_t ring_within(uint64_t bytes)
{
	uint64_t room = PIPA_RING_MIN;

	while (room * 2 <= bytes && room < PIPA_RING_STACKS_MAX)
		room *= 2;
	return room;
}

/* Return the memory of a CPU's rings; no limit if the size of memory is unknown. */
static uint64_t memory_for(struct pipa_root *root, size_t n_cpus)
{
	PIPA_AUTO(pipa_fd_close) int fd = pipa_root_file(root, PIPA_PROC, 0, "meminfo");
	char text[128] = "";
	const char *total;

	if (fd < 0 || pread(fd, text, sizeof(text) - 1, 0) <= 0)
		return PIPA_RING_STACKS_MAX;
	total = strstr(text, "MemTotal:");
	if (!total)
		return PIPA_RING_STACKS_MAX;
	return ((uint64_t)strtoull(total + strlen("MemTotal:"), NULL, 10) << 10) /
	       PIPA_RING_MEMORY_PART / n_cpus;
}

/* The limit is perf_event_mlock_kb per CPU plus a part of RLIMIT_MEMLOCK. */
uint64_t pipa_record_ring_room(struct pipa_root *root, size_t n_cpus)
{
	struct rlimit own = { 0 };
	uint64_t kib = 0, bytes, most;

	n_cpus = n_cpus ? n_cpus : 1;
	most = memory_for(root, n_cpus);
	if (may_lock_all(root))
		return ring_within(most);
	pipa_root_read_u64(root, PIPA_PROC, &kib, "sys/kernel/perf_event_mlock_kb");
	getrlimit(RLIMIT_MEMLOCK, &own);
	bytes = own.rlim_cur == RLIM_INFINITY ? PIPA_RING_STACKS_MAX : own.rlim_cur;
	bytes = (kib << 10) + bytes / n_cpus;
	return ring_within(bytes < most ? bytes : most);
}

uint32_t pipa_record_stack_written(uint64_t hz, uint64_t room)
{
	uint32_t bytes;

	for (bytes = PIPA_STACK_BYTES; hz && bytes >= LEAST; bytes /= 2)
		if (hz * bytes <= WRITTEN_RATE &&
		    hz * (PIPA_SAMPLE_BYTES + bytes) / PIPA_RING_LIVE_PART <= room)
			return bytes;
	return 0;
}

uint32_t pipa_record_stack_live(uint64_t hz, uint64_t room)
{
	uint64_t bytes = PIPA_STACK_BYTES_MAX, fits;

	if (!pipa_record_stack_written(hz, room))
		return 0;
	fits = room * PIPA_RING_LIVE_PART / hz - PIPA_SAMPLE_BYTES;
	if (bytes > LIVE_RATE / hz)
		bytes = LIVE_RATE / hz / STEP * STEP;
	if (bytes > fits)
		bytes = fits / STEP * STEP;
	return (uint32_t)bytes;
}

uint64_t pipa_record_stack_rate(uint64_t needed, uint64_t room)
{
	uint64_t bytes = (needed + STEP - 1) / STEP * STEP, hz;

	if (!needed || needed > PIPA_STACK_BYTES_MAX)
		return 0;
	bytes = bytes < PIPA_STACK_BYTES_MAX ? bytes : PIPA_STACK_BYTES_MAX;
	hz = LIVE_RATE / bytes;
	if (hz > room * PIPA_RING_LIVE_PART / (bytes + PIPA_SAMPLE_BYTES))
		hz = room * PIPA_RING_LIVE_PART / (bytes + PIPA_SAMPLE_BYTES);
	while (hz && pipa_record_stack_live(hz, room) < needed) /* limits are rounded */
		hz--;
	return hz;
}
