#include "model/run.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define OF(section_id, column_id)                                                                  \
	.in_series = true, .section = PIPA_SECTION_##section_id,                                   \
	.column = PIPA_COL_##section_id##_##column_id
#define WHOLE .is_whole = true
#define ONE(text) .one = text
#define JUDGED .judged = true
#define SPARE .is_spare = true

/* clang-format off */
const struct pipa_run_key_info pipa_run_keys[PIPA_RUN_KEYS] = {
	[PIPA_RUN_TRANSACTIONS] = { "transactions", "", "transactions", PIPA_RUN_WORK, 0, 1, WHOLE, ONE("transaction") },
	[PIPA_RUN_THROUGHPUT] = { "throughput", "1/s", "transactions per second", PIPA_RUN_WORK, 2, 1, JUDGED },
	[PIPA_RUN_REPORTED_RATE] = { "reported_rate", "1/s", "rate reported by the workload", PIPA_RUN_WORK, 2, 1 },
	[PIPA_RUN_TIME] = { "run_time", "s", "elapsed time", PIPA_RUN_WORK, 3, -1, JUDGED },

	[PIPA_RUN_CYCLES] = { "cycles", "", "cycles", PIPA_RUN_COUNTS, 0, -1, WHOLE, ONE("cycle") },
	[PIPA_RUN_INSTRUCTIONS] = { "instructions", "", "instructions", PIPA_RUN_COUNTS, 0, -1, WHOLE, ONE("instruction") },
	[PIPA_RUN_CYCLES_PER_SECOND] = { "cycles_per_second", "1/s", "cycles per second", PIPA_RUN_COUNTS, 2, 0 },
	[PIPA_RUN_INSTRUCTIONS_PER_SECOND] = { "instructions_per_second", "1/s", "instructions per second", PIPA_RUN_COUNTS, 2, 0 },
	[PIPA_RUN_CPI] = { "CPI", "", "cycles per instruction", PIPA_RUN_COUNTS, 3, -1 },
	[PIPA_RUN_IPC] = { "IPC", "", "instructions per cycle", PIPA_RUN_COUNTS, 3, 1 },
	[PIPA_RUN_CYCLES_PER_REQUEST] = { "cycles_per_requests", "", "cycles per transaction", PIPA_RUN_COUNTS, 2, -1, JUDGED },
	[PIPA_RUN_PATH_LENGTH] = { "path_length", "", "instructions per transaction", PIPA_RUN_COUNTS, 2, -1, JUDGED },
	[PIPA_RUN_BRANCH_MISSES] = { "branch_miss_rate", "%", "branch misses", PIPA_RUN_COUNTS, 2, -1 },
	[PIPA_RUN_CACHE_MISSES] = { "cache_miss_rate", "%", "cache misses", PIPA_RUN_COUNTS, 2, -1 },
	[PIPA_RUN_L1D_MISSES] = { "l1d_miss_rate", "%", "L1-dcache load misses", PIPA_RUN_COUNTS, 2, -1 },
	[PIPA_RUN_LLC_MISSES] = { "llc_miss_rate", "%", "LLC load misses", PIPA_RUN_COUNTS, 2, -1 },
	[PIPA_RUN_DTLB_MISSES] = { "dtlb_miss_rate", "%", "dTLB load misses", PIPA_RUN_COUNTS, 2, -1 },
	[PIPA_RUN_RETIRING] = { "retiring", "%", "retiring", PIPA_RUN_COUNTS, 1, 1 },
	[PIPA_RUN_BAD_SPECULATION] = { "bad_speculation", "%", "bad speculation", PIPA_RUN_COUNTS, 1, -1 },
	[PIPA_RUN_FRONTEND_BOUND] = { "frontend_bound", "%", "frontend bound", PIPA_RUN_COUNTS, 1, -1 },
	[PIPA_RUN_BACKEND_BOUND] = { "backend_bound", "%", "backend bound", PIPA_RUN_COUNTS, 1, -1 },

	[PIPA_RUN_CPU_SECONDS] = { "cpu_seconds", "s", "CPU time", PIPA_RUN_COMMAND, 3, -1, JUDGED },
	[PIPA_RUN_USER_SECONDS] = { "user_seconds", "s", "user time", PIPA_RUN_COMMAND, 3, -1 },
	[PIPA_RUN_SYS_SECONDS] = { "system_seconds", "s", "system time", PIPA_RUN_COMMAND, 3, -1 },
	[PIPA_RUN_CPU_SECONDS_PER_TRANSACTION] = { "cpu_seconds_per_transaction", "s", "CPU time per transaction", PIPA_RUN_COMMAND, 9, -1, JUDGED },
	[PIPA_RUN_CPUS_USED] = { "cpus_utilized", "", "CPUs utilized", PIPA_RUN_COMMAND, 2, 0 },
	[PIPA_RUN_SWITCHES] = { "context_switches", "", "context switches", PIPA_RUN_COMMAND, 0, -1, WHOLE, ONE("context switch") },
	[PIPA_RUN_MIGRATIONS] = { "cpu_migrations", "", "CPU migrations", PIPA_RUN_COMMAND, 0, -1, WHOLE, ONE("CPU migration"), SPARE },
	[PIPA_RUN_FAULTS] = { "page_faults", "", "page faults", PIPA_RUN_COMMAND, 0, -1, WHOLE, ONE("page fault") },
	[PIPA_RUN_MAJOR_FAULTS] = { "major_faults", "", "major page faults", PIPA_RUN_COMMAND, 0, -1, WHOLE, ONE("major page fault"), SPARE },
	[PIPA_RUN_PEAK_KB] = { "peak_memory_kb", "kB", "peak RSS", PIPA_RUN_COMMAND, 0, -1, WHOLE, JUDGED },
	[PIPA_RUN_READ_KB] = { "read_kb", "kB", "read from disks", PIPA_RUN_COMMAND, 0, 0, WHOLE, SPARE },
	[PIPA_RUN_WRITTEN_KB] = { "written_kb", "kB", "written to disks", PIPA_RUN_COMMAND, 0, 0, WHOLE, SPARE },

	[PIPA_RUN_USR] = { "%usr", "%", "user", PIPA_RUN_CPU, 2, 0, OF(CPU, USR) },
	[PIPA_RUN_NICE] = { "%nice", "%", "user, niced", PIPA_RUN_CPU, 2, 0, OF(CPU, NICE), SPARE },
	[PIPA_RUN_SYS] = { "%sys", "%", "system", PIPA_RUN_CPU, 2, 0, OF(CPU, SYS) },
	[PIPA_RUN_IOWAIT] = { "%iowait", "%", "I/O wait", PIPA_RUN_CPU, 2, 0, OF(CPU, IOWAIT), SPARE },
	[PIPA_RUN_STEAL] = { "%steal", "%", "steal", PIPA_RUN_CPU, 2, 0, OF(CPU, STEAL), SPARE },
	[PIPA_RUN_IRQ] = { "%irq", "%", "hard interrupts", PIPA_RUN_CPU, 2, 0, OF(CPU, IRQ), SPARE },
	[PIPA_RUN_SOFT] = { "%soft", "%", "softirqs", PIPA_RUN_CPU, 2, 0, OF(CPU, SOFT), SPARE },
	[PIPA_RUN_GUEST] = { "%guest", "%", "guest", PIPA_RUN_CPU, 2, 0, OF(CPU, GUEST), SPARE },
	[PIPA_RUN_GNICE] = { "%gnice", "%", "guest, niced", PIPA_RUN_CPU, 2, 0, OF(CPU, GNICE), SPARE },
	[PIPA_RUN_IDLE] = { "%idle", "%", "idle", PIPA_RUN_CPU, 2, 0, OF(CPU, IDLE) },
	[PIPA_RUN_UTIL] = { "%util", "%", "utilization", PIPA_RUN_CPU, 2, 0 },
	[PIPA_RUN_MHZ] = { "cpu_frequency_mhz", "MHz", "frequency", PIPA_RUN_CPU, 2, 0, OF(FREQ, MHZ) },
	[PIPA_RUN_SYSTEM_SWITCHES] = { "cswch/s", "1/s", "context switches", PIPA_RUN_CPU, 2, 0, OF(CSWCH, SWITCHES) },

	[PIPA_RUN_MEM_FREE] = { "kbmemfree", "kB", "free", PIPA_RUN_MEMORY, 0, 0, OF(MEM, FREE) },
	[PIPA_RUN_MEM_AVAILABLE] = { "kbavail", "kB", "available", PIPA_RUN_MEMORY, 0, 0, OF(MEM, AVAILABLE) },
	[PIPA_RUN_MEM_USED] = { "kbmemused", "kB", "used", PIPA_RUN_MEMORY, 0, 0, OF(MEM, USED) },
	[PIPA_RUN_MEM_USED_PERCENT] = { "%memused", "%", "used", PIPA_RUN_MEMORY, 2, 0, OF(MEM, USED_SHARE) },
	[PIPA_RUN_BUFFERS] = { "kbbuffers", "kB", "buffers", PIPA_RUN_MEMORY, 0, 0, OF(MEM, BUFFERS) },
	[PIPA_RUN_CACHED] = { "kbcached", "kB", "page cache", PIPA_RUN_MEMORY, 0, 0, OF(MEM, CACHED) },
	[PIPA_RUN_COMMIT] = { "kbcommit", "kB", "committed (Committed_AS)", PIPA_RUN_MEMORY, 0, 0, OF(MEM, COMMITTED) },
	[PIPA_RUN_COMMIT_PERCENT] = { "%commit", "%", "committed, of memory and swap", PIPA_RUN_MEMORY, 2, 0, OF(MEM, COMMIT_SHARE) },
	[PIPA_RUN_ACTIVE] = { "kbactive", "kB", "active", PIPA_RUN_MEMORY, 0, 0, OF(MEM, ACTIVE) },
	[PIPA_RUN_INACTIVE] = { "kbinact", "kB", "inactive", PIPA_RUN_MEMORY, 0, 0, OF(MEM, INACTIVE) },
	[PIPA_RUN_DIRTY] = { "kbdirty", "kB", "dirty", PIPA_RUN_MEMORY, 0, 0, OF(MEM, DIRTY) },
	[PIPA_RUN_ANON] = { "kbanonpg", "kB", "anonymous pages", PIPA_RUN_MEMORY, 0, 0, OF(MEM, ANONYMOUS) },
	[PIPA_RUN_SLAB] = { "kbslab", "kB", "slab", PIPA_RUN_MEMORY, 0, 0, OF(MEM, SLAB) },
	[PIPA_RUN_KSTACK] = { "kbkstack", "kB", "kernel stacks", PIPA_RUN_MEMORY, 0, 0, OF(MEM, KERNEL_STACK) },
	[PIPA_RUN_PAGE_TABLES] = { "kbpgtbl", "kB", "page tables", PIPA_RUN_MEMORY, 0, 0, OF(MEM, PAGE_TABLES) },
	[PIPA_RUN_VMUSED] = { "kbvmused", "kB", "vmalloc used", PIPA_RUN_MEMORY, 0, 0, OF(MEM, VMALLOC), SPARE },

	[PIPA_RUN_TPS] = { "tps", "1/s", "transfers per second", PIPA_RUN_DISK, 2, 0, OF(DISK, TPS) },
	[PIPA_RUN_DISK_READ] = { "rkB/s", "kB/s", "read", PIPA_RUN_DISK, 2, 0, OF(DISK, READ) },
	[PIPA_RUN_DISK_WRITTEN] = { "wkB/s", "kB/s", "written", PIPA_RUN_DISK, 2, 0, OF(DISK, WRITTEN) },
	[PIPA_RUN_DISK_DISCARDED] = { "dkB/s", "kB/s", "discarded", PIPA_RUN_DISK, 2, 0, OF(DISK, DISCARDED), SPARE },
	[PIPA_RUN_REQUEST_SIZE] = { "areq-sz", "kB", "average request size", PIPA_RUN_DISK, 2, 0, OF(DISK, REQUEST_SIZE), SPARE },
	[PIPA_RUN_QUEUE] = { "aqu-sz", "", "average queue length", PIPA_RUN_DISK, 2, 0, OF(DISK, QUEUE), SPARE },
	[PIPA_RUN_AWAIT] = { "disk_await", "ms", "average wait (await)", PIPA_RUN_DISK, 2, -1, OF(DISK, AWAIT), SPARE },
	[PIPA_RUN_DISK_UTIL] = { "%disk_util", "%", "utilization", PIPA_RUN_DISK, 2, 0, OF(DISK, UTIL) },

	[PIPA_RUN_RX] = { "rxkB/s", "kB/s", "received", PIPA_RUN_NETWORK, 2, 0, OF(NET, RX) },
	[PIPA_RUN_TX] = { "txkB/s", "kB/s", "sent", PIPA_RUN_NETWORK, 2, 0, OF(NET, TX) },

	[PIPA_RUN_JOULES] = { "energy_joules", "J", "energy", PIPA_RUN_ENERGY, 2, -1 },
	[PIPA_RUN_WATTS] = { "power_watts", "W", "power", PIPA_RUN_ENERGY, 2, -1 },
	[PIPA_RUN_JOULES_PER_TRANSACTION] = { "joules_per_transaction", "J", "energy per transaction", PIPA_RUN_ENERGY, 9, -1 },
};
/* clang-format on */

