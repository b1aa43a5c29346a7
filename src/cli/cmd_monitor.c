/* Options and help of `pipa monitor`. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/opt_rows.h"
#include "job/monitor.h"
#include "model/sections.h"
#include "screen/monitor/monitor.h"
#include "store/csv_record.h"
#include "store/output_check.h"

struct args {
	struct pipa_monitor_options job;
	const struct pipa_section *chosen[PIPA_SECTION_NR];
	bool csv, json, all, plain;
	bool kept;   /* --keep-days or --max-size was given */
	bool screen; /* start the TUI */
};

/* Sections of an option. */
#define DEFAULTS "cpu,load,mem,disk,net"
#define PROCESSES "processes,process-io,process-switches"

static const struct pipa_section *find_section(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < PIPA_SECTION_NR; i++) {
		const struct pipa_section *section = &pipa_sections[i];

		if (strlen(section->name) == len && memcmp(section->name, name, len) == 0)
			return section;
	}
	return NULL;
}

static bool is_chosen(const struct args *args, const struct pipa_section *section)
{
	size_t i;

	for (i = 0; i < args->job.select.n_sections; i++)
		if (args->chosen[i] == section)
			return true;
	return false;
}

static int add_sections(void *values, const char *names, struct pipa_error *err)
{
	struct args *args = values;

	while (*names) {
		size_t len = strcspn(names, ",");
		const struct pipa_section *section = find_section(names, len);

		if (!section)
			return pipa_refuse(err, -EINVAL, "unknown section '%.*s'", (int)len, names);
		if (!is_chosen(args, section))
			args->chosen[args->job.select.n_sections++] = section;
		names += len + (names[len] == ',');
	}
	return 0;
}

/* Parse a time of day: "10:00" or "10:00:30". */
static int parse_clock(const char *option, const char *text, int *ret, struct pipa_error *err)
{
	struct tm tm = { 0 };
	const char *end = strptime(text, "%H:%M:%S", &tm);

	if (!end || *end) {
		tm = (struct tm){ 0 };
		end = strptime(text, "%H:%M", &tm);
	}
	if (!end || *end)
		return pipa_refuse(err, -EINVAL,
				   "%s: invalid time '%s', expected HH:MM or HH:MM:SS", option,
				   text);
	*ret = tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec;
	return 0;
}

static int set_start(void *values, const char *text, struct pipa_error *err)
{
	return parse_clock("--start", text, &((struct args *)values)->job.select.from_s, err);
}

static int set_end(void *values, const char *text, struct pipa_error *err)
{
	return parse_clock("--end", text, &((struct args *)values)->job.select.until_s, err);
}

static int set_keep(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;

	args->kept = true;
	if (pipa_str_u64(text, &args->job.keep_days) < 0 || args->job.keep_days > 100000)
		return pipa_refuse(err, -EINVAL,
				   "--keep-days: invalid number '%s', expected 0 to 100000", text);
	return 0;
}

static int set_max_size(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;

	args->kept = true;
	if (pipa_str_size(text, 1, &args->job.max_size) == 0 && args->job.max_size)
		return 0;
	return pipa_refuse(err, -EINVAL,
			   "--max-size: invalid size '%s', expected a size such as 500M or 2Gi",
			   text);
}

#define SECTION(text, names, about)                                                                \
	{                                                                                          \
		.kind = PIPA_OPT_CALL, .name = text, .set = add_sections, .given = names,          \
		.help = about                                                                      \
	}

