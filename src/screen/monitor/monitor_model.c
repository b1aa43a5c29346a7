#include "screen/monitor/monitor_model.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static void begin_tick(struct pipa_monitor_model *m)
{
	size_t i;

	for (i = 0; i < PIPA_SECTION_NR; i++)
		pipa_grid_reset(&m->grids[i]);
	m->in_tick = true;
}

static int on_row(struct pipa_series_sink *self, const struct pipa_section *section,
		  const struct pipa_tick *tick PIPA_UNUSED, const char *instance,
		  const double *values)
{
	struct pipa_monitor_model *m = (struct pipa_monitor_model *)(void *)self;
	enum pipa_section_id id = pipa_section_id(section);

	if (id == PIPA_SECTION_NR)
		return -EINVAL;
	if (m->frozen)
		return 0;
	if (!m->in_tick)
		begin_tick(m);
	m->grids[id].section = section;
	return pipa_grid_add(&m->grids[id], instance, values);
}

/* ---- history ----------------------------------------------------------------------------------- */

static void store_history(struct pipa_monitor_model *m, const double values[static PIPA_HISTORY_NR])
{
	size_t i;

	for (i = 0; i < PIPA_HISTORY_NR; i++)
		m->history[i][m->next_history] = values[i];
	m->next_history = (m->next_history + 1) % PIPA_HISTORY_MAX;
	if (m->n_history < PIPA_HISTORY_MAX)
		m->n_history++;
}

static double cpu_busy(const struct pipa_monitor_model *m)
{
	const struct pipa_grid *cpu = pipa_monitor_model_grid(m, PIPA_SECTION_CPU);

	return pipa_monitor_model_cpu(cpu, pipa_grid_find(cpu, "all")).busy;
}

static double memory_share(const struct pipa_monitor_model *m)
{
	struct pipa_memory_parts memory = pipa_monitor_model_memory(m);

	return memory.total > 0 ? 100 * memory.used / memory.total : NAN;
}

static double disk_rate(const struct pipa_monitor_model *m)
{
	const struct pipa_grid *io = pipa_monitor_model_grid(m, PIPA_SECTION_IO);

	return (pipa_grid_value(io, 0, PIPA_COL_IO_READ_SECTORS) +
		pipa_grid_value(io, 0, PIPA_COL_IO_WRITTEN_SECTORS)) /
	       2;
}

static double net_rate(const struct pipa_monitor_model *m)
{
	const struct pipa_grid *net = pipa_monitor_model_grid(m, PIPA_SECTION_NET);
	double most = NAN;
	size_t i;

	for (i = 0; net && i < net->n; i++) {
		double rate = pipa_grid_value(net, i, PIPA_COL_NET_RX) +
			      pipa_grid_value(net, i, PIPA_COL_NET_TX);

		if (strcmp(pipa_grid_name(net, i), "lo") != 0)
			most = fmax(most, rate);
	}
	return most;
}

static int end_tick(struct pipa_series_sink *self, const struct pipa_tick *tick)
{
	struct pipa_monitor_model *m = (struct pipa_monitor_model *)(void *)self;
	double values[PIPA_HISTORY_NR];

	if (m->frozen)
		return 0;
	if (!m->in_tick)
		begin_tick(m); /* an interval without rows: clear all */
	m->in_tick = false;
	m->tick = *tick;
	m->ticks++;
	values[PIPA_HISTORY_CPU] = cpu_busy(m);
	values[PIPA_HISTORY_MEMORY] = memory_share(m);
	values[PIPA_HISTORY_DISK] = disk_rate(m);
	values[PIPA_HISTORY_NET] = net_rate(m);
	store_history(m, values);
	return 0;
}

void pipa_monitor_model_gap(struct pipa_monitor_model *m)
{
	static const double nothing[PIPA_HISTORY_NR] = { NAN, NAN, NAN, NAN };

	store_history(m, nothing);
}

double pipa_monitor_model_history(const struct pipa_monitor_model *m, enum pipa_history which,
				  size_t age)
{
	if (age >= m->n_history)
		return NAN;
	return m->history[which][(m->next_history + PIPA_HISTORY_MAX - 1 - age) % PIPA_HISTORY_MAX];
}

/* ---- what the rows mean ------------------------------------------------------------------------ */

void pipa_monitor_model_init(struct pipa_monitor_model *m)
{
	*m = (struct pipa_monitor_model){
		.sink = { .row = on_row, .end = end_tick, .wants_idle = true }
	};
}

void pipa_monitor_model_done(struct pipa_monitor_model *m)
{
	size_t i;

	for (i = 0; i < PIPA_SECTION_NR; i++)
		pipa_grid_done(&m->grids[i]);
}

const struct pipa_grid *pipa_monitor_model_grid(const struct pipa_monitor_model *m,
						enum pipa_section_id section)
{
	return m->grids[section].section ? &m->grids[section] : NULL;
}

struct pipa_cpu_shares pipa_monitor_model_cpu(const struct pipa_grid *cpu, size_t row)
{
	struct pipa_cpu_shares s;

	s.user = pipa_grid_value(cpu, row, PIPA_COL_CPU_USR) +
		 pipa_grid_value(cpu, row, PIPA_COL_CPU_NICE) +
		 pipa_grid_value(cpu, row, PIPA_COL_CPU_GUEST) +
		 pipa_grid_value(cpu, row, PIPA_COL_CPU_GNICE);
	s.system = pipa_grid_value(cpu, row, PIPA_COL_CPU_SYS) +
		   pipa_grid_value(cpu, row, PIPA_COL_CPU_IRQ) +
		   pipa_grid_value(cpu, row, PIPA_COL_CPU_SOFT);
	s.steal = pipa_grid_value(cpu, row, PIPA_COL_CPU_STEAL);
	s.iowait = pipa_grid_value(cpu, row, PIPA_COL_CPU_IOWAIT);
	s.busy = s.user + s.system + s.steal;
	return s;
}

struct pipa_memory_parts pipa_monitor_model_memory(const struct pipa_monitor_model *m)
{
	const struct pipa_grid *mem = pipa_monitor_model_grid(m, PIPA_SECTION_MEM);
	struct pipa_memory_parts p;

	p.used = pipa_grid_value(mem, 0, PIPA_COL_MEM_USED);
	p.buffers = pipa_grid_value(mem, 0, PIPA_COL_MEM_BUFFERS);
	p.cache = pipa_grid_value(mem, 0, PIPA_COL_MEM_CACHED) +
		  pipa_grid_value(mem, 0, PIPA_COL_MEM_SLAB);
	p.total = p.used + p.buffers + p.cache + pipa_grid_value(mem, 0, PIPA_COL_MEM_FREE);
	return p;
}

struct pipa_memory_parts pipa_monitor_model_swap(const struct pipa_monitor_model *m)
{
	const struct pipa_grid *swap = pipa_monitor_model_grid(m, PIPA_SECTION_SWAP);
	struct pipa_memory_parts p = { .used = pipa_grid_value(swap, 0, PIPA_COL_SWAP_USED) };

	p.total = p.used + pipa_grid_value(swap, 0, PIPA_COL_SWAP_FREE);
	return p;
}
