#include "sample.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "lib/test.h"

static struct {
	struct pipa_stat stat;
	struct pipa_stat_place places[8];
	struct pipa_stat_row rows[32];
	struct pipa_derived derived[32][4];
} sample;

/* ---- pieces ------------------------------------------------------------------------------- */

static void begin(enum pipa_aggr by, const char *target)
{
	memset(&sample, 0, sizeof(sample));
	sample.stat = (struct pipa_stat){
		.by = by,
		.places = sample.places,
		.rows = sample.rows,
		.target = target,
		.elapsed_s = 2.5,
		.user_s = NAN,
		.sys_s = NAN,
		.runs = 1,
	};
	if (by == PIPA_AGGR_GLOBAL) {
		sample.places[0] = (struct pipa_stat_place){ by, -1, -1, -1, -1, -1, -1, "" };
		sample.stat.n_places = 1;
	}
}

static size_t add_place(struct pipa_stat_place place)
{
	CHECK(sample.stat.n_places < PIPA_COUNT(sample.places));
	sample.places[sample.stat.n_places] = place;
	return sample.stat.n_places++;
}

static struct pipa_stat_row *add_row(const char *name, const char *unit, double scale, double value)
{
	struct pipa_stat_row *row = &sample.rows[sample.stat.n_rows];

	CHECK(sample.stat.n_rows < PIPA_COUNT(sample.rows));
	*row = (struct pipa_stat_row){
		.name = name,
		.unit = unit,
		.scale = scale,
		.event = sample.stat.n_rows,
		.members = 1,
		.value = value,
		.enabled_ns = 2000000000,
		.running_ns = 2000000000,
		.derived = sample.derived[sample.stat.n_rows],
	};
	sample.stat.n_rows++;
	return row;
}

static struct pipa_stat_row *add_count(const char *name, double value)
{
	return add_row(name, "", 1, value);
}

static struct pipa_stat_row *add_missing(const char *name, enum pipa_count_state state)
{
	struct pipa_stat_row *row = add_count(name, 0);

	row->state = state;
	row->running_ns = 0;
	if (state == PIPA_NOT_SUPPORTED)
		row->enabled_ns = 0;
	return row;
}

static void add_derived(struct pipa_stat_row *row, struct pipa_derived derived)
{
	CHECK(row->n_derived < PIPA_COUNT(sample.derived[0]));
	row->derived[row->n_derived++] = derived;
}

static void add_utilization(struct pipa_stat_row *row, double value)
{
	add_derived(row, (struct pipa_derived){ "cpus_utilized", "CPUs utilized", .digits = 3,
						.value = value });
}

static void add_rate(struct pipa_stat_row *row, double value)
{
	add_derived(row, (struct pipa_derived){ "rate", "/sec", PIPA_STYLE_RATE, .digits = 3,
						.value = value });
}

static void add_ghz(struct pipa_stat_row *row, double value)
{
	add_derived(row, (struct pipa_derived){ "ghz", "GHz", .digits = 3, .value = value });
}

static void add_ipc(struct pipa_stat_row *row, double ipc)
{
	add_derived(row,
		    (struct pipa_derived){ "ipc", "insn per cycle", .digits = 2, .value = ipc });
	add_derived(row, (struct pipa_derived){ "cpi", "cycles per insn", .digits = 2,
						.extra = true, .value = 1 / ipc });
}

static void add_share(struct pipa_stat_row *row, const char *name, const char *unit, double value)
{
	add_derived(row, (struct pipa_derived){ name, unit, PIPA_STYLE_PERCENT, .digits = 2,
						.value = value });
}

static struct pipa_stat_row *at(struct pipa_stat_row *row, size_t place, size_t members)
{
	row->place = place;
	row->members = members;
	return row;
}

static struct pipa_stat_row *shared(struct pipa_stat_row *row, uint64_t running_ns)
{
	row->running_ns = running_ns;
	return row;
}

