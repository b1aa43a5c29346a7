/* Run `pipa top` in full screen: the view of a profile that is refreshed. */
#ifndef PIPA_SCREEN_REPORT_TOP_H
#define PIPA_SCREEN_REPORT_TOP_H

struct pipa_error;
struct pipa_host;
struct pipa_live_print_options;

/*
 * options->count ends it after this many updates. Returns as pipa_screen_report_run(): -ENODEV if
 * the terminal does not support it, and nothing was shown.
 */
int pipa_screen_top_run(const struct pipa_host *host, const struct pipa_live_print_options *options,
			struct pipa_error *err);

#endif
