#include "job/query/list.h"

#include <errno.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/error.h"
#include "kernel/event/host.h"
#include "kernel/machine/root.h"
#include "lib/fake_perf.h"
#include "lib/machines.h"
#include "lib/test.h"

static struct fake_perf *fake;
static struct pipa_list_options options;
static struct pipa_host host;
static struct pipa_buf out;
static struct pipa_error err;

static void on_machine(const char *prefix)
{
	fake = fake_perf_new();
	fake_perf_add_software(fake);
	pipa_root_close(host.root);
	host = (struct pipa_host){ .perf = &fake->perf };
	CHECK_EQ(pipa_root_open(prefix, &host.root, &err), 0);
	options = (struct pipa_list_options){ .all = true };
}

static const char *list(const char *kind, const char *glob)
{
	options.kind = kind;
	options.glob = glob;
	pipa_buf_reset(&out);
	if (pipa_list_run(&host, &options, &out, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", err.what);
	CHECK_EQ(fake_perf_still_open(fake), 0);
	return pipa_buf_str(&out);
}

static size_t count_lines(const char *text)
{
	size_t n = 0;

	for (; (text = strchr(text, '\n')); text++)
		n++;
	return n;
}

/* The line of an entry, without the indentation. */
static const char *line_of(const char *text, const char *name)
{
	static char line[512];
	const char *p;

	for (p = text; (p = strstr(p, name)); p++)
		if (p - text >= 2 && strncmp(p - 2, "  ", 2) == 0 &&
		    strchr(" \n", p[strlen(name)])) {
			snprintf(line, sizeof(line), "%.*s", (int)strcspn(p, "\n"), p);
			return line;
		}
	pipa_test_fail(__FILE__, __LINE__, "no %s in\n%s", name, text);
}

TEST(events_that_open_are_listed_without_a_note)
{
	on_machine(machine_icelake());
	fake_perf_add_hardware(fake, 0);
	CHECK_STR(line_of(list("hw", NULL), "instructions"), "instructions");
	CHECK_HAS(line_of(list("hw", NULL), "cycles"), "or cpu-cycles");
	CHECK(!strstr(list("hw", NULL), "not supported"));
	CHECK_HAS(pipa_buf_str(&out), "Hardware events:\n");
}

TEST(events_that_the_machine_lacks_are_listed_as_not_supported)
{
	on_machine(machine_plain());
	CHECK_HAS(line_of(list("hw", NULL), "instructions"), "not supported here");
	CHECK_HAS(line_of(list("cache", NULL), "LLC-loads"), "not supported here");
	CHECK_STR(line_of(list("sw", NULL), "task-clock"), "task-clock");
	CHECK_HAS(line_of(list("sw", NULL), "duration_time"), "measured by pipa itself");
}

TEST(events_the_machine_lacks_are_listed_only_with_all)
{
	on_machine(machine_plain());
	options.all = false;
	CHECK_STR(list("hw", NULL),
		  "Hardware events:\n  (10 not supported here; --all lists them)\n");
	CHECK_STR(line_of(list("sw", NULL), "task-clock"), "task-clock");
	options.json = true; /* has the state of each */
	CHECK_HAS(list("hw", NULL), "\"name\": \"instructions\"");
}

TEST(events_without_permission_are_listed_as_such)
{
	on_machine(machine_plain());
	fake->unprivileged = true;
	fake->paranoid = 2;
	CHECK_HAS(line_of(list("sw", NULL), "page-faults"), "user space only; or faults");
	fake->paranoid = 3;
	CHECK_HAS(line_of(list("sw", NULL), "page-faults"), "no permission");
}

TEST(an_event_works_when_one_core_pmu_has_it)
{
	static const uint32_t types[] = { MACHINE_CPU, MACHINE_ATOM };
	size_t i;

	for (i = 0; i < PIPA_COUNT(types); i++) {
		on_machine(machine_hybrid());
		fake_perf_add_hardware(fake, types[i]);
		CHECK_STR(line_of(list("hw", NULL), "instructions"), "instructions");
	}
}

TEST(pmu_events_are_listed_with_their_terms)
{
	const char *text;

	on_machine(machine_server());
	fake_perf_add(fake, &(struct fake_event){ .type = MACHINE_POWER, .config = 2 });
	text = list("pmu", NULL);
	CHECK_STR(line_of(text, "power/energy-pkg/"),
		  "power/energy-pkg/                    event=0x02, in Joules");
	CHECK_HAS(line_of(text, "power/energy-ram/"), "not supported here; event=0x03");
	CHECK_HAS(line_of(text, "uncore_imc_3/clockticks/"), "event=0xff");
	CHECK_HAS(line_of(text, "cpu//"), "terms: ");
	CHECK(!strstr(text, ".scale"));
}

TEST(tracepoints_are_listed_after_probing_only_one)
{
	const char *text;

	on_machine(machine_plain());
	fake_perf_add(fake, &(struct fake_event){ .type = PERF_TYPE_TRACEPOINT, .config = 310 });
	text = list("tracepoint", NULL);
	CHECK_EQ(count_lines(text), 1 + 5);
	CHECK_HAS(text, "\n  sched:sched_process_fork\n  sched:sched_switch\n");
	CHECK_EQ(fake->n_opens, 1);
	CHECK(!strstr(text, "ftrace"));
}

TEST(without_tracefs_the_list_points_to_the_doctor)
{
	const char *prefix = pipa_test_dir();

	pipa_test_file(prefix, "sys/devices/system/cpu/online", "0\n");
	on_machine(prefix);
	CHECK_HAS(list("tracepoint", NULL), "tracefs cannot be read: see pipa doctor");
}

TEST(each_metric_is_listed_once_with_the_variant_that_works_here)
{
	const char *text, *second;

	on_machine(machine_neoverse());
	fake_perf_add(fake, &(struct fake_event){ .type = MACHINE_ARM, .config = 0x3f });
	fake_perf_add(fake, &(struct fake_event){ .type = MACHINE_ARM, .config = 0x3a });
	fake_perf_add(fake, &(struct fake_event){ .type = MACHINE_ARM, .config = 0x3b });
	text = list("metric", NULL);
	CHECK_HAS(line_of(text, "retiring"), "[op_retired]");
	CHECK(!strstr(line_of(text, "retiring"), "not supported"));
	CHECK_HAS(line_of(text, "ipc"), "not supported here");
	CHECK_HAS(line_of(text, "faults_per_second"), "[page-faults] / elapsed");
	second = strstr(strstr(text, "  retiring ") + 3, "  retiring ");
	CHECK(!second);
}

TEST(a_metrics_state_is_that_of_its_worst_event)
{
	on_machine(machine_icelake());
	fake_perf_add(fake, &(struct fake_event){ .type = PERF_TYPE_HARDWARE });
	fake->unprivileged = true;
	fake->paranoid = 2;
	CHECK_HAS(line_of(list("metric", NULL), "ghz"), "user space only");
	CHECK_HAS(line_of(list("metric", NULL), "ipc"), "not supported here");
}

TEST(a_glob_chooses_names)
{
	const char *text;

	on_machine(machine_icelake());
	text = list(NULL, "*clock*");
	CHECK_HAS(text, "task-clock");
	CHECK_HAS(text, "cpu-clock");
	CHECK(!strstr(text, "page-faults"));
	CHECK_EQ(count_lines(list("tracepoint", "sched:*")), 4);
	CHECK_HAS(list("pmu", "topdown-*"), "cpu/topdown-retiring/");
	CHECK_HAS(list("pmu", "cpu/slots/"), "cpu/slots/");
	CHECK_HAS(list("metric", "topdown"), "frontend_bound");
}

TEST(a_glob_that_matches_nothing_is_a_failure)
{
	on_machine(machine_plain());
	options.glob = "nothing-like-it";
	CHECK_EQ(pipa_list_run(&host, &options, &out, &err), -ENOENT);
	CHECK_HAS(err.what, "nothing matches 'nothing-like-it'");
}

TEST(an_unknown_kind_is_refused_with_the_nearest)
{
	on_machine(machine_plain());
	options.kind = "tracepoints";
	CHECK_EQ(pipa_list_run(&host, &options, &out, &err), -EINVAL);
	CHECK_HAS(err.what, "invalid kind of events 'tracepoints'");
	CHECK_HAS(err.hint, "tracepoint");
	options.kind = "qqqqqqqq";
	CHECK_EQ(pipa_list_run(&host, &options, &out, &err), -EINVAL);
	CHECK_HAS(err.hint, "hw, cache, sw, pmu, tracepoint or metric");
}

TEST(all_kinds_have_their_titles)
{
	static const char *const titles[] = { "Hardware events:", "Hardware cache events:",
					      "Software events:", "PMU events:",
					      "Tracepoints:",	  "Metrics (-M):" };
	const char *text;
	size_t i;

	on_machine(machine_icelake());
	text = list(NULL, NULL);
	for (i = 0; i < PIPA_COUNT(titles); i++)
		CHECK_HAS(text, titles[i]);
}

TEST(json_names_kind_and_state)
{
	const char *text;

	on_machine(machine_icelake());
	options.json = true;
	text = list("sw", "page-faults");
	CHECK_STR(text, "{\n"
			"  \"schema\": \"pipa-list/1\",\n"
			"  \"events\": [\n"
			"    {\n"
			"      \"name\": \"page-faults\",\n"
			"      \"kind\": \"sw\",\n"
			"      \"state\": \"ok\",\n"
			"      \"description\": \"or faults\"\n"
			"    }\n"
			"  ]\n"
			"}\n");
	CHECK_HAS(list("hw", "cycles"), "\"state\": \"missing\"");
	CHECK_HAS(list("sw", "nothing-like-it"), "\"events\": []");
}