static struct pipa_spread spread(double mean, double sd, double min, double median, double max)
{
	return (struct pipa_spread){
		5, mean, sd, min, max, median, mean - 1.25 * sd, mean + 1.25 * sd
	};
}

static void add_notes(const char **notes, size_t n)
{
	sample.stat.notes = notes;
	sample.stat.n_notes = n;
}

/* ---- shapes ------------------------------------------------------------------------------- */

const struct pipa_stat *sample_global(void)
{
	static const char *notes[] = {
		"the NMI watchdog uses one hardware counter. Free it with: sudo sysctl "
		"kernel.nmi_watchdog=0"
	};

	begin(PIPA_AGGR_GLOBAL, "'make -j8 \"all\"'");
	sample.stat.user_s = 1.25;
	sample.stat.sys_s = 0.75;
	add_utilization(add_row("task-clock", "msec", 1e-6, 2000.125), 0.80005);
	add_rate(add_count("context-switches", 1234567), 617245.196);
	add_rate(add_count("cpu-migrations", 0), 0);
	add_rate(add_count("page-faults", 48), 23.998);
	add_ghz(add_count("cycles", 6000000000), 2.9998);
	add_ipc(shared(add_count("instructions", 9000000000), 1500000000), 1.5);
	add_rate(shared(add_count("branches", 1000000000), 1000000000), 499968752);
	add_share(shared(add_count("branch-misses", 25000000), 1000000000), "branch_miss_rate",
		  "of all branches", 2.5);
	add_missing("LLC-loads", PIPA_NOT_SUPPORTED);
	add_share(add_missing("LLC-load-misses", PIPA_NOT_COUNTED), "llc_miss_rate",
		  "of all LL-cache accesses", NAN);
	add_row("duration_time", "ns", 1, 2500000000);
	add_notes(notes, 1);
	return &sample.stat;
}

const struct pipa_stat *sample_user_only(void)
{
	static const char *notes[] = {
		"only user space was counted (:u). Include the kernel with: sudo sysctl "
		"kernel.perf_event_paranoid=1",
		"context-switches:u and cpu-migrations:u happen in the kernel and read 0",
	};
	struct pipa_stat_row *row;

	begin(PIPA_AGGR_GLOBAL, "'true'");
	sample.stat.elapsed_s = 0.000987654;
	sample.stat.user_s = 0.000321;
	sample.stat.sys_s = 0;
	row = add_row("task-clock:u", "msec", 1e-6, 0.43);
	row->user_only = true;
	add_utilization(row, 0.435);
	row = add_count("context-switches:u", 0);
	row->user_only = true;
	add_rate(row, 0);
	add_rate(add_count("page-faults:u", 47), 109302.3);
	add_notes(notes, 2);
	return &sample.stat;
}

static struct pipa_stat_place cpu_place(int cpu)
{
	return (struct pipa_stat_place){ PIPA_AGGR_CPU, cpu,	 cpu % 4 / 2, 0,
					 cpu / 4,	cpu / 4, -1,	      "" };
}

const struct pipa_stat *sample_cpus(void)
{
	static const int cpus[] = { 0, 3, 10 };
	size_t i;

	begin(PIPA_AGGR_CPU, "'CPU(s) 0,3,10'");
	for (i = 0; i < PIPA_COUNT(cpus); i++)
		add_place(cpu_place(cpus[i]));
	for (i = 0; i < PIPA_COUNT(cpus); i++)
		add_utilization(at(add_row("cpu-clock", "msec", 1e-6, 2500.5), i, 1), 1.0002);
	for (i = 0; i < PIPA_COUNT(cpus); i++)
		add_rate(at(add_count("cs", 100 + 1000 * (double)i), i, 1), 40 + 400 * (double)i);
	for (i = 0; i < PIPA_COUNT(cpus); i++)
		at(add_missing("cycles", PIPA_NOT_SUPPORTED), i, 1);
	return &sample.stat;
}

/* Two places, the same three events at each: what all the coarser sums look like. */
static const struct pipa_stat *by_place(enum pipa_aggr by, struct pipa_stat_place first,
					struct pipa_stat_place second, size_t members)
{
	size_t i;