static const struct pipa_opt opts[] = {
	TITLE("Intervals"),
	{ .kind = PIPA_OPT_DURATION,
	  .letter = 'i',
	  .name = "interval",
	  .arg = "SEC",
	  .bare_ns = PIPA_NS_PER_SEC,
	  .above_zero = true,
	  AT(job.interval_ns),
	  .help = "interval in seconds, at least 0.01 (default: 1; with --daemon: 60)" },
	{ .kind = PIPA_OPT_U64,
	  .letter = 'n',
	  .name = "iterations",
	  .arg = "N",
	  AT(job.count),
	  .help = "stop after N intervals, 0: never (default: until interrupted)" },

	TITLE("Sections"),
	SECTION("cpu-util", "cpu", "CPU utilization"),
	SECTION("mem", "mem", "memory utilization"),
	SECTION("swap", "swapping,swap", "swap space and swapping"),
	SECTION("hugepages", "hugepages", "huge page utilization"),
	SECTION("paging", "paging", "paging and page reclaim"),
	SECTION("disk", "disk", "I/O of each disk"),
	SECTION("io", "io", "I/O of all disks together"),
	SECTION("fs", "fs", "usage of local file systems"),
	SECTION("net", "net", "traffic of each network interface"),
	SECTION("net-errors", "net-errors", "errors of each network interface"),
	SECTION("ip", "ip,ip-errors", "IPv4 traffic and errors"),
	SECTION("icmp", "icmp,icmp-errors", "ICMP traffic and errors"),
	SECTION("tcp", "tcp,tcp-errors", "TCP traffic and errors"),
	SECTION("udp", "udp", "UDP traffic"),
	SECTION("ipv6", "sockets6,ip6,ip6-errors,icmp6,icmp6-errors,udp6",
		"IPv6, ICMPv6 and UDPv6 traffic and sockets"),
	SECTION("sockets", "sockets", "sockets in use"),
	SECTION("nfs", "nfs,nfsd", "NFS client and server calls"),
	SECTION("softnet", "softnet", "network softirq statistics"),
	SECTION("load", "load", "run queue length and load average"),
	SECTION("psi", "psi-cpu,psi-io,psi-memory", "pressure stall information (PSI)"),
	SECTION("cswch", "cswch", "task creation and context switches"),
	SECTION("interrupts", "interrupts", "rate of each interrupt"),
	SECTION("softirq", "softirq", "softirqs by type"),
	SECTION("kernel-tables", "kernel-tables", "open files, inodes, dentries, pseudo terminals"),
	SECTION("tty", "tty", "serial line activity"),
	SECTION("numa", "numa", "allocations and memory of each NUMA node"),
	SECTION("cpu-freq", "freq", "CPU frequencies"),
	SECTION("thermal", "thermal", "sensor temperatures"),
	SECTION("cgroups", "cgroups", "CPU, memory and I/O of each cgroup"),
	SECTION("limits", "limits", "limits of the cgroup pipa runs in"),
	SECTION("processes", PROCESSES, "CPU, memory, I/O and context switches of each process"),
	SECTION("threads", "threads,thread-io,thread-switches",
		"CPU, memory, I/O and context switches of each thread"),
	FLAG('A', "all", all, "all sections except processes and threads"),

	TITLE("Filters"),
	TEXT('P', "cpus", "ALL|LIST", job.select.cpus,
	     "add a row for each CPU, or for these: 0-3,7"),
	TEXT(0, "dev", "NAMES", job.select.disks,
	     "only these disks (comma-separated globs): sda,nvme*"),
	TEXT(0, "iface", "NAMES", job.select.ifaces,
	     "only these network interfaces (comma-separated globs)"),
	TEXT(0, "fs-name", "NAMES", job.select.filesystems,
	     "only these file systems (comma-separated globs): /dev/sd*"),
	FLAG(0, "idle", job.select.idle, "include idle processes and threads"),

	TITLE("Output"),
	FLAG(0, "plain", plain, "print tables, do not start the TUI"),
	FLAG('j', "json", json, "print one JSON object per interval"),
	FLAG(0, "csv", csv, "print CSV in the format of sadf -d"),
	TEXT('o', "output", "DIR", job.record, "record to CSV files in DIR: sar_cpu.csv, ..."),

	TITLE("Daemon"),
	FLAG(0, "daemon", job.history,
	     "record to -o DIR continuously, one compressed file per day"),
	{ .kind = PIPA_OPT_CALL,
	  .name = "keep-days",
	  .arg = "DAYS",
	  .set = set_keep,
	  .help = "delete files older than DAYS days (default: 28)" },
	{ .kind = PIPA_OPT_CALL,
	  .name = "max-size",
	  .arg = "SIZE",
	  .set = set_max_size,
	  .help = "delete the oldest files to keep the total below SIZE" },

	TITLE("Replay"),
	TEXT('f', "from", "PATH", job.replay, "read a recording: a directory, archive or file"),
	TEXT(0, "day", "DATE", job.select.day,
	     "day of the recording: 2026-11-15, or -1 for yesterday"),
	{ .kind = PIPA_OPT_CALL,
	  .letter = 's',
	  .name = "start",
	  .arg = "HH:MM",
	  .set = set_start,
	  .help = "only intervals after this time of day" },
	{ .kind = PIPA_OPT_CALL,
	  .letter = 'e',
	  .name = "end",
	  .arg = "HH:MM",
	  .set = set_end,
	  .help = "only intervals before this time of day" },
};

