#include "screen/monitor/monitor_model.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static void begin_tick(struct pipa_monitor_model *m)
{
	size_t i;

	for (i = 0; i < m->n_grids; i++)
		pipa_grid_reset(&m->grids[i]);
	m->in_tick = true;
}

static struct pipa_grid *grid_of(struct pipa_monitor_model *m, const struct pipa_section *section)
{
	size_t i;

	for (i = 0; i < m->n_grids; i++)
		if (m->grids[i].section == section)
			return &m->grids[i];
	if (m->n_grids == PIPA_GRIDS_MAX)
		return NULL;
	m->grids[m->n_grids].section = section;
	return &m->grids[m->n_grids++];
}

static int take_row(struct pipa_series_sink *self, const struct pipa_section *section,
		    const struct pipa_tick *tick PIPA_UNUSED, const char *instance,
		    const double *values)
{
	struct pipa_monitor_model *m = (struct pipa_monitor_model *)(void *)self;
	struct pipa_grid *grid;

	if (m->frozen)
		return 0;
	if (!m->in_tick)
		begin_tick(m);
	grid = grid_of(m, section);
	return grid ? pipa_grid_add(grid, instance, values) : -ENOSPC;
}

/* ---- history ----------------------------------------------------------------------------------- */

static void keep(struct pipa_monitor_model *m, const double values[static PIPA_HISTORY_NR])
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
	const struct pipa_grid *cpu = pipa_monitor_model_grid(m, "cpu");

	return pipa_monitor_model_cpu(cpu, pipa_grid_find(cpu, "all")).busy;
}

static double memory_share(const struct pipa_monitor_model *m)
{
	struct pipa_memory_parts memory = pipa_monitor_model_memory(m);

	return memory.total > 0 ? 100 * memory.used / memory.total : NAN;
}

static double disk_rate(const struct pipa_monitor_model *m)
{
	const struct pipa_grid *io = pipa_monitor_model_grid(m, "io");

	return (pipa_grid_get(io, 0, "io.read_sectors") +
		pipa_grid_get(io, 0, "io.written_sectors")) /
	       2;
}

static double net_rate(const struct pipa_monitor_model *m)
{
	const struct pipa_grid *net = pipa_monitor_model_grid(m, "net");
	int rx = pipa_grid_column(net, "net.rx", NULL), tx = pipa_grid_column(net, "net.tx", NULL);
	double most = NAN;
	size_t i;

	for (i = 0; net && i < net->n; i++) {
		double rate = pipa_grid_value(net, i, rx) + pipa_grid_value(net, i, tx);

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
		begin_tick(m); /* a tick without a row: nothing is there any more */
	m->in_tick = false;
	m->tick = *tick;
	m->ticks++;
	values[PIPA_HISTORY_CPU] = cpu_busy(m);
	values[PIPA_HISTORY_MEMORY] = memory_share(m);
	values[PIPA_HISTORY_DISK] = disk_rate(m);
	values[PIPA_HISTORY_NET] = net_rate(m);
	keep(m, values);
	return 0;
}

void pipa_monitor_model_gap(struct pipa_monitor_model *m)
{
	static const double nothing[PIPA_HISTORY_NR] = { NAN, NAN, NAN, NAN };

	keep(m, nothing);
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
		.sink = { .row = take_row, .end = end_tick, .wants_idle = true }
	};
}

void pipa_monitor_model_done(struct pipa_monitor_model *m)
{
	size_t i;

	for (i = 0; i < m->n_grids; i++)
		pipa_grid_done(&m->grids[i]);
	m->n_grids = 0;
}

const struct pipa_grid *pipa_monitor_model_grid(const struct pipa_monitor_model *m,
						const char *section)
{
	size_t i;

	for (i = 0; i < m->n_grids; i++)
		if (strcmp(m->grids[i].section->name, section) == 0)
			return &m->grids[i];
	return NULL;
}

struct pipa_cpu_shares pipa_monitor_model_cpu(const struct pipa_grid *cpu, size_t row)
{
	struct pipa_cpu_shares s;

	s.user = pipa_grid_get(cpu, row, "cpu.usr") + pipa_grid_get(cpu, row, "cpu.nice") +
		 pipa_grid_get(cpu, row, "cpu.guest") + pipa_grid_get(cpu, row, "cpu.gnice");
	s.system = pipa_grid_get(cpu, row, "cpu.sys") + pipa_grid_get(cpu, row, "cpu.irq") +
		   pipa_grid_get(cpu, row, "cpu.soft");
	s.steal = pipa_grid_get(cpu, row, "cpu.steal");
	s.iowait = pipa_grid_get(cpu, row, "cpu.iowait");
	s.busy = s.user + s.system + s.steal;
	return s;
}

struct pipa_memory_parts pipa_monitor_model_memory(const struct pipa_monitor_model *m)
{
	const struct pipa_grid *mem = pipa_monitor_model_grid(m, "mem");
	struct pipa_memory_parts p;

	p.used = pipa_grid_get(mem, 0, "memory.used");
	p.buffers = pipa_grid_get(mem, 0, "memory.buffers");
	p.cache = pipa_grid_get(mem, 0, "memory.cached") + pipa_grid_get(mem, 0, "memory.slab");
	p.total = p.used + p.buffers + p.cache + pipa_grid_get(mem, 0, "memory.free");
	return p;
}

struct pipa_memory_parts pipa_monitor_model_swap(const struct pipa_monitor_model *m)
{
	const struct pipa_grid *swap = pipa_monitor_model_grid(m, "swap");
	struct pipa_memory_parts p = { .used = pipa_grid_get(swap, 0, "swap.used") };

	p.total = p.used + pipa_grid_get(swap, 0, "swap.free");
	return p;
}
