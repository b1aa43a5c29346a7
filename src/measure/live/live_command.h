/*
 * Start the command of `pipa top`: blocked until its events are open, with input and output to
 * /dev/null, because the terminal shows the profile.
 */
#ifndef PIPA_MEASURE_LIVE_LIVE_COMMAND_H
#define PIPA_MEASURE_LIVE_LIVE_COMMAND_H

#include "kernel/process/child.h"

/* Return the exit status of a command that has ended, 128 + n if a signal ended it. */
int pipa_live_command_status(const struct pipa_child *child);

/*
 * Send SIGTERM to the command and its descendants as pipa_child_signal_all() does, SIGKILL two seconds later.
 * Does nothing without a command.
 */
void pipa_live_command_end(struct pipa_child *child, bool adopted);

#endif
