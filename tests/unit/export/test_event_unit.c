#include "export/text/event_unit.h"

#include "lib/test.h"
#include "model/profile.h"

static struct pipa_profile p;

static const char *text(const char *name, const char *unit)
{
	const struct pipa_event_type type = { .name = name, .unit = unit };

	return pipa_event_unit_text(&p, pipa_profile_event_of(&p, &type));
}

TEST(units_are_printed_as_reports_have_them)
{
	CHECK_STR(text("cpu-clock:u", PIPA_VALUE_NS), "ns");
	CHECK_STR(text("cpu-clock:u", PIPA_VALUE_COUNT), "events"); /* its name does not matter */
	CHECK_STR(text("cycles", ""), "events");
	CHECK_STR(text("", ""), "samples");
	CHECK_STR(text("inuse_space", PIPA_VALUE_BYTES), "bytes");
	CHECK_STR(pipa_event_unit_text(&p, PIPA_NONE), "samples");
	pipa_profile_done(&p);
}
