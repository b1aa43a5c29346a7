/*
 * Read OTLP profiles (ProfilesData, or the body of an export request) to a profile.
 *
 * The layout of samples, that of proto 1.10 or of 1.9, is found by their wire types. Each Profile is a value column. A
 * Profile "samples" in "count" that is followed by one with the same period has the counts of that one's event; other
 * Profiles are events of one column group (model/profile.h). Resources become processes. Attributes of samples
 * become labels, except thread.id, thread.name and cpu.logical_number, and links become the labels trace_id and span_id;
 * export/exchange/otlp.h writes them so.
 *
 * The dictionary may come before or after the profiles. Memory is proportional to the dictionary and to what is distinct.
 */
#ifndef PIPA_IMPORT_OTLP_OTLP_H
#define PIPA_IMPORT_OTLP_OTLP_H

#include <stdbool.h>

#include "base/span.h"

struct pipa_error;
struct pipa_profile;
struct pipa_timeline;

/*
 * Are these the first bytes of OTLP profiles, in either layout? All fields have to be fields of ProfilesData, which
 * excludes text and pprof profiles.
 */
bool pipa_otlp_is(struct pipa_span start);

/*
 * Add the profiles of a file to `profile`, whose tables may have rows already, and the times of samples to `timeline`
 * unless it is NULL. Returns 0, -EBADMSG if the file breaks a rule of the format (err has the offset and the rule),
 * -ENOMEM, or -ERANGE if values exceed 64 bits.
 */
int pipa_otlp_read(struct pipa_profile *profile, struct pipa_timeline *timeline,
		   struct pipa_span file, struct pipa_error *err);

#endif
