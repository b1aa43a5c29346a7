/*
 * jitdump files: JIT code with the time at which it appeared, so that reuses of an address are
 * distinguished.
 *
 *	header   magic version size elf_machine pad pid time flags
 *	record   type size time, then by type: load (0), move (1), debug info (2), close (3),
 *	         unwinding info (4); others are skipped by size
 *
 * Both byte orders. A truncated file, or one that is still being written, is read up to its last
 * complete record.
 */
#ifndef PIPA_SYMBOL_TABLE_JITDUMP_H
#define PIPA_SYMBOL_TABLE_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/auto.h"
#include "base/cursor.h"
#include "base/span.h"

struct pipa_error;

/* One piece of code from one time on. */
struct pipa_jit_code {
	uint64_t addr;
	uint64_t size;
	uint64_t time;		/* of the header's clock: CLOCK_MONOTONIC ns, unless arch_clock */
	uint64_t index;		/* the runtime's number for it */
	uint64_t place;		/* where in the file its instructions stand; see below */
	const char *name;	/* NUL-terminated, borrowed */
	struct pipa_span bytes; /* the instructions; empty when the file has none */
	struct pipa_span lines; /* for pipa_jit_line_next(); empty without debug info */
};

struct pipa_jitdump {
	uint32_t machine; /* EM_* */
	uint32_t pid;
	uint64_t time;	 /* when the file was begun */
	bool arch_clock; /* times are the processor's counter, not nanoseconds */
	bool swapped;
	bool closed;		     /* the runtime ended the file itself */
	bool damaged;		     /* a record was malformed; what follows is lost */
	struct pipa_jit_code *codes; /* by address, then time */
	size_t n;
	uint64_t reused_from,
		reused_to;	      /* where there was other code at other times; may be empty */
	struct pipa_jit_reach *reach; /* for the search */
	uint32_t *by_place;
};

/* Is it "…/jit-PID.dump"? The runtime maps it executable, so that recordings contain its path. */
bool pipa_jitdump_is_name(const char *path);

/* The bytes must outlive the struct. -EBADMSG when they are no jitdump, -ENOMEM. */
int pipa_jitdump_init(struct pipa_jitdump *ret, struct pipa_span file, struct pipa_error *err);
void pipa_jitdump_done(struct pipa_jitdump *jit);

/*
 * Return the code at the address at this time: the latest that had appeared by then. UINT64_MAX:
 * the last of all. NULL if there was none.
 */
const struct pipa_jit_code *pipa_jitdump_find(const struct pipa_jitdump *jit, uint64_t addr,
					      uint64_t time);

/* May the address have held other code at another time? */
static inline bool pipa_jitdump_reused(const struct pipa_jitdump *jit, uint64_t addr)
{
	return addr - jit->reused_from < jit->reused_to - jit->reused_from;
}

/*
 * Each piece of code has an offset of its own in the file, whatever memory it ran in, so the offset
 * of an instruction identifies the code without a time. Code whose instructions are not in the file
 * has one offset.
 */
uint64_t pipa_jit_code_place(const struct pipa_jit_code *code, uint64_t addr);

/* The code that has this place in the file, or NULL. */
const struct pipa_jit_code *pipa_jitdump_at(const struct pipa_jitdump *jit, uint64_t place);

struct pipa_jit_line {
	uint64_t addr;
	uint32_t line;
	uint32_t discriminator;
	const char *file; /* NUL-terminated, borrowed */
};

/* Source lines of a piece of code, in the file's order: start with line zeroed. */
struct pipa_cursor pipa_jit_lines(const struct pipa_jitdump *jit, const struct pipa_jit_code *code);
bool pipa_jit_line_next(struct pipa_cursor *lines, struct pipa_jit_line *line);

static inline void pipa_jitdump_done_auto(struct pipa_jitdump *jit)
{
	pipa_jitdump_done(jit);
}

#endif
