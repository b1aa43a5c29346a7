#include "measure/sample/record_plan.h"

#include <errno.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "collect/count/probe.h"
#include "kernel/event/host.h"
#include "kernel/machine/root.h"
#include "kernel/machine/topology.h"
#include "measure/sample/dump_size.h"
#include "measure/sample/record.h"
#include "perf/attr.h"
#include "unwind/arch.h"

enum {
	RING_MOST = 8 << 20,
	SIDE_BYTES = 128 << 10,
	RING_SECONDS_PART = 2, /* a ring holds the samples of 1 / 2 second */
	COUNTED_HZ = 20000,    /* assumed rate of events that are sampled each time */
};

void pipa_record_plan_done(struct pipa_record_plan *plan)
{
	pipa_events_done(&plan->events);
	pipa_machine_done(&plan->machine);
	pipa_target_list_done(&plan->targets);
	pipa_cpus_done(&plan->online);
}

/* ---- which events ---------------------------------------------------------------------------------- */

/* Add the default event: cycles if a counter supports it, else cpu-clock. */
static int add_default(struct pipa_record_plan *plan, const struct pipa_perf *perf,
		       struct pipa_error *err)
{
	PIPA_AUTO(pipa_events_done) struct pipa_events cycles = { 0 };
	size_t i;
	int rc = pipa_events_ask(&plan->machine, "cycles", NULL, &cycles, NULL);

	for (i = 0; !rc && i < cycles.n; i++)
		if (pipa_probe_event(perf, &cycles.items[i]) == PIPA_PROBE_MISSING)
			rc = -ENOENT;
	if (rc == -ENOMEM)
		return pipa_fail(err, rc, "find the event to sample");
	return pipa_events_ask(&plan->machine, rc || !cycles.n ? "cpu-clock" : "cycles:P", NULL,
			       &plan->events, err);
}

static int add_events(const struct pipa_record_options *o, struct pipa_record_plan *plan,
		      const struct pipa_perf *perf, struct pipa_error *err)
{
	size_t i;
	int rc = 0;

	if (!o->n_events)
		rc = add_default(plan, perf, err);
	for (i = 0; !rc && i < o->n_events; i++)
		rc = pipa_events_ask(&plan->machine, o->events[i].text, o->events[i].filter,
				     &plan->events, err);
	for (i = 0; !rc && i < plan->events.n; i++) {
		const struct pipa_event *event = &plan->events.items[i];

		if (event->tool)
			rc = pipa_refuse(err, -EINVAL, "%s can be counted but not sampled",
					 event->name);
		else if (event->uncore)
			rc = pipa_refuse(err, -EINVAL,
					 "%s counts a package and cannot be sampled; count it with "
					 "pipa stat",
					 event->name);
	}
	return rc;
}

/* ---- how often ------------------------------------------------------------------------------------- */

/* Is the event sampled by time, and not every N-th time? */
static bool is_by_time(const struct pipa_record_options *o, const struct pipa_event *event)
{
	return !o->period && (event->kind != PIPA_EVENT_TRACEPOINT || o->hz);
}

/* Choose the rate of events that are sampled by time. One that the kernel does not permit is lowered and kept for the note. */
static void plan_rate(const struct pipa_record_options *o, struct pipa_record_plan *plan,
		      struct pipa_root *root)
{
	uint64_t most;
	size_t i;

	if (pipa_root_read_u64(root, PIPA_PROC, &most, "sys/kernel/perf_event_max_sample_rate") ==
	    0)
		plan->max_hz = most;
	if (o->period)
		return;
	plan->hz = o->hz ? o->hz : PIPA_RECORD_HZ;
	if (o->hz == UINT64_MAX) {
		plan->hz = plan->max_hz ? plan->max_hz : PIPA_RECORD_HZ;
	} else if (plan->max_hz && plan->hz > plan->max_hz) {
		for (i = 0; i < plan->events.n; i++)
			if (is_by_time(o, &plan->events.items[i]))
				plan->refused_hz = plan->hz;
		plan->hz = plan->max_hz;
	}
}

