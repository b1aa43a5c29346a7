/*
 * Executable mappings of this process: call frame information for unwinding, and the lines of
 * /proc/self/maps for the reader.
 *
 * An object's .eh_frame_hdr and .eh_frame are in its loaded segments. They are found by the
 * program headers at the start of its mapping, so neither the loader's locks nor its files are needed.
 * /proc/self/maps is read at the start, and again when an address is met that is in none of the
 * known mappings.
 */
#ifndef PIPA_PRELOAD_MAPS_H
#define PIPA_PRELOAD_MAPS_H

#include <stdbool.h>
#include <stdint.h>

struct pipa_row;

/* Read the mappings and append the executable ones to the file, if they differ from the last. */
void pipa_heap_maps_capture(void);

/* Begin a new generation after code was unmapped: addresses may belong to other code from now on. */
void pipa_heap_maps_unmapped(void);

/* Increases each time. */
extern uint32_t pipa_heap_maps_changes __attribute__((visibility("hidden")));

static inline uint32_t pipa_heap_maps_generation(void)
{
	return __atomic_load_n(&pipa_heap_maps_changes, __ATOMIC_RELAXED);
}

/* Release the lock in a forked child, which has no other thread. */
void pipa_heap_maps_forked(void);

enum pipa_heap_code {
	PIPA_HEAP_CODE_ROW,    /* *ret is filled */
	PIPA_HEAP_CODE_NO_CFI, /* code without call frame information */
	PIPA_HEAP_CODE_BAD_CFI,
	PIPA_HEAP_CODE_NONE, /* the address is in no executable mapping */
	PIPA_HEAP_CODE_BUSY, /* unknown: another thread has been reading mappings for too long */
};

/* Find the row of an address of code; a few microseconds, or hundreds if mappings are read. */
enum pipa_heap_code pipa_heap_maps_row(uint64_t address, struct pipa_row *ret);

/* A line of /proc/self/maps. */
struct pipa_heap_mapping {
	uint64_t start, end;
	bool readable;
};

/* Call back for each mapping until a callback returns false. False if another thread reads them for too long. */
bool pipa_heap_maps_each(bool (*each)(void *ctx, const struct pipa_heap_mapping *mapping),
			 void *ctx);

/* The end of the readable mapping that holds the address; 0 if there is none. */
uint64_t pipa_heap_maps_end(uint64_t address);

#endif