enum pipa_run_key pipa_run_key_find(const char *name)
{
	enum pipa_run_key key;

	for (key = 0; key < PIPA_RUN_KEYS; key++)
		if (strcmp(pipa_run_keys[key].name, name) == 0)
			break;
	return key;
}

void pipa_run_init(struct pipa_run *run)
{
	enum pipa_run_key key;

	*run = (struct pipa_run){ .runs = 1 };
	for (key = 0; key < PIPA_RUN_KEYS; key++)
		run->values[key] = NAN;
}

void pipa_run_done(struct pipa_run *run)
{
	size_t i;

	for (i = 0; i < run->n_hot; i++) {
		free(run->hot[i].symbol);
		free(run->hot[i].object);
	}
	for (i = 0; i < run->notes.n; i++)
		free(run->notes.items[i]);
	free(run->notes.items);
	free(run->transactions.pattern);
	free(run->transactions.line);
	free(run->transactions.unit);
	free(run->command);
	free(run->workload);
	free(run->dev);
	free(run->iface);
	free(run->username);
	free(run->data_location);
	free(run->hw_info);
	free(run->sw_info);
	free(run->platform);
	free(run->comment);
	pipa_cpus_done(&run->cores);
	pipa_run_init(run);
}

int pipa_run_note(struct pipa_run *run, const char *fmt, ...)
{
	char **slot, *text = NULL;
	va_list args;
	size_t i;
	int n;

	va_start(args, fmt);
	n = vasprintf(&text, fmt, args);
	va_end(args);
	if (n < 0)
		return -ENOMEM;
	for (i = 0; i < run->notes.n; i++)
		if (strcmp(run->notes.items[i], text) == 0) {
			free(text);
			return 0;
		}
	slot = PIPA_VEC_ADD(&run->notes);
	if (!slot) {
		free(text);
		return -ENOMEM;
	}
	*slot = text;
	return 0;
}
