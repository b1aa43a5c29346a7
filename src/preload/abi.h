/*
 * Layout of the file that libpipa-heap.so shares with pipa: one file per profiled process, mapped
 * shared by both. The library writes everything but struct pipa_heap_control.
 *
 * The file is DIR/PID.START.heap, DIR is given in the environment (PIPA_HEAP_ENV). It is sparse: the
 * library allocates a part of it before the first write, so that a full file system is a counted
 * loss and not a SIGBUS. After a crash or SIGKILL the file holds everything up to that moment.
 *
 * Sums are final when they are written: there is no queue between the library and the reader that
 * could overflow. Stacks are only appended. A reader that looks at a running process sees each
 * value at some recent moment; values of one stack may be from slightly different moments.
 *
 * Reading. The process can overwrite the file at any time, so a reader checks everything:
 *
 *	1. Copy the header once and use the copy. Refuse a file with another magic, version, byte order
 *	   or size of a struct; a file whose `ready` is 0 was not completed (skip it).
 *	2. Check each region (offset, count, size of an element) against the size of the file, and use
 *	   only those checked numbers. Regions are multiples of PIPA_HEAP_PAGE.
 *	3. Read each shared field once into a local (relaxed atomic load), then check and use the local.
 *	   `n_*` of struct pipa_heap_status may exceed the region's count: the excess was not stored
 *	   (it is in `lost`). Use the smaller one.
 *	4. A stack is valid if its state is PIPA_HEAP_STACK_READY and frames_at + n_frames is within the
 *	   frames. A block, shard or thread is valid if its stack number is below the count of stacks.
 *	5. Sums may wrap or be negative where memory was overwritten: in use is allocated - freed as a
 *	   signed number; below zero it is corrupt and counts as zero.
 *
 * All integers are in the byte order of the machine. Structs have no padding that is not named.
 */
#ifndef PIPA_PRELOAD_ABI_H
#define PIPA_PRELOAD_ABI_H

#include <stdint.h>

/* "PIPAHEAP" as the first eight bytes of the file on a little-endian machine. */
#define PIPA_HEAP_MAGIC UINT64_C(0x5041454841504950)
#define PIPA_HEAP_ORDER UINT32_C(0x01020304)

/*
 * The configuration, one variable of space-separated KEY=VALUE; dir is the last, its value
 * extends to the end of the string:
 *
 *	rate=BYTES	mean bytes between samples; 0 and 1: every allocation (default 524288)
 *	min=BYTES	leave out smaller allocations (default 0)
 *	frees=0|1	follow frees (default 1)
 *	mmap=0|1	follow mmap, munmap, mremap, brk too (default 0)
 *	on=0|1		start switched on (default 1)
 *	hold=PID	wait at the exit for this reader, see control.hold_exit (default 0: do not)
 *	follow=0|1	profile forked children and executed programs too (default 1)
 *	depth=N		frames of a stack at most (default 128, at most PIPA_HEAP_DEPTH_MAX)
 *	stacks=N	distinct stacks at most (default 65536)
 *	blocks=N	live sampled blocks at most (default by rate); rounded up
 *	dir=PATH	where the files are; must be writable for the process
 */
#define PIPA_HEAP_ENV "PIPA_HEAP"

enum {
	PIPA_HEAP_VERSION = 2,
	PIPA_HEAP_PAGE = 4096,
	PIPA_HEAP_DEPTH_MAX = 512,
	PIPA_HEAP_CLASSES = 32,
	PIPA_HEAP_SHARD_SUMS = 128,
	PIPA_HEAP_BUCKET = 7,
	PIPA_HEAP_PATH = 1024,
	PIPA_HEAP_FRACTION = 16, /* bits after the point of scaled counts */
};

/* At these offsets; regions say where the rest is. */
enum {
	PIPA_HEAP_HEADER_AT = 0,
	PIPA_HEAP_CONTROL_AT = PIPA_HEAP_PAGE,
	PIPA_HEAP_STATUS_AT = 2 * PIPA_HEAP_PAGE,
	PIPA_HEAP_REGIONS_AT = 3 * PIPA_HEAP_PAGE, /* the first of them */
};

