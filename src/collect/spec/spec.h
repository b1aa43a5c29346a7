/*
 * Description of the machine: system, CPUs, memory, disks, network, limits, devices and firmware,
 * as in PIPA's spec_info.yaml (docs/format/spec-info.md). Read from /proc, /sys, /etc and /usr;
 * data that is in no file comes through `struct pipa_spec_host`.
 *
 * Every section is present. A section that is not available has a `status` with the reason; a
 * missing value is "N/A". Serial numbers and UUIDs are left out, because descriptions are passed
 * on.
 */
#ifndef PIPA_COLLECT_SPEC_SPEC_H
#define PIPA_COLLECT_SPEC_SPEC_H

#include <stdbool.h>
#include <stdint.h>

struct pipa_error;
struct pipa_facts;
struct pipa_root;

/* Space of a file system, in bytes. */
struct pipa_spec_room {
	uint64_t total, unused;
	uint64_t available; /* free space for unprivileged users */
};

struct pipa_spec_host {
	void *ctx;

	/* Get the machine, as uname -m. */
	int (*machine)(void *ctx, char *ret, unsigned long size);

	/* Get the space of the file system mounted at a path; 0 or a negative errno. */
	int (*room)(void *ctx, const char *place, struct pipa_spec_room *ret);

	/* Call back for every address, "192.0.2.1/24", in a stable order. */
	int (*addresses)(void *ctx,
			 void (*each)(void *arg, const char *iface, bool is_v6, const char *text),
			 void *arg);
};

/* The running system. */
extern const struct pipa_spec_host pipa_spec_host;

/* Collect the description into ret, which must be empty. 0 or -ENOMEM. */
int pipa_spec_collect(struct pipa_root *root, const struct pipa_spec_host *host,
		      struct pipa_facts *ret, struct pipa_error *err);

#endif
