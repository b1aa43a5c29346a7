#include "collect/sample/inherit_tracker.h"

#include "lib/test.h"

enum { MAIN = 100, WORKER, CHILD, LATER };

/* MAIN's events were opened from 1000 to 2000. */
static struct pipa_inherit_tracker set_up(void)
{
	struct pipa_inherit_tracker c = { 0 };

	CHECK_EQ(pipa_inherit_tracker_opened(&c, MAIN, 1000, 2000), 0);
	return c;
}

static void told(struct pipa_inherit_tracker *c, pid_t tid, pid_t parent, uint64_t ns)
{
	CHECK_EQ(pipa_inherit_tracker_forked(c, &(struct pipa_fork){ tid, parent, ns }), 0);
}

static void is(const struct pipa_inherit_tracker *c, pid_t tid, enum pipa_covered expected)
{
	pid_t parent = 0;

	CHECK_EQ(pipa_inherit_tracker_of(c, tid, &parent), expected);
	CHECK_EQ(parent, expected == PIPA_COVERED_PARTLY ? MAIN : 0);
}

TEST(a_thread_without_a_fork_record_has_inherited_nothing)
{
	struct pipa_inherit_tracker c = set_up();

	is(&c, MAIN, PIPA_COVERED);
	is(&c, WORKER, PIPA_COVERED_NOT);
	pipa_inherit_tracker_done(&c);
}

TEST(a_thread_made_before_its_parent_was_opened_has_inherited_nothing)
{
	struct pipa_inherit_tracker c = set_up();

	told(&c, WORKER, MAIN, 900);
	is(&c, WORKER, PIPA_COVERED_NOT);
	pipa_inherit_tracker_done(&c);
}

TEST(a_thread_forked_while_its_parent_is_opened_is_partly_covered)
{
	struct pipa_inherit_tracker c = set_up();

	told(&c, WORKER, MAIN, 1500);
	is(&c, WORKER, PIPA_COVERED_PARTLY);
	pipa_inherit_tracker_done(&c);
}

TEST(the_first_forked_thread_may_have_inherited_before)
{
	struct pipa_inherit_tracker c = set_up();

	told(&c, LATER, MAIN, 2600);
	told(&c, WORKER, MAIN, 2500);
	is(&c, WORKER, PIPA_COVERED_PARTLY);
	is(&c, LATER, PIPA_COVERED);
	pipa_inherit_tracker_done(&c);
}

TEST(fork_records_of_another_thread_do_not_prove_coverage)
{
	struct pipa_inherit_tracker c = set_up();

	CHECK_EQ(pipa_inherit_tracker_opened(&c, WORKER, 1000, 2000), 0);
	told(&c, CHILD, WORKER, 2400);
	told(&c, LATER, MAIN, 2500);
	is(&c, LATER, PIPA_COVERED_PARTLY);
	pipa_inherit_tracker_done(&c);
}

TEST(a_child_inherits_the_coverage_of_its_parent)
{
	struct pipa_inherit_tracker c = set_up();

	told(&c, WORKER, MAIN, 1500);
	told(&c, CHILD, WORKER, 5000);
	is(&c, CHILD, PIPA_COVERED_PARTLY);
	told(&c, LATER, 999, 6000); /* of a thread that is unknown */
	is(&c, LATER, PIPA_COVERED_NOT);
	pipa_inherit_tracker_done(&c);
}

TEST(reopened_events_are_not_inherited_by_earlier_threads)
{
	struct pipa_inherit_tracker c = set_up();

	told(&c, WORKER, MAIN, 1500);
	told(&c, LATER, MAIN, 2500);
	CHECK_EQ(pipa_inherit_tracker_opened(&c, MAIN, 3000, 3100), 0);
	CHECK_EQ(c.opened.n, 1);
	is(&c, WORKER, PIPA_COVERED_NOT);
	is(&c, LATER, PIPA_COVERED_NOT);
	pipa_inherit_tracker_done(&c);
}

TEST(a_thread_opened_before_its_fork_record_may_be_sampled_twice)
{
	struct pipa_inherit_tracker c = set_up();

	CHECK_EQ(pipa_inherit_tracker_opened(&c, WORKER, 2400, 2450), 0);
	CHECK_EQ(pipa_inherit_tracker_twice(&c), 0);
	told(&c, WORKER, MAIN, 2500);
	CHECK_EQ(pipa_inherit_tracker_twice(&c), WORKER);
	CHECK_EQ(pipa_inherit_tracker_twice(&c), 0);
	is(&c, WORKER, PIPA_COVERED_PARTLY);
	is(&c, MAIN, PIPA_COVERED);
	pipa_inherit_tracker_done(&c);
}

TEST(threads_in_a_circle_are_not_followed_for_ever)
{
	struct pipa_inherit_tracker c = set_up();

	told(&c, WORKER, CHILD, 2100);
	told(&c, CHILD, WORKER, 2200);
	is(&c, WORKER, PIPA_COVERED_NOT);
	pipa_inherit_tracker_done(&c);
}