enum pipa_heap_region {
	PIPA_HEAP_STACKS,  /* struct pipa_heap_stack[] */
	PIPA_HEAP_FRAMES,  /* uint64_t[]: return addresses, innermost first; see PIPA_HEAP_EXACT */
	PIPA_HEAP_BUCKETS, /* struct pipa_heap_bucket[]: addresses of live sampled blocks */
	PIPA_HEAP_BLOCKS,  /* struct pipa_heap_block[]: PIPA_HEAP_BUCKET for each bucket */
	PIPA_HEAP_SHARDS,  /* struct pipa_heap_shard[] */
	PIPA_HEAP_THREADS, /* struct pipa_heap_thread[] */
	PIPA_HEAP_MAPS,	   /* bytes: struct pipa_heap_maps and text, appended */
	PIPA_HEAP_REGION_NR,
};

/*
 * In a frame: the address is that of the interrupted instruction (the caller of a signal handler).
 * All others, also the innermost, are return addresses: look up the address before them.
 */
#define PIPA_HEAP_EXACT (UINT64_C(1) << 63)

struct pipa_heap_extent {
	uint64_t offset;
	uint64_t count; /* elements */
	uint64_t size;	/* of an element */
};

enum pipa_heap_flag {
	PIPA_HEAP_FREES = 1,
	PIPA_HEAP_MMAP = 2,
	PIPA_HEAP_FORKED =
		4, /* the process was forked by a profiled one, whose blocks are not here */
	PIPA_HEAP_FOLLOW = 8,
	PIPA_HEAP_BYPASSED =
		16, /* the program defines malloc itself (static allocator): nothing is recorded */
};

/* Written once, before `ready`. */
struct pipa_heap_header {
	uint64_t magic;
	uint32_t version;
	uint32_t order;
	uint32_t ready;	  /* the last that is written */
	uint32_t machine; /* EM_* */
	uint64_t file_size;
	uint32_t pid, ppid; /* as the process sees them */
	uint32_t page_size;
	uint32_t flags;	   /* enum pipa_heap_flag */
	uint64_t start_ns; /* CLOCK_MONOTONIC when profiling began; all times are in this clock */
	uint64_t start_wall_ns; /* the same moment in CLOCK_REALTIME */
	uint64_t rate, min_size;
	uint32_t depth;
	uint32_t reserved;
	struct pipa_heap_extent regions[PIPA_HEAP_REGION_NR];
	char exe[PIPA_HEAP_PATH];     /* readlink of /proc/self/exe */
	char cmdline[PIPA_HEAP_PATH]; /* arguments, each ends with a NUL; truncated */
};

/*
 * Written by pipa. The library reads `on` with each sample, so a change takes effect after `rate`
 * bytes of each thread.
 */
struct pipa_heap_control {
	uint32_t on;
	/*
	 * With hold=PID, 1 from the start: a process that ends by exit() or _exit() sets status.state to
	 * PIPA_HEAP_HELD and waits until the reader clears this word, so that its memory can be searched
	 * for pointers. It does not wait for a reader that is gone, and 10 s at most for one that has not
	 * written its PID to `holder`.
	 */
	uint32_t hold_exit;
	uint32_t holder;
	uint32_t reserved;
};

enum pipa_heap_state {
	PIPA_HEAP_RUNNING, /* or ended by a signal, or replaced by exec */
	PIPA_HEAP_HELD,
	PIPA_HEAP_EXITED, /* by exit() or _exit(); destructors may still run */
};

/* Why something is missing. Each that is not 0 makes a report incomplete. */
enum pipa_heap_loss {
	PIPA_HEAP_LOST_STACKS,	 /* samples whose stack did not fit: not in any sum */
	PIPA_HEAP_LOST_FRAMES,	 /* samples whose frames did not fit: not in any sum */
	PIPA_HEAP_LOST_BLOCKS,	 /* summed as allocated, but their free is not followed */
	PIPA_HEAP_LOST_STORAGE,	 /* the file could not be enlarged (counted as another loss, too) */
	PIPA_HEAP_LOST_MAPS,	 /* captures of mappings that did not fit */
	PIPA_HEAP_LOST_THREADS,	 /* threads that are not in the table (their samples are) */
	PIPA_HEAP_LOST_REENTRY,	 /* samples in a signal handler that interrupted the library */
	PIPA_HEAP_LOST_CHILDREN, /* forked children that could not create their file */
	PIPA_HEAP_LOST_BYTES,	 /* bytes of samples that are not in any sum, scaled */
	PIPA_HEAP_LOSS_NR = 16,
};

