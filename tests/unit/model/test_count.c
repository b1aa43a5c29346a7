#include "model/count.h"

#include "lib/test.h"

TEST(count_that_ran_all_the_time_is_as_it_is)
{
	CHECK_NEAR(pipa_count_scaled((struct pipa_count){ 1000, 50, 50 }), 1000, 0);
	CHECK_NEAR(pipa_count_scaled((struct pipa_count){ 1000, 50, 60 }), 1000, 0);
}

TEST(count_that_shared_its_counter_is_scaled_up)
{
	CHECK_NEAR(pipa_count_scaled((struct pipa_count){ 1000, 400, 100 }), 4000, 1e-9);
	CHECK_NEAR(pipa_count_scaled((struct pipa_count){ 1000, 3, 1 }), 3000, 1e-9);
}

TEST(count_that_never_ran_is_not_scaled)
{
	CHECK_NEAR(pipa_count_scaled((struct pipa_count){ 0, 400, 0 }), 0, 0);
}

TEST(difference_is_taken_field_by_field)
{
	struct pipa_count d = pipa_count_sub((struct pipa_count){ 100, 50, 40 },
					     (struct pipa_count){ 30, 20, 15 });

	CHECK_EQ(d.value, 70);
	CHECK_EQ(d.enabled_ns, 30);
	CHECK_EQ(d.running_ns, 25);
}
