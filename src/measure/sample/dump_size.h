/*
 * Default sizes of user stack dumps and rings.
 *
 * The sampled program pays for the bytes that the kernel copies (about 3 us for 8 KiB), never more
 * than the stack holds; the ring pays for the whole dump.
 */
#ifndef PIPA_MEASURE_SAMPLE_DUMP_SIZE_H
#define PIPA_MEASURE_SAMPLE_DUMP_SIZE_H

#include <stddef.h>
#include <stdint.h>

enum {
	PIPA_RING_MIN = 512 << 10, /* what an unprivileged user may lock for each CPU */
	PIPA_RING_STACKS_MAX = 64 << 20,
	PIPA_RING_MEMORY_PART = 64, /* all rings together take this part of the memory at most */
	PIPA_RING_LIVE_PART = 20, /* a ring that is emptied a hundred times a second holds 50 ms */
	PIPA_SAMPLE_BYTES =
		256, /* of a sample with its call chain but for the stack, usually less */
};

struct pipa_root;

/*
 * Return the largest ring, a power of two, for each of n_cpus CPUs: limited by the memory that may be
 * locked and by the memory that there is.
 */
uint64_t pipa_record_ring_room(struct pipa_root *root, size_t n_cpus);

/*
 * Return the dump size for samples whose stacks are written to the file, hz of them per second and CPU
 * with all events together, in rings of up to `room` bytes. 0: too much in any size.
 */
uint32_t pipa_record_stack_written(uint64_t hz, uint64_t room);

/* Return the dump size for samples that are unwound before they are written; 0: too much in any size. */
uint32_t pipa_record_stack_live(uint64_t hz, uint64_t room);

/*
 * Return the highest rate at which pipa_record_stack_live() gives dumps of at least `needed` bytes; 0: no rate
 * does, as a sample cannot hold that much or the ring is too small.
 */
uint64_t pipa_record_stack_rate(uint64_t needed, uint64_t room);

#endif
