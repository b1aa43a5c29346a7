/* Write what the heap profiler has found: text for a terminal, or a document (docs/format/heap.schema.json). */
#ifndef PIPA_EXPORT_TABLE_HEAP_H
#define PIPA_EXPORT_TABLE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_buf;
struct pipa_frames;
struct pipa_heap_sites;
struct pipa_heaps;
struct pipa_top;

struct pipa_heap_report {
	const struct pipa_heaps *heaps;
	const struct pipa_frames *frames;    /* of its profile, with places */
	const struct pipa_heap_sites *sites; /* of the heaps */
	const struct pipa_top *functions;    /* of the profile, by symbol and object */
	uint64_t start_ns, end_ns;	     /* monotonic */
	size_t max_rows;		     /* of each table */
	size_t max_frames;		     /* of each site; text only */
	bool leaks;			     /* was asked for */
	bool searched;	   /* memory of all processes that exited was searched for pointers */
	bool pages;	   /* residency was asked for */
	bool by_process;   /* sites are per process */
	size_t unreadable; /* recordings that are malformed */
	size_t skipped;	   /* recordings beyond the limit of processes */
};

/* Amounts of all processes. */
struct pipa_heap_totals {
	uint64_t samples;
	uint64_t alloc_objects, alloc_bytes;
	uint64_t inuse_objects, inuse_bytes;
	uint64_t peak_objects, peak_bytes; /* sum of the peaks of all processes */
	uint64_t peak_at_once;		   /* see pipa_heaps_peak_at_once() */
	uint64_t lost_objects, lost_bytes; /* lost blocks, directly or indirectly */
	bool complete;
};

void pipa_heap_report_totals(const struct pipa_heap_report *report, struct pipa_heap_totals *ret);

/* Append the report. -ENOMEM, or the failure of the buffer. */
int pipa_heap_report_text(const struct pipa_heap_report *report, struct pipa_buf *out);
int pipa_heap_report_json(const struct pipa_heap_report *report, struct pipa_buf *out);

/* Format "12.3 MiB" or "512 B"; returns text. */
const char *pipa_heap_bytes_text(uint64_t bytes, char text[static 32]);

#endif
