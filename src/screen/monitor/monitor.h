/* Run `pipa monitor` in full screen until q, Ctrl-C or a signal. */
#ifndef PIPA_SCREEN_MONITOR_MONITOR_H
#define PIPA_SCREEN_MONITOR_MONITOR_H

struct pipa_error;
struct pipa_host;
struct pipa_monitor_options;

/*
 * Uses interval, count, disks and ifaces of the options. Returns 0, 128 + n after signal n (not
 * SIGINT, which quits), or a negative errno: -ENODEV if the terminal does not support it, and
 * nothing was shown. The terminal is restored in every case.
 */
int pipa_screen_monitor_run(const struct pipa_host *host,
			    const struct pipa_monitor_options *options, struct pipa_error *err);

#endif
