/* Time of CPUs and what interrupts them. */
#include "collect/meter/meter_columns.h"

/* An old kernel without the column: none of that time. */
static double cpu_growth(const struct pipa_metric_input *m, unsigned int field)
{
	return m->grown[field] == PIPA_RAW_MISSING ? 0 : (double)m->grown[field];
}

/* Guest time is part of user and nice already. */
static double cpu_total(const struct pipa_metric_input *m)
{
	double total = 0;
	unsigned int i;

	for (i = CPU_USER; i <= CPU_STEAL; i++)
		total += cpu_growth(m, i);
	return total;
}

/* Every kernel counts idle time: without it the line was cut. */
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

/* A CPU that stopped its tick has not grown at all: it was idle. */
static double cpu_idle(const struct pipa_metric_input *m)
{
	double total = cpu_total(m);

	if (cpu_is_cut(m))
		return NAN;
	return total > 0 ? 100 * cpu_growth(m, CPU_IDLE) / total : 100;
}

static const struct pipa_column cpu[] = {
	CALC("cpu.usr", "%usr", PERCENT, 2, cpu_usr),
	CALC("cpu.nice", "%nice", PERCENT, 2, cpu_nice),
	CALC("cpu.sys", "%sys", PERCENT, 2, cpu_sys),
	CALC("cpu.iowait", "%iowait", PERCENT, 2, cpu_iowait),
	CALC("cpu.steal", "%steal", PERCENT, 2, cpu_steal),
	CALC("cpu.irq", "%irq", PERCENT, 2, cpu_irq),
	CALC("cpu.soft", "%soft", PERCENT, 2, cpu_soft),
	CALC("cpu.guest", "%guest", PERCENT, 2, cpu_guest),
	CALC("cpu.gnice", "%gnice", PERCENT, 2, cpu_gnice),
	CALC("cpu.idle", "%idle", PERCENT, 2, cpu_idle),
};

/* The six columns of sar -u: guest time counts as user, interrupts as system. */
static const struct pipa_column cpu_short[] = {
	CALC("cpu.user", "%user", PERCENT, 2, cpu_user),
	CALC("cpu.nice_all", "%nice", PERCENT, 2, cpu_nice_all),
	CALC("cpu.system", "%system", PERCENT, 2, cpu_system),
	CALC("cpu.iowait", "%iowait", PERCENT, 2, cpu_iowait),
	CALC("cpu.steal", "%steal", PERCENT, 2, cpu_steal),
	CALC("cpu.idle", "%idle", PERCENT, 2, cpu_idle),
};

static const struct pipa_column interrupts[] = {
	PER_SECOND("interrupts.count", "intr/s", INTERRUPTS_COUNT),
};

static const struct pipa_column softirq[] = {
	PER_SECOND("softirq.hi", "HI/s", SOFTIRQ_HI),
	PER_SECOND("softirq.timer", "TIMER/s", SOFTIRQ_TIMER),
	PER_SECOND("softirq.net_tx", "NET_TX/s", SOFTIRQ_NET_TX),
	PER_SECOND("softirq.net_rx", "NET_RX/s", SOFTIRQ_NET_RX),
	PER_SECOND("softirq.block", "BLOCK/s", SOFTIRQ_BLOCK),
	PER_SECOND("softirq.irq_poll", "IRQ_POLL/s", SOFTIRQ_IRQ_POLL),
	PER_SECOND("softirq.tasklet", "TASKLET/s", SOFTIRQ_TASKLET),
	PER_SECOND("softirq.sched", "SCHED/s", SOFTIRQ_SCHED),
	PER_SECOND("softirq.hrtimer", "HRTIMER/s", SOFTIRQ_HRTIMER),
	PER_SECOND("softirq.rcu", "RCU/s", SOFTIRQ_RCU),
};

/* The kernel lists every CPU that there could ever be: those that never counted were never there. */
static bool softirq_is_shown(const struct pipa_metric_input *m, const char *instance)
{
	unsigned int i;

	for (i = 0; i < SOFTIRQ_FIELDS; i++)
		if (value(m, i) > 0)
			return cpu_is_shown(m, instance);
	return false;
}

SECTION(cpu, "cpu", "CPU", "CPU time", cpu, CPU, .shows = cpu_is_shown);
SECTION(cpu_short, "cpu-short", "CPU", "CPU time, six columns", cpu_short, CPU,
	.shows = cpu_is_shown);
SECTION(interrupts, "interrupts", "INTR", "interrupts", interrupts, INTERRUPTS);
SECTION(softirq, "softirq", "CPU", "soft interrupts", softirq, SOFTIRQS, .shows = softirq_is_shown);
