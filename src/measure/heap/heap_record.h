/*
 * Record the heap of a command and its descendants: preload the library, follow the files that the
 * processes share with pipa, and decode them at the end. An instrument of a session.
 */
#ifndef PIPA_MEASURE_HEAP_HEAP_RECORD_H
#define PIPA_MEASURE_HEAP_HEAP_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"
#include "measure/instrument.h"
#include "model/heaps.h"

struct pipa_error;
struct pipa_follow;
struct pipa_heap_recorder;
struct pipa_mapped_files;

/*
 * Receives the `number`th snapshot, of the processes in `heaps`, while the command runs. Returns 0, or a negative
 * errno with err filled, which is noted.
 */
typedef int pipa_heap_on_snapshot(void *ctx, struct pipa_heaps *heaps,
				  const struct pipa_mapped_files *mapped, size_t number,
				  uint64_t start_ns, uint64_t time_ns, struct pipa_error *err);

struct pipa_heap_record_options {
	char **command;
	uint64_t rate, min_size;
	bool no_frees;
	bool mappings;	      /* mmap(2) and brk(2), too */
	bool off;	      /* start switched off */
	bool leaks;	      /* search for pointers to blocks at the exit of each process */
	bool pages;	      /* read the pages of blocks at the exit of each process */
	uint64_t snapshot_ns; /* time between snapshots; 0: none */
	pipa_heap_on_snapshot *on_snapshot; /* NULL: none */
	void *ctx;
	struct pipa_follow *follow;
	struct pipa_log log;
};

/* The amounts of a stack, allocated and in use, at the time of a snapshot. */
struct pipa_heap_snapshot_row {
	uint32_t process; /* number of its file, in the order of their creation */
	uint32_t stack;	  /* pipa_heaps_stack.number */
	uint64_t samples;
	struct pipa_heaps_amount alloc, inuse;
};

struct pipa_heap_snapshot {
	uint64_t time_ns; /* monotonic */
	uint64_t wall_ns; /* since 1970 */
	struct pipa_heap_snapshot_row *items;
	size_t n, cap;
};

/* The result: taken from the recorder, freed with pipa_heap_recording_done(). */
struct pipa_heap_recording {
	struct pipa_heaps heaps;
	struct {
		uint32_t *items; /* [process of the memory] number of its file in snapshots */
		size_t n, cap;
	} files;
	struct {
		struct pipa_heap_snapshot *items;
		size_t n, cap;
	} snapshots;
	uint64_t start_ns, end_ns; /* monotonic */
	bool searched;		   /* memory was searched for leaks in all processes that exited */
	size_t unsearched;	   /* processes that exited without a search, or running ones */
	size_t unreadable;	   /* files that are not recordings */
	size_t skipped;		   /* files beyond the limit of files */
};

void pipa_heap_recording_done(struct pipa_heap_recording *recording);

extern const struct pipa_instrument_ops pipa_heap_instrument;

/* Create the context of the instrument. The options are copied; what they point to is borrowed. */
struct pipa_heap_recorder *pipa_heap_recorder_new(const struct pipa_heap_record_options *options);
void pipa_heap_recorder_free(struct pipa_heap_recorder *recorder);

/* Return the environment of the command, NULL before the instrument was planned; borrowed. */
char **pipa_heap_recorder_environment(const struct pipa_heap_recorder *recorder);

/* Return the files that were mapped, for symbols; borrowed. */
const struct pipa_mapped_files *pipa_heap_recorder_mapped(
	const struct pipa_heap_recorder *recorder);

/* Move the result out after the session. */
void pipa_heap_recorder_take(struct pipa_heap_recorder *recorder, struct pipa_heap_recording *ret);

/* Decode a copy of an open file as pipa_heap_file_decode() does, again if sums were being moved. */
struct pipa_heap_file_info;
int pipa_heap_decode_fd(int fd, struct pipa_heaps *heaps, struct pipa_heap_file_info *ret,
			struct pipa_error *err);

/* Set the build ids of modules from `n` on, whose files are opened; `pid` as /proc here shows it. */
void pipa_heap_identify_modules(struct pipa_mapped_files *mapped, uint32_t pid,
				struct pipa_heaps *heaps, size_t first);

static inline void pipa_heap_recording_done_auto(struct pipa_heap_recording *recording)
{
	pipa_heap_recording_done(recording);
}

#endif
