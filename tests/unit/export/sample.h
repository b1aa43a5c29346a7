/*
 * Reports with invented numbers, one per shape that an output has to master. They live in static
 * memory until the next one is made; nothing in them comes from a machine.
 */
#ifndef PIPA_TESTS_SAMPLE_H
#define PIPA_TESTS_SAMPLE_H

#include "model/stat.h"

const struct pipa_stat *sample_global(void);	/* a command: all states, several metrics */
const struct pipa_stat *sample_user_only(void); /* without the kernel's share, with notes */
const struct pipa_stat *sample_cpus(void);	/* -A */
const struct pipa_stat *sample_cores(void);	/* --per-core */
const struct pipa_stat *sample_dies(void);	/* --per-die */
const struct pipa_stat *sample_sockets(void);	/* --per-socket */
const struct pipa_stat *sample_nodes(void);	/* --per-node */
const struct pipa_stat *sample_threads(void);	/* --per-thread, one with an odd name */
const struct pipa_stat *sample_tick(int n);	/* the n-th of two intervals */
const struct pipa_stat *sample_cpu_tick(int n); /* the same with -A */
const struct pipa_stat *sample_summary(void);	/* fields after them */
const struct pipa_stat *sample_repeats(void);	/* -r 5 */
const struct pipa_stat *sample_cgroups(void);	/* two of them */
const struct pipa_stat *sample_hybrid(void);	/* parts and their sums */
const struct pipa_stat *sample_energy(void);	/* Joules of packages, MiB of controllers */
const struct pipa_stat *sample_topdown(void);	/* requested metrics, by package */
const struct pipa_stat *sample_several(void);	/* two metrics beside one event, in every column */
const struct pipa_stat *sample_compared(void);	/* changes against a baseline */
const struct pipa_stat *sample_nothing(void);	/* time only */

#endif
