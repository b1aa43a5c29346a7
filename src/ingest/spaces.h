/*
 * Address spaces over time. Mappings are added in the order in which they happened; afterwards any
 * address of any process at any time can be looked up, so samples need not be sorted.
 *
 * A process has a list of generations. A mapping of unused addresses is added to the last
 * generation; one that replaces another starts a new generation, so that the earlier mapping is
 * not lost. Most processes have one generation.
 */
#ifndef PIPA_INGEST_SPACES_H
#define PIPA_INGEST_SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PIPA_NO_OBJECT UINT32_MAX
#define PIPA_NO_CONTEXT UINT32_MAX

struct pipa_spaces;

/* A mapped range: byte `address` is at address - start + file_offset of the object. */
struct pipa_order_span;

struct pipa_range {
	uint64_t start, end, file_offset;
	uint32_t object; /* index that the caller assigned */
};

/* One generation of an address space. */
struct pipa_space;

struct pipa_spaces *pipa_spaces_new(void); /* NULL on allocation failure */
void pipa_spaces_free(struct pipa_spaces *spaces);

/* Limit each process to its last few generations, for callers that never look up earlier times. */
void pipa_spaces_keep_recent(struct pipa_spaces *spaces);

/* Drop the generations of a process up to `order`, the time at which it exited. */
void pipa_spaces_forget(struct pipa_spaces *spaces, uint32_t pid, uint64_t order);

/* Record a mapping, an exec or a fork. `order` must not decrease. All return 0 or -ENOMEM. */
int pipa_spaces_map(struct pipa_spaces *spaces, uint32_t pid, uint64_t order,
		    const struct pipa_range *range);
int pipa_spaces_exec(struct pipa_spaces *spaces,
		     uint32_t pid); /* the next mapping is the first of the new program */
int pipa_spaces_fork(struct pipa_spaces *spaces, uint32_t parent, uint32_t child, uint64_t order);

/*
 * Attach a number to the process's last generation and to those copied from it, until another one
 * is set; PIPA_NO_CONTEXT: none. Call it after a mapping.
 */
void pipa_spaces_mark(struct pipa_spaces *spaces, uint32_t pid, uint32_t mark);
uint32_t pipa_spaces_last_mark(const struct pipa_spaces *spaces, uint32_t pid);
uint32_t pipa_space_mark(const struct pipa_space *space); /* PIPA_NO_CONTEXT for NULL */

/* Return the number of processes, also of ended ones. */
size_t pipa_spaces_size(const struct pipa_spaces *spaces);

/* Return the process's address space at that time, NULL if unknown. Valid until the next change. */
const struct pipa_space *pipa_spaces_find(const struct pipa_spaces *spaces, uint32_t pid,
					  uint64_t order);

/* Like pipa_spaces_find(), and narrow *span to the orders for which the result is the same. */
const struct pipa_space *pipa_spaces_find_span(const struct pipa_spaces *spaces, uint32_t pid,
					       uint64_t order, struct pipa_order_span *span);

/* Return a number that is unique to the generation and its contents; 0 for NULL. */
uint64_t pipa_space_key(const struct pipa_space *space);

/* Return the object that was mapped first since exec: the executable. PIPA_NO_OBJECT for NULL. */
uint32_t pipa_space_first(const struct pipa_space *space);

/* Return the range that contains the address, or NULL. */
const struct pipa_range *pipa_space_at(const struct pipa_space *space, uint64_t address);

#endif
