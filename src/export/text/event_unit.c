#include "export/text/event_unit.h"

#include <string.h>

#include "model/profile.h"

const char *pipa_event_unit_text(const struct pipa_profile *p, uint32_t event)
{
	const struct pipa_profile_event *e = event < p->events.n ? &p->events.items[event] : NULL;
	const char *unit = e ? pipa_profile_string(p, e->unit) : "";

	if (strcmp(unit, PIPA_VALUE_NS) == 0)
		return "ns";
	if (unit[0] && strcmp(unit, PIPA_VALUE_COUNT) != 0)
		return unit;
	return e && pipa_profile_string(p, e->name)[0] ? "events" : "samples";
}
