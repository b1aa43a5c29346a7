/* Memory, swap space and kernel tables. */
#include "model/section_columns.h"

const struct pipa_column pipa_columns_swapping[PIPA_COL_SWAPPING_NR] = {
	[PIPA_COL_SWAPPING_IN] = COLUMN("swap.in", "pswpin/s", PER_SECOND, 2, RATE,
					"pages swapped in"),
	[PIPA_COL_SWAPPING_OUT] = COLUMN("swap.out", "pswpout/s", PER_SECOND, 2, RATE,
					 "pages swapped out"),
};

const struct pipa_column pipa_columns_paging[PIPA_COL_PAGING_NR] = {
	[PIPA_COL_PAGING_IN] = COLUMN("paging.in", "pgpgin/s", KB_PER_SECOND, 2, RATE,
				      "kilobytes paged in from disk"),
	[PIPA_COL_PAGING_OUT] = COLUMN("paging.out", "pgpgout/s", KB_PER_SECOND, 2, RATE,
				       "kilobytes paged out to disk"),
	[PIPA_COL_PAGING_FAULTS] = COLUMN("paging.faults", "fault/s", PER_SECOND, 2, RATE,
					  "page faults, minor and major"),
	[PIPA_COL_PAGING_MAJOR_FAULTS] = COLUMN("paging.major_faults", "majflt/s", PER_SECOND, 2,
						RATE,
						"major page faults: a page was loaded from disk"),
	[PIPA_COL_PAGING_FREED] = COLUMN("paging.freed", "pgfree/s", PER_SECOND, 2, RATE,
					 "pages placed on the free list"),
	[PIPA_COL_PAGING_SCAN_KSWAPD] = COLUMN("paging.scan_kswapd", "pgscank/s", PER_SECOND, 2,
					       RATE, "pages scanned by kswapd"),
	[PIPA_COL_PAGING_SCAN_DIRECT] = COLUMN("paging.scan_direct", "pgscand/s", PER_SECOND, 2,
					       RATE, "pages scanned in direct reclaim"),
	[PIPA_COL_PAGING_STOLEN] = COLUMN("paging.stolen", "pgsteal/s", PER_SECOND, 2, RATE,
					  "pages reclaimed from the page cache and swap cache"),
	[PIPA_COL_PAGING_EFFICIENCY] = COLUMN("paging.efficiency", "%vmeff", PERCENT, 2, SHARE,
					      "pages reclaimed as a share of the pages scanned"),
};

const struct pipa_column pipa_columns_mem[PIPA_COL_MEM_NR] = {
	[PIPA_COL_MEM_FREE] = COLUMN("memory.free", "kbmemfree", KB, 0, GAUGE,
				     "MemFree: free memory"),
	[PIPA_COL_MEM_AVAILABLE] = COLUMN(
		"memory.available", "kbavail", KB, 0, GAUGE,
		"MemAvailable: estimate of the memory available without swapping"),
	[PIPA_COL_MEM_USED] = COLUMN("memory.used", "kbmemused", KB, 0, GAUGE,
				     "MemTotal without MemFree, Buffers, Cached and Slab"),
	[PIPA_COL_MEM_USED_SHARE] = COLUMN("memory.used_share", "%memused", PERCENT, 2, GAUGE,
					   "used memory as a share of MemTotal"),
	[PIPA_COL_MEM_BUFFERS] = COLUMN(
		"memory.buffers", "kbbuffers", KB, 0, GAUGE,
		"Buffers: memory used by the kernel for block device buffers"),
	[PIPA_COL_MEM_CACHED] = COLUMN("memory.cached", "kbcached", KB, 0, GAUGE,
				       "Cached: memory used by the page cache"),
	[PIPA_COL_MEM_COMMITTED] = COLUMN(
		"memory.committed", "kbcommit", KB, 0, GAUGE,
		"Committed_AS: memory needed to satisfy all current allocations"),
	[PIPA_COL_MEM_COMMIT_SHARE] = COLUMN("memory.commit_share", "%commit", PERCENT, 2, GAUGE,
					     "Committed_AS as a share of MemTotal and SwapTotal"),
	[PIPA_COL_MEM_ACTIVE] = COLUMN("memory.active", "kbactive", KB, 0, GAUGE,
				       "Active: memory used recently"),
	[PIPA_COL_MEM_INACTIVE] = COLUMN("memory.inactive", "kbinact", KB, 0, GAUGE,
					 "Inactive: memory used less recently, reclaimed first"),
	[PIPA_COL_MEM_DIRTY] = COLUMN("memory.dirty", "kbdirty", KB, 0, GAUGE,
				      "Dirty: memory waiting to be written back to disk"),
	[PIPA_COL_MEM_ANONYMOUS] = COLUMN("memory.anonymous", "kbanonpg", KB, 0, GAUGE,
					  "AnonPages: anonymous pages mapped into page tables"),
	[PIPA_COL_MEM_SLAB] = COLUMN("memory.slab", "kbslab", KB, 0, GAUGE,
				     "Slab: memory of kernel data structures"),
	[PIPA_COL_MEM_KERNEL_STACK] = COLUMN("memory.kernel_stack", "kbkstack", KB, 0, GAUGE,
					     "KernelStack: memory of kernel stacks"),
	[PIPA_COL_MEM_PAGE_TABLES] = COLUMN(
		"memory.page_tables", "kbpgtbl", KB, 0, GAUGE,
		"PageTables: memory of the lowest level of page tables"),
	[PIPA_COL_MEM_VMALLOC] = COLUMN("memory.vmalloc", "kbvmused", KB, 0, GAUGE,
					"VmallocUsed: virtual address space used by vmalloc"),
};

