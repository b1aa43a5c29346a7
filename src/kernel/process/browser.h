/*
 * Start the user's web browser on a local file.
 *
 * $BROWSER is read as xdg-utils and Python's webbrowser do: commands separated by colons, tried in order, with words in
 * quotes as in a shell; %s is replaced by the URL, which else is the last argument. No shell is started. Without $BROWSER
 * it is xdg-open(1), if there is a display.
 */
#ifndef PIPA_KERNEL_PROCESS_BROWSER_H
#define PIPA_KERNEL_PROCESS_BROWSER_H

struct pipa_child_signals;
struct pipa_error;

/*
 * Start the browser in a session of its own, without standard streams, with the signal state `signals`. Returns 0 if one runs
 * or ended with status 0, -ENOENT if there is none, or another negative errno with err filled.
 */
int pipa_browser_open(const char *path, const struct pipa_child_signals *signals,
		      struct pipa_error *err);

#endif
