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

/* Code that a runtime compiled, valid from a time on. */
struct pipa_jit_code {
	uint64_t addr;
	uint64_t size;
	uint64_t time;	  /* of the header's clock: CLOCK_MONOTONIC ns, unless arch_clock */
	uint64_t index;	  /* index that the runtime assigned */
	uint64_t place;	  /* offset of its instructions in the file; see pipa_jit_code_place() */
	const char *name; /* NUL-terminated, borrowed */
	struct pipa_span bytes; /* instructions; empty if the file does not contain them */
	struct pipa_span lines; /* for pipa_jit_line_next(); empty: no debug info */
};

struct pipa_jitdump {
	uint32_t machine; /* EM_* */
	uint32_t pid;
	uint64_t time;	 /* creation time of the file */
	bool arch_clock; /* times are values of the CPU's counter, not nanoseconds */
	bool swapped;
	bool closed;		     /* the runtime wrote a close record */
	bool damaged;		     /* a record is malformed; later ones are not read */
	struct pipa_jit_code *codes; /* sorted by address, then time */
	size_t n;
	uint64_t reused_from,
		reused_to;	      /* addresses that were reused for other code; may be empty */
	struct pipa_jit_reach *reach; /* search tree */
	uint32_t *by_place;
};

/* Is it "…/jit-PID.dump"? The runtime maps it executable, so that recordings contain its path. */
bool pipa_jitdump_is_name(const char *path);

/*
 * Parse a jitdump. The bytes must outlive the struct. -EBADMSG if they are not a jitdump, or
 * -ENOMEM.
 */
int pipa_jitdump_init(struct pipa_jitdump *ret, struct pipa_span file, struct pipa_error *err);
void pipa_jitdump_done(struct pipa_jitdump *jit);

/*
 * Return the latest code at an address that was compiled by that time; UINT64_MAX: the last of all.
 * NULL if there is none.
 */
const struct pipa_jit_code *pipa_jitdump_find(const struct pipa_jitdump *jit, uint64_t addr,
					      uint64_t time);

/* Was the address possibly reused for other code? */
static inline bool pipa_jitdump_reused(const struct pipa_jitdump *jit, uint64_t addr)
{
	return addr - jit->reused_from < jit->reused_to - jit->reused_from;
}

/*
 * Return the file offset of the instruction at an address. Each code has its own offsets in the
 * file, independent of the memory it ran in, so an offset identifies the code without a time. Code
 * whose instructions are not in the file has a single offset.
 */
uint64_t pipa_jit_code_place(const struct pipa_jit_code *code, uint64_t addr);

/* Return the code at a file offset, or NULL. */
const struct pipa_jit_code *pipa_jitdump_at(const struct pipa_jitdump *jit, uint64_t place);

struct pipa_jit_line {
	uint64_t addr;
	uint32_t line;
	uint32_t discriminator;
	const char *file; /* NUL-terminated, borrowed */
};

/* Return a cursor over the source lines of a code, in file order. Start with a zeroed line. */
struct pipa_cursor pipa_jit_lines(const struct pipa_jitdump *jit, const struct pipa_jit_code *code);
bool pipa_jit_line_next(struct pipa_cursor *lines, struct pipa_jit_line *line);

static inline void pipa_jitdump_done_auto(struct pipa_jitdump *jit)
{
	pipa_jitdump_done(jit);
}

#endif
