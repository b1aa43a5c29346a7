#include "lib/fake_perf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "lib/test.h"

enum { FIRST_FD = 100000, DEFAULT_NS = 1000000 };

/* ---- what happened ------------------------------------------------------------------------ */

static struct fake_open *by_fd(struct fake_perf *fake, int fd)
{
	size_t i;

	for (i = 0; i < fake->n_opens; i++)
		if (fake->opens[i].fd == fd && !fake->opens[i].closed)
			return &fake->opens[i];
	fake->bad_fds++;
	return NULL;
}

size_t fake_perf_still_open(const struct fake_perf *fake)
{
	size_t i, n = 0;

	for (i = 0; i < fake->n_opens; i++)
		n += fake->opens[i].fd >= 0 && !fake->opens[i].closed;
	return n;
}

static bool is_of(const struct fake_open *open, uint32_t type, uint64_t config)
{
	return open->attr.type == type && open->attr.config == config;
}

const struct fake_open *fake_perf_find(const struct fake_perf *fake, uint32_t type, uint64_t config,
				       size_t n)
{
	size_t i;

	for (i = 0; i < fake->n_opens; i++)
		if (is_of(&fake->opens[i], type, config) && fake->opens[i].fd >= 0 && n-- == 0)
			return &fake->opens[i];
	pipa_test_fail(__FILE__, __LINE__, "event %u/%#llx was not opened that often", type,
		       (unsigned long long)config);
}

size_t fake_perf_opened(const struct fake_perf *fake, uint32_t type, uint64_t config)
{
	size_t i, n = 0;

	for (i = 0; i < fake->n_opens; i++)
		n += is_of(&fake->opens[i], type, config) && fake->opens[i].fd >= 0;
	return n;
}

size_t fake_perf_tried(const struct fake_perf *fake, uint32_t type, uint64_t config)
{
	size_t i, n = 0;

	for (i = 0; i < fake->n_opens; i++)
		n += is_of(&fake->opens[i], type, config);
	return n;
}

/* ---- opening ------------------------------------------------------------------------------ */

static bool is_software(uint32_t type)
{
	return type == PERF_TYPE_SOFTWARE || type == PERF_TYPE_TRACEPOINT ||
	       type == PERF_TYPE_BREAKPOINT;
}

/* The PMU that counts an event: generic ones name it in the upper half of config, or mean any. */
static uint32_t pmu_of(const struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE)
		return (uint32_t)(attr->config >> 32) ? (uint32_t)(attr->config >> 32) :
							PERF_TYPE_RAW;
	return attr->type;
}

static const struct fake_event *find_event(const struct fake_perf *fake,
					   const struct perf_event_attr *attr)
{
	size_t i;

	for (i = 0; i < fake->n_events; i++)
		if (fake->events[i].type == attr->type && fake->events[i].config == attr->config &&
		    fake->events[i].config1 == attr->config1 &&
		    fake->events[i].config2 == attr->config2)
			return &fake->events[i];
	return NULL;
}

static const struct fake_pmu *find_pmu(const struct fake_perf *fake, uint32_t type)
{
	size_t i;

	for (i = 0; i < fake->n_pmus; i++)
		if (fake->pmus[i].type == type)
			return &fake->pmus[i];
	return NULL;
}

/* kernel/events/core.c: sys_perf_event_open(), perf_allow_kernel(), perf_allow_cpu() */
static int check_permission(const struct fake_perf *fake, const struct fake_open *open)
{
	if (!fake->unprivileged)
		return 0;
	if (fake->paranoid > 2) /* Debian's and Ubuntu's addition */
		return -EACCES;
	if (fake->paranoid > 1 && !open->attr.exclude_kernel)
		return -EACCES;
	if (fake->paranoid > 0 && (open->pid == -1 || open->flags & PERF_FLAG_PID_CGROUP))
		return -EACCES;
	return 0;
}

static int check_place(const struct fake_perf *fake, const struct fake_open *open)
{
	const struct fake_pmu *pmu = find_pmu(fake, pmu_of(&open->attr));
	bool cgroup = open->flags & PERF_FLAG_PID_CGROUP;

	if (open->pid == -1 && open->cpu == -1)
		return -EINVAL;
	if (cgroup && (open->cpu < 0 || open->pid < 0))
		return -EINVAL;
	if (pmu && pmu->uncore && (open->cpu < 0 || (open->pid != -1 && !cgroup)))
		return -EINVAL;
	if (pmu && open->cpu >= 0 && !(pmu->cpus >> open->cpu & 1))
		return pmu->uncore ? -EINVAL : -ENOENT;
	return 0;
}

