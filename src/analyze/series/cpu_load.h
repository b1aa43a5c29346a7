/*
 * Load of CPUs: classes by PIPA's thresholds, groups found in the data, and load of NUMA nodes. User
 * time includes guests and system time includes interrupts, as sar's %user and %system do; the
 * columns of either form of sar's CPU table are used.
 */
#ifndef PIPA_ANALYZE_SERIES_CPU_LOAD_H
#define PIPA_ANALYZE_SERIES_CPU_LOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/series/series_summary.h"

struct pipa_hardware;

/* Ids of PIPA's classes. */
enum pipa_cpu_class { PIPA_CPU_ACTIVE = 0, PIPA_CPU_BUSY = 1, PIPA_CPU_IDLE = 99 };

/* Return PIPA's name of a class: "Busy (High Load)". */
const char *pipa_cpu_class_name(enum pipa_cpu_class class);

/* PIPA's minimum number of CPUs for classes, and its thresholds. */
enum { PIPA_CPU_CLASSES_MIN = 4, PIPA_CPU_GROUPS_MAX = 5 };
#define PIPA_CPU_IDLE_PERCENT 10.0
#define PIPA_CPU_BUSY_PERCENT 40.0

struct pipa_cpu_load {
	int cpu; /* -1: the sum of all CPUs */
	struct pipa_series_summary user, system, iowait, idle;
	double total;		   /* mean of user + system */
	enum pipa_cpu_class class; /* by p95 of user + p95 of system */
	size_t group;		   /* index of the group found in the data */
};

struct pipa_cpu_loads {
	struct pipa_cpu_load all; /* n of its summaries is 0 if the row "all" is missing */
	struct pipa_cpu_load *items;
	size_t n, cap;	/* sorted by CPU */
	size_t classes; /* number of different classes; 0: fewer than PIPA_CPU_CLASSES_MIN CPUs */
	struct {
		double low, high; /* total of its CPUs */
		size_t cpus;
	} groups[PIPA_CPU_GROUPS_MAX];
	size_t n_groups; /* 0: fewer than PIPA_CPU_CLASSES_MIN CPUs */
};

struct pipa_cpu_thresholds {
	double idle, busy; /* percent */
};

/*
 * Compute the loads of all CPUs in the window. Thresholds NULL: PIPA's. 0 or -ENOMEM; no CPUs
 * without statistics.
 */
int pipa_cpu_loads_init(struct pipa_cpu_loads *loads, const struct pipa_series_set *set,
			const struct pipa_time_window *window,
			const struct pipa_cpu_thresholds *thresholds);
/* Classify the CPUs by other thresholds. */
void pipa_cpu_loads_classify(struct pipa_cpu_loads *loads,
			     const struct pipa_cpu_thresholds *thresholds);
void pipa_cpu_loads_done(struct pipa_cpu_loads *loads);

enum pipa_cpu_time {
	PIPA_CPU_TIME_USER,
	PIPA_CPU_TIME_SYSTEM,
	PIPA_CPU_TIME_IOWAIT,
	PIPA_CPU_TIME_IDLE,
	PIPA_CPU_TIME_NR,
};

/*
 * Read the share of the time of an instance ("all", "3") in each interval of the window; NaN where it is
 * missing. The caller frees *ret. Returns the number of values, 0 without statistics, or -ENOMEM.
 */
ptrdiff_t pipa_cpu_time_read(const struct pipa_series_set *set, const char *cpu,
			     enum pipa_cpu_time time, const struct pipa_time_window *window,
			     double **ret);

/* Return the class of p95 values. */
enum pipa_cpu_class pipa_cpu_classify(double p95_user, double p95_system,
				      const struct pipa_cpu_thresholds *thresholds);

/*
 * Split n ascending values into groups so that the sum of squares within them is smallest (natural
 * breaks, Fisher 1958), with as few groups as explain 95 % of the variance; one group if values
 * differ by less than `distinct`. ret_first[] has the index of the first value of each of the at most
 * PIPA_CPU_GROUPS_MAX groups. Returns their number or -ENOMEM.
 */
ptrdiff_t pipa_natural_groups(const double *values, size_t n, double distinct,
			      size_t ret_first[static PIPA_CPU_GROUPS_MAX]);

struct pipa_node_load {
	int node;
	size_t cpus;
	double total; /* mean of the CPUs' totals */
};

/*
 * Compute the load of each NUMA node. Returns the number of nodes with CPUs, at most `max`;
 * *ret_difference is the largest load minus the smallest, 0 for fewer than two nodes.
 */
size_t pipa_node_loads(const struct pipa_cpu_loads *loads, const struct pipa_hardware *hardware,
		       struct pipa_node_load *ret, size_t max, double *ret_difference);

static inline void pipa_cpu_loads_done_auto(struct pipa_cpu_loads *loads)
{
	pipa_cpu_loads_done(loads);
}

#endif
