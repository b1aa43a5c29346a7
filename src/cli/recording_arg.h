/* The recording that a command reads: an argument, or the value of -i. */
#ifndef PIPA_CLI_RECORDING_ARG_H
#define PIPA_CLI_RECORDING_ARG_H

#include <stddef.h>

struct pipa_error;
struct pipa_opt;

/* Parse options and at most one recording, given as an argument or by -i (default: perf.data). */
int pipa_opt_recording(const struct pipa_opt *opts, size_t n, int argc, char **argv, void *values,
		       const char **path, struct pipa_error *err);

#endif