/*
 * Are these sections of processes or threads? Those have thousands of rows and are not part of
 * --all.
 */
static bool is_task_section(const char *names)
{
	const struct pipa_section *section = find_section(names, strcspn(names, ","));

	return section && pipa_section_is_of_tasks(section);
}

static int choose_all(struct args *args, struct pipa_error *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < PIPA_COUNT(opts); i++)
		if (opts[i].given && (args->job.replay || !is_task_section(opts[i].given)))
			rc = add_sections(args, opts[i].given, err);
	return rc;
}

/* Return the host name, the first column of sadf. */
static const char *host_name(void)
{
	static struct utsname name;

	return uname(&name) == 0 ? name.nodename : "localhost";
}

/* Refuse options that cannot be combined. */
static int check_args(const struct args *args, struct pipa_error *err)
{
	if (args->job.history && !args->job.record)
		return pipa_refuse(err, -EINVAL, "--daemon requires -o DIR");
	if (args->kept && !args->job.history)
		return pipa_refuse(err, -EINVAL, "--keep-days and --max-size require --daemon");
	if (args->job.record && (args->job.replay || args->csv || args->json))
		return pipa_refuse(err, -EINVAL,
				   "-o cannot be combined with --from, --csv or --json");
	if ((args->job.select.from_s >= 0 || args->job.select.until_s >= 0) && !args->job.replay)
		return pipa_refuse(err, -EINVAL, "-s and -e require --from PATH");
	if (args->job.select.day && !args->job.replay)
		return pipa_refuse(err, -EINVAL, "--day requires --from PATH");
	if (args->csv && args->json)
		return pipa_refuse(err, -EINVAL, "only one of --csv and --json can be given");
	return PIPA_OUTPUT_CHECK(NULL, STDOUT_FILENO, err, args->job.replay);
}

/* Choose the sections that -o records. */
static void choose_recorded(struct args *args)
{
	size_t i;

	for (i = 0; i < PIPA_SECTION_NR; i++)
		if (pipa_csv_recorder_file(&pipa_sections[i]) &&
		    !is_chosen(args, &pipa_sections[i]))
			args->chosen[args->job.select.n_sections++] = &pipa_sections[i];
}