	begin(by, "'system wide'");
	add_place(first);
	add_place(second);
	for (i = 0; i < 2; i++) {
		add_utilization(at(add_row("cpu-clock", "msec", 1e-6, 5001), i, members), 2.0004);
		add_ipc(at(add_count("instructions", 3e9 + 1e9 * (double)i), i, members),
			0.5 + (double)i);
		at(add_missing("LLC-loads", PIPA_NOT_COUNTED), i, members);
	}
	return &sample.stat;
}

const struct pipa_stat *sample_cores(void)
{
	return by_place(PIPA_AGGR_CORE,
			(struct pipa_stat_place){ PIPA_AGGR_CORE, -1, 0, 0, 0, -1, -1, "" },
			(struct pipa_stat_place){ PIPA_AGGR_CORE, -1, 12, 0, 1, -1, -1, "" }, 2);
}

const struct pipa_stat *sample_dies(void)
{
	return by_place(PIPA_AGGR_DIE,
			(struct pipa_stat_place){ PIPA_AGGR_DIE, -1, -1, 0, 0, -1, -1, "" },
			(struct pipa_stat_place){ PIPA_AGGR_DIE, -1, -1, 1, 0, -1, -1, "" }, 8);
}

const struct pipa_stat *sample_sockets(void)
{
	return by_place(PIPA_AGGR_SOCKET,
			(struct pipa_stat_place){ PIPA_AGGR_SOCKET, -1, -1, -1, 0, -1, -1, "" },
			(struct pipa_stat_place){ PIPA_AGGR_SOCKET, -1, -1, -1, 1, -1, -1, "" },
			64);
}

const struct pipa_stat *sample_nodes(void)
{
	return by_place(PIPA_AGGR_NODE,
			(struct pipa_stat_place){ PIPA_AGGR_NODE, -1, -1, -1, -1, 0, -1, "" },
			(struct pipa_stat_place){ PIPA_AGGR_NODE, -1, -1, -1, -1, 3, -1, "" }, 4);
}

const struct pipa_stat *sample_threads(void)
{
	static const char *const names[] = { "postgres", "w\"r, k:\t1", "caf\xc3\xa9 \xff" };
	size_t i;

	begin(PIPA_AGGR_THREAD, "process id '4711'");
	for (i = 0; i < PIPA_COUNT(names); i++) {
		struct pipa_stat_place place = { PIPA_AGGR_THREAD, -1, -1, -1, -1, -1,
						 4711 + (pid_t)i,  "" };

		snprintf(place.comm, sizeof(place.comm), "%s", names[i]);
		add_place(place);
	}
	for (i = 0; i < PIPA_COUNT(names); i++)
		add_utilization(at(add_row("task-clock", "msec", 1e-6, 12.5 * (double)i), i, 1),
				0.005 * (double)i);
	for (i = 0; i < PIPA_COUNT(names); i++)
		at(add_missing("page-faults", PIPA_NOT_COUNTED), i, 1);
	return &sample.stat;
}

static void make_tick(int n)
{
	sample.stat.interval = true;
	sample.stat.time_s = n ? 0.200123456 : 0.100012345;
	sample.stat.elapsed_s = n ? 0.100111111 : 0.100012345;
	sample.stat.late = n ? 3 : 0;
}

const struct pipa_stat *sample_tick(int n)
{
	begin(PIPA_AGGR_GLOBAL, "'sleep 1'");
	make_tick(n);
	add_utilization(add_row("task-clock", "msec", 1e-6, n ? 0.0625 : 99.5), n ? 0.001 : 0.995);
	add_rate(n ? add_missing("page-faults", PIPA_NOT_COUNTED) : add_count("page-faults", 55),
		 n ? NAN : 552.76);
	add_ipc(shared(add_count("instructions", 123456 * (n + 1)), 1000000000), 0.8);
	return &sample.stat;
}

