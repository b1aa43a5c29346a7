/*
 * The profiled process: its configuration and the file that it shares with pipa.
 *
 * The file is created when the process starts, or, in a forked child, by the first sample there.
 * Parts of it are allocated before they are written to: a full file system must not be a SIGBUS.
 */
#ifndef PIPA_PRELOAD_PROCESS_H
#define PIPA_PRELOAD_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/abi.h"
#include "preload/blocks.h"
#include "preload/config.h"
#include "preload/stacks.h"

enum pipa_heap_mode {
	PIPA_HEAP_UNKNOWN,  /* not started */
	PIPA_HEAP_STARTING, /* a thread is starting it */
	PIPA_HEAP_PASSIVE,  /* nothing is sampled: no configuration, or no file */
	PIPA_HEAP_ACTIVE,
};

struct pipa_heap_process {
	uint32_t mode; /* enum pipa_heap_mode */
	uint32_t pid;
	/*
	 * Zero in forked children: the kernel clears this page (MADV_WIPEONFORK, Linux 4.14), and so
	 * does the hook of fork(). A child of vfork() shares memory, it is not another process here.
	 */
	uint32_t *owner;
	bool bypassed; /* the program defines malloc itself */
	uint8_t *file;
	uint64_t file_size;
	struct pipa_heap_header *header;
	struct pipa_heap_control *control;
	struct pipa_heap_status *status;
	struct pipa_heap_shard *shards;
	struct pipa_heap_thread *threads;
	uint8_t *maps;
	uint64_t maps_size, n_shards, n_threads; /* private: the file may be overwritten */
	struct pipa_heap_stacks stacks;
	struct pipa_heap_blocks blocks;
	struct pipa_heap_config config;
	char path[PIPA_HEAP_PATH + 64];
	char preload[PIPA_HEAP_PATH]; /* path of this library; "": unknown */
	char environment[PIPA_HEAP_PATH +
			 512]; /* the variable of the configuration, with its name */
};

extern struct pipa_heap_process pipa_heap_process __attribute__((visibility("hidden")));

/*
 * Read the configuration and create the file, once; later calls return at once. True if samples are
 * to be taken. In a forked child the file of the parent is replaced by one of its own.
 */
bool pipa_heap_process_get_ready(void);

static inline bool pipa_heap_process_ready(void)
{
	if (__builtin_expect(__atomic_load_n(&pipa_heap_process.mode, __ATOMIC_ACQUIRE) ==
					     PIPA_HEAP_ACTIVE &&
				     __atomic_load_n(pipa_heap_process.owner, __ATOMIC_RELAXED),
			     1))
		return true;
	return pipa_heap_process_get_ready();
}

/* Start when the library is loaded and libc is initialized, if that was not possible before. */
void pipa_heap_process_load(void);

/* Make bytes of the file usable. False, counted as a loss, if the file cannot be enlarged. */
bool pipa_heap_process_commit(void *at, uint64_t size);

enum { PIPA_HEAP_CHUNK_BITS = 14, PIPA_HEAP_FILE_BITS = 32 }; /* the file is enlarged by 16 KiB */

/* Which chunks of the file are usable. */
extern uint64_t pipa_heap_committed[1 << (PIPA_HEAP_FILE_BITS - PIPA_HEAP_CHUNK_BITS - 6)];

void pipa_heap_process_lose(enum pipa_heap_loss loss, uint64_t count);

/* Note a gap in the shared file, unless it is that of the parent, or there is none. */
void pipa_heap_process_note_gap(enum pipa_heap_gap gap);

/* Take no sample and follow no free from now on; no system call is made any more. */
void pipa_heap_process_stop(void);

/* Is sampling switched on? */
static inline bool pipa_heap_process_on(void)
{
	return __atomic_load_n(&pipa_heap_process.control->on, __ATOMIC_RELAXED);
}

/*
 * Return the state of the switch, in a forked child before its first sample that of the parent; that of the
 * configuration if there is no file, or the process has truncated it.
 */
bool pipa_heap_process_switch(void);

/*
 * The process ends by exit() or _exit(): note it, and wait for the reader if it asked for that. `sp` is the stack
 * pointer of the hook's caller. Does nothing in a child of vfork(), whose parent goes on.
 */
void pipa_heap_process_exit(uint64_t sp);

#endif
