/* Parser of --time START,STOP. */
#ifndef PIPA_CLI_TIME_RANGE_H
#define PIPA_CLI_TIME_RANGE_H

struct pipa_error;

/*
 * Parse "START,STOP" in seconds of the recording's clock; either may be empty. The field is a
 * pipa_ingest_options, whose until_ns is 0 if there is no STOP. For TIME_RANGE_ROW() of opt_rows.h.
 */
int pipa_cli_set_time_range(void *field, const char *text, struct pipa_error *err);

#endif
