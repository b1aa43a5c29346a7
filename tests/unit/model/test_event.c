#include "model/event.h"

#include <stdlib.h>
#include <string.h>

#include "lib/test.h"

static struct pipa_event full_event(void)
{
	struct pipa_event event = {
		.name = strdup("cpu_core/cycles/u"),
		.key = strdup("cycles"),
		.pmu = strdup("cpu_core"),
		.sum = strdup("cycles:u"),
		.filter = strdup("pid > 1"),
		.unit = "msec",
		.scale = 1e-6,
		.kind = PIPA_EVENT_HW,
		.attr = { .type = 4, .config = 0x3c },
		.apart = true,
		.leader = 7,
		.family = 8,
		.cgroup = 2,
	};

	CHECK_EQ(pipa_cpus_parse("0-3", &event.cpus, NULL), 0);
	return event;
}

static void free_event(struct pipa_event *event)
{
	struct pipa_events one = { .items = calloc(1, sizeof(*event)), .n = 1, .cap = 1 };

	*one.items = *event;
	pipa_events_done(&one);
}

TEST(copy_shares_nothing_with_its_original)
{
	PIPA_AUTO(pipa_events_done) struct pipa_events events = { 0 };
	struct pipa_event from = full_event(), *copy = pipa_events_add_copy(&events, &from);

	CHECK(copy);
	free_event(&from);
	CHECK_STR(copy->name, "cpu_core/cycles/u");
	CHECK_STR(copy->key, "cycles");
	CHECK_STR(copy->pmu, "cpu_core");
	CHECK_STR(copy->sum, "cycles:u");
	CHECK_STR(copy->filter, "pid > 1");
	CHECK_STR(copy->unit, "msec");
	CHECK_NEAR(copy->scale, 1e-6, 0);
	CHECK_EQ(copy->attr.config, 0x3c);
	CHECK_EQ(copy->cpus.n, 4);
	CHECK(copy->apart);
}

TEST(copy_leads_itself_and_has_no_family_yet)
{
	PIPA_AUTO(pipa_events_done) struct pipa_events events = { 0 };
	struct pipa_event from = full_event();

	CHECK(pipa_events_add_copy(&events, &from));
	CHECK(pipa_events_add_copy(&events, &from));
	free_event(&from);
	CHECK_EQ(events.n, 2);
	CHECK_EQ(events.items[0].leader, 0);
	CHECK_EQ(events.items[1].leader, 1);
	CHECK_EQ(events.items[1].family, 1);
}

TEST(the_copy_of_an_event_without_a_pmu_has_none)
{
	PIPA_AUTO(pipa_events_done) struct pipa_events events = { 0 };
	struct pipa_event from = { .name = "dummy", .key = "dummy" }, *copy;

	copy = pipa_events_add_copy(&events, &from);
	CHECK(copy);
	CHECK(!copy->pmu && !copy->sum && !copy->filter);
	CHECK_EQ(copy->cpus.n, 0);
}

TEST(event_can_be_renamed)
{
	PIPA_AUTO(pipa_events_done) struct pipa_events events = { 0 };
	struct pipa_event from = { .name = "cycles", .key = "cycles" }, *event;

	event = pipa_events_add_copy(&events, &from);
	CHECK_EQ(pipa_event_rename(event, "%s/%s/", "cpu_atom", event->name), 0);
	CHECK_STR(event->name, "cpu_atom/cycles/");
	CHECK_STR(event->key, "cycles");
}
