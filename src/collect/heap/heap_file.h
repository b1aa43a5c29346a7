/*
 * Decode the file that libpipa-heap.so shares with pipa (preload/abi.h): bytes in, a process of
 * model/heaps.h out. Pure.
 *
 * The measured process can overwrite the file at any time. So the bytes have to be a copy, which does not
 * change while it is decoded, and nothing in them is believed: whatever they hold, the result is valid, with
 * malformed entries left out and counted.
 */
#ifndef PIPA_COLLECT_HEAP_HEAP_FILE_H
#define PIPA_COLLECT_HEAP_HEAP_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

struct pipa_error;
struct pipa_heaps;

/* State of the file beside its process. */
struct pipa_heap_file_info {
	uint32_t pid;
	uint64_t start_ns; /* monotonic */
	bool is_held;	   /* the process waits at its exit */
	/*
	 * Sums that were being moved from one place to another, and may be in both. They are left out; of a
	 * running process, copy the file again.
	 */
	uint64_t moving;
};

/* A part of the file that is not a hole: [start, end). */
struct pipa_heap_file_part {
	uint64_t start, end;
};

/* A copy of the file. Its tables are large and sparse, so only the given parts are searched for entries. */
struct pipa_heap_file {
	struct pipa_span bytes;
	const struct pipa_heap_file_part *parts; /* ascending; NULL: one part, all of it */
	size_t n_parts;
};

/*
 * Add the process of a file to the model. Returns 0, -EAGAIN if the library has not completed the file,
 * -EBADMSG with err filled if it is not such a file, or -ENOMEM. Without success the model may have new
 * strings, but no new process.
 */
int pipa_heap_file_decode(const struct pipa_heap_file *file, struct pipa_heaps *heaps,
			  struct pipa_heap_file_info *ret, struct pipa_error *err);

#endif
