/* Choose the events of a collection, and note what is not permitted. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/utsname.h>

#include "collect/count/event_groups.h"
#include "collect/sample/synth.h"
#include "job/collect/collect_own.h"
#include "kernel/event/host.h"
#include "kernel/machine/root.h"
#include "measure/count/count_plan.h"

enum { REASONS = PIPA_PROBE_MISSING + 1 };

/* Events that cannot be counted, by reason: one line of the log each. */
struct lacking {
	struct pipa_buf names[REASONS];
};

static void note_lacking(void *ctx, const char *event, enum pipa_probe why)
{
	struct lacking *lacking = ctx;
	struct pipa_buf *names = &lacking->names[why];

	pipa_buf_printf(names, "%s%s", names->len ? ", " : "", event);
}

static void log_lacking(struct pipa_collect_job *c, struct lacking *lacking)
{
	static const char *const reasons[] = {
		[PIPA_PROBE_DENIED] = "no permission", [PIPA_PROBE_MISSING] = "not supported here"
	};
	size_t why;

	for (why = 0; why < REASONS; why++) {
		if (lacking->names[why].len)
			pipa_collect_log(c, PIPA_LOG_WARN, "not counted: %s (%s)",
					 pipa_buf_str(&lacking->names[why]), reasons[why]);
		pipa_buf_done(&lacking->names[why]);
	}
}

static int add_group(struct pipa_collect_job *c, const char *group, struct pipa_machine *machine,
		     struct lacking *lacking)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf kept = { 0 };
	int n = pipa_event_groups_cut(group, machine, c->host->perf, note_lacking, lacking, &kept,
				      c->err);

	if (n > 0)
		pipa_buf_printf(&c->event_text, "%s%s", c->event_text.len ? "," : "",
				pipa_buf_str(&kept));
	return n < 0 ? n : 0;
}

static int drop_event(void *ctx PIPA_UNUSED, void *bytes PIPA_UNUSED, size_t len PIPA_UNUSED)
{
	return 0;
}

static bool is_kernel_withheld(struct pipa_root *root)
{
	const struct perf_event_attr attr = { .size = sizeof(attr) };
	const struct pipa_synth_options options = { .root = root,
						    .attr = &attr,
						    .put = drop_event };
	PIPA_AUTO(pipa_synth_free) struct pipa_synth *synth = NULL;

	return pipa_synth_new(&options, &synth) == 0 && pipa_synth_kernel(synth) == -EACCES;
}

/* Count the processes whose mappings this user cannot read. */
static unsigned int count_withheld(struct pipa_root *root)
{
	int fd = pipa_root_file(root, PIPA_PROC, O_DIRECTORY, ".");
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	unsigned int n = 0;

	while (dir && (entry = readdir(dir))) {
		PIPA_AUTO(pipa_fd_close) int maps = -1;

		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		maps = pipa_root_file(root, PIPA_PROC, 0, "%s/maps", entry->d_name);
		n += maps == -EACCES || maps == -EPERM;
	}
	if (dir)
		closedir(dir);
	else
		pipa_fd_close(fd);
	return n;
}

static void note_unresolved(struct pipa_collect_job *c)
{
	unsigned int hidden = count_withheld(c->host->root);

	if (is_kernel_withheld(c->host->root))
		pipa_collect_log(c, PIPA_LOG_WARN,
				 "no permission to read kernel addresses: kernel symbols will be "
				 "unresolved");
	if (hidden > 1) /* PID 1 of a container can be unreadable even for root */
		pipa_collect_log(
			c, PIPA_LOG_WARN,
			"no permission to read the maps of %u processes: their symbols will be "
			"unresolved",
			hidden);
}

/* Note missing permissions before the measurement, while the user can still change them. */
void pipa_collect_note_permissions(struct pipa_collect_job *c)
{
	const struct perf_event_attr clock = { .type = PERF_TYPE_SOFTWARE,
					       .size = sizeof(clock),
					       .config = PERF_COUNT_SW_CPU_CLOCK,
					       .disabled = 1 };

	if (pipa_probe_attr(c->host->perf, &clock, -1, 0) == PIPA_PROBE_DENIED)
		pipa_collect_log(
			c, PIPA_LOG_WARN,
			"no permission to count or sample the whole machine: the archive will "
			"hold statistics only. See pipa-collect(1).");
	else if (!c->o->no_record)
		note_unresolved(c);
}

int pipa_collect_check_events(struct pipa_collect_job *c, const char *events)
{
	const struct pipa_event_arg arg = { .text = events };
	const struct pipa_count_options options = { .target.system_wide = true,
						    .events = &arg,
						    .n_events = 1 };
	struct pipa_count_plan plan = { 0 };
	int rc = pipa_count_plan_make(&options, c->host->root, &plan, c->err);

	pipa_count_plan_done(&plan);
	return rc;
}

int pipa_collect_choose_events(struct pipa_collect_job *c)
{
	struct pipa_machine machine = { 0 };
	struct lacking lacking = { 0 };
	const char *const *group;
	struct utsname name;
	int rc;

	if (c->o->events) { /* unchanged: perf.data names the unsupported events */
		c->events.text = c->o->events;
		return 0;
	}
	rc = pipa_machine_load(&machine, c->host->root, c->err);
	uname(&name);
	for (group = pipa_event_groups(name.machine); !rc && *group; group++)
		rc = add_group(c, *group, &machine, &lacking);
	log_lacking(c, &lacking);
	pipa_machine_done(&machine);
	if (!rc && c->event_text.status)
		rc = pipa_fail(c->err, c->event_text.status, "choose events");
	if (c->event_text.len)
		c->events.text = pipa_buf_str(&c->event_text);
	return rc;
}
