/*
 * Byte format of a history file, shared by its writer (export/exchange/history) and its reader
 * (import/history). docs/format/history.md is the complete description.
 *
 *	file     segment...                 one for each start of the collector
 *	segment  head, chunk...
 *	head     magic 8, version 1, packing 1, zero 2, length 4, crc 4, body
 *	chunk    kind 1, length 3, crc 4, payload     an interval
 *
 * Numbers are little endian. The checksum of a head covers version to length, and its body. That
 * of a key chunk continues its head's, that of another the one of the chunk before it: a chunk
 * whose predecessor is missing is not accepted.
 */
#ifndef PIPA_MODEL_HISTORY_H
#define PIPA_MODEL_HISTORY_H

#include <stdint.h>

#define PIPA_HISTORY_WORD "word" /* unit of columns that are not numbers */
#define PIPA_HISTORY_MAGIC "\x89PMH\r\n\x1a\n"

enum {
	PIPA_HISTORY_MAGIC_SIZE = 8,
	PIPA_HISTORY_VERSION = 1,
	PIPA_HISTORY_HEAD_SIZE = 20,  /* before the body */
	PIPA_HISTORY_CHUNK_SIZE = 8,  /* before the payload */
	PIPA_HISTORY_KEY_TIME = 8,    /* time at the start of a key payload, uncompressed */
	PIPA_HISTORY_KEY_EVERY = 120, /* intervals per key chunk: limits loss by corruption */

	/* limits that a reader enforces and a writer observes */
	PIPA_HISTORY_MAX_HEAD = 1 << 20,
	PIPA_HISTORY_MAX_CHUNK = 4 << 20,
	PIPA_HISTORY_MAX_TICK = 64 << 20, /* uncompressed */
	PIPA_HISTORY_MAX_ROWS = 1 << 20,
	PIPA_HISTORY_MAX_CELLS = 1 << 24,
	PIPA_HISTORY_MAX_NAME = 255,
};

enum pipa_history_packing { PIPA_HISTORY_PLAIN, PIPA_HISTORY_ZSTD, PIPA_HISTORY_PACKING_NR };

enum pipa_history_chunk {
	PIPA_HISTORY_KEY = 0xc1,  /* can be decoded without earlier chunks */
	PIPA_HISTORY_NEXT = 0xc2, /* needs the chunk before it */
};

/* Code of a row within an interval. */
enum pipa_history_row {
	PIPA_ROW_END,	    /* end of the interval */
	PIPA_ROW_FOLLOWING, /* the row after the previous one, in the order of first occurrence */
	PIPA_ROW_NEW,	    /* a new row: section, length and text of its instance follow */
	PIPA_ROW_NUMBER, /* this and above: the row that occurred first as number n - PIPA_ROW_NUMBER */
};

/* Code of a value within a row. */
enum pipa_history_value {
	PIPA_VALUE_SAME,    /* unchanged: the same number, or still missing */
	PIPA_VALUE_MISSING, /* missing from now on */
	PIPA_VALUE_RAW,	    /* eight bytes, IEEE 754 */
	PIPA_VALUE_CHANGE,  /* this and above: last digit plus unzigzag(n - PIPA_VALUE_CHANGE) */
};

/* Code of a value in a column whose unit is PIPA_HISTORY_WORD. */
enum pipa_history_word {
	/* PIPA_VALUE_SAME: unchanged */
	PIPA_VALUE_TEXT = 1, /* this and above: a string of n - PIPA_VALUE_TEXT bytes follows */
};

/* Reason for which a segment starts. */
enum pipa_history_reason {
	PIPA_HISTORY_STARTED, /* the collector was started */
	PIPA_HISTORY_CONTINUED, /* by the same collector: at midnight, or after its file was removed */
	PIPA_HISTORY_REASON_NR,
};

struct pipa_history_head {
	enum pipa_history_reason reason;
	uint64_t wall_ns;     /* start of the segment */
	uint64_t interval_ns; /* requested interval */
	int32_t utc_offset_s; /* offset of the time zone, positive east of UTC */
	uint32_t cpus;
	const char *host;
	const char *boot_id; /* the kernel's boot id */
};

#endif
