/*
 * Data of the full-screen monitor: the last rows of every section, and a history of charted
 * columns. A sink; pure.
 */
#ifndef PIPA_SCREEN_MONITOR_MONITOR_MODEL_H
#define PIPA_SCREEN_MONITOR_MONITOR_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/sections.h"
#include "screen/cells/grid.h"

enum pipa_history {
	PIPA_HISTORY_CPU,    /* percent busy: neither idle nor waiting for I/O */
	PIPA_HISTORY_MEMORY, /* percent used */
	PIPA_HISTORY_DISK,   /* kB/s read and written, all disks */
	PIPA_HISTORY_NET, /* kB/s in and out of the busiest interface; bridges would count twice */
	PIPA_HISTORY_NR,
};

enum { PIPA_HISTORY_MAX = 1024 };

struct pipa_monitor_model {
	struct pipa_series_sink sink; /* first member: the sink is cast to the model */
	bool frozen;		      /* ignore new rows and keep the last ones */
	bool in_tick;
	uint64_t ticks;
	struct pipa_tick tick;			 /* the last one */
	struct pipa_grid grids[PIPA_SECTION_NR]; /* without a section: no row was received */
	double history[PIPA_HISTORY_NR][PIPA_HISTORY_MAX];
	size_t n_history, next_history;
};

void pipa_monitor_model_init(struct pipa_monitor_model *model);
void pipa_monitor_model_done(struct pipa_monitor_model *model);

/* Return the rows of a section, NULL if none was received. */
const struct pipa_grid *pipa_monitor_model_grid(const struct pipa_monitor_model *model,
						enum pipa_section_id section);

/*
 * Return the value `age` intervals ago, 0 for the last; NaN if missing or older than the history.
 */
double pipa_monitor_model_history(const struct pipa_monitor_model *model, enum pipa_history which,
				  size_t age);

/* Leave a gap in the history for time without readings. */
void pipa_monitor_model_gap(struct pipa_monitor_model *model);

/* Shares of a CPU's time in percent, by its row of the section cpu. */
struct pipa_cpu_shares {
	double user, system, steal, iowait;
	double busy; /* all but idle and iowait; NaN if unknown */
};
struct pipa_cpu_shares pipa_monitor_model_cpu(const struct pipa_grid *cpu, size_t row);

/* kB; NaN if unknown */
struct pipa_memory_parts {
	double total, used, buffers, cache;
};
struct pipa_memory_parts pipa_monitor_model_memory(const struct pipa_monitor_model *model);
struct pipa_memory_parts pipa_monitor_model_swap(const struct pipa_monitor_model *model);

#endif
