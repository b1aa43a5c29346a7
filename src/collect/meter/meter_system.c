/* Statistics of the whole system: tasks, load, pressure, kernel tables. */
#include "collect/meter/meter_columns.h"

static const struct pipa_formula cswch[] = {
	[PIPA_COL_CSWCH_FORKS] = PER_SECOND(SYSTEM_FORKS),
	[PIPA_COL_CSWCH_SWITCHES] = PER_SECOND(SYSTEM_CTXT),
};

/* Return the run queue without the reader itself. */
static double run_queue(const struct pipa_metric_input *m)
{
	double running = value(m, LOAD_RUNNING);

	return running > 0 ? running - 1 : running;
}

static const struct pipa_formula load[] = {
	[PIPA_COL_LOAD_RUNNING] = STATE(run_queue), [PIPA_COL_LOAD_TASKS] = COUNTED(LOAD_TASKS),
	[PIPA_COL_LOAD_1] = GAUGE(LOAD_1, 0.01),    [PIPA_COL_LOAD_5] = GAUGE(LOAD_5, 0.01),
	[PIPA_COL_LOAD_15] = GAUGE(LOAD_15, 0.01),  [PIPA_COL_LOAD_BLOCKED] = COUNTED(LOAD_BLOCKED),
};

static double files_used(const struct pipa_metric_input *m)
{
	return value(m, TABLES_FILES) - value(m, TABLES_FILES_FREE);
}

static double inodes_used(const struct pipa_metric_input *m)
{
	return value(m, TABLES_INODES) - value(m, TABLES_INODES_FREE);
}

static const struct pipa_formula kernel_tables[] = {
	[PIPA_COL_KERNEL_TABLES_DENTRIES_UNUSED] = COUNTED(TABLES_DENTRIES_UNUSED),
	[PIPA_COL_KERNEL_TABLES_FILES] = STATE(files_used),
	[PIPA_COL_KERNEL_TABLES_INODES] = STATE(inodes_used),
	[PIPA_COL_KERNEL_TABLES_PTYS] = COUNTED(TABLES_PTYS),
};

/*
 * Return microseconds of stall as percent of the interval. The kernel adds them up when its file is read, which on a busy
 * machine may be long after the clock was: between two readings they can exceed the interval.
 */
static double stalled(const struct pipa_metric_input *m, unsigned int field)
{
	double share = growth(m, field) / m->seconds / 1e4;

	return share > 100 ? 100 : share;
}

static double psi_some(const struct pipa_metric_input *m)
{
	return stalled(m, PSI_SOME_US);
}

static double psi_full(const struct pipa_metric_input *m)
{
	return stalled(m, PSI_FULL_US);
}

#define PSI_SOME(index)                                                                            \
	[PIPA_COL_##index##_SOME_10] = GAUGE(PSI_SOME_10, 0.01),                                   \
	[PIPA_COL_##index##_SOME_60] = GAUGE(PSI_SOME_60, 0.01),                                   \
	[PIPA_COL_##index##_SOME_300] = GAUGE(PSI_SOME_300, 0.01),                                 \
	[PIPA_COL_##index##_SOME] = CALC(psi_some)
#define PSI_FULL(index)                                                                            \
	[PIPA_COL_##index##_FULL_10] = GAUGE(PSI_FULL_10, 0.01),                                   \
	[PIPA_COL_##index##_FULL_60] = GAUGE(PSI_FULL_60, 0.01),                                   \
	[PIPA_COL_##index##_FULL_300] = GAUGE(PSI_FULL_300, 0.01),                                 \
	[PIPA_COL_##index##_FULL] = CALC(psi_full)

static const struct pipa_formula psi_cpu[] = { PSI_SOME(PSI_CPU) };
static const struct pipa_formula psi_io[] = { PSI_SOME(PSI_IO), PSI_FULL(PSI_IO) };
static const struct pipa_formula psi_memory[] = { PSI_SOME(PSI_MEMORY), PSI_FULL(PSI_MEMORY) };

static const struct pipa_formula tty[] = {
	[PIPA_COL_TTY_RX] = PER_SECOND(TTY_RX),
	[PIPA_COL_TTY_TX] = PER_SECOND(TTY_TX),
	[PIPA_COL_TTY_FRAME_ERRORS] = PER_SECOND(TTY_FRAME),
	[PIPA_COL_TTY_PARITY_ERRORS] = PER_SECOND(TTY_PARITY),
	[PIPA_COL_TTY_BREAKS] = PER_SECOND(TTY_BREAK),
	[PIPA_COL_TTY_OVERRUNS] = PER_SECOND(TTY_OVERRUN),
};

SECTION(cswch, CSWCH, cswch, SYSTEM);
SECTION(load, LOAD, load, LOAD);
SECTION(kernel_tables, KERNEL_TABLES, kernel_tables, TABLES);
SECTION(psi_cpu, PSI_CPU, psi_cpu, PSI_CPU);
SECTION(psi_io, PSI_IO, psi_io, PSI_IO);
SECTION(psi_memory, PSI_MEMORY, psi_memory, PSI_MEMORY);
SECTION(tty, TTY, tty, TTY);
