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

#define PIPA_HISTORY_WORD "word" /* the unit of columns that hold no numbers */
#define PIPA_HISTORY_MAGIC "\x89PMH\r\n\x1a\n"

enum {
	PIPA_HISTORY_MAGIC_SIZE = 8,
	PIPA_HISTORY_VERSION = 1,
	PIPA_HISTORY_HEAD_SIZE = 20,  /* before the body */
	PIPA_HISTORY_CHUNK_SIZE = 8,  /* before the payload */
	PIPA_HISTORY_KEY_TIME = 8,    /* a key's payload begins with its time, decompressed */
	PIPA_HISTORY_KEY_EVERY = 120, /* ticks: what a corrupt byte can cost */

	/* what a reader believes; a writer stays below */
	PIPA_HISTORY_MAX_HEAD = 1 << 20,
	PIPA_HISTORY_MAX_CHUNK = 4 << 20,
	PIPA_HISTORY_MAX_TICK = 64 << 20, /* decompressed */
	PIPA_HISTORY_MAX_ROWS = 1 << 20,
	PIPA_HISTORY_MAX_CELLS = 1 << 24,
	PIPA_HISTORY_MAX_NAME = 255,
};

enum pipa_history_packing { PIPA_HISTORY_PLAIN, PIPA_HISTORY_ZSTD, PIPA_HISTORY_PACKING_NR };

enum pipa_history_chunk {
	PIPA_HISTORY_KEY = 0xc1,  /* can be read without those before it */
	PIPA_HISTORY_NEXT = 0xc2, /* cannot */
};

/* A row within a tick. */
enum pipa_history_row {
	PIPA_ROW_END,	    /* there is none: the tick is over */
	PIPA_ROW_FOLLOWING, /* the one that was met first after the one before */
	PIPA_ROW_NEW,	    /* section, length and text of its instance follow */
	PIPA_ROW_NUMBER,    /* this and more: row number n - PIPA_ROW_NUMBER, as they were met */
};

/* A value within a row. */
enum pipa_history_value {
	PIPA_VALUE_SAME,    /* as before: the same number, or missing still */
	PIPA_VALUE_MISSING, /* from now on */
	PIPA_VALUE_RAW,	    /* eight bytes of IEEE 754 follow */
	PIPA_VALUE_CHANGE, /* this and more: by unzigzag(n - PIPA_VALUE_CHANGE) in its last digit */
};

/* A value of a column whose unit is PIPA_HISTORY_WORD. */
enum pipa_history_word {
	/* PIPA_VALUE_SAME: as before */
	PIPA_VALUE_TEXT = 1, /* this and more: a text of n - PIPA_VALUE_TEXT bytes follows */
};

/* Why a segment begins. */
enum pipa_history_reason {
	PIPA_HISTORY_STARTED,	/* the collector was started */
	PIPA_HISTORY_CONTINUED, /* the same collector: midnight, or its file was taken away */
	PIPA_HISTORY_REASON_NR,
};

struct pipa_history_head {
	enum pipa_history_reason reason;
	uint64_t wall_ns;     /* when it began */
	uint64_t interval_ns; /* that was requested */
	int32_t utc_offset_s; /* of the machine's time zone, east is positive */
	uint32_t cpus;
	const char *host;
	const char *boot_id; /* the kernel's: another one is another boot */
};

#endif
