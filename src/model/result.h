/*
 * One result as PIPA's server stores it: the 55 fields of the message DeployRequest of service pipa.PIPAD
 * (proto/pipa.proto). The table of fields is the only place that lists them; messages, the columns of a database,
 * the hash and the tables for download derive from it.
 *
 * A field is set or not. A field with implicit presence, of which the wire cannot tell 0 or "" from an absent value, is
 * set if it is not 0 or "". A text has no NUL.
 */
#ifndef PIPA_MODEL_RESULT_H
#define PIPA_MODEL_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

/* The numbers of the fields, without gaps. */
enum pipa_result_field {
	PIPA_RESULT_WORKLOAD = 1,
	PIPA_RESULT_TRANSACTIONS = 2,
	PIPA_RESULT_THROUGHPUT = 3,
	PIPA_RESULT_USED_THREADS = 4,
	PIPA_RESULT_RUN_TIME = 5,
	PIPA_RESULT_CYCLES = 6,
	PIPA_RESULT_INSTRUCTIONS = 7,
	PIPA_RESULT_CYCLES_PER_SECOND = 8,
	PIPA_RESULT_INSTRUCTIONS_PER_SECOND = 9,
	PIPA_RESULT_CPI = 10,
	PIPA_RESULT_CYCLES_PER_REQUESTS = 11,
	PIPA_RESULT_PATH_LENGTH = 12,
	PIPA_RESULT_CPU_FREQUENCY_MHZ = 13,
	PIPA_RESULT_CPU_USR = 14,
	PIPA_RESULT_CPU_NICE = 15,
	PIPA_RESULT_CPU_SYS = 16,
	PIPA_RESULT_CPU_IOWAIT = 17,
	PIPA_RESULT_CPU_STEAL = 18,
	PIPA_RESULT_CPU_IRQ = 19,
	PIPA_RESULT_CPU_SOFT = 20,
	PIPA_RESULT_CPU_GUEST = 21,
	PIPA_RESULT_CPU_GNICE = 22,
	PIPA_RESULT_CPU_IDLE = 23,
	PIPA_RESULT_CPU_UTIL = 24,
	PIPA_RESULT_KBMEMFREE = 25,
	PIPA_RESULT_KBAVAIL = 26,
	PIPA_RESULT_KBMEMUSED = 27,
	PIPA_RESULT_PERCENT_MEMUSED = 28,
	PIPA_RESULT_KBBUFFERS = 29,
	PIPA_RESULT_KBCACHED = 30,
	PIPA_RESULT_KBCOMMIT = 31,
	PIPA_RESULT_PERCENT_COMMIT = 32,
	PIPA_RESULT_KBACTIVE = 33,
	PIPA_RESULT_KBINACT = 34,
	PIPA_RESULT_KBDIRTY = 35,
	PIPA_RESULT_KBANONPG = 36,
	PIPA_RESULT_KBSLAB = 37,
	PIPA_RESULT_KBKSTACK = 38,
	PIPA_RESULT_KBPGTBL = 39,
	PIPA_RESULT_KBVMUSED = 40,
	PIPA_RESULT_DEV = 41,
	PIPA_RESULT_TPS = 42,
	PIPA_RESULT_RKB_S = 43,
	PIPA_RESULT_WKB_S = 44,
	PIPA_RESULT_DKB_S = 45,
	PIPA_RESULT_AREQ_SZ = 46,
	PIPA_RESULT_AQU_SZ = 47,
	PIPA_RESULT_DISK_AWAIT = 48,
	PIPA_RESULT_PERCENT_DISK_UTIL = 49,
	PIPA_RESULT_DATA_LOCATION = 50,
	PIPA_RESULT_HW_INFO = 51,
	PIPA_RESULT_SW_INFO = 52,
	PIPA_RESULT_PLATFORM = 53,
	PIPA_RESULT_COMMENT = 54,
	PIPA_RESULT_USERNAME = 55,
	PIPA_RESULT_FIELDS = PIPA_RESULT_USERNAME,
};

enum pipa_result_type {
	PIPA_RESULT_TEXT,   /* string; TEXT */
	PIPA_RESULT_UINT64, /* uint64; INTEGER */
	PIPA_RESULT_DOUBLE, /* double; REAL */
	PIPA_RESULT_LIST,   /* repeated uint32; TEXT like "[36, 37]" */
};

struct pipa_result_field_info {
	const char *name; /* of the field and of the column */
	const char *key;  /* in a report of pipa run and in PIPA's dump: "%usr" */
	const char *unit; /* "%", "kB"; "" for a plain number or a text */
	enum pipa_result_type type;
	bool is_explicit; /* `optional` in the message: 0 is a value */
};

/* By number; item 0 is not used. */
extern const struct pipa_result_field_info pipa_result_fields[PIPA_RESULT_FIELDS + 1];

/* Return the field of that name, or of that key; 0 if there is none. */
enum pipa_result_field pipa_result_field_find(const char *name);

/* Return the type of the column in SQLite: "TEXT", "INTEGER", "REAL". */
const char *pipa_result_sqlite_type(enum pipa_result_type type);

union pipa_result_value {
	uint64_t number;
	double real;
	struct pipa_span text; /* borrowed */
	struct {
		const uint32_t *items; /* borrowed */
		size_t n;
	} list;
};

/* Zero is a result without values. */
struct pipa_result {
	uint64_t set; /* bit N: field N is set */
	union pipa_result_value values[PIPA_RESULT_FIELDS + 1];
};

static inline bool pipa_result_has(const struct pipa_result *result, enum pipa_result_field field)
{
	return result->set >> field & 1;
}

/*
 * Set a field to a value of its type; the text and the list are borrowed. Without explicit presence, 0, "" and an empty
 * list clear it; so does NULL.
 */
void pipa_result_set_number(struct pipa_result *result, enum pipa_result_field field,
			    uint64_t value);
void pipa_result_set_real(struct pipa_result *result, enum pipa_result_field field, double value);
void pipa_result_set_text(struct pipa_result *result, enum pipa_result_field field,
			  struct pipa_span text);
void pipa_result_set_string(struct pipa_result *result, enum pipa_result_field field,
			    const char *text);
void pipa_result_set_list(struct pipa_result *result, const uint32_t *items, size_t n);

struct pipa_error;

/*
 * Check what every store has to refuse, naming the field: numbers above 2^63 - 1, which SQLite would turn into floating
 * point, NaN and infinities, texts with a NUL or that are not UTF-8. 0 or -EINVAL.
 */
int pipa_result_check(const struct pipa_result *result, struct pipa_error *err);

struct pipa_buf;

/* Append the list as it is stored: "[36, 37]". */
void pipa_result_put_list(struct pipa_buf *out, const uint32_t *items, size_t n);

/*
 * Parse such a text, with any spaces: returns the number of items, of which at most `cap` are stored, or -1 if it is not a
 * list.
 */
ptrdiff_t pipa_result_parse_list(struct pipa_span text, uint32_t *items, size_t cap);

#endif
