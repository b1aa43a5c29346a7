#include "analyze/report/characterize.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stdio.h>

#include "analyze/series/cpu_load.h"
#include "analyze/series/disk_load.h"
#include "base/auto.h"
#include "base/buf.h"

#include "model/context.h"
#include "model/run.h"

/* Limits of the words for instructions per cycle, and of a command that mostly waits. */
#define IPC_HIGH 1.5
#define WAITING_CPUS_MAX 0.5
#define NO_IO_KB 1.0 /* per second */

struct maker {
	const struct pipa_characterize_input *input;
	struct pipa_characterization *work;
	struct pipa_work_statement *now;
};

/* ---- values -------------------------------------------------------------------------------------- */

/* Return a variable's number, NaN if it is absent. */
static double number_of(const struct maker *maker, const char *name)
{
	const struct pipa_variable *variable = pipa_context_find(maker->input->context, name);

	return variable && pipa_value_is_numeric(&variable->value) ? variable->value.number : NAN;
}

static const char *text_of(const struct maker *maker, const char *name)
{
	const struct pipa_variable *variable = pipa_context_find(maker->input->context, name);

	return variable && variable->value.kind == PIPA_VALUE_TEXT ? variable->value.text : "";
}

/* Return a threshold of the rules, or PIPA's default. */
static double threshold_of(const struct maker *maker, const char *name, double usual)
{
	double value = number_of(maker, name);

	return isnan(value) ? usual : value;
}

static double metric_of(const struct maker *maker, enum pipa_run_key key)
{
	return maker->input->run ? maker->input->run->values[key] : NAN;
}

/* Add a value to the statement in progress unless it is absent, and return it. */
static double use_value(struct maker *maker, const char *name, double value, const char *unit)
{
	struct pipa_work_statement *now = maker->now;

	if (!isnan(value) && now->n_values < PIPA_WORK_VALUES)
		now->values[now->n_values++] =
			(struct pipa_work_value){ .name = name, .value = value, .unit = unit };
	return value;
}

static double use_variable(struct maker *maker, const char *name, const char *unit)
{
	return use_value(maker, name, number_of(maker, name), unit);
}

static double use_metric(struct maker *maker, enum pipa_run_key key)
{
	return use_value(maker, pipa_run_keys[key].name, metric_of(maker, key),
			 pipa_run_keys[key].unit);
}

/* Format kilobytes with the prefix that leaves at most four digits before the point. */
static const char *kilobytes_text(double kb, char *text, size_t size)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB" };
	size_t at = 0;

	while (kb >= 1024 && at + 1 < sizeof(units) / sizeof(*units)) {
		kb /= 1024;
		at++;
	}
	(void)snprintf(text, size, "%.*f %s", at && kb < 100 ? 1 : 0, kb, units[at]);
	return text;
}

/* ---- statements ---------------------------------------------------------------------------------- */

static void statement_begin(struct maker *maker, const char *id)
{
	maker->now = &maker->work->items[maker->work->n];
	*maker->now = (struct pipa_work_statement){ .id = id };
}

static void append_text(struct maker *maker, enum pipa_language language, const char *fmt,
			va_list args) PIPA_PRINTF(3, 0);

static void append_text(struct maker *maker, enum pipa_language language, const char *fmt,
			va_list args)
{
	struct pipa_characterization *work = maker->work;
	const char **text = &maker->now->text[language];
	struct pipa_buf buf = { 0 };

	pipa_buf_puts(&buf, *text ? *text : "");
	pipa_buf_vprintf(&buf, fmt, args);
	*text = buf.status ? NULL : pipa_arena_text(&work->arena, buf.data, buf.len);
	if (!*text)
		work->status = -ENOMEM;
	pipa_buf_done(&buf);
}

/* Append to the statement in progress; the formats of both languages take the same arguments. */
static void statement_add(struct maker *maker, const char *en, const char *zh, ...)
	PIPA_PRINTF(2, 4) PIPA_PRINTF(3, 4);

static void statement_add(struct maker *maker, const char *en, const char *zh, ...)
{
	va_list args;

	va_start(args, zh);
	append_text(maker, PIPA_LANGUAGE_EN, en, args);
	va_end(args);
	va_start(args, zh);
	append_text(maker, PIPA_LANGUAGE_ZH, zh, args);
	va_end(args);
}