/* One leader, its place, one hardware PMU, and no more hardware events than there are counters. */
static int check_group(struct fake_perf *fake, const struct fake_open *open)
{
	const struct fake_open *leader;
	unsigned int hardware = !is_software(open->attr.type);
	size_t i;

	if (open->group_fd == -1)
		return 0;
	leader = by_fd(fake, open->group_fd);
	if (!leader)
		return -EBADF;
	if (leader->group_fd != -1 || leader->pid != open->pid || leader->cpu != open->cpu ||
	    open->attr.exclusive || open->attr.pinned)
		return -EINVAL;
	for (i = 0; i < fake->n_opens; i++) {
		const struct fake_open *member = &fake->opens[i];

		if (member->closed || member->fd < 0 || is_software(member->attr.type) ||
		    (member->fd != open->group_fd && member->group_fd != open->group_fd))
			continue;
		if (!is_software(open->attr.type) && pmu_of(&member->attr) != pmu_of(&open->attr))
			return -EINVAL;
		hardware++;
	}
	return fake->counters && hardware > fake->counters ? -EINVAL : 0;
}

static int check_attr(const struct fake_perf *fake, const struct perf_event_attr *attr)
{
	if (!attr->size)
		return -E2BIG;
	if (attr->exclude_guest && fake->knows_no_guest)
		return -EINVAL;
	if (attr->inherit && attr->read_format & PERF_FORMAT_GROUP) /* before 6.12 */
		return -EINVAL;
	return 0;
}

static int check_open(struct fake_perf *fake, struct fake_open *open)
{
	size_t i;
	int rc = check_attr(fake, &open->attr);

	if (!rc)
		rc = check_permission(fake, open);
	for (i = 0; !rc && i < fake->n_refusals; i++)
		if (fake->refusals[i].when(fake->refusals[i].ctx, open))
			rc = fake->refusals[i].error;
	if (!rc && fake->max_fds && fake_perf_still_open(fake) >= fake->max_fds)
		rc = -EMFILE;
	if (!rc && !open->event)
		rc = -ENOENT;
	if (!rc)
		rc = check_place(fake, open);
	return rc ? rc : check_group(fake, open);
}

static size_t opened_before(const struct fake_perf *fake, const struct fake_open *open)
{
	size_t i, n = 0;

	for (i = 0; i < fake->n_opens; i++)
		n += fake->opens[i].fd >= 0 && fake->opens[i].cpu == open->cpu &&
		     fake->opens[i].event == open->event;
	return n;
}

static int fake_open(void *ctx, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		     unsigned long flags)
{
	struct fake_perf *fake = ctx;
	struct fake_open open = {
		.attr = *attr,
		.pid = pid,
		.cpu = cpu,
		.group_fd = group_fd,
		.flags = flags,
		.enabled = !attr->disabled || attr->enable_on_exec,
		.event = find_event(fake, attr),
	};
	int rc = check_open(fake, &open);

	if (fake->n_opens == FAKE_OPENS)
		pipa_test_fail(__FILE__, __LINE__, "more than %d opens", FAKE_OPENS);
	open.before = opened_before(fake, &open);
	open.fd = rc < 0 ? rc : FIRST_FD + (int)fake->n_opens;
	fake->opens[fake->n_opens++] = open;
	return open.fd;
}

/* ---- counting ----------------------------------------------------------------------------- */

static bool counts(struct fake_perf *fake, const struct fake_open *open)
{
	const struct fake_open *leader = open->group_fd == -1 ? open : by_fd(fake, open->group_fd);

	return open->enabled && leader && leader->enabled;
}

/* The event's three numbers after it was read once more. */
static void count(struct fake_perf *fake, struct fake_open *open, uint64_t ret[3])
{
	const struct fake_event *event = open->event;
	uint64_t enabled = event->enabled_ns ? event->enabled_ns : DEFAULT_NS;
	uint64_t running = event->starved ? 0 : event->running_ns ? event->running_ns : enabled;
	uint64_t step = event->value + event->per_open * open->before;

	ret[0] = ret[1] = ret[2] = 0;
	if (!counts(fake, open))
		return;
	if (open->cpu > 0)
		step += event->per_cpu * (uint64_t)open->cpu;
	open->reads++;
	ret[0] = event->count ? event->count(open) : running ? step * open->reads : 0;
	ret[1] = enabled * open->reads;
	ret[2] = running * open->reads;
}