const struct pipa_stat *sample_cpu_tick(int n)
{
	size_t i;

	begin(PIPA_AGGR_CPU, "'system wide'");
	make_tick(n);
	for (i = 0; i < 2; i++)
		add_place(cpu_place((int)i));
	for (i = 0; i < 2; i++)
		add_utilization(at(add_row("cpu-clock", "msec", 1e-6, 100), i, 1), 1);
	for (i = 0; i < 2; i++)
		add_ipc(at(add_count("instructions", 4000 * (double)(n + 1)), i, 1), 1.25);
	return &sample.stat;
}

const struct pipa_stat *sample_summary(void)
{
	static const char *notes[] = { "3 intervals missed and merged into the next one" };

	begin(PIPA_AGGR_GLOBAL, "'sleep 1'");
	sample.stat.summary = true;
	sample.stat.user_s = 0.001;
	sample.stat.sys_s = 0.002;
	add_utilization(add_row("task-clock", "msec", 1e-6, 99.5625), 0.5);
	add_rate(add_count("page-faults", 55), 552.4);
	add_ipc(shared(add_count("instructions", 370368), 1000000000), 0.8);
	add_notes(notes, 1);
	return &sample.stat;
}

const struct pipa_stat *sample_repeats(void)
{
	struct pipa_stat_row *row;

	begin(PIPA_AGGR_GLOBAL, "'./run'");
	sample.stat.runs = 5;
	sample.stat.user_s = 1.5;
	sample.stat.sys_s = 0.25;
	sample.stat.elapsed = spread(2.5, 0.125, 2.375, 2.5, 2.6875);
	sample.stat.user = spread(1.5, 0.0625, 1.4375, 1.5, 1.5625);
	sample.stat.sys = spread(0.25, 0, 0.25, 0.25, 0.25);
	row = add_row("task-clock", "msec", 1e-6, 1750);
	row->spread = spread(1750, 25, 1725, 1745, 1787.5);
	add_utilization(row, 0.7);
	row = add_count("page-faults", 4000);
	row->spread = spread(4000, 0, 4000, 4000, 4000);
	add_rate(row, 2285.714);
	row = shared(add_count("cycles", 5250000000), 500000000);
	row->spread = spread(5250000000, 1e7, 5237500000, 5251000000, 5262500000);
	add_ghz(row, 3);
	add_missing("bus-cycles", PIPA_NOT_SUPPORTED);
	/* counted in one run only */
	row = add_count("cache-misses", 77);
	row->spread = (struct pipa_spread){ 1, 77, NAN, 77, 77, 77, NAN, NAN };
	return &sample.stat;
}

const struct pipa_stat *sample_cgroups(void)
{
	static const char *const names[] = { "system.slice/ssh.service", "user.slice" };
	size_t i;

	begin(PIPA_AGGR_GLOBAL, "'system wide'");
	for (i = 0; i < PIPA_COUNT(names); i++) {
		struct pipa_stat_row *row = add_row("cpu-clock", "msec", 1e-6, 250.25);

		row->cgroup = names[i];
		row->members = 4;
		add_utilization(row, 0.1);
		row = add_count("instructions", 5000000);
		row->cgroup = names[i];
		row->members = 4;
		add_ipc(row, 1);
		row = add_missing("cycles", PIPA_NOT_SUPPORTED);
		row->cgroup = names[i];
	}
	return &sample.stat;
}

const struct pipa_stat *sample_hybrid(void)
{
	struct pipa_stat_row *row;

	begin(PIPA_AGGR_GLOBAL, "'./run'");
	sample.stat.user_s = 2;
	sample.stat.sys_s = 0.5;
	add_ghz(shared(add_count("cpu_atom/cycles/", 1000000000), 500000000), 1.5);
	add_ghz(shared(add_count("cpu_core/cycles/", 4000000000), 1500000000), 3.25);
	row = add_count("cycles", 5000000000);
	row->is_sum = true;
	row->members = 2;
	add_ghz(row, 2.5);
	add_ipc(shared(add_count("cpu_atom/instructions/", 800000000), 500000000), 0.8);
	add_ipc(shared(add_count("cpu_core/instructions/", 8000000000), 1500000000), 2);
	row = add_count("instructions", 8800000000);
	row->is_sum = true;
	row->members = 2;
	add_ipc(row, 1.76);
	return &sample.stat;
}

