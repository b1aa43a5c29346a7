/*
 * Read a pprof profile (profile.proto, decompressed) to a profile.
 *
 * Two columns "samples" in "count" and another one are an event with its count; other columns are
 * events of one column group (model/profile.h). Labels pid, tid and comm become the sample's
 * thread, cpu its CPU; export/exchange/pprof.h writes them so. The file is read twice, once for its
 * tables and once for its samples, and no copy of it is made: memory is proportional to what is
 * distinct.
 */
#ifndef PIPA_IMPORT_PPROF_H
#define PIPA_IMPORT_PPROF_H

#include <stdbool.h>

#include "base/span.h"

struct pipa_error;
struct pipa_profile;

/*
 * Are these the first bytes of a pprof profile, or all bytes of one that is truncated? All
 * fields have to be fields of profile.proto, which excludes text and other messages.
 */
bool pipa_pprof_is(struct pipa_span start);

/*
 * Add the profile of a file to `profile`, whose tables may have rows already. Returns 0, -EBADMSG
 * if the file breaks a rule of the format (err has the offset and the rule), -ENOMEM, or -ERANGE if
 * values exceed 64 bits.
 */
int pipa_pprof_read(struct pipa_profile *profile, struct pipa_span file, struct pipa_error *err);

#endif