/* Return the bytes per sample of the event in the ring. */
static uint64_t sample_bytes(const struct pipa_record_plan *plan, bool by_time)
{
	uint64_t stack = !by_time && plan->auto_mode ? 0 :
			 by_time		     ? plan->stack_bytes :
						       plan->counted_stack_bytes;

	return PIPA_SAMPLE_BYTES + stack;
}

/*
 * Choose the ring size so that a short stall of the reader loses nothing. Events such as switches
 * and system calls can happen 20,000 times per second and CPU: half a second of that must fit.
 */
static size_t ring_for(const struct pipa_record_options *o, const struct pipa_record_plan *plan)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = PIPA_RING_MIN, i;
	size_t most = plan->stack_bytes ? PIPA_RING_STACKS_MAX : RING_MOST;
	uint64_t wanted = 0;

	if (o->ring_bytes) {
		for (size = page; size < o->ring_bytes && size < (size_t)1 << 30; size *= 2)
			;
		return size;
	}
	for (i = 0; i < plan->events.n; i++)
		if (is_by_time(o, &plan->events.items[i]))
			wanted += plan->hz * sample_bytes(plan, true) /
				  (plan->live ? PIPA_RING_LIVE_PART : RING_SECONDS_PART);
		else
			wanted += COUNTED_HZ * sample_bytes(plan, false) / RING_SECONDS_PART;
	most = plan->ring_room < most ? plan->ring_room : most;
	while (size < wanted && size * 2 <= most)
		size *= 2;
	return size < page ? page : size;
}

/* ---- stacks --------------------------------------------------------------------------------------- */

/* Return the mask of registers that unwinding uses, by perf's numbers. */
static uint64_t registers_of(const struct pipa_unwind_arch *arch)
{
	uint64_t mask = UINT64_C(1) << arch->perf_pc;
	unsigned int i;

	for (i = 0; i < arch->n_perf; i++)
		if (arch->perf[i] != PIPA_UNWIND_NO_REG)
			mask |= UINT64_C(1) << i;
	return mask;
}

/*
 * Return the mask of the link register, which has the caller of a leaf function that frame pointers
 * miss; 0 if the stack has it. For aarch64, as perf does; riscv64 kernels read it themselves.
 */
static uint64_t link_register_of(const struct pipa_unwind_arch *arch)
{
	unsigned int i;

	for (i = 0; arch == &pipa_unwind_aarch64 && i < arch->n_perf; i++)
		if (arch->perf[i] == arch->link)
			return UINT64_C(1) << i;
	return 0;
}

/* Choose dump sizes; none if no option requested them and they would cost too much. */
static void plan_sizes(const struct pipa_record_options *o, struct pipa_record_plan *plan)
{
	uint64_t hz = plan->hz * plan->events.n;
	uint32_t live = plan->live ? pipa_record_stack_live(hz, plan->ring_room) : 0;

	plan->counted_stack_bytes = o->stack_bytes ? o->stack_bytes : PIPA_STACK_BYTES;
	if (o->calls == PIPA_CALLS_AUTO && !plan->live)
		plan->stack_bytes = o->output ? pipa_record_stack_written(hz, plan->ring_room) : 0;
	else if (o->calls == PIPA_CALLS_AUTO)
		plan->stack_bytes = live;
	else if (o->stack_bytes)
		plan->stack_bytes = o->stack_bytes;
	else
		plan->stack_bytes = live > PIPA_STACK_BYTES ? live : PIPA_STACK_BYTES;
}

static bool any_by_time(const struct pipa_record_options *o, const struct pipa_record_plan *plan)
{
	size_t i;

	for (i = 0; i < plan->events.n; i++)
		if (is_by_time(o, &plan->events.items[i]))
			return true;
	return false;
}

static int plan_stacks(const struct pipa_record_options *o, struct pipa_record_plan *plan,
		       struct pipa_error *err)
{
	const struct pipa_unwind_arch *arch = NULL;
	struct utsname host;