/* Keep the statement in progress if it has a text. */
static void statement_end(struct maker *maker)
{
	if (maker->now->text[PIPA_LANGUAGE_EN] && maker->now->text[PIPA_LANGUAGE_ZH])
		maker->work->n++;
}

/* ---- limits -------------------------------------------------------------------------------------- */

static bool is_memory_bound(struct maker *maker)
{
	double swapped = number_of(maker, "pswpin_total");
	double reclaimed = number_of(maker, "direct_reclaim_s");
	double stalled = number_of(maker, "psi_memory");

	if (!(swapped > threshold_of(maker, "SWAP_RATE_HIGH", 10) ||
	      reclaimed > threshold_of(maker, "DIRECT_RECLAIM_HIGH", 1) ||
	      stalled > threshold_of(maker, "PSI_MEMORY_HIGH", 5)))
		return false;
	statement_add(maker, "Memory capacity limits the workload", "内存容量限制了该负载");
	if (use_value(maker, "psi_memory", stalled, "%") > 0)
		statement_add(maker, ": tasks waited for memory %.1f %% of the time",
			      "：任务有 %.1f%% 的时间在等待内存", stalled);
	if (use_value(maker, "pswpin_total", swapped, "/s") > 0)
		statement_add(maker, ", %.1f pages per second were swapped in",
			      "，每秒换入 %.1f 页", swapped);
	if (use_value(maker, "direct_reclaim_s", reclaimed, "/s") > 0)
		statement_add(maker,
			      ", allocating tasks scanned %.1f pages per second to reclaim them",
			      "，分配内存的任务每秒扫描 %.1f 页以回收内存", reclaimed);
	statement_add(maker, ".", "。");
	return true;
}

static bool is_disk_bound(struct maker *maker)
{
	double util = number_of(maker, "p95_disk_util");
	double await = number_of(maker, "p95_disk_await");
	double iowait = number_of(maker, "p95_single_core_iowait");
	double stalled = number_of(maker, "psi_io");

	if (!(util > threshold_of(maker, "IO_UTIL_HIGH_THRESHOLD", PIPA_DISK_UTIL_HIGH) &&
	      (await > threshold_of(maker, "effective_await_threshold", PIPA_AWAIT_HDD_MS) ||
	       iowait > threshold_of(maker, "IO_WAIT_HIGH_THRESHOLD", 10) ||
	       stalled > threshold_of(maker, "PSI_IO_HIGH", 20))))
		return false;
	use_value(maker, "p95_disk_util", util, "%");
	statement_add(maker, "Disk %s limits the workload: it was busy %.0f %% of the time (p95)",
		      "磁盘 %s 限制了该负载：其忙碌时间占 %.0f%%（p95）",
		      text_of(maker, "busiest_disk_name"), util);
	if (!isnan(use_value(maker, "p95_disk_await", await, "ms")))
		statement_add(maker, ", requests took %.1f ms (p95)", "，请求耗时 %.1f ms（p95）",
			      await);
	if (!isnan(use_value(maker, "psi_io", stalled, "%")))
		statement_add(maker, ", tasks waited for I/O %.1f %% of the time",
			      "，任务有 %.1f%% 的时间在等待 I/O", stalled);
	else if (!isnan(use_value(maker, "p95_single_core_iowait", iowait, "%")))
		statement_add(maker, ", %%iowait of a CPU reached %.1f %% (p95)",
			      "，单个 CPU 的 %%iowait 达到 %.1f%%（p95）", iowait);
	statement_add(maker, ".", "。");
	return true;
}

static bool is_network_bound(struct maker *maker)
{
	double util = number_of(maker, "p95_iface_util");

	if (!(util > threshold_of(maker, "NET_UTIL_HIGH", 80)))
		return false;
	use_value(maker, "p95_iface_util", util, "%");
	statement_add(
		maker,
		"Network interface %s limits the workload: %.0f %% of its speed was used (p95).",
		"网络接口 %s 限制了该负载：已用带宽占其速率的 %.0f%%（p95）。",
		text_of(maker, "busiest_iface"), util);
	return true;
}

