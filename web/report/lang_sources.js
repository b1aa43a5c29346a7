/*
 * Sources of the variables of rules in Chinese (src/analyze/rules/variables.c writes them in English). Formulas that
 * consist only of names are not translated.
 */
const SOURCES_ZH = {
	"100 - mean %idle - mean %iowait of all CPUs, or of the expected CPUs":
		"100 − 全部 CPU（或预期 CPU）的 %idle 平均值 − %iowait 平均值",
	"95th percentile of its %ifutil": "其 %ifutil 的第 95 百分位",
	"CPU with the highest mean 100 - %idle - %iowait": "100 − %idle − %iowait 平均值最高的 CPU",
	"CPU(s) of the description, else CPUs with statistics, else hostcpus": "机器描述中的 CPU(s)，否则为有统计数据的 CPU 数，否则为 hostcpus",
	"CPUs of the list that are not in the class busy": "列表中不属于“繁忙”类的 CPU",
	"CPUs outside of the list with mean %user + %system above AFFINITY_LEAKAGE_THRESHOLD":
		"列表之外、%user + %system 平均值高于 AFFINITY_LEAKAGE_THRESHOLD 的 CPU",
	"CPUs whose mean 100 - %idle - %iowait exceeds BUSY_CPU": "100 − %idle − %iowait 平均值超过 BUSY_CPU 的 CPU",
	"CPUs whose p95 %iowait exceeds IO_WAIT_HIGH_THRESHOLD": "%iowait 的 p95 超过 IO_WAIT_HIGH_THRESHOLD 的 CPU",
	"HDD or SSD by `rotational` of the description": "按机器描述中的 `rotational` 判断为 HDD 或 SSD",
	"HDD, SATA_SSD or NVME_SSD": "HDD、SATA_SSD 或 NVME_SSD",
	"IO_AWAIT_*_THRESHOLD of the subtype": "该类磁盘的 IO_AWAIT_*_THRESHOLD",
	"L1-dcache-load-misses / L1-dcache-loads, else l1d_cache_refill / l1d_cache":
		"L1-dcache-load-misses / L1-dcache-loads，否则为 l1d_cache_refill / l1d_cache",
	"LLC-load-misses / LLC-loads, else ll_cache_miss_rd / ll_cache_rd": "LLC-load-misses / LLC-loads，否则为 ll_cache_miss_rd / ll_cache_rd",
	"1000 x last-level cache misses / instructions": "1000 × 末级缓存未命中数 / instructions",
	"NUMA nodes of the description": "机器描述中的 NUMA 节点",
	"classes of CPUs: idle, active, busy": "CPU 类别：空闲、活跃、繁忙",
	"cpu-migrations / run time": "cpu-migrations / 运行时间",
	"cpu_mhz / CPU MHz (max) of the description": "cpu_mhz / 机器描述中的 CPU MHz (max)",
	"difference of mean %user + %system between nodes": "各节点 %user + %system 平均值之差",
	"disk with the highest mean %util, without loop and ram": "%util 平均值最高的磁盘，不含 loop 和 ram",
	"disks with statistics": "有统计数据的磁盘",
	"expected CPUs were given, and at least 4 CPUs": "给出了预期 CPU，且至少有 4 个 CPU",
	"interface with the highest mean %ifutil": "%ifutil 平均值最高的接口",
	"list of these CPUs": "这些 CPU 的列表",
	"maximum of mean %user + %system per CPU": "各 CPU 的 %user + %system 平均值的最大值",
	"minimum of mean %user + %system per CPU": "各 CPU 的 %user + %system 平均值的最小值",
	"sample standard deviation of mean %user + %system per CPU": "各 CPU 的 %user + %system 平均值的样本标准差",
	"maximum over CPUs of the 95th percentile of %iowait": "各 CPU 的 %iowait 第 95 百分位的最大值",
	"maximum over CPUs of the maximum of %iowait": "各 CPU 的 %iowait 最大值的最大值",
	"mean %fio: all tasks waited for I/O": "%fio 平均值：所有任务都在等待 I/O",
	"mean %fmem: all tasks waited for memory": "%fmem 平均值：所有任务都在等待内存",
	"mean %scpu: at least one task waited for a CPU": "%scpu 平均值：至少一个任务在等待 CPU",
	"mean %sio: at least one task waited for I/O": "%sio 平均值：至少一个任务在等待 I/O",
	"mean %smem: at least one task waited for memory": "%smem 平均值：至少一个任务在等待内存",
	"mean %user + %system per node": "各节点的 %user + %system 平均值",
	"mean %vmeff where pages were scanned": "有页面扫描时的 %vmeff 平均值",
	"mean kbavail / (kbmemused / %memused)": "kbavail 平均值 / (kbmemused / %memused)",
	"mean pgpgin/s + mean pgpgout/s (page I/O, not swapping)": "pgpgin/s 平均值 + pgpgout/s 平均值（页面 I/O，非换页）",
	"mean pgscand/s: pages scanned by allocating tasks": "pgscand/s 平均值：分配内存的任务扫描的页面",
	"mean share of periods in which the CPU quota was used up": "CPU 配额用尽的周期所占比例的平均值",
	"mean sum of nvcswch/s of all processes": "所有进程的 nvcswch/s 之和的平均值",
	"mean tps of all devices": "全部设备的 tps 平均值",
	"more than one class of CPUs, one of them busy": "CPU 多于一类，且其中一类繁忙",
	"numa_max_diff exceeds NUMA_IMBALANCE_THRESHOLD": "numa_max_diff 超过 NUMA_IMBALANCE_THRESHOLD",
	"number of CPUs per class": "各类 CPU 的数量",
	"slots lost to mispredicted paths (top-down)": "因预测错误而损失的槽位（top-down）",
	"slots stalled by the back end (top-down)": "因后端停顿的槽位（top-down）",
	"slots stalled by the front end (top-down)": "因前端停顿的槽位（top-down）",
	"the list as given": "所给的列表",
	"CPU statistics": "CPU 统计",
	"CPU statistics per CPU": "每个 CPU 的统计",
	"CPU statistics with %irq": "含 %irq 的 CPU 统计",
	"CPU statistics with %soft": "含 %soft 的 CPU 统计",
	"CPU statistics and more than one NUMA node": "CPU 统计和多于一个 NUMA 节点",
	"statistics of at least 4 CPUs": "至少 4 个 CPU 的统计",
	"CPU frequencies": "CPU 频率",
	"CPU frequencies and their maximum": "CPU 频率及其最大值",
	"I/O statistics": "I/O 统计",
	"TCP statistics": "TCP 统计",
	"TCP error statistics": "TCP 错误统计",
	"UDP statistics": "UDP 统计",
	"cgroup limits": "cgroup 限制",
	"disk statistics": "磁盘统计",
	"huge page statistics": "大页统计",
	"interrupt statistics and the number of CPUs": "中断统计和 CPU 数量",
	"load statistics": "负载统计",
	"load statistics and the number of CPUs": "负载统计和 CPU 数量",
	"memory statistics": "内存统计",
	"network statistics": "网络统计",
	"network error statistics": "网络错误统计",
	"paging statistics": "分页统计",
	"pressure statistics": "压力统计",
	"softnet statistics": "softnet 统计",
	"swap statistics": "交换区统计",
	"swapping statistics": "换页统计",
	"switches per process": "每个进程的切换次数",
	"context switch statistics": "上下文切换统计",
	"context switch statistics and the number of CPUs": "上下文切换统计和 CPU 数量",
	"a description of the machine (spec_info.yaml)": "机器描述（spec_info.yaml）",
	"a list of expected CPUs": "预期 CPU 的列表",
	"top-down counters": "top-down 计数器",
	"counters of the L1 data cache": "L1 数据缓存的计数器",
	"counters of the last-level cache and instructions": "末级缓存和 instructions 的计数器",
	"counter cpu-migrations and the number of CPUs": "计数器 cpu-migrations 和 CPU 数量",
	"counters LLC-loads and LLC-load-misses, or ll_cache_rd and ll_cache_miss_rd":
		"计数器 LLC-loads 和 LLC-load-misses，或 ll_cache_rd 和 ll_cache_miss_rd",
};

