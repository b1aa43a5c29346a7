#include "model/value_columns.h"

#include "lib/test.h"
#include "model/profile.h"
#include "model/profile_compact.h"
#include "model/timeline.h"

static struct pipa_profile p;
static struct pipa_timeline timeline;

static void add(uint32_t event, uint32_t stack, uint64_t weight, uint64_t count)
{
	struct pipa_sample sample = { .event = event,
				      .thread = PIPA_NONE,
				      .cpu = PIPA_NONE,
				      .stack = stack,
				      .weight = weight,
				      .count = count };

	CHECK_EQ(pipa_profile_add(&p, &sample), 0);
}

static uint32_t stack_of(const char *object, const char *name)
{
	struct pipa_object row = { .path = pipa_profile_text(&p, object) };
	struct pipa_location at = { .object = pipa_profile_object(&p, &row), .offset = 16 };
	struct pipa_function function = { .object = at.object,
					  .name = pipa_profile_text(&p, name) };
	uint32_t number = pipa_profile_location(&p, &at);

	CHECK_EQ(pipa_profile_name(&p, number, pipa_profile_function(&p, &function), 7), 0);
	return pipa_profile_root(&p, number, false);
}

static void start(void)
{
	uint32_t space, cpu;

	p.n_column_groups = 1;
	space = pipa_profile_event_of(&p, &(struct pipa_event_type){ .name = "space",
								     .unit = "bytes",
								     .uncounted = true,
								     .column_group = 1 });
	cpu = pipa_profile_event_of(&p, &(struct pipa_event_type){ .name = "cpu",
								   .unit = PIPA_VALUE_NS,
								   .count_name = "hits",
								   .column_group = 1,
								   .column = 1 });
	add(space, stack_of("/bin/a", "f"), 100, 1);
	add(cpu, stack_of("/bin/a", "f"), 30, 3);
	add(cpu, stack_of("/bin/b", "g"), 10, 1);
	add(cpu, PIPA_NONE, 0, 1);
	CHECK_EQ(pipa_timeline_add(&timeline,
				   &(struct pipa_timed_sample){ .time = 1, .sample = 0 }),
		 0);
	CHECK_EQ(pipa_timeline_add(&timeline,
				   &(struct pipa_timed_sample){
					   .time = 2, .weight = 10, .sample = 2, .more = 4 }),
		 0);
}

static void finish(void)
{
	pipa_timeline_done(&timeline);
	pipa_profile_done(&p);
}

TEST(columns_are_listed_in_the_order_of_the_file)
{
	struct pipa_value_column column;
	char buf[PIPA_VALUE_NAME_MAX];

	start();
	CHECK(pipa_value_column_get(&p, 0, &column));
	CHECK_STR(pipa_value_column_name(&p, &column, buf), "space");
	CHECK_STR(pipa_value_column_unit(&p, &column), "bytes");
	CHECK(pipa_value_column_get(&p, 1, &column));
	CHECK_STR(pipa_value_column_name(&p, &column, buf), "hits");
	CHECK_STR(pipa_value_column_unit(&p, &column), "count");
	CHECK(pipa_value_column_get(&p, 2, &column));
	CHECK_STR(pipa_value_column_name(&p, &column, buf), "cpu");
	CHECK(!pipa_value_column_get(&p, 3, &column));
	finish();
}

TEST(the_default_is_named_by_the_file_or_the_last)
{
	struct pipa_value_column column;

	start();
	CHECK(pipa_value_column_default(&p, &column));
	CHECK_EQ(column.event, 1);
	CHECK(!column.counts);
	p.default_column = pipa_profile_text(&p, "space");
	CHECK(pipa_value_column_default(&p, &column));
	CHECK_EQ(column.event, 0);
	p.default_column = pipa_profile_text(&p, "unknown");
	CHECK(pipa_value_column_default(&p, &column));
	CHECK_EQ(column.event, 1);
	finish();
	CHECK(!pipa_value_column_default(&p, &column));
}

TEST(only_the_samples_of_the_column_stay)
{
	struct pipa_value_column column;

	start();
	CHECK(pipa_value_column_find(&p, "cpu", &column));
	CHECK_EQ(pipa_value_column_keep(&p, &timeline, &column), 0);
	CHECK_EQ(p.events.n, 1);
	CHECK_EQ(p.samples.n, 2); /* without that of weight 0 */
	CHECK_EQ(p.samples.items[0].weight, 30);
	CHECK_EQ(p.samples.items[0].event, 0);
	CHECK_EQ(timeline.n, 1);
	CHECK_EQ(timeline.items[0].sample, 1);
	finish();
}

TEST(counts_become_weights)
{
	struct pipa_value_column column;

	start();
	CHECK(pipa_value_column_find(&p, "hits", &column));
	CHECK_EQ(pipa_value_column_keep(&p, &timeline, &column), 0);
	CHECK_EQ(p.samples.n, 3);
	CHECK_EQ(p.samples.items[0].weight, 3);
	CHECK_EQ(p.events.items[0].weight, 5);
	CHECK_STR(pipa_profile_string(&p, p.events.items[0].name), "hits");
	CHECK_STR(pipa_profile_string(&p, p.events.items[0].unit), "count");
	CHECK_EQ(timeline.items[0].weight, 5);
	finish();
}

TEST(clocks_of_the_kernel_are_time_on_a_cpu)
{
	struct pipa_value_column column;
	uint32_t event = pipa_profile_event_of(
		&p, &(struct pipa_event_type){ .name = "cpu-clock:u", .unit = PIPA_VALUE_NS });

	add(event, PIPA_NONE, 1, 1);
	CHECK(pipa_event_is_cpu_time(&p, &p.events.items[event]));
	CHECK(pipa_value_column_find(&p, "cpu", &column));
	CHECK_EQ(column.event, event);
	event = pipa_profile_event_of(&p, &(struct pipa_event_type){ .name = "delay",
								     .unit = PIPA_VALUE_NS });
	CHECK(!pipa_event_is_cpu_time(&p, &p.events.items[event]));
	pipa_profile_done(&p);
}

TEST(rows_without_samples_are_removed)
{
	start();
	p.samples.items[0] = p.samples.items[2]; /* only g of /bin/b */
	p.samples.n = 1;
	CHECK_EQ(pipa_profile_compact(&p), 0);
	CHECK_EQ(p.stacks.n, 1);
	CHECK_EQ(p.locations.n, 1);
	CHECK_EQ(p.functions.n, 1);
	CHECK_EQ(p.objects.n, 1);
	CHECK_EQ(p.lines.n, 1);
	CHECK_EQ(p.samples.items[0].stack, 0);
	CHECK_STR(pipa_profile_string(&p, p.functions.items[p.lines.items[0].function].name), "g");
	CHECK_STR(pipa_profile_string(&p, p.objects.items[p.locations.items[0].object].path),
		  "/bin/b");
	finish();
}