/*
 * Bits: why the memory of the allocator can have pointers in other places than the blocks of the table, although
 * nothing was lost. They are never cleared.
 */
enum pipa_heap_gap {
	PIPA_HEAP_GAP_OFF = 1,	 /* recording was switched off while the process allocated */
	PIPA_HEAP_GAP_BREAK = 2, /* brk(2) was called by another object than the allocator */
};

/* Written by the library with atomic operations. */
struct pipa_heap_status {
	uint32_t state; /* enum pipa_heap_state */
	uint32_t
		maps_generation; /* increases when dlclose unloads: the same address may be other code */
	uint64_t n_stacks, n_frames, n_threads;
	uint64_t maps_bytes; /* of the maps region, complete records only */
	uint64_t end_ns;     /* 0 while running */
	uint64_t updated_ns; /* time of a recent sample */
	/*
	 * In use and the peak, scaled bytes. The sum over stacks is exact; these two omit up to a
	 * thousandth of the peak for each thread.
	 */
	int64_t in_use_bytes;
	int64_t peak_bytes;
	uint64_t peak_ns;
	uint64_t peak_epoch;	   /* number of peaks so far, see struct pipa_heap_sums */
	uint64_t truncated_stacks; /* samples whose stack is not complete */
	uint64_t foreign_frees;	   /* reserved, 0 */
	uint64_t lost[PIPA_HEAP_LOSS_NR];
	/*
	 * With PIPA_HEAP_HELD: the thread that waits, and its stack pointer in the caller of the library.
	 * Below are the library's own frames.
	 */
	uint64_t held_sp;
	uint32_t held_tid;
	uint32_t gaps; /* enum pipa_heap_gap */
};

/*
 * What happened at one stack. A sample of `size` bytes stands for 1 / (1 - exp(-size / rate))
 * allocations (1 with rate 0 or 1): sums named "scaled" have it applied, counts of them are fixed-point
 * numbers with PIPA_HEAP_FRACTION bits after the point.
 *
 * peak_*: what was in use here at the highest peak so far, if peak_epoch equals
 * status.peak_epoch. If it does not, nothing changed here since that peak, and it is what
 * is in use now.
 *
 * Classes: sizes[i] counts sizes of 2^i <= size < 2^(i+1), size 0 in sizes[0], the last
 * holds all larger ones. lifetimes[0] counts lifetimes below 1024 ns, lifetimes[i] those of
 * 2^(i+9) <= ns < 2^(i+10), the last all longer ones. Scaled counts.
 */
struct pipa_heap_sums {
	uint64_t allocs, frees;		  /* samples */
	uint64_t alloc_bytes, free_bytes; /* of the samples */
	uint64_t alloc_count_scaled, free_count_scaled;
	uint64_t alloc_bytes_scaled, free_bytes_scaled;
	uint64_t temporary_count_scaled; /* freed before its thread allocated anything else */
	uint64_t temporary_bytes_scaled;
	uint64_t alloc_ns_scaled, free_ns_scaled; /* time in the allocator */
	uint64_t peak_epoch;
	int64_t peak_count_scaled;
	int64_t peak_bytes_scaled;
	uint64_t reserved;
	uint64_t sizes[PIPA_HEAP_CLASSES];
	uint64_t lifetimes[PIPA_HEAP_CLASSES];
};

enum pipa_heap_stack_state {
	PIPA_HEAP_STACK_EMPTY,
	PIPA_HEAP_STACK_READY,
	PIPA_HEAP_STACK_UNUSED, /* two threads added the same stack: this one is not used */
};