	if (!o->calls)
		return 0;
	if (uname(&host) == 0)
		arch = pipa_unwind_arch_named(host.machine);
	if (!arch && o->calls == PIPA_CALLS_DWARF) {
		pipa_refuse(err, -ENOTSUP, "stack unwinding is not supported on this architecture");
		return pipa_hint(err, "use --call-graph fp for frame pointers");
	}
	if (!arch)
		return 0;
	plan->link_reg = link_register_of(arch);
	if (o->calls == PIPA_CALLS_FP || (o->calls == PIPA_CALLS_AUTO && !any_by_time(o, plan)))
		return 0;
	plan->live = !o->keep_stacks && (o->output || o->feed);
	plan_sizes(o, plan);
	plan->live = plan->live && plan->stack_bytes;
	plan->user_regs = registers_of(arch);
	plan->auto_mode = o->calls == PIPA_CALLS_AUTO;
	/*
	 * following frame pointers takes the kernel longer than copying 8 KiB: only if dumps are
	 * small
	 */
	plan->also_fp = plan->auto_mode &&
			(!plan->live ||
			 plan->stack_bytes < pipa_record_stack_live(plan->hz * plan->events.n,
								    PIPA_RING_STACKS_MAX) /
						     2);
	return 0;
}

/* ---- attrs ----------------------------------------------------------------------------------------- */

static void set_common(const struct pipa_record_options *o, const struct pipa_record_plan *plan,
		       struct perf_event_attr *attr)
{
	attr->size = sizeof(*attr);
	attr->sample_type |= PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			     PERF_SAMPLE_CPU;
	attr->read_format = PERF_FORMAT_ID | PIPA_FORMAT_LOST;
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = pipa_record_clock(o);
	attr->disabled = 1;
	attr->inherit = plan->targets.by_task && !o->no_inherit;
	attr->watermark = 1;
}

static bool reads_group(const struct pipa_record_plan *plan, const struct pipa_event *event)
{
	return plan->events.items[event->leader].attr.sample_type & PERF_SAMPLE_READ;
}

static void set_rate(const struct pipa_record_options *o, const struct pipa_record_plan *plan,
		     const struct pipa_event *event, struct perf_event_attr *attr)
{
	if (event->kind == PIPA_EVENT_TRACEPOINT && !o->hz && !o->period) {
		attr->sample_period = 1; /* each event */
	} else if (o->period) {
		attr->sample_period = o->period;
	} else {
		attr->freq = 1;
		attr->sample_freq = plan->hz;
	}
}

/*
 * Set the stack dump. Frequent events have none unless it was requested. Without frame pointers,
 * the user-space call chain is excluded and left to unwinding.
 */
static void set_stack(const struct pipa_record_plan *plan, struct perf_event_attr *attr)
{
	if (!plan->stack_bytes || (plan->auto_mode && !attr->freq)) {
		attr->sample_type |= plan->link_reg ? PERF_SAMPLE_REGS_USER : 0;
		attr->sample_regs_user = plan->link_reg;
		return;
	}
	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user = plan->user_regs;
	attr->sample_stack_user = attr->freq ? plan->stack_bytes : plan->counted_stack_bytes;
	attr->exclude_callchain_user = !plan->also_fp;
}

/*
 * If samples contain the period, each event that the kernel counts in software is a sample,
 * regardless of the period (perf_swevent_event); otherwise every N-th is, and the reader takes N
 * from the attr. Clocks use timers.
 */
static bool period_undoes_count(const struct perf_event_attr *attr)
{
	if (attr->freq || attr->sample_period < 2)
		return false;
	return attr->type == PERF_TYPE_TRACEPOINT ||
	       (attr->type == PERF_TYPE_SOFTWARE && attr->config != PERF_COUNT_SW_CPU_CLOCK &&
		attr->config != PERF_COUNT_SW_TASK_CLOCK);
}

