/* Table of the devices of /sys and their files. Private to collect/. */
#ifndef PIPA_COLLECT_METER_DEVICE_KINDS_H
#define PIPA_COLLECT_METER_DEVICE_KINDS_H

#include "collect/meter/meter_table.h"
#include "kernel/machine/reread.h"

struct pipa_root;

/* A file that is read at every interval, and the destination of its numbers. */
struct pipa_device_part {
	char row[PIPA_RAW_NAME];
	struct pipa_reread kept;
	unsigned int field; /* first field that the file fills */
	bool rarely;	    /* the file rarely changes */
	void (*parse)(const char *text, size_t len, uint64_t *fields);
	void (*text)(const char *text, size_t len,
		     struct pipa_raw *raw); /* parses all rows instead */
};

struct pipa_device_parts {
	struct pipa_device_part *items;
	size_t n, cap;
};

void pipa_device_parts_done(struct pipa_device_parts *parts);

struct pipa_device_kind {
	const struct pipa_meter_section *section;
	size_t fields;
	bool cpus;	    /* rows are CPUs, "all" is their mean */
	const char *path;   /* directory below /sys, reported as missing if it does not exist */
	const char *online; /* file below /sys that lists the devices; NULL: they never change */
	/* Add the files to the empty list. 0 or -ENOMEM. */
	int (*find)(struct pipa_root *root, struct pipa_device_parts *parts);
};

enum { PIPA_DEVICE_KINDS = 3 };

extern const struct pipa_device_kind pipa_device_kinds[PIPA_DEVICE_KINDS];

#endif
