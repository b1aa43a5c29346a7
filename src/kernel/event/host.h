/*
 * The access points to the kernel of one machine: perf_event_open(2) and the file trees. A front end opens
 * them once and passes them to the jobs that it starts; below a front end neither is NULL.
 *
 * A root opens its trees on first use, so jobs that run at the same time on several threads need a host each.
 *
 * A front end that runs one job per process sets owns_process. Then the job reads the signals of the process
 * and adopts the processes that its command leaves running; otherwise it leaves both alone.
 */
#ifndef PIPA_KERNEL_EVENT_HOST_H
#define PIPA_KERNEL_EVENT_HOST_H

#include <stdbool.h>

struct pipa_error;
struct pipa_perf;
struct pipa_root;

struct pipa_host {
	const struct pipa_perf *perf;
	struct pipa_root *root;
	bool owns_process;
};

/* Open the running machine. 0 or -ENOMEM. */
int pipa_host_open(struct pipa_host *ret, struct pipa_error *err);
void pipa_host_close(struct pipa_host *host);

static inline void pipa_host_close_auto(struct pipa_host *host)
{
	pipa_host_close(host);
}

#endif
