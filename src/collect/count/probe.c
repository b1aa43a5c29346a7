#include "collect/count/probe.h"

#include <errno.h>

#include "base/auto.h"
#include "collect/count/resolve.h"
#include "model/event.h"
#include "perf/event_spec.h"

static int try_attr(const struct pipa_perf *perf, const struct perf_event_attr *from, pid_t pid,
		    int cpu, bool user_only)
{
	struct perf_event_attr attr = *from;
	int fd;

	attr.disabled = 1;
	if (user_only)
		attr.exclude_kernel = attr.exclude_hv = 1;
	fd = pipa_perf_open(perf, &attr, pid, cpu, -1, 0);
	if (fd == -EINVAL && attr.exclude_guest) {
		attr.exclude_guest = 0;
		fd = pipa_perf_open(perf, &attr, pid, cpu, -1, 0);
	}
	pipa_perf_close(perf, fd);
	return fd;
}

static bool is_denied(int fd)
{
	return fd == -EACCES || fd == -EPERM;
}

enum pipa_probe pipa_probe_attr(const struct pipa_perf *perf, const struct perf_event_attr *attr,
				pid_t pid, int cpu)
{
	int fd = try_attr(perf, attr, pid, cpu, false);

	if (fd >= 0)
		return PIPA_PROBE_OK;
	if (cpu < 0 && is_denied(fd)) {
		/*
		 * the kernel checks permission before it looks up the event: this distinguishes
		 * both
		 */
		fd = try_attr(perf, attr, pid, cpu, true);
		if (fd >= 0)
			return PIPA_PROBE_USER_ONLY;
	}
	return is_denied(fd) ? PIPA_PROBE_DENIED : PIPA_PROBE_MISSING;
}

enum pipa_probe pipa_probe_event(const struct pipa_perf *perf, const struct pipa_event *event)
{
	if (event->tool)
		return PIPA_PROBE_OK;
	if (event->uncore)
		return pipa_probe_attr(perf, &event->attr, -1,
				       event->cpus.n ? event->cpus.items[0] : 0);
	return pipa_probe_attr(perf, &event->attr, 0, -1);
}

int pipa_probe_name(const struct pipa_perf *perf, struct pipa_machine *machine, const char *name)
{
	PIPA_AUTO(pipa_specs_done) struct pipa_specs specs = { 0 };
	PIPA_AUTO(pipa_events_done) struct pipa_events events = { 0 };
	enum pipa_probe best = PIPA_PROBE_MISSING, state;
	int rc = pipa_specs_parse(&specs, name, NULL);
	size_t i;

	if (rc >= 0)
		rc = pipa_resolve(machine, &specs, &events, NULL);
	if (rc < 0)
		return rc == -ENOMEM ? rc : (int)PIPA_PROBE_MISSING;
	for (i = 0; i < events.n; i++) {
		state = pipa_probe_event(perf, &events.items[i]);
		best = state < best ? state : best;
	}
	return (int)best;
}