static bool is_cpu_bound(struct maker *maker)
{
	double busy = number_of(maker, "cpu_busy");
	double most = number_of(maker, "max_cpu_busy");
	double throttled = number_of(maker, "throttled_percent");
	double steal = number_of(maker, "cpu_steal");
	double used = metric_of(maker, PIPA_RUN_CPUS_USED);
	double cpus = number_of(maker, "num_cpu");
	double n_busy = number_of(maker, "busy_cpus");

	if (throttled > threshold_of(maker, "THROTTLED_HIGH", 5)) {
		use_value(maker, "throttled_percent", throttled, "%");
		statement_add(
			maker,
			"The CPU quota limits the workload: it was used up in %.1f %% of the periods.",
			"CPU 配额限制了该负载：在 %.1f%% 的周期中配额被用完。", throttled);
	} else if (steal > threshold_of(maker, "STEAL_HIGH", 5)) {
		use_value(maker, "cpu_steal", steal, "%");
		statement_add(
			maker,
			"CPU time limits the workload: the hypervisor gave %.1f %% of it to others (steal).",
			"CPU 时间限制了该负载：虚拟机管理程序将其中 %.1f%% 分给了其他虚拟机（steal）。",
			steal);
	} else if (busy > threshold_of(maker, "CPU_SATURATED", 90)) {
		use_value(maker, "cpu_busy", busy, "%");
		statement_add(maker,
			      "The CPUs limit the workload: they were busy %.0f %% of the time.",
			      "CPU 限制了该负载：其忙碌时间占 %.0f%%。", busy);
	} else if (most > threshold_of(maker, "ONE_CPU_BUSY", 90) && cpus > 1 && n_busy >= 1) {
		use_value(maker, "busy_cpus", n_busy, "");
		use_value(maker, "num_cpu", cpus, "");
		use_value(maker, "max_cpu_busy", most, "%");
		use_value(maker, "cpu_busy", busy, "%");
		statement_add(
			maker,
			"The workload is limited by %.0f of %.0f CPUs: the busiest was busy %.0f %% of the "
			"time, all together %.0f %%.",
			"%.0f 个 CPU（共 %.0f 个）限制了该负载：最忙的 CPU 忙碌 %.0f%%，全部 CPU 平均 %.0f%%。",
			n_busy, cpus, most, busy);
	} else if (isnan(busy) && used >= 0.9 && (isnan(cpus) || used <= cpus * 1.05)) {
		/* only the command's CPU time is known: a thread that never waits uses one CPU */
		double whole = floor(used + 0.1);

		if (fabs(used - whole) > 0.1)
			return false;
		use_value(maker, pipa_run_keys[PIPA_RUN_CPUS_USED].name, used, "");
		statement_add(maker,
			      "CPU time limits the workload: it used %.2f CPUs without waiting.",
			      "CPU 时间限制了该负载：它使用了 %.2f 个 CPU，没有等待。", used);
	} else {
		return false;
	}
	return true;
}

static bool is_waiting(struct maker *maker)
{
	double busy = number_of(maker, "cpu_busy");
	double switches = number_of(maker, "cswch_per_cpu");
	double used = metric_of(maker, PIPA_RUN_CPUS_USED);

	if (used < WAITING_CPUS_MAX) {
		use_value(maker, pipa_run_keys[PIPA_RUN_CPUS_USED].name, used, "");
		statement_add(
			maker,
			"The workload waits most of the time: it used %.2f CPUs, and no resource was saturated.",
			"该负载大部分时间在等待：只使用了 %.2f 个 CPU，且没有资源饱和。", used);
		return true;
	}
	if (!(busy < threshold_of(maker, "OFFCPU_BUSY_MAX", 70) &&
	      switches > threshold_of(maker, "OFFCPU_SWITCHES", 2000)))
		return false;
	use_value(maker, "cpu_busy", busy, "%");
	use_value(maker, "cswch_per_cpu", switches, "/s");
	statement_add(
		maker,
		"The workload waits often: CPUs were busy %.0f %% of the time with %.0f context switches per "
		"second and CPU, and no resource was saturated.",
		"该负载经常等待：CPU 忙碌 %.0f%%，每个 CPU 每秒上下文切换 %.0f 次，且没有资源饱和。",
		busy, switches);
	return true;
}

