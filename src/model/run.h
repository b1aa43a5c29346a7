/*
 * Results of one run of a workload: a number per key, with the names of PIPA's dump, and a few
 * strings. Filled by analyze/, written by export/.
 *
 * A missing number is NaN, never zero; the reason is in a note.
 */
#ifndef PIPA_MODEL_RUN_H
#define PIPA_MODEL_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpus.h"
#include "model/sections.h"
#include "model/stat.h"

enum pipa_run_group {
	PIPA_RUN_WORK,	  /* completed work, and its rate */
	PIPA_RUN_COUNTS,  /* hardware counters; the scope is in pipa_run.scope */
	PIPA_RUN_COMMAND, /* resource usage of the command, accounted by the kernel */
	PIPA_RUN_CPU,	  /* the whole machine, from here on */
	PIPA_RUN_MEMORY,
	PIPA_RUN_DISK,
	PIPA_RUN_NETWORK,
	PIPA_RUN_ENERGY,
	PIPA_RUN_GROUPS,
};

/* In the order of the report. */
enum pipa_run_key {
	PIPA_RUN_TRANSACTIONS,
	PIPA_RUN_THROUGHPUT,
	PIPA_RUN_REPORTED_RATE,
	PIPA_RUN_TIME,

	PIPA_RUN_CYCLES,
	PIPA_RUN_INSTRUCTIONS,
	PIPA_RUN_CYCLES_PER_SECOND,
	PIPA_RUN_INSTRUCTIONS_PER_SECOND,
	PIPA_RUN_CPI,
	PIPA_RUN_IPC,
	PIPA_RUN_CYCLES_PER_REQUEST,
	PIPA_RUN_PATH_LENGTH,
	PIPA_RUN_BRANCH_MISSES,
	PIPA_RUN_CACHE_MISSES,
	PIPA_RUN_L1D_MISSES,
	PIPA_RUN_LLC_MISSES,
	PIPA_RUN_DTLB_MISSES,
	PIPA_RUN_RETIRING,
	PIPA_RUN_BAD_SPECULATION,
	PIPA_RUN_FRONTEND_BOUND,
	PIPA_RUN_BACKEND_BOUND,

	PIPA_RUN_CPU_SECONDS,
	PIPA_RUN_USER_SECONDS,
	PIPA_RUN_SYS_SECONDS,
	PIPA_RUN_CPU_SECONDS_PER_TRANSACTION,
	PIPA_RUN_CPUS_USED,
	PIPA_RUN_SWITCHES,
	PIPA_RUN_MIGRATIONS,
	PIPA_RUN_FAULTS,
	PIPA_RUN_MAJOR_FAULTS,
	PIPA_RUN_PEAK_KB,
	PIPA_RUN_READ_KB,
	PIPA_RUN_WRITTEN_KB,

	PIPA_RUN_USR,
	PIPA_RUN_NICE,
	PIPA_RUN_SYS,
	PIPA_RUN_IOWAIT,
	PIPA_RUN_STEAL,
	PIPA_RUN_IRQ,
	PIPA_RUN_SOFT,
	PIPA_RUN_GUEST,
	PIPA_RUN_GNICE,
	PIPA_RUN_IDLE,
	PIPA_RUN_UTIL,
	PIPA_RUN_MHZ,
	PIPA_RUN_SYSTEM_SWITCHES,

	PIPA_RUN_MEM_FREE,
	PIPA_RUN_MEM_AVAILABLE,
	PIPA_RUN_MEM_USED,
	PIPA_RUN_MEM_USED_PERCENT,
	PIPA_RUN_BUFFERS,
	PIPA_RUN_CACHED,
	PIPA_RUN_COMMIT,
	PIPA_RUN_COMMIT_PERCENT,
	PIPA_RUN_ACTIVE,
	PIPA_RUN_INACTIVE,
	PIPA_RUN_DIRTY,
	PIPA_RUN_ANON,
	PIPA_RUN_SLAB,
	PIPA_RUN_KSTACK,
	PIPA_RUN_PAGE_TABLES,
	PIPA_RUN_VMUSED,

