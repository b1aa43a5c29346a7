/*
 * View of `pipa monitor`: state of the keys, and painting of a model on a canvas of any size.
 * Pure: a test types keys and reads cells.
 */
#ifndef PIPA_SCREEN_MONITOR_MONITOR_VIEW_H
#define PIPA_SCREEN_MONITOR_MONITOR_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "screen/cells/canvas.h"
#include "screen/monitor/process_list.h"

struct pipa_monitor_model;

struct pipa_monitor_view {
	/* of the machine and the watching, set by the owner */
	const char *host, *kernel;
	uint64_t interval_ns, uptime_s;
	uint64_t wall_ns;   /* the clock until the first tick */
	uint64_t late;	    /* ticks that were missed */
	double suspended_s; /* the machine slept */
	bool paused;

	/* of the keys */
	bool folded; /* CPUs as one bar */
	bool help;
	bool typing; /* the filter */
	struct pipa_process_list processes;
};

/* Request of a key to the owner of the loop. */
enum pipa_monitor_action {
	PIPA_MONITOR_NOTHING,
	PIPA_MONITOR_QUIT,
	PIPA_MONITOR_PAUSE,
	PIPA_MONITOR_LONGER,  /* a longer interval */
	PIPA_MONITOR_SHORTER, /* a shorter one */
};

void pipa_monitor_view_done(struct pipa_monitor_view *view);

enum pipa_monitor_action pipa_monitor_view_key(struct pipa_monitor_view *view, int key);

/* -ENOMEM when the process list could not grow; the rest is painted even so. */
int pipa_monitor_view_paint(struct pipa_monitor_view *view, const struct pipa_monitor_model *model,
			    struct pipa_canvas *canvas);

/* The next longer or shorter of the intervals that the keys go through. */
uint64_t pipa_monitor_view_interval(uint64_t interval_ns, enum pipa_monitor_action action);

#endif
