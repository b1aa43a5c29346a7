/* A stretch of a recording's time, as --time takes it. */
#ifndef PIPA_CLI_TIME_RANGE_H
#define PIPA_CLI_TIME_RANGE_H

struct pipa_error;

/*
 * "A,B" in seconds of the recording's clock; either may be left out. The field is a pipa_ingest_options,
 * whose until_ns is 0 without an end. For STRETCH_ROW() of cli/opt_rows.h.
 */
int pipa_cli_set_time_range(void *field, const char *text, struct pipa_error *err);

#endif