const struct pipa_stat *sample_energy(void)
{
	struct pipa_stat_row *row;

	begin(PIPA_AGGR_GLOBAL, "'./run'");
	row = add_row("power/energy-pkg/", "Joules", 2.3283064365386962890625e-10, 125.0625);
	row->members = 2;
	add_derived(row, (struct pipa_derived){ "package_power", "W", .digits = 2, .extra = true,
						.value = 50.025 });
	row = add_row("uncore_imc/cas_count_read/", "MiB", 6.103515625e-5, 123456.789);
	row->members = 8;
	row = add_row("topdown-total-slots", "", 2, 8000000);
	return &sample.stat;
}

const struct pipa_stat *sample_topdown(void)
{
	static const struct {
		const char *event, *name, *text;
		double share[2];
	} parts[] = {
		{ "topdown-retiring", "retiring", "retiring", { 25, 60.125 } },
		{ "topdown-bad-spec", "bad_speculation", "bad speculation", { 5.5, 0 } },
		{ "topdown-fe-bound", "frontend_bound", "frontend bound", { 29.5, 9.875 } },
		{ "topdown-be-bound", "backend_bound", "backend bound", { 40, NAN } },
	};
	size_t i, k;

	begin(PIPA_AGGR_SOCKET, "'system wide'");
	sample.stat.asked = true;
	for (i = 0; i < 2; i++) {
		add_place((struct pipa_stat_place){ PIPA_AGGR_SOCKET, -1, -1, -1, (int)i, -1, -1,
						    "" });
		at(add_count("slots", 1000000), i, 4);
		for (k = 0; k < PIPA_COUNT(parts); k++)
			add_share(at(add_count(parts[k].event, 1000), i, 4), parts[k].name,
				  parts[k].text, parts[k].share[i]);
	}
	return &sample.stat;
}

const struct pipa_stat *sample_several(void)
{
	struct pipa_stat_row *row;
	size_t i;

	begin(PIPA_AGGR_CORE, "'./run'");
	sample.stat.asked = true;
	sample.stat.runs = 5;
	sample.stat.elapsed = spread(2.5, 0.125, 2.375, 2.5, 2.6875);
	for (i = 0; i < 2; i++) {
		add_place((struct pipa_stat_place){ PIPA_AGGR_CORE, -1, (int)i, 0, 0, -1, -1, "" });
		row = at(add_count("instructions", 9000), i, 2);
		row->spread = spread(9000, 90, 8900, 9000, 9100);
		row->cgroup = "user.slice";
		add_ipc(row, 1.5);
		row->derived[1].extra = false; /* it was requested */
		add_derived(row,
			    (struct pipa_derived){ "branch_mpki", "branch-misses per 1000 insn",
						   .digits = 2, .value = i ? NAN : 3.125 });
	}
	return &sample.stat;
}

const struct pipa_stat *sample_compared(void)
{
	static const struct pipa_change changes[] = {
		{ "task-clock", "msec", 1e-6, 2000, 1750, -12.5, "lower" },
		{ "page-faults", "", 1, 4000, 4000, 0, "within noise" },
		{ "cycles", "", 1, 5000000000, 5250000000, 5, "higher" },
		{ "cache-misses", "", 1, 0, 77, NAN, "unknown" },
		{ "elapsed", "s", 1e-9, 2.25, 2.5, 11.1111, "higher" },
	};

	sample_repeats();
	sample.stat.changes = changes;
	sample.stat.n_changes = PIPA_COUNT(changes);
	return &sample.stat;
}

const struct pipa_stat *sample_nothing(void)
{
	begin(PIPA_AGGR_GLOBAL, "'sleep 0'");
	sample.stat.user_s = sample.stat.sys_s = 0;
	return &sample.stat;
}
