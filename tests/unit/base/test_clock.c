#include "base/clock.h"

#include <time.h>

#include "lib/test.h"

TEST(clock_goes_forward_in_nanoseconds)
{
	struct timespec pause = { .tv_nsec = 2000000 };
	uint64_t before = pipa_clock_ns(), after;

	nanosleep(&pause, NULL);
	after = pipa_clock_ns();
	CHECK(after - before >= 2 * PIPA_NS_PER_MS);
	CHECK(after - before < 60 * PIPA_NS_PER_SEC);
}

TEST(wall_clock_agrees_with_the_calendar)
{
	time_t now = time(NULL);
	uint64_t wall = pipa_clock_wall_ns();

	CHECK(wall / PIPA_NS_PER_SEC + 1 >= (uint64_t)now);
	CHECK(wall / PIPA_NS_PER_SEC <= (uint64_t)time(NULL) + 1);
}
