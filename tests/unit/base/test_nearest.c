#include "base/nearest.h"

#include <stdio.h>

#include "base/auto.h"
#include "lib/test.h"

static const char *hint_for(const char *wanted, const char *const *names, size_t n)
{
	static char text[400];
	struct pipa_nearest near = { .wanted = wanted };
	size_t i;

	for (i = 0; i < n; i++)
		pipa_nearest_offer(&near, names[i]);
	return pipa_nearest_hint(&near, text, sizeof(text));
}

static const char *const events[] = { "cycles",	      "instructions", "branches", "branch-misses",
				      "cache-misses", "page-faults",  "cs",	  "cycles" };

TEST(typo_finds_its_name)
{
	CHECK_STR(hint_for("cyclse", events, PIPA_COUNT(events)), "did you mean cycles?");
	CHECK_STR(hint_for("instrutions", events, PIPA_COUNT(events)),
		  "did you mean instructions?");
	CHECK_STR(hint_for("pagefaults", events, PIPA_COUNT(events)), "did you mean page-faults?");
}

TEST(nothing_near_gives_no_hint)
{
	CHECK_STR(hint_for("sched_switch", events, PIPA_COUNT(events)), "");
	CHECK_STR(hint_for("x", NULL, 0), "");
}

TEST(part_of_a_name_is_as_good_as_a_typo)
{
	static const char *const names[] = { "sched:sched_switch", "sched:sched_wakeup" };

	CHECK_STR(hint_for("sched_switch", names, PIPA_COUNT(names)),
		  "did you mean sched:sched_switch?");
}

TEST(swapped_neighbours_are_one_mistake)
{
	/* two substitutions would be as far as "axcd" and lose by coming second */
	static const char *const names[] = { "bxcd", "bacd" };
	struct pipa_nearest near = { .wanted = "abcd" };

	pipa_nearest_offer(&near, names[1]);
	CHECK_EQ(near.n, 1);
	CHECK_EQ(near.best[0].distance, 1);
	pipa_nearest_offer(&near, names[0]);
	CHECK_EQ(near.best[1].distance, 2);
}

TEST(best_three_are_kept_nearest_first)
{
	static const char *const names[] = { "mintor",	"monitors",  "monitor",
					     "minitor", "monitorxx", "monito" };

	CHECK_STR(hint_for("monitor", names, PIPA_COUNT(names)),
		  "did you mean monitor, monitors or minitor?");
	CHECK_STR(hint_for("monitor", names, 2), "did you mean monitors or mintor?");
}

TEST(name_offered_twice_is_kept_once)
{
	static const char *const names[] = { "cycles", "cycles", "cycles" };

	CHECK_STR(hint_for("cycle", names, PIPA_COUNT(names)), "did you mean cycles?");
}

TEST(names_longer_than_the_matcher_are_skipped)
{
	char longest[PIPA_NEAREST_LEN], longer[PIPA_NEAREST_LEN + 1];
	struct pipa_nearest near = { .wanted = longest }, too_long = { .wanted = longer };

	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	pipa_nearest_offer(&near, longer);
	CHECK_EQ(near.n, 0);
	pipa_nearest_offer(&near, longest);
	CHECK_EQ(near.n, 1);
	pipa_nearest_offer(&too_long, longest);
	CHECK_EQ(too_long.n, 0);
}

TEST(hint_is_truncated_to_its_capacity)
{
	struct pipa_nearest near = { .wanted = "cycle" };
	char text[16], tiny[1];

	pipa_nearest_offer(&near, "cycles");
	pipa_nearest_offer(&near, "cycler");
	CHECK_STR(pipa_nearest_hint(&near, text, sizeof(text)), "did you mean cy");
	CHECK_STR(pipa_nearest_hint(&near, tiny, sizeof(tiny)), "");
}
