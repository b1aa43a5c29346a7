/* The system as a whole. */
#include "collect/meter/meter_columns.h"

static const struct pipa_column cswch[] = {
	PER_SECOND("system.forks", "proc/s", SYSTEM_FORKS),
	PER_SECOND("system.switches", "cswch/s", SYSTEM_CTXT),
};

/* Ourselves, who were running to read it, left out. */
static double run_queue(const struct pipa_metric_input *m)
{
	double running = value(m, LOAD_RUNNING);

	return running > 0 ? running - 1 : running;
}

static const struct pipa_column load[] = {
	STATE("load.running", "runq-sz", NONE, 0, run_queue),
	COUNTED("load.tasks", "plist-sz", LOAD_TASKS),
	GAUGE("load.1", "ldavg-1", NONE, 2, LOAD_1, 0.01),
	GAUGE("load.5", "ldavg-5", NONE, 2, LOAD_5, 0.01),
	GAUGE("load.15", "ldavg-15", NONE, 2, LOAD_15, 0.01),
	COUNTED("load.blocked", "blocked", LOAD_BLOCKED),
};

static double files_used(const struct pipa_metric_input *m)
{
	return value(m, TABLES_FILES) - value(m, TABLES_FILES_FREE);
}

static double inodes_used(const struct pipa_metric_input *m)
{
	return value(m, TABLES_INODES) - value(m, TABLES_INODES_FREE);
}

static const struct pipa_column kernel_tables[] = {
	COUNTED("tables.dentries_unused", "dentunusd", TABLES_DENTRIES_UNUSED),
	STATE("tables.files", "file-nr", NONE, 0, files_used),
	STATE("tables.inodes", "inode-nr", NONE, 0, inodes_used),
	COUNTED("tables.ptys", "pty-nr", TABLES_PTYS),
};

/* Microseconds stalled in a second are ten-thousandths of a percent. */
#define PSI_SOME(id, tag)                                                                          \
	GAUGE("psi." id ".some_10", "%s" tag "-10", PERCENT, 2, PSI_SOME_10, 0.01),                \
		GAUGE("psi." id ".some_60", "%s" tag "-60", PERCENT, 2, PSI_SOME_60, 0.01),        \
		GAUGE("psi." id ".some_300", "%s" tag "-300", PERCENT, 2, PSI_SOME_300, 0.01),     \
		RATE("psi." id ".some", "%s" tag, PERCENT, PSI_SOME_US, 1e-4)
#define PSI_FULL(id, tag)                                                                          \
	GAUGE("psi." id ".full_10", "%f" tag "-10", PERCENT, 2, PSI_FULL_10, 0.01),                \
		GAUGE("psi." id ".full_60", "%f" tag "-60", PERCENT, 2, PSI_FULL_60, 0.01),        \
		GAUGE("psi." id ".full_300", "%f" tag "-300", PERCENT, 2, PSI_FULL_300, 0.01),     \
		RATE("psi." id ".full", "%f" tag, PERCENT, PSI_FULL_US, 1e-4)

static const struct pipa_column psi_cpu[] = { PSI_SOME("cpu", "cpu") };
static const struct pipa_column psi_io[] = { PSI_SOME("io", "io"), PSI_FULL("io", "io") };
static const struct pipa_column psi_memory[] = { PSI_SOME("memory", "mem"),
						 PSI_FULL("memory", "mem") };

static const struct pipa_column tty[] = {
	PER_SECOND("tty.rx", "rcvin/s", TTY_RX),
	PER_SECOND("tty.tx", "xmtin/s", TTY_TX),
	PER_SECOND("tty.frame_errors", "framerr/s", TTY_FRAME),
	PER_SECOND("tty.parity_errors", "prtyerr/s", TTY_PARITY),
	PER_SECOND("tty.breaks", "brk/s", TTY_BREAK),
	PER_SECOND("tty.overruns", "ovrun/s", TTY_OVERRUN),
};

SECTION(cswch, "cswch", NULL, "tasks made and switched", cswch, SYSTEM);
SECTION(load, "load", NULL, "load", load, LOAD);
SECTION(kernel_tables, "kernel-tables", NULL, "kernel tables", kernel_tables, TABLES);
SECTION(psi_cpu, "psi-cpu", NULL, "CPU pressure", psi_cpu, PSI_CPU);
SECTION(psi_io, "psi-io", NULL, "I/O pressure", psi_io, PSI_IO);
SECTION(psi_memory, "psi-memory", NULL, "memory pressure", psi_memory, PSI_MEMORY);
SECTION(tty, "tty", "TTY", "serial lines", tty, TTY);
