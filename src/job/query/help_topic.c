#include "job/query/help_topic.h"

#include <errno.h>
#include <string.h>

#include "analyze/count/metrics.h"
#include "base/auto.h"
#include "base/buf.h"
#include "model/sections.h"

const char *const pipa_help_topics[] = { "events", "metrics", "formats" };
const size_t pipa_n_help_topics = PIPA_COUNT(pipa_help_topics);

static const char events_text[] =
	"Events of pipa stat, record, top and run are given with -e, comma-separated, in the syntax\n"
	"of perf.\n"
	"\n"
	"  cycles, instructions, branch-misses     hardware events of every PMU\n"
	"  L1-dcache-load-misses, LLC-loads        hardware cache events\n"
	"  cpu-clock, task-clock, page-faults, cs  software events of the kernel\n"
	"  sched:sched_switch, syscalls:*          tracepoints; * and ? are wildcards\n"
	"  cpu/event=0x3c,umask=0x1/               an event of a PMU by its terms\n"
	"  power/energy-pkg/                       an event that a PMU names\n"
	"  r1a8                                    a raw event of the core PMU\n"
	"  mem:0x1000:rw                           accesses to an address\n"
	"  duration_time, user_time, system_time   measured by pipa\n"
	"\n"
	"Modifiers follow a colon:\n"
	"  u, k, h  only user space, the kernel, the hypervisor\n"
	"  G, H     only guests, only the host\n"
	"  p, P     precise (up to three times), highest precision available\n"
	"  D, e     pinned, exclusive\n"
	"  S        read the whole group at each sample of its leader\n"
	"\n"
	"Events in braces are one group, which is counted at the same time: {cycles,instructions}.\n"
	"--filter EXPR after a tracepoint selects records by its fields: 'prev_pid == 0'.\n"
	"\n"
	"Without hardware events, as in most virtual machines, record samples cpu-clock.\n"
	"pipa list prints the events of this machine, pipa doctor the reason if some are missing.\n"
	"See pipa-stat(1), pipa-record(1), pipa-list(1).\n";

static const char formats_text[] =
	"Files that pipa reads; the format is detected by content. Each may be compressed with gzip\n"
	"or zstd, and - is standard input.\n"
	"\n"
	"  perf.data       recordings of pipa and of perf since 3.2, files, pipes and directories\n"
	"  bundle          archive of a recording with its binaries and debug files (pipa bundle)\n"
	"  pprof           profile.proto, also in the legacy forms that go tool pprof reads\n"
	"  OTLP            profiles of OpenTelemetry, protobuf of layout 1.9 or 1.10 or JSON\n"
	"  speedscope      its JSON, sampled and evented; .cpuprofile of V8 and Chrome DevTools\n"
	"  perf script     text of perf script\n"
	"  folded stacks   main;work;mix 42, as of stackcollapse-perf.pl\n"
	"  sadf, sar       statistics: sadf -d and text of sar (pipa monitor --from, export, rules)\n"
	"  history         one file per day of pipa monitor --daemon\n"
	"  stat report     pipa stat --json, for stat --baseline and export\n"
	"  run report      directory or archive of pipa run or pipa collect, for run --from and rules\n"
	"\n"
	"Files that pipa writes:\n"
	"\n"
	"  perf.data       pipa record; perf report reads it\n"
	"  HTML, SVG       pipa flamegraph, heatmap, graph and diff; one file without references\n"
	"  DOT             pipa graph\n"
	"  pprof, OTLP     pipa export, merge and filter\n"
	"  speedscope      pipa export; also .cpuprofile, Firefox Profiler, Chrome trace, callgrind\n"
	"  tables          pipa export --frame: Parquet, CSV, JSON lines; -f sqlite: a database\n"
	"  folded stacks   pipa fold; pipa export, merge and filter\n"
	"  text            pipa script, in the format of perf script\n"
	"  CSV             pipa stat -x (columns of perf stat), monitor --csv (columns of sadf -d)\n"
	"  JSON            --json of most commands; docs/format has a schema for each\n"
	"  YAML            pipa stat --yaml, pipa run\n"
	"\n"
	"See pipa-report(1), pipa-bundle(1), pipa-monitor(1) and docs/format.\n";

static void put_columns(const struct pipa_section *section, struct pipa_buf *out)
{
	size_t i;

	pipa_buf_printf(out, "%s: %s%s%s\n", section->name, section->title,
			section->label ? ", per " : "", section->label ? section->label : "");
	for (i = 0; i < section->n_columns; i++) {
		const struct pipa_column *column = &section->columns[i];
		const char *unit = pipa_unit_text(column->unit);

		pipa_buf_printf(out, "  %-12s %-26s %s%s%s%s\n", column->name, column->id,
				column->description ? column->description : "", unit[0] ? " [" : "",
				unit, unit[0] ? "]" : "");
	}
}

static void put_derived(struct pipa_buf *out)
{
	const struct pipa_metric *metrics;
	size_t i, k, n;

	pipa_buf_puts(
		out,
		"Metrics of counters, for pipa stat -M; pipa list metric prints which work here\n");
	metrics = pipa_metrics(&n);
	for (i = 0; i < n; i++) {
		for (k = 0; k < i && strcmp(metrics[k].name, metrics[i].name) != 0;)
			k++;
		if (k == i) /* variants for other machines have the same name */
			pipa_buf_printf(out, "  %-30s %s [%s]\n", metrics[i].name, metrics[i].help,
					metrics[i].group);
	}
}

/* Write the names of all sections, or the columns of one. */
static int put_metrics(const char *part, struct pipa_buf *out)
{
	const struct pipa_section *section = part ? pipa_section_find(part) : NULL;
	size_t i;

	if (part && strcmp(part, "stat") == 0) {
		put_derived(out);
		return 0;
	}
	if (part && strcmp(part, "all") != 0) {
		if (!section)
			return -ENOENT;
		put_columns(section, out);
		return 0;
	}
	if (!part)
		pipa_buf_puts(
			out,
			"Metrics of the system, of pipa monitor, run and collect. Columns have the names\n"
			"and meanings of sysstat 12. pipa help metrics SECTION prints the columns of a\n"
			"section, pipa help metrics all those of all sections, pipa help metrics stat the\n"
			"metrics of counters.\n\n");
	for (i = 0; i < PIPA_SECTION_NR; i++) {
		section = &pipa_sections[i];
		if (part) {
			put_columns(section, out);
			pipa_buf_putc(out, '\n');
		} else {
			pipa_buf_printf(out, "  %-17s %s (%zu)\n", section->name, section->title,
					section->n_columns);
		}
	}
	if (part)
		put_derived(out);
	else
		pipa_buf_puts(out, "\nSee pipa-monitor(1), pipa-stat(1).\n");
	return 0;
}

int pipa_help_topic_write(const char *topic, const char *part, struct pipa_buf *out)
{
	if (strcmp(topic, "metrics") == 0)
		return put_metrics(part, out);
	if (part)
		return -ENOENT;
	if (strcmp(topic, "events") == 0)
		pipa_buf_puts(out, events_text);
	else if (strcmp(topic, "formats") == 0)
		pipa_buf_puts(out, formats_text);
	else
		return -ENOENT;
	return 0;
}
