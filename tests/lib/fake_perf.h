/*
 * A scripted kernel for struct pipa_perf_ops. A test defines which events exist and how they count;
 * opens, reads and ioctls then behave as perf_event_open(2) does, errors included, and everything
 * that was asked is kept to be looked at.
 *
 *	struct fake_perf *fake = fake_perf_new();
 *
 *	fake_perf_add(fake, &(struct fake_event){ .type = PERF_TYPE_HARDWARE, .value = 1000 });
 *	pipa_counters_open(&fake->perf, ...);
 *	CHECK(fake->opens[0].attr.inherit);
 *	CHECK_EQ(fake_perf_still_open(fake), 0);
 *
 * Rules of the kernel: permissions (perf_event_paranoid), groups (one PMU, leaders
 * first, no more hardware events than counters), PERF_FORMAT_GROUP and its order, package-wide PMUs
 * that count for no task, core PMUs that know only their CPUs, events that start disabled, at exec
 * or with their leader. Time is not simulated. A counter moves when it is read, a ring
 * when the test writes into it.
 */
#ifndef PIPA_TESTS_FAKE_PERF_H
#define PIPA_TESTS_FAKE_PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/event/perf_event.h"

enum { FAKE_EVENTS = 256, FAKE_OPENS = 4096, FAKE_IOCTLS = 4096, FAKE_REFUSALS = 8 };

struct fake_open;

/*
 * An event that exists. Its total grows with every read by
 *	value + per_cpu x cpu + per_open x (how often it had been opened on that CPU before)
 * unless `count` gives the total itself. Times grow by 1 ms a read where they are not given.
 */
struct fake_event {
	uint32_t type;
	uint64_t config;
	uint64_t config1, config2;
	uint64_t value, per_cpu, per_open;
	uint64_t (*count)(const struct fake_open *open);
	uint64_t enabled_ns, running_ns; /* running below enabled: it shared its counter */
	bool starved;			 /* it never gets a counter */
	bool lost;			 /* pinned, and its counter was taken: reads give 0 bytes */
};

/* One call of open, in the order of calls, failed ones too. */
struct fake_open {
	struct perf_event_attr attr;
	pid_t pid;
	int cpu;
	int group_fd;
	unsigned long flags;
	int fd; /* or the negative errno */

	bool closed;
	void *ring; /* mapped; its first page and what follows are the test's to write */
	size_t ring_size;
	bool enabled; /* when opened, at exec, or by ioctl; members follow their leader */
	unsigned int reads;
	size_t before; /* opens of the same event on the same CPU before this one */
	const struct fake_event *event;
};

struct fake_ioctl {
	int fd;
	unsigned long request;
	unsigned long arg;
	char text[128]; /* of a filter */
};

/* A PMU that counts on some CPUs only. */
struct fake_pmu {
	uint32_t type;
	bool uncore;   /* for no task, and only on these CPUs */
	uint64_t cpus; /* a bit each */
};

struct fake_perf {
	struct pipa_perf perf; /* interface for the code under test */

	/* the script; zero means no limit */
	bool unprivileged; /* then `paranoid` applies */
	int paranoid;
	size_t max_fds;	       /* open at once; past it EMFILE */
	unsigned int counters; /* of a core PMU: a group with more hardware events is EINVAL */
	bool knows_no_guest;   /* exclude_guest is EINVAL, as before 3.2 and on some PMUs */
	int filter_error, enable_error, read_error; /* negative errno of those calls */
	size_t max_ring; /* bytes of data that may be mapped for one ring; past it EPERM */
	struct {
		int error;
		bool (*when)(void *ctx, const struct fake_open *open);
		void *ctx;
	} refusals[FAKE_REFUSALS];
	size_t n_refusals;

	/* the machine */
	struct fake_event events[FAKE_EVENTS];
	size_t n_events;
	struct fake_pmu pmus[16];
	size_t n_pmus;

	/* recorded calls */
	struct fake_open opens[FAKE_OPENS];
	size_t n_opens;
	struct fake_ioctl ioctls[FAKE_IOCTLS];
	size_t n_ioctls;
	size_t reads;
	size_t bad_fds; /* calls on a descriptor that is not open */
};

/* A machine without events; it lives as long as the test. */
struct fake_perf *fake_perf_new(void);

/* Append a record to the ring of an open that has one, as the kernel does: round its end. */
void fake_perf_write(const struct fake_open *open, const void *record, size_t len);

void fake_perf_add(struct fake_perf *fake, const struct fake_event *event);
void fake_perf_add_pmu(struct fake_perf *fake, const struct fake_pmu *pmu);

/* The twelve software events of any kernel: clocks count 1 ms a read, the others their number. */
void fake_perf_add_software(struct fake_perf *fake);

/* The generic hardware events: the i-th counts (i + 1) x 1000 a read, of this PMU when not 0. */
void fake_perf_add_hardware(struct fake_perf *fake, uint32_t pmu_type);

/* The event of that type and config as it was added, to be given another script. */
struct fake_event *fake_perf_event(struct fake_perf *fake, uint32_t type, uint64_t config);

/* Fail opens for which `when` holds with the negative errno. */
void fake_perf_refuse(struct fake_perf *fake, int error,
		      bool (*when)(void *ctx, const struct fake_open *open), void *ctx);

/* How many descriptors are open now. */
size_t fake_perf_still_open(const struct fake_perf *fake);

/* The n-th successful open of an event, counted from 0; the test fails where there is none. */
const struct fake_open *fake_perf_find(const struct fake_perf *fake, uint32_t type, uint64_t config,
				       size_t n);

/* How many opens of an event succeeded, and how many were tried. */
size_t fake_perf_opened(const struct fake_perf *fake, uint32_t type, uint64_t config);
size_t fake_perf_tried(const struct fake_perf *fake, uint32_t type, uint64_t config);

#endif
