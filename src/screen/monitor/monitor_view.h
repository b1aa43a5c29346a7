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

/* Question at the foot of the screen. */
enum pipa_monitor_prompt {
	PIPA_MONITOR_ASK_NONE,
	PIPA_MONITOR_ASK_SEARCH,
	PIPA_MONITOR_ASK_SIGNAL,	 /* which signal */
	PIPA_MONITOR_ASK_CONFIRM_SIGNAL, /* yes or no */
	PIPA_MONITOR_ASK_NICE,		 /* which nice value */
	PIPA_MONITOR_ASK_CONFIRM_NICE,	 /* yes or no */
};

struct pipa_monitor_view {
	/* set by the owner: machine and measurement */
	const char *host, *kernel;
	uint64_t interval_ns, uptime_s;
	uint64_t wall_ns;   /* wall clock, until the first interval */
	uint64_t late;	    /* missed intervals */
	double suspended_s; /* time the machine was suspended */
	bool paused;

	/* state of the keys */
	bool folded; /* CPUs as one bar */
	bool help;
	bool typing; /* the filter is being edited */
	enum pipa_monitor_prompt prompt;
	char input[64];	  /* of the prompt: text of a search, nice value */
	size_t signal_at; /* the signal that is selected */
	uint64_t asked;	  /* PID that the prompt is about */
	char asked_name[32];
	char message[160]; /* result of the last action, until the next key */
	struct pipa_process_list processes;
};

/* Request of a key to the owner of the loop. */
enum pipa_monitor_action {
	PIPA_MONITOR_NOTHING,
	PIPA_MONITOR_QUIT,
	PIPA_MONITOR_PAUSE,
	PIPA_MONITOR_LONGER,  /* use a longer interval */
	PIPA_MONITOR_SHORTER, /* use a shorter interval */
	PIPA_MONITOR_THREADS, /* show threads or processes, see processes.threads */
	PIPA_MONITOR_HOLD,    /* the prompt is about view->asked; 0: no longer */
	PIPA_MONITOR_SIGNAL,  /* send pipa_monitor_view_signal() to view->asked */
	PIPA_MONITOR_RENICE,  /* set view->input as the nice value of view->asked */
};

void pipa_monitor_view_done(struct pipa_monitor_view *view);

enum pipa_monitor_action pipa_monitor_view_key(struct pipa_monitor_view *view, int key);

/* Paint the model. -ENOMEM if the process list could not grow; all other parts are painted. */
int pipa_monitor_view_paint(struct pipa_monitor_view *view, const struct pipa_monitor_model *model,
			    struct pipa_canvas *canvas);

/* Handle a click on a cell of the last painting. */
void pipa_monitor_view_click(struct pipa_monitor_view *view, int x, int y);

/* Return the selected signal and its name. */
int pipa_monitor_view_signal(const struct pipa_monitor_view *view, const char **ret_name);

/* Return the next longer or shorter interval that the keys select. */
uint64_t pipa_monitor_view_interval(uint64_t interval_ns, enum pipa_monitor_action action);

#endif
