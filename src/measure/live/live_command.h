/*
 * A command that is started to be looked at. It is held until its events are open, reads nothing and what
 * it writes goes nowhere: the terminal is somebody else's.
 */
#ifndef PIPA_MEASURE_LIVE_LIVE_COMMAND_H
#define PIPA_MEASURE_LIVE_LIVE_COMMAND_H

#include <signal.h>

#include "kernel/process/child.h"

struct pipa_error;

/* Started and held; mask NULL: ours. */
int pipa_live_command_hold(char **command, const sigset_t *mask, struct pipa_child *ret,
			   struct pipa_error *err);

/* What to exit with: its own status, 128 + n for a signal. It has ended. */
int pipa_live_command_status(const struct pipa_child *child);

/* It, and what it has started, is asked to end and made to two seconds later; harmless without one. */
void pipa_live_command_end(struct pipa_child *child);

#endif
