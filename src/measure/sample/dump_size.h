/*
 * Default sizes of user stack dumps and rings.
 *
 * The sampled program pays for the bytes that the kernel copies (about 3 us for 8 KiB), at most the
 * used part of the stack; the ring needs space for the full dump.
 */
#ifndef PIPA_MEASURE_SAMPLE_DUMP_SIZE_H
#define PIPA_MEASURE_SAMPLE_DUMP_SIZE_H

#include <stddef.h>
#include <stdint.h>

enum {
	PIPA_RING_MIN = 512 << 10, /* locked memory per CPU that an unprivileged user may use */
	PIPA_RING_STACKS_MAX = 64 << 20,
	PIPA_RING_MEMORY_PART = 64, /* all rings together take at most this fraction of memory */
	PIPA_RING_LIVE_PART = 20,   /* a ring drained 100 times per second must hold 50 ms */
	PIPA_SAMPLE_BYTES =
		256, /* typical maximum of a sample with call chain, without stack dump */
};

struct pipa_root;

/*
 * Return the largest ring, a power of two, for each of n_cpus CPUs: limited by locked memory and by
 * the size of memory.
 */
uint64_t pipa_record_ring_room(struct pipa_root *root, size_t n_cpus);

/*
 * Return the dump size for samples whose dumps are written to the file, at hz samples per second
 * and CPU over all events, in rings of up to `room` bytes. 0 if no size is small enough.
 */
uint32_t pipa_record_stack_written(uint64_t hz, uint64_t room);

/*
 * Return the dump size for samples that are unwound before they are written; 0 if no size is small
 * enough.
 */
uint32_t pipa_record_stack_live(uint64_t hz, uint64_t room);

/*
 * Return the highest rate at which pipa_record_stack_live() gives dumps of at least `needed` bytes;
 * 0 if there is none, because a sample cannot hold that much or the ring is too small.
 */
uint64_t pipa_record_stack_rate(uint64_t needed, uint64_t room);

#endif