	PIPA_RUN_TPS,
	PIPA_RUN_DISK_READ,
	PIPA_RUN_DISK_WRITTEN,
	PIPA_RUN_DISK_DISCARDED,
	PIPA_RUN_REQUEST_SIZE,
	PIPA_RUN_QUEUE,
	PIPA_RUN_AWAIT,
	PIPA_RUN_DISK_UTIL,

	PIPA_RUN_RX,
	PIPA_RUN_TX,

	PIPA_RUN_JOULES,
	PIPA_RUN_WATTS,
	PIPA_RUN_JOULES_PER_TRANSACTION,
	PIPA_RUN_KEYS,
};

struct pipa_run_key_info {
	const char *name; /* "cycles_per_requests", as in PIPA's dump */
	const char *unit; /* "1/s", "kB", "%"; "" for a plain number */
	const char *title;
	enum pipa_run_group group;
	int digits;	 /* maximum after the decimal point */
	int better;	 /* 1: higher is better, -1: lower is better, 0: neither */
	bool is_whole;	 /* a count */
	const char *one; /* title of a count of 1; NULL: `title` */
	bool is_spare;	 /* omit from the text report if 0 */
	bool judged;	 /* decides whether a run has regressed */
	bool in_series;	 /* a column of the system statistics: */
	enum pipa_section_id section;
	int column;
};

extern const struct pipa_run_key_info pipa_run_keys[PIPA_RUN_KEYS];

/* Return the key of that name, PIPA_RUN_KEYS if there is none. */
enum pipa_run_key pipa_run_key_find(const char *name);

/* A hot function. */
struct pipa_run_hot {
	char *symbol, *object;
	double percent; /* self, of the weight of all samples */
	uint64_t samples;
};

/* More functions are stored than shown, because those of several runs are summed. */
enum { PIPA_RUN_HOT = 64, PIPA_RUN_HOT_TOLD = 10 };

/* Source of the number of transactions. */
struct pipa_run_source {
	char *pattern; /* "sysbench: total number of events", "--transactions"; NULL: unknown */
	char *line;    /* matched line, NULL: none */
	char *unit;    /* "requests"; NULL: unknown */
	bool by_rate;  /* only a rate was found: count = rate x run time */
};

struct pipa_run {
	double values[PIPA_RUN_KEYS];
	struct pipa_spread spread[PIPA_RUN_KEYS]; /* over several runs; n is 0 for one run */
	size_t runs;

	char *command;
	char *workload; /* name of the workload */
	char *dev;	/* disk of the disk metrics, NULL: none */
	char *iface;	/* network interface of the network metrics */
	char *username;
	char *data_location; /* path of an earlier measurement; NULL: measured now */
	char *hw_info, *sw_info, *platform, *comment; /* given by the user, or NULL */
	struct pipa_cpus cores;			      /* given by the user; empty: all */
	const char *scope; /* of the counters: "cores", "system" or "command"; NULL: no counters */
	int status;	   /* exit status of the command, 128 + n for a signal */

	struct pipa_run_source transactions;
	struct pipa_run_hot hot[PIPA_RUN_HOT]; /* sorted by percent */
	size_t n_hot;
	bool incomplete; /* parts of the input are missing or corrupt */
	uint64_t samples, lost_samples, cut_stacks, late_ticks;

	/* counters of the command and of CPUs; borrowed, NULL: none */
	const struct pipa_stat *own, *cpus;
	bool asked; /* events were given by the user: the text report shows each */

	struct {
		char **items;
		size_t n, cap;
	} notes; /* sentences for the user */
};

/* Set all values to NaN and everything else to zero. */
void pipa_run_init(struct pipa_run *run);
void pipa_run_done(struct pipa_run *run);

/* Add a note for the user unless there is an equal one. 0 or -ENOMEM. */
int pipa_run_note(struct pipa_run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
