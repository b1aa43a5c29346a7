/* CPU time, interrupts and softirqs. */
#include "collect/meter/meter_columns.h"

/* Return the delta of a column; 0 if an old kernel lacks it. */
static double cpu_growth(const struct pipa_metric_input *m, unsigned int field)
{
	return m->grown[field] == PIPA_RAW_MISSING ? 0 : (double)m->grown[field];
}

/* Sum the time; guest time is included in user and nice. */
static double cpu_total(const struct pipa_metric_input *m)
{
	double total = 0;
	unsigned int i;

	for (i = CPU_USER; i <= CPU_STEAL; i++)
		total += cpu_growth(m, i);
	return total;
}

/* Is the line truncated? Every kernel counts idle time. */
static bool cpu_is_cut(const struct pipa_metric_input *m)
{
	return m->grown[CPU_IDLE] == PIPA_RAW_MISSING;
}

static double cpu_share(const struct pipa_metric_input *m, double time)
{
	double total = cpu_total(m);

	if (cpu_is_cut(m))
		return NAN;
	return total > 0 ? 100 * fmax(time, 0) / total : 0;
}

#define CPU_SHARE(name, expression)                                                                \
	static double name(const struct pipa_metric_input *m)                                      \
	{                                                                                          \
		return cpu_share(m, expression);                                                   \
	}

CPU_SHARE(cpu_usr, cpu_growth(m, CPU_USER) - cpu_growth(m, CPU_GUEST))
CPU_SHARE(cpu_nice, cpu_growth(m, CPU_NICE) - cpu_growth(m, CPU_GNICE))
CPU_SHARE(cpu_sys, cpu_growth(m, CPU_SYS))
CPU_SHARE(cpu_iowait, cpu_growth(m, CPU_IOWAIT))
CPU_SHARE(cpu_steal, cpu_growth(m, CPU_STEAL))
CPU_SHARE(cpu_irq, cpu_growth(m, CPU_IRQ))
CPU_SHARE(cpu_soft, cpu_growth(m, CPU_SOFT))
CPU_SHARE(cpu_guest, cpu_growth(m, CPU_GUEST))
CPU_SHARE(cpu_gnice, cpu_growth(m, CPU_GNICE))
CPU_SHARE(cpu_user, cpu_growth(m, CPU_USER))
CPU_SHARE(cpu_nice_all, cpu_growth(m, CPU_NICE))
CPU_SHARE(cpu_system, cpu_growth(m, CPU_SYS) + cpu_growth(m, CPU_IRQ) + cpu_growth(m, CPU_SOFT))

/* Return idle time. A CPU in nohz idle does not update its counters: it was idle. */
static double cpu_idle(const struct pipa_metric_input *m)
{
	double total = cpu_total(m);

	if (cpu_is_cut(m))
		return NAN;
	return total > 0 ? 100 * cpu_growth(m, CPU_IDLE) / total : 100;
}

static const struct pipa_formula cpu[] = {
	[PIPA_COL_CPU_USR] = CALC(cpu_usr),	[PIPA_COL_CPU_NICE] = CALC(cpu_nice),
	[PIPA_COL_CPU_SYS] = CALC(cpu_sys),	[PIPA_COL_CPU_IOWAIT] = CALC(cpu_iowait),
	[PIPA_COL_CPU_STEAL] = CALC(cpu_steal), [PIPA_COL_CPU_IRQ] = CALC(cpu_irq),
	[PIPA_COL_CPU_SOFT] = CALC(cpu_soft),	[PIPA_COL_CPU_GUEST] = CALC(cpu_guest),
	[PIPA_COL_CPU_GNICE] = CALC(cpu_gnice), [PIPA_COL_CPU_IDLE] = CALC(cpu_idle),
};

/* The six columns of sar -u: guest time is included in user, interrupts in system. */
static const struct pipa_formula cpu_short[] = {
	[PIPA_COL_CPU_SHORT_USER] = CALC(cpu_user),
	[PIPA_COL_CPU_SHORT_NICE_ALL] = CALC(cpu_nice_all),
	[PIPA_COL_CPU_SHORT_SYSTEM] = CALC(cpu_system),
	[PIPA_COL_CPU_SHORT_IOWAIT] = CALC(cpu_iowait),
	[PIPA_COL_CPU_SHORT_STEAL] = CALC(cpu_steal),
	[PIPA_COL_CPU_SHORT_IDLE] = CALC(cpu_idle),
};

static const struct pipa_formula interrupts[] = {
	[PIPA_COL_INTERRUPTS_COUNT] = PER_SECOND(INTERRUPTS_COUNT),
};

static const struct pipa_formula softirq[] = {
	[PIPA_COL_SOFTIRQ_HI] = PER_SECOND(SOFTIRQ_HI),
	[PIPA_COL_SOFTIRQ_TIMER] = PER_SECOND(SOFTIRQ_TIMER),
	[PIPA_COL_SOFTIRQ_NET_TX] = PER_SECOND(SOFTIRQ_NET_TX),
	[PIPA_COL_SOFTIRQ_NET_RX] = PER_SECOND(SOFTIRQ_NET_RX),
	[PIPA_COL_SOFTIRQ_BLOCK] = PER_SECOND(SOFTIRQ_BLOCK),
	[PIPA_COL_SOFTIRQ_IRQ_POLL] = PER_SECOND(SOFTIRQ_IRQ_POLL),
	[PIPA_COL_SOFTIRQ_TASKLET] = PER_SECOND(SOFTIRQ_TASKLET),
	[PIPA_COL_SOFTIRQ_SCHED] = PER_SECOND(SOFTIRQ_SCHED),
	[PIPA_COL_SOFTIRQ_HRTIMER] = PER_SECOND(SOFTIRQ_HRTIMER),
	[PIPA_COL_SOFTIRQ_RCU] = PER_SECOND(SOFTIRQ_RCU),
};

/* Show CPUs that ever counted: the kernel lists all possible CPUs. */
static bool softirq_is_shown(const struct pipa_metric_input *m, const char *instance)
{
	unsigned int i;

	for (i = 0; i < SOFTIRQ_FIELDS; i++)
		if (value(m, i) > 0)
			return cpu_is_shown(m, instance);
	return false;
}

SECTION(cpu, CPU, cpu, CPU, .shows = cpu_is_shown);
SECTION(cpu_short, CPU_SHORT, cpu_short, CPU, .shows = cpu_is_shown);
SECTION(interrupts, INTERRUPTS, interrupts, INTERRUPTS);
SECTION(softirq, SOFTIRQ, softirq, SOFTIRQS, .shows = softirq_is_shown);
