/* The unit of an event's weights, as reports print it. */
#ifndef PIPA_EXPORT_TEXT_EVENT_UNIT_H
#define PIPA_EXPORT_TEXT_EVENT_UNIT_H

#include <stdint.h>

struct pipa_profile;

/*
 * Return "ns", "events", "samples" (an event without a symbol, or PIPA_NONE), or the unit's own
 * name; valid as long as the profile.
 */
const char *pipa_event_unit_text(const struct pipa_profile *profile, uint32_t event);

#endif