static void state_bound(struct maker *maker)
{
	double busy = number_of(maker, "cpu_busy");
	enum pipa_bound bound = PIPA_BOUND_UNKNOWN;

	statement_begin(maker, "bound");
	if (is_memory_bound(maker)) {
		bound = PIPA_BOUND_MEMORY;
	} else if (is_disk_bound(maker)) {
		bound = PIPA_BOUND_DISK;
	} else if (is_network_bound(maker)) {
		bound = PIPA_BOUND_NETWORK;
	} else if (is_cpu_bound(maker)) {
		bound = PIPA_BOUND_CPU;
	} else if (is_waiting(maker)) {
		bound = PIPA_BOUND_WAITING;
	} else if (!isnan(busy)) {
		bound = PIPA_BOUND_NOTHING;
		use_value(maker, "cpu_busy", busy, "%");
		statement_add(
			maker,
			"No resource that was measured limits the workload: CPUs were busy %.0f %% of the time",
			"没有已测量的资源限制该负载：CPU 忙碌 %.0f%%", busy);
		if (!isnan(use_variable(maker, "p95_disk_util", "%")))
			statement_add(maker, ", disk %s %.0f %% (p95)",
				      "，磁盘 %s 忙碌 %.0f%%（p95）",
				      text_of(maker, "busiest_disk_name"),
				      number_of(maker, "p95_disk_util"));
		if (!isnan(use_variable(maker, "p95_iface_util", "%")))
			statement_add(maker, ", network %s %.0f %% (p95)",
				      "，网络 %s 占用 %.0f%%（p95）",
				      text_of(maker, "busiest_iface"),
				      number_of(maker, "p95_iface_util"));
		statement_add(maker, ".", "。");
	}
	maker->work->bound = bound;
	statement_end(maker);
}

/* ---- the other statements ------------------------------------------------------------------------ */

static void state_time(struct maker *maker)
{
	double user = metric_of(maker, PIPA_RUN_USER_SECONDS);
	double system = metric_of(maker, PIPA_RUN_SYS_SECONDS);
	double iowait = number_of(maker, "avg_iowait");
	double soft = number_of(maker, "avg_softirq_percent");

	statement_begin(maker, "time");
	if (user + system > 0) {
		use_metric(maker, PIPA_RUN_USER_SECONDS);
		use_metric(maker, PIPA_RUN_SYS_SECONDS);
		statement_add(
			maker,
			"The command used %.2f s of CPU time in user mode and %.2f s in the kernel (%.0f %% "
			"and %.0f %%).",
			"该命令在用户态使用 CPU %.2f 秒，在内核态使用 %.2f 秒（%.0f%% 和 %.0f%%）。",
			user, system, 100 * user / (user + system), 100 * system / (user + system));
	} else {
		user = use_variable(maker, "cpu_user", "%");
		system = use_variable(maker, "cpu_system", "%");
		if (!(user + system > 0))
			return;
		statement_add(
			maker,
			"CPU time of the machine: %.1f %% in user mode, %.1f %% in the kernel, so the kernel "
			"has %.0f %% of the time in use.",
			"整机 CPU 时间：用户态 %.1f%%，内核态 %.1f%%，内核占已用时间的 %.0f%%。",
			user, system, 100 * system / (user + system));
	}
	if (use_value(maker, "avg_iowait", iowait, "%") >= 1)
		statement_add(maker,
			      " CPUs were idle with I/O outstanding %.1f %% of the time (iowait).",
			      " CPU 有 %.1f%% 的时间空闲且有未完成的 I/O（iowait）。", iowait);
	if (use_value(maker, "avg_softirq_percent", soft, "%") >= 1)
		statement_add(maker, " Softirqs took %.1f %%.", " 软中断占 %.1f%%。", soft);
	statement_end(maker);
}

static void state_parallelism(struct maker *maker)
{
	const struct pipa_cpu_loads *cpus = maker->input->cpus;
	double used = metric_of(maker, PIPA_RUN_CPUS_USED);
	double all = number_of(maker, "num_cpu");
	double busy = number_of(maker, "cpu_busy");
	double queue;
	size_t i, idle = 0, n_busy = 0;

	statement_begin(maker, "parallelism");
	if (!isnan(used)) {
		use_metric(maker, PIPA_RUN_CPUS_USED);
		statement_add(maker, "The command used %.2f CPUs on average",
			      "该命令平均使用 %.2f 个 CPU", used);
		if (!isnan(use_value(maker, "num_cpu", all, "")))
			statement_add(maker, " of %.0f", "，共 %.0f 个", all);
		statement_add(maker, ".", "。");
	} else if (!isnan(all) && !isnan(busy)) {
		use_value(maker, "cpu_busy", busy, "%");
		use_value(maker, "num_cpu", all, "");
		statement_add(maker, "CPUs in use on average: %.1f of %.0f.",
			      "平均有 %.1f 个 CPU 在使用，共 %.0f 个。", busy / 100 * all, all);
	}
	for (i = 0; cpus && cpus->classes && i < cpus->n; i++) {
		idle += cpus->items[i].class == PIPA_CPU_IDLE;
		n_busy += cpus->items[i].class == PIPA_CPU_BUSY;
	}
	if (cpus && cpus->classes) {
		use_value(maker, "cpus_busy", (double)n_busy, "");
		use_value(maker, "cpus_idle", (double)idle, "");
		statement_add(maker, " Classes by p95: %zu busy, %zu active, %zu idle.",
			      " 按 p95 分类：%zu 个繁忙，%zu 个活跃，%zu 个空闲。", n_busy,
			      cpus->n - n_busy - idle, idle);
	}
	queue = use_variable(maker, "run_queue_per_cpu", "");
	if (queue > 1)
		statement_add(maker, " %.1f tasks per CPU were runnable: more threads than CPUs.",
			      " 每个 CPU 有 %.1f 个可运行任务：线程数多于 CPU 数。", queue);
	statement_end(maker);
}

