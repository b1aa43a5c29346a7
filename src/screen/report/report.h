/* Run `pipa report` in full screen until q, Ctrl-C or a signal. */
#ifndef PIPA_SCREEN_REPORT_REPORT_H
#define PIPA_SCREEN_REPORT_REPORT_H

struct pipa_error;
struct pipa_report_options;

/*
 * Returns 0, 128 + n after signal n (not SIGINT, which quits), or a negative errno: -ENODEV if the
 * terminal does not support it, and nothing was shown. The terminal is restored in every case.
 */
int pipa_screen_report_run(const struct pipa_report_options *options, struct pipa_error *err);

#endif