enum pipa_heap_kind {
	PIPA_HEAP_KIND_MALLOC,
	PIPA_HEAP_KIND_MMAP,
	PIPA_HEAP_KIND_BRK,
};

struct pipa_heap_stack {
	uint32_t state; /* enum pipa_heap_stack_state */
	uint32_t n_frames;
	uint64_t frames_at; /* index of the first in the frames */
	uint64_t hash;
	uint64_t first_ns;
	uint32_t maps_generation; /* of the addresses */
	uint8_t kind;		  /* enum pipa_heap_kind */
	uint8_t end;		  /* enum pipa_stack_end of model/stack_end.h: 0: complete */
	uint16_t fp_frames;	  /* how many frames were found by frame pointer for lack of CFI */
	struct pipa_heap_sums sums;
};

/*
 * Sums of one thread that are not yet in struct pipa_heap_stack: with high rates a thread adds to
 * these, because it needs no atomic operations for it. The sums of a stack are those of its struct
 * plus those of every shard slot with its number. `moving` is not 0 while a slot is
 * added to the stack: both may then hold the same sums; read the shard again.
 */
struct pipa_heap_slot {
	uint32_t stack; /* number + 1; 0: empty */
	uint32_t moving;
	struct pipa_heap_sums sums;
};

struct pipa_heap_shard {
	uint32_t tid; /* 0: not in use; its slots still count */
	uint32_t reserved;
	struct pipa_heap_slot slots[PIPA_HEAP_SHARD_SUMS];
};

/*
 * Addresses of live sampled blocks. address[i] of bucket b belongs to block b * PIPA_HEAP_BUCKET + i.
 * 0: empty. Addresses below PIPA_HEAP_PAGE are not blocks. Those of mapped memory have the bit PIPA_HEAP_MAPPED.
 * If a part of it is unmapped, the block has the size of what is left; if that is on both sides, the second part is
 * another block, which is counted as an allocation without bytes.
 */
#define PIPA_HEAP_MAPPED UINT64_C(1)

struct pipa_heap_bucket {
	uint64_t elsewhere; /* blocks that belong here and are in other buckets */
	uint64_t address[PIPA_HEAP_BUCKET];
};

struct pipa_heap_block {
	uint64_t size;
	uint64_t birth_ns;
	uint64_t position; /* bytes that its thread had allocated */
	uint64_t weight;   /* allocations it stands for, PIPA_HEAP_FRACTION bits after the point */
	uint32_t stack;
	uint32_t tid;
};

struct pipa_heap_thread {
	uint32_t tid; /* 0: not written yet */
	uint32_t reserved;
	uint64_t first_ns; /* of its first sample */
	char name[16];
};

/*
 * Lines of /proc/self/maps of executable mappings, unchanged, each ends with a newline. They are captured at
 * the start, when an unknown code address is met, after dlclose, and at the end. The address of a
 * stack is looked up in the captures of its maps_generation, the last that has it.
 */
struct pipa_heap_maps {
	uint32_t size; /* with this struct, a multiple of 8 */
	uint32_t generation;
	uint64_t time_ns;
	uint32_t text_size;
	uint32_t reserved;
	/* text */
};

/* USDT probes, on samples only: provider otel_memory, alloc(pointer, size, weighted bytes), free(pointer). */
#define PIPA_HEAP_PROVIDER "otel_memory"

_Static_assert(sizeof(struct pipa_heap_header) <= PIPA_HEAP_PAGE, "one page");
_Static_assert(sizeof(struct pipa_heap_status) <= PIPA_HEAP_PAGE, "one page");
_Static_assert(sizeof(struct pipa_heap_bucket) == 64, "one cache line");
_Static_assert(sizeof(struct pipa_heap_block) == 40, "no padding");
_Static_assert(sizeof(struct pipa_heap_sums) == 16 * 8 + 2 * PIPA_HEAP_CLASSES * 8, "no padding");
_Static_assert(sizeof(struct pipa_heap_stack) == 40 + sizeof(struct pipa_heap_sums), "no padding");
_Static_assert(sizeof(struct pipa_heap_maps) == 24, "no padding");

#endif