static void state_ipc(struct maker *maker)
{
	double ipc = number_of(maker, "ipc");
	double backend, frontend, llc;

	if (isnan(ipc))
		ipc = metric_of(maker, PIPA_RUN_IPC);
	if (isnan(ipc))
		return;
	statement_begin(maker, "ipc");
	use_value(maker, "ipc", ipc, "");
	if (ipc < threshold_of(maker, "IPC_LOW", 0.7))
		statement_add(maker, "%.2f instructions per cycle: low, the CPUs mostly stall.",
			      "每周期 %.2f 条指令：偏低，CPU 大部分周期停顿。", ipc);
	else if (ipc < IPC_HIGH)
		statement_add(maker, "%.2f instructions per cycle: moderate.",
			      "每周期 %.2f 条指令：中等。", ipc);
	else
		statement_add(
			maker,
			"%.2f instructions per cycle: high, the CPUs execute with few stalls.",
			"每周期 %.2f 条指令：较高，CPU 很少停顿。", ipc);
	backend = use_variable(maker, "backend_bound", "%");
	frontend = use_variable(maker, "frontend_bound", "%");
	if (!isnan(backend) && !isnan(frontend))
		statement_add(maker,
			      " The back end stalled %.0f %% of the slots, the front end %.0f %%.",
			      " 后端停顿占 %.0f%% 的发射槽，前端停顿占 %.0f%%。", backend,
			      frontend);
	llc = use_variable(maker, "llc_mpki", "");
	if (!isnan(llc))
		statement_add(maker, " %.1f last-level cache misses per 1000 instructions.",
			      " 每千条指令末级缓存未命中 %.1f 次。", llc);
	statement_end(maker);
}

static void state_memory(struct maker *maker)
{
	double peak = metric_of(maker, PIPA_RUN_PEAK_KB);
	double anon = metric_of(maker, PIPA_RUN_ANON);
	double used = number_of(maker, "avg_memused_percent");
	double available = number_of(maker, "mem_available_percent");
	double faults = number_of(maker, "avg_majflt_s");
	char text[32];

	statement_begin(maker, "memory");
	if (!isnan(use_metric(maker, PIPA_RUN_PEAK_KB)))
		statement_add(maker, "The working set of the command reached %s (peak RSS).",
			      "该命令的工作集最大为 %s（RSS 峰值）。",
			      kilobytes_text(peak, text, sizeof(text)));
	if (!isnan(use_value(maker, "avg_memused_percent", used, "%")))
		statement_add(maker, "%sThe machine used %.0f %% of its memory",
			      "%s整机已用内存 %.0f%%",
			      maker->now->text[PIPA_LANGUAGE_EN] ? " " : "", used);
	if (!isnan(used) && !isnan(use_value(maker, "mem_available_percent", available, "%")))
		statement_add(maker, ", %.0f %% was available", "，可用 %.0f%%", available);
	if (!isnan(used) && !isnan(use_metric(maker, PIPA_RUN_ANON)))
		statement_add(maker, "; %s was anonymous memory of programs",
			      "；其中程序的匿名内存 %s", kilobytes_text(anon, text, sizeof(text)));
	if (!isnan(used))
		statement_add(maker, ".", "。");
	if (maker->now->text[PIPA_LANGUAGE_EN] &&
	    use_value(maker, "avg_majflt_s", faults, "/s") >= 1)
		statement_add(maker, " %.0f page faults per second read from disk (major).",
			      " 每秒 %.0f 次缺页需要读盘（major）。", faults);
	statement_end(maker);
}