static int choose_sections(struct args *args, struct pipa_error *err)
{
	int rc = 0;

	args->job.may_lack = args->all || (args->job.record && !args->job.history) ||
			     (args->job.history && !args->job.select.n_sections);
	if (args->job.record && !args->job.history)
		choose_recorded(args);
	else if (args->job.may_lack || (args->job.replay && !args->job.select.n_sections))
		rc = choose_all(args, err);
	else if (!args->job.select.n_sections) /* in a container, limits first */
		rc = add_sections(args,
				  pipa_monitor_is_limited(&pipa_cli_host) ? "limits," DEFAULTS :
									    DEFAULTS,
				  err);
	if (!rc && args->job.history && args->job.may_lack && !args->all)
		rc = add_sections(args, PROCESSES, err); /* sar has no section of processes */
	if (!rc && args->job.replay && is_chosen(args, find_section("cpu", 3)))
		rc = add_sections(args, "cpu-short",
				  err); /* recordings can have only the six columns */
	args->job.select.sections = args->chosen;
	return rc;
}

static int finish_args(struct args *args, struct pipa_error *err)
{
	int rc = check_args(args, err);

	if (rc < 0)
		return rc;
	if (!args->job.interval_ns)
		args->job.interval_ns = (args->job.history ? 60 : 1) * PIPA_NS_PER_SEC;
	if (args->job.interval_ns < 10 * PIPA_NS_PER_MS) {
		pipa_refuse(err, -EINVAL, "-i: invalid interval, expected 10 ms or more");
		return pipa_hint(err, "a number without a unit is in seconds: -i 0.1, -i 100ms");
	}
	args->screen = !args->plain && !args->csv && !args->json && !args->job.record &&
		       !args->job.replay && !args->job.select.cpus && !args->all &&
		       !args->job.select.n_sections && isatty(STDIN_FILENO) &&
		       isatty(STDOUT_FILENO);
	rc = choose_sections(args, err);
	if (args->job.history && !args->job.select.cpus)
		args->job.select.cpus = "ALL";
	args->job.format = (struct pipa_series_format){
		.form = args->csv  ? PIPA_SERIES_CSV :
			args->json ? PIPA_SERIES_JSON :
				     PIPA_SERIES_TEXT,
		.host = host_name(),
		.fractions = args->job.interval_ns % PIPA_NS_PER_SEC != 0,
	};
	args->job.out_fd = STDOUT_FILENO;
	return rc;
}

/* Start the TUI, or print tables, with a note if the terminal does not support the TUI. */
static int watch(const struct args *args, struct pipa_error *err)
{
	char text[sizeof(err->what) + 40];
	int rc = args->screen ? pipa_screen_monitor_run(&pipa_cli_host, &args->job, err) : -ENODEV;

	if (rc != -ENODEV)
		return rc;
	if (args->screen) {
		snprintf(text, sizeof(text), "%s; printing tables instead", err->what);
		pipa_cli_note("monitor", text);
		*err = (struct pipa_error){ 0 };
	}
	return pipa_monitor_run(&pipa_cli_host, &args->job, err);
}

static int run_monitor(const struct pipa_cmd *cmd, int argc, char **argv)
{
	struct pipa_error err = { 0 };
	struct args args = { .job = {
				     .select.from_s = -1, .select.until_s = -1, .keep_days = 28 } };
	int rc = pipa_opt_parse(opts, PIPA_COUNT(opts), argc, argv, &args, &err);

	if (rc == -ECANCELED)
		return pipa_cli_help(cmd);
	if (rc >= 0 && rc < argc)
		rc = pipa_refuse(&err, -EINVAL, "unexpected argument '%s'", argv[rc]);
	if (rc >= 0)
		rc = finish_args(&args, &err);
	if (rc < 0)
		return pipa_cli_fail(cmd, &err, cmd->usage);
	args.job.log = pipa_cli_log(cmd);
	rc = watch(&args, &err);
	return rc < 0 ? pipa_cli_end(cmd, rc, &err) : rc;
}

const struct pipa_cmd pipa_cmd_monitor = {
	.name = "monitor",
	.args = "[OPTIONS]",
	.help = "show system statistics: CPU, memory, disks, network, pressure",
	.more = "Default sections: --cpu-util, --load, --mem, --disk, --net; if a cgroup limit applies, --limits.\n"
		"See pipa-monitor(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_monitor,
};
