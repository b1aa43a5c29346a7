/*
 * The progress line: "pipa report: reading perf.data, 42 %, 3 s" on standard error, from one second of work on
 * until the work ends or something else is printed. Only on a terminal; otherwise every call does nothing.
 */
#ifndef PIPA_CLI_PROGRESS_H
#define PIPA_CLI_PROGRESS_H

#include <stdint.h>

/* Callback of struct pipa_log; ctx is the struct pipa_cmd. Starts the thread that writes the line. */
void pipa_cli_progress(void *ctx, const char *what, uint64_t done, uint64_t total);

/* Erase the line, if there is one, before other output. */
void pipa_cli_progress_clear(void);

/* Erase the line and end the thread. */
void pipa_cli_progress_end(void);

#endif