const struct pipa_column pipa_columns_swap[PIPA_COL_SWAP_NR] = {
	[PIPA_COL_SWAP_FREE] = COLUMN("swap.free", "kbswpfree", KB, 0, GAUGE,
				      "SwapFree: free swap space"),
	[PIPA_COL_SWAP_USED] = COLUMN("swap.used", "kbswpused", KB, 0, GAUGE, "used swap space"),
	[PIPA_COL_SWAP_USED_SHARE] = COLUMN("swap.used_share", "%swpused", PERCENT, 2, GAUGE,
					    "used swap space as a share of SwapTotal"),
	[PIPA_COL_SWAP_CACHED] = COLUMN(
		"swap.cached", "kbswpcad", KB, 0, GAUGE,
		"SwapCached: memory that was swapped out and in again and is still in swap space"),
	[PIPA_COL_SWAP_CACHED_SHARE] = COLUMN("swap.cached_share", "%swpcad", PERCENT, 2, GAUGE,
					      "SwapCached as a share of the used swap space"),
};

const struct pipa_column pipa_columns_hugepages[PIPA_COL_HUGEPAGES_NR] = {
	[PIPA_COL_HUGEPAGES_FREE] = COLUMN("huge.free", "kbhugfree", KB, 0, GAUGE,
					   "HugePages_Free: unallocated huge pages"),
	[PIPA_COL_HUGEPAGES_USED] = COLUMN("huge.used", "kbhugused", KB, 0, GAUGE,
					   "allocated huge pages"),
	[PIPA_COL_HUGEPAGES_USED_SHARE] = COLUMN(
		"huge.used_share", "%hugused", PERCENT, 2, GAUGE,
		"allocated huge pages as a share of HugePages_Total"),
	[PIPA_COL_HUGEPAGES_RESERVED] = COLUMN(
		"huge.reserved", "kbhugrsvd", KB, 0, GAUGE,
		"HugePages_Rsvd: reserved huge pages that are not yet allocated"),
	[PIPA_COL_HUGEPAGES_SURPLUS] = COLUMN("huge.surplus", "kbhugsurp", KB, 0, GAUGE,
					      "HugePages_Surp: huge pages above nr_hugepages"),
};

const struct pipa_column pipa_columns_kernel_tables[PIPA_COL_KERNEL_TABLES_NR] = {
	[PIPA_COL_KERNEL_TABLES_DENTRIES_UNUSED] = COLUMN("tables.dentries_unused", "dentunusd",
							  NONE, 0, GAUGE,
							  "unused entries of the directory cache"),
	[PIPA_COL_KERNEL_TABLES_FILES] = COLUMN("tables.files", "file-nr", NONE, 0, GAUGE,
						"open file handles"),
	[PIPA_COL_KERNEL_TABLES_INODES] = COLUMN("tables.inodes", "inode-nr", NONE, 0, GAUGE,
						 "inode handlers in use"),
	[PIPA_COL_KERNEL_TABLES_PTYS] = COLUMN("tables.ptys", "pty-nr", NONE, 0, GAUGE,
					       "pseudo-terminals in use"),
};

const struct pipa_column pipa_columns_numa[PIPA_COL_NUMA_NR] = {
	[PIPA_COL_NUMA_HIT] = COLUMN("numa.hit", "numa_hit/s", PER_SECOND, 2, RATE,
				     "pages allocated on this node as intended"),
	[PIPA_COL_NUMA_MISS] = COLUMN(
		"numa.miss", "numa_miss/s", PER_SECOND, 2, RATE,
		"pages allocated on this node although another one was preferred"),
	[PIPA_COL_NUMA_FOREIGN] = COLUMN(
		"numa.foreign", "numa_foreign/s", PER_SECOND, 2, RATE,
		"pages intended for this node and allocated on another one"),
	[PIPA_COL_NUMA_INTERLEAVE] = COLUMN("numa.interleave", "interleave/s", PER_SECOND, 2, RATE,
					    "interleaved pages allocated on this node as intended"),
	[PIPA_COL_NUMA_LOCAL] = COLUMN("numa.local", "local/s", PER_SECOND, 2, RATE,
				       "pages allocated on this node by a process that ran on it"),
	[PIPA_COL_NUMA_OTHER] = COLUMN(
		"numa.other", "other/s", PER_SECOND, 2, RATE,
		"pages allocated on this node by a process that ran on another one"),
	[PIPA_COL_NUMA_MEMORY_FREE] = COLUMN("numa.memory_free", "memfree", KB, 0, GAUGE,
					     "MemFree of the node"),
	[PIPA_COL_NUMA_MEMORY_USED] = COLUMN("numa.memory_used", "memused", KB, 0, GAUGE,
					     "MemUsed of the node"),
};