/* Forms of sources that differ in names only; $1 is a name, or a source of its own where the last entry is true. */
const SOURCE_FORMS_ZH = [
	[/^needs (.+)$/, "需要$1", true],
	[/^at least 0\.1 s of (.+)$/, "至少 0.1 秒的$1", true],
	[/^counters (\S+) and (\S+)$/, "计数器 $1 和 $2"],
	[/^counter (\S+)$/, "计数器 $1"],
	[/^maximum over CPUs of mean (.+)$/, "各 CPU 的 $1 平均值的最大值"],
	[/^mean (.+) of all CPUs, or of the expected CPUs$/, "全部 CPU（或预期 CPU）的 $1 平均值"],
	[/^95th percentile of (\S+) of the busiest disk$/, "最繁忙磁盘的 $1 的第 95 百分位"],
	[/^maximum (\S+) of the busiest disk$/, "最繁忙磁盘的 $1 最大值"],
	[/^mean (\S+) of the busiest disk$/, "最繁忙磁盘的 $1 平均值"],
	[/^mean (\S+) over all disks$/, "全部磁盘的 $1 平均值"],
	[/^mean (\S+) over all interfaces$/, "全部接口的 $1 平均值"],
	[/^mean (.+) of all interfaces$/, "全部接口的 $1 平均值"],
	[/^mean (\S+) of all CPUs$/, "全部 CPU 的 $1 平均值"],
	[/^mean (\S+) \/ num_cpu$/, "$1 平均值 / num_cpu"],
	[/^mean (\S+)$/, "$1 平均值"],
];

function sourceInChinese(source) {
	if (Object.hasOwn(SOURCES_ZH, source))
		return SOURCES_ZH[source];
	for (const [form, text, nested] of SOURCE_FORMS_ZH) {
		const found = form.exec(source);
		if (found)
			return text.replace(/\$(\d)/g, (_, n) => (nested ? sourceInChinese(found[n]) : found[n].replace(" + mean ", " + ")));
	}
	return source;
}

/* The source of a variable in the language of the page, safe to look at. */
function sourceText(page, source) {
	return visible(page.lang === "zh" ? sourceInChinese(source || "") : source || "", 300);
}