static void set_attr(const struct pipa_record_options *o, const struct pipa_record_plan *plan,
		     size_t i)
{
	struct pipa_event *event = &plan->events.items[i];
	struct perf_event_attr *attr = &event->attr;
	bool group = reads_group(plan, event);

	set_common(o, plan, attr);
	attr->enable_on_exec = plan->targets.by_command && !o->delay_ns;
	attr->wakeup_watermark = (uint32_t)(plan->ring_bytes / 4);
	attr->sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD;
	if (o->calls)
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (o->raw || event->kind == PIPA_EVENT_TRACEPOINT)
		attr->sample_type |= PERF_SAMPLE_RAW;
	if (o->addresses)
		attr->sample_type |= PERF_SAMPLE_ADDR;
	if (o->branches) {
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	}
	if (!group || event->leader == i)
		set_rate(o, plan, event, attr);
	if (period_undoes_count(attr))
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
	set_stack(plan, attr);
	if (plan->filter_by_tree && attr->type == PERF_TYPE_SOFTWARE)
		attr->exclude_idle = 1;
	if (group) { /* read when its leader is sampled; inheriting that needs a recent kernel */
		attr->sample_type |= PERF_SAMPLE_READ;
		attr->read_format = PERF_FORMAT_ID | PERF_FORMAT_GROUP;
		attr->inherit = 0;
	}
	if (o->thread_counts && attr->inherit) { /* the layout that perf report -T reads */
		attr->inherit_stat = 1;
		attr->read_format |= PERF_FORMAT_TOTAL_TIME_ENABLED |
				     PERF_FORMAT_TOTAL_TIME_RUNNING;
	}
}

static void set_sideband(const struct pipa_record_options *o, struct pipa_record_plan *plan)
{
	struct perf_event_attr *attr = &plan->side;

	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	set_common(o, plan, attr);
	attr->enable_on_exec = plan->targets.by_command;
	attr->wakeup_watermark = (uint32_t)(plan->side_bytes / 4);
	attr->exclude_kernel = attr->exclude_hv = 1; /* it counts nothing: require no permission */
	attr->sample_period = 1;
	attr->mmap = attr->mmap2 = attr->comm = attr->comm_exec = attr->task = 1;
	/* libunwind reads .eh_frame where it was mapped, and that mapping is not executable */
	attr->mmap_data = o->addresses || (plan->stack_bytes && !plan->live);
	/*
	 * With it, the kernel sets the flag in the records of all other readers, too
	 * (perf/decode.c), and perf up to at least 6.1 aborts on them: build IDs are read from the
	 * files (measure/sample/record_maps.h).
	 */
	attr->build_id = o->kernel_build_ids;
	attr->namespaces = attr->cgroup = 1;
	attr->ksymbol = attr->bpf_event = 1;
	attr->context_switch = o->switches;
}

int pipa_record_plan_make(const struct pipa_record_options *o, const struct pipa_host *host,
			  struct pipa_record_plan *plan, struct pipa_error *err)
{
	size_t i;
	struct pipa_root *root = host->root;
	int rc = pipa_machine_load(&plan->machine, root, err);

	if (!rc)
		rc = pipa_target_spec_check(&o->target, err);
	if (!rc)
		rc = pipa_target_list_make(&o->target, root, &plan->targets, err);
	if (!rc)
		rc = add_events(o, plan, host->perf, err);
	if (!rc)
		rc = pipa_target_list_cpus(&o->target, root, &plan->targets, err);
	if (!rc)
		rc = pipa_topology_online(root, &plan->online, err);
	if (!rc && plan->targets.n_cgroups)
		rc = pipa_target_list_spread(&plan->targets, &plan->events, err);
	if (rc < 0)
		return rc;
	plan->filter_by_tree = o->tree_only && o->target.command && !plan->targets.by_task;
	pipa_events_restrict(&plan->events, o->user_only, o->kernel_only);
	plan_rate(o, plan, root);
	plan->ring_room = o->ring_bytes ? o->ring_bytes :
					  pipa_record_ring_room(root, plan->online.n);
	rc = plan_stacks(o, plan, err);
	if (rc < 0)
		return rc;
	plan->ring_bytes = ring_for(o, plan);
	plan->side_bytes = SIDE_BYTES;
	for (i = 0; i < plan->events.n; i++)
		set_attr(o, plan, i);
	set_sideband(o, plan);
	return 0;
}