/* Layout of read(2) as perf_event.h draws it; times are the leader's. */
static ssize_t read_group(struct fake_perf *fake, struct fake_open *leader, uint64_t *words,
			  size_t size)
{
	uint64_t three[3];
	size_t i, n = 0, at = 1;

	for (i = 0; i < fake->n_opens; i++)
		n += fake->opens[i].fd >= 0 && !fake->opens[i].closed &&
		     (&fake->opens[i] == leader || fake->opens[i].group_fd == leader->fd);
	if (size < (3 + n) * sizeof(*words))
		return -ENOSPC;
	for (i = 0; i < fake->n_opens; i++) {
		struct fake_open *member = &fake->opens[i];

		if (member->fd < 0 || member->closed ||
		    (member != leader && member->group_fd != leader->fd))
			continue;
		count(fake, member, three);
		if (member == leader) {
			if (leader->attr.read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
				words[at++] = three[1];
			if (leader->attr.read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
				words[at++] = three[2];
		}
		words[at++] = three[0];
	}
	words[0] = n;
	return (ssize_t)(at * sizeof(*words));
}

static ssize_t fake_read(void *ctx, int fd, void *buf, size_t size)
{
	struct fake_perf *fake = ctx;
	struct fake_open *open = by_fd(fake, fd);
	uint64_t three[3], *words = buf;
	size_t at = 0;

	fake->reads++;
	if (!open)
		return -EBADF;
	if (fake->read_error)
		return fake->read_error;
	if (open->event->lost)
		return 0;
	if (open->attr.read_format & PERF_FORMAT_GROUP)
		return read_group(fake, open, words, size);
	if (size < sizeof(three))
		return -ENOSPC;
	count(fake, open, three);
	words[at++] = three[0];
	if (open->attr.read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		words[at++] = three[1];
	if (open->attr.read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		words[at++] = three[2];
	return (ssize_t)(at * sizeof(*words));
}

static void set_enabled(struct fake_perf *fake, struct fake_open *open, unsigned long arg, bool on)
{
	size_t i;

	open->enabled = on;
	for (i = 0; arg & PERF_IOC_FLAG_GROUP && i < fake->n_opens; i++)
		if (fake->opens[i].group_fd == open->fd && !fake->opens[i].closed)
			fake->opens[i].enabled = on;
}

static int fake_ioctl(void *ctx, int fd, unsigned long request, unsigned long arg)
{
	struct fake_perf *fake = ctx;
	struct fake_open *open = by_fd(fake, fd);
	struct fake_ioctl call = { .fd = fd, .request = request, .arg = arg };

	if (!open)
		return -EBADF;
	if (fake->n_ioctls == FAKE_IOCTLS)
		pipa_test_fail(__FILE__, __LINE__, "more than %d ioctls", FAKE_IOCTLS);
	if (request == PERF_EVENT_IOC_SET_FILTER)
		snprintf(call.text, sizeof(call.text), "%s", (const char *)(uintptr_t)arg);
	fake->ioctls[fake->n_ioctls++] = call;
	switch (request) {
	case PERF_EVENT_IOC_ENABLE:
		if (!fake->enable_error)
			set_enabled(fake, open, arg, true);
		return fake->enable_error;
	case PERF_EVENT_IOC_DISABLE: set_enabled(fake, open, arg, false); return 0;
	case PERF_EVENT_IOC_SET_FILTER: return fake->filter_error;
	case PERF_EVENT_IOC_ID: *(uint64_t *)(uintptr_t)arg = (uint64_t)fd; return 0;
	case PERF_EVENT_IOC_SET_OUTPUT: return by_fd(fake, (int)arg) ? 0 : -EBADF;
	default: return -ENOTTY;
	}
}

static void fake_close(void *ctx, int fd)
{
	struct fake_open *open = by_fd(ctx, fd);

	if (open)
		open->closed = true;
}

/* ---- rings -------------------------------------------------------------------------------- */

static void *fake_map(void *ctx, int fd, size_t size)
{
	struct fake_perf *fake = ctx;
	struct fake_open *open = by_fd(fake, fd);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page *control;

	if (!open || open->ring || size < 2 * page || ((size - page) & (size - page - 1))) {
		errno = EINVAL;
		return NULL;
	}
	if (fake->max_ring && size - page > fake->max_ring) {
		errno = EPERM;
		return NULL;
	}
	if (posix_memalign(&open->ring, page, size) != 0)
		pipa_test_fail(__FILE__, __LINE__, "no memory");
	memset(open->ring, 0, size);
	open->ring_size = size - page;
	control = open->ring;
	control->data_offset = page;
	control->data_size = size - page;
	return open->ring;
}

static void fake_unmap(void *ctx, void *base, size_t size PIPA_UNUSED)
{
	struct fake_perf *fake = ctx;
	size_t i;

	for (i = 0; i < fake->n_opens; i++)
		if (fake->opens[i].ring == base)
			fake->opens[i].ring = NULL;
	free(base);
}

void fake_perf_write(const struct fake_open *open, const void *record, size_t len)
{
	struct perf_event_mmap_page *control = open->ring;
	char *data = (char *)open->ring + control->data_offset;
	size_t i;

	for (i = 0; i < len; i++)
		data[(control->data_head + i) & (open->ring_size - 1)] = ((const char *)record)[i];
	__atomic_store_n(&control->data_head, control->data_head + len, __ATOMIC_RELEASE);
}

/* ---- the machine -------------------------------------------------------------------------- */

struct fake_perf *fake_perf_new(void)
{
	static const struct pipa_perf_ops ops = {
		.open = fake_open,
		.read = fake_read,
		.ioctl = fake_ioctl,
		.close = fake_close,
		.map = fake_map,
		.unmap = fake_unmap,
	};
	static struct fake_perf *kept[16]; /* reachable, so no leak */
	static size_t n;

	if (n == sizeof(kept) / sizeof(kept[0]))
		pipa_test_fail(__FILE__, __LINE__, "too many fake kernels");
	kept[n] = calloc(1, sizeof(*kept[n]));
	if (!kept[n])
		pipa_test_fail(__FILE__, __LINE__, "no memory");
	kept[n]->perf = (struct pipa_perf){ .ops = &ops, .ctx = kept[n] };
	return kept[n++];
}

void fake_perf_add(struct fake_perf *fake, const struct fake_event *event)
{
	if (fake->n_events == FAKE_EVENTS)
		pipa_test_fail(__FILE__, __LINE__, "more than %d events", FAKE_EVENTS);
	fake->events[fake->n_events++] = *event;
}

void fake_perf_add_pmu(struct fake_perf *fake, const struct fake_pmu *pmu)
{
	if (fake->n_pmus == sizeof(fake->pmus) / sizeof(fake->pmus[0]))
		pipa_test_fail(__FILE__, __LINE__, "too many PMUs");
	fake->pmus[fake->n_pmus++] = *pmu;
}

void fake_perf_add_software(struct fake_perf *fake)
{
	uint64_t i;

	for (i = 0; i <= PERF_COUNT_SW_CGROUP_SWITCHES; i++)
		fake_perf_add(fake, &(struct fake_event){ .type = PERF_TYPE_SOFTWARE,
							  .config = i,
							  .value = i <= PERF_COUNT_SW_TASK_CLOCK ?
									   DEFAULT_NS :
									   i });
}

void fake_perf_add_hardware(struct fake_perf *fake, uint32_t pmu_type)
{
	uint64_t i;

	for (i = 0; i < PERF_COUNT_HW_MAX; i++)
		fake_perf_add(fake, &(struct fake_event){ .type = PERF_TYPE_HARDWARE,
							  .config = i | (uint64_t)pmu_type << 32,
							  .value = 1000 * (i + 1) });
}

struct fake_event *fake_perf_event(struct fake_perf *fake, uint32_t type, uint64_t config)
{
	size_t i;

	for (i = 0; i < fake->n_events; i++)
		if (fake->events[i].type == type && fake->events[i].config == config)
			return &fake->events[i];
	pipa_test_fail(__FILE__, __LINE__, "there is no event %u/%#llx", type,
		       (unsigned long long)config);
}

void fake_perf_refuse(struct fake_perf *fake, int error,
		      bool (*when)(void *ctx, const struct fake_open *open), void *ctx)
{
	if (fake->n_refusals == FAKE_REFUSALS)
		pipa_test_fail(__FILE__, __LINE__, "more than %d refusals", FAKE_REFUSALS);
	fake->refusals[fake->n_refusals].error = error;
	fake->refusals[fake->n_refusals].when = when;
	fake->refusals[fake->n_refusals++].ctx = ctx;
}
