/*
 * Parse the lines of `perf script`, as perf has printed them since 3.x:
 *
 *	comm 4711/4712 [003] 1234.567890:     250000 cycles:u:         the start of a sample
 *	            55d0c3 name+0x1f (/usr/bin/dso)                     a frame, innermost first
 *	            55d0c3 name (inlined)                               inlined into the next one
 *	  file.c:12                                                     srcline of the frame before
 *	                                                                the end of a sample
 *
 * Every field of the first line but comm may be missing, depending on -F and the version. Without
 * call chains the only frame follows the event on the same line. comm may contain any character.
 */
#ifndef PIPA_IMPORT_SCRIPT_LINE_H
#define PIPA_IMPORT_SCRIPT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A borrowed part of a text. */
struct pipa_text_slice {
	const char *text;
	size_t len;
};

struct pipa_script_header {
	struct pipa_text_slice comm;
	uint32_t pid, tid;	      /* PIPA_UNKNOWN32: not given; a single number is the tid */
	uint64_t period;	      /* 0: not given */
	struct pipa_text_slice event; /* without its colon; empty: not given */
	struct pipa_text_slice frame; /* on the same line; empty: none */
	bool timed;		      /* has a time */
	uint64_t time;		      /* ns; PIPA_UNKNOWN: not given */
	uint32_t cpu;		      /* PIPA_UNKNOWN32: not given */
	bool vague;		      /* only a word: comm alone, or not a header at all */
	bool other;		      /* another record, not a sample */
};

struct pipa_parsed_frame {
	uint64_t address;
	struct pipa_text_slice symbol; /* without its offset; empty: unknown */
	struct pipa_text_slice dso;    /* empty: not given */
	bool inlined;
};

/* Parse a header line, passed without its newline. Never fails: see `vague`. */
void pipa_script_header_parse(const char *line, size_t len, struct pipa_script_header *ret);

/* Parse a frame line; false if it is not a frame. */
bool pipa_script_frame_parse(const char *line, size_t len, struct pipa_parsed_frame *ret);

#endif
