/*
 * Read the forms of profiles that pprof had before profile.proto: binary CPU profiles, and text of heap, contention, thread,
 * count and Java profiles.
 *
 * The result is that of `go tool pprof`: addresses of calls instead of return addresses, scaled values, corrected
 * mappings. Exceptions: a stack without addresses is a sample without frames, a list of threads may end with the file, and
 * lines have no limit of length. Symbols in comments are ignored, as pprof does.
 */
#ifndef PIPA_IMPORT_LEGACY_LEGACY_H
#define PIPA_IMPORT_LEGACY_LEGACY_H

#include <stdbool.h>

#include "base/span.h"

struct pipa_error;
struct pipa_profile;

/* Are these the first bytes of a profile in a legacy form? The first line that is not a comment decides. */
bool pipa_legacy_is(struct pipa_span start);

/*
 * Add the profile of a file to `profile`, whose tables may have rows already. Returns 0, -EBADMSG if the file breaks a rule
 * of its form (err has the line or offset), -ENOMEM, or -ERANGE if values exceed 64 bits.
 */
int pipa_legacy_read(struct pipa_profile *profile, struct pipa_span file, struct pipa_error *err);

#endif
