/*
 * How much of its stack a sample gets where nobody has said it. What it costs the program that is
 * sampled is the copy: some 3 us of 8 for 8 KiB, and only what the stack holds is copied. So the
 * first piece is sized by the rate, and a second, larger one is kept ready for programs whose stacks
 * turn out to be deeper.
 */
#ifndef PIPA_JOB_RECORD_STACKS_H
#define PIPA_JOB_RECORD_STACKS_H

#include <stddef.h>
#include <stdint.h>

enum {
	PIPA_RING_LEAST = 512 << 10, /* what an unprivileged user may lock for each CPU */
	PIPA_RING_MOST_STACKS = 64 << 20,
	PIPA_RING_LIVE_PART = 20, /* a ring that is emptied a hundred times a second holds 50 ms */
	PIPA_SAMPLE_BYTES =
		256, /* of a sample with its call chain but for the stack, usually less */
};

struct pipa_root;

/* The largest ring, a power of two, that each of so many CPUs may have here. */
uint64_t pipa_record_ring_room(struct pipa_root *root, size_t n_cpus);

/*
 * Bytes for samples taken so often on a CPU, all events together, in rings of up to `room` bytes.
 * 0: it would take too much.
 */
uint32_t pipa_record_stack_first(uint64_t hz, uint64_t room);

/* The larger piece for programs that need more than `first`; 0: there is none worth it. */
uint32_t pipa_record_stack_deep(uint64_t hz, uint64_t room, uint32_t first);

#endif