static void state_io(struct maker *maker)
{
	const struct pipa_disk_loads *disks = maker->input->disks;
	double read = 0, written = 0, size = number_of(maker, "avg_avgrq_sz_kb"), tps;
	char texts[3][32];
	size_t i, known = 0;

	for (i = 0; disks && i < disks->n; i++) {
		const struct pipa_disk_load *disk = &disks->items[i];

		if (!disk->read_kb.n || !disk->written_kb.n)
			continue;
		read += disk->read_kb.mean;
		written += disk->written_kb.mean;
		known++;
	}
	if (!known)
		return;
	statement_begin(maker, "io");
	use_value(maker, "rkB/s", read, "kB/s");
	use_value(maker, "wkB/s", written, "kB/s");
	if (read + written < NO_IO_KB) {
		statement_add(maker, "Almost no disk I/O.", "几乎没有磁盘 I/O。");
		statement_end(maker);
		return;
	}
	statement_add(
		maker,
		"Disks: %s per second read, %s per second written, so %.0f %% of the bytes are reads.",
		"磁盘：每秒读 %s，每秒写 %s，读占 %.0f%%。",
		kilobytes_text(read, texts[0], sizeof(texts[0])),
		kilobytes_text(written, texts[1], sizeof(texts[1])), 100 * read / (read + written));
	tps = use_variable(maker, "total_tps", "/s");
	if (!isnan(tps))
		statement_add(maker, " %.0f requests per second.", " 每秒 %.0f 个请求。", tps);
	if (use_value(maker, "avg_avgrq_sz_kb", size, "kB") > 0) {
		const char *name = text_of(maker, "busiest_disk_name");

		kilobytes_text(size, texts[2], sizeof(texts[2]));
		if (size < threshold_of(maker, "IO_SMALL_REQ_SIZE_THRESHOLD", 16))
			statement_add(maker, " Requests of %s are small (%s on average).",
				      " %s 的请求较小（平均 %s）。", name, texts[2]);
		else if (size > threshold_of(maker, "IO_LARGE_REQ_SIZE_THRESHOLD", 64))
			statement_add(maker, " Requests of %s are large (%s on average).",
				      " %s 的请求较大（平均 %s）。", name, texts[2]);
		else
			statement_add(maker, " Requests of %s have %s on average.",
				      " %s 的请求平均 %s。", name, texts[2]);
	}
	statement_end(maker);
}

static void state_network(struct maker *maker)
{
	const struct pipa_run *run = maker->input->run;
	double rx = metric_of(maker, PIPA_RUN_RX), tx = metric_of(maker, PIPA_RUN_TX);
	double packets = number_of(maker, "net_packets_s");
	const char *iface = run && run->iface ? run->iface : text_of(maker, "busiest_iface");
	char received[32], sent[32];

	statement_begin(maker, "network");
	if (!isnan(rx) && !isnan(tx)) {
		use_metric(maker, PIPA_RUN_RX);
		use_metric(maker, PIPA_RUN_TX);
		if (rx + tx < NO_IO_KB) {
			statement_add(maker, "Almost no network traffic.", "几乎没有网络流量。");
			statement_end(maker);
			return;
		}
		statement_add(maker, "Network%s%s: %s per second received, %s per second sent.",
			      "网络%s%s：每秒接收 %s，每秒发送 %s。", *iface ? " " : "", iface,
			      kilobytes_text(rx, received, sizeof(received)),
			      kilobytes_text(tx, sent, sizeof(sent)));
	}
	if (!isnan(use_value(maker, "net_packets_s", packets, "/s")))
		statement_add(maker, "%s%.0f packets per second on all interfaces.",
			      "%s所有接口每秒 %.0f 个数据包。",
			      maker->now->text[PIPA_LANGUAGE_EN] ? " " : "", packets);
	statement_end(maker);
}

int pipa_characterize(const struct pipa_characterize_input *input,
		      struct pipa_characterization *ret)
{
	struct maker maker = { .input = input, .work = ret };

	state_bound(&maker);
	state_time(&maker);
	state_parallelism(&maker);
	state_ipc(&maker);
	state_memory(&maker);
	state_io(&maker);
	state_network(&maker);
	return ret->status;
}

void pipa_characterization_done(struct pipa_characterization *work)
{
	pipa_arena_done(&work->arena);
	*work = (struct pipa_characterization){ 0 };
}
