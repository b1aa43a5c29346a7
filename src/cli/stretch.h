/* A stretch of a recording's time, as --time takes it. */
#ifndef PIPA_CLI_STRETCH_H
#define PIPA_CLI_STRETCH_H

#include <stdint.h>

struct pipa_error;

/* "A,B" in seconds of the recording's clock; either may be left out. *until is 0 without an end. */
int pipa_cli_stretch(const char *text, uint64_t *from_ns, uint64_t *until_ns,
		     struct pipa_error *err);

#endif
