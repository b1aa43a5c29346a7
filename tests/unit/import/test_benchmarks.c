/* Invariants of every row of the table of benchmarks. */
#include "import/bench/benchmarks.h"

#include "base/auto.h"
#include "import/bench/tx_needles.h"
#include "import/bench/tx_pattern.h"
#include "lib/test.h"

static void complain(const struct pipa_tx_pattern *pattern, const char *what)
{
	pipa_test_fail(__FILE__, __LINE__, "%s: %s", pattern->text, what);
}

/* Is it a hole, and one that reads a number? */
static bool known_hole(const char *name, size_t len, bool *number)
{
	static const char *const names[] = { "count", "plain", "rate", "us_each", "secs",
					     "ms",    "times", "skip", "k",	  "Ki",
					     "word",  "gap",   "any",  "last",	  "end" };
	size_t i;

	for (i = 0; i < PIPA_COUNT(names); i++)
		if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0) {
			*number = *number || i < 8;
			return true;
		}
	return false;
}

TEST(every_pattern_has_holes_that_there_are_and_text_where_they_need_it)
{
	size_t i;

	for (i = 0; i < pipa_tx_n_patterns; i++) {
		const struct pipa_tx_pattern *pattern = &pipa_tx_patterns[i];
		bool number = strchr(pattern->text, ':');
		const char *at = pattern->text;

		while ((at = strchr(at, '{'))) {
			size_t len = strcspn(at, "}") - 1;

			if (!known_hole(at + 1, len, &number))
				complain(pattern, "has an unknown hole");
			if ((strncmp(at, "{any}", 5) == 0 || strncmp(at, "{last}", 6) == 0) &&
			    (!at[len + 2] || at[len + 2] == '{'))
				complain(pattern, "does not say up to where");
			at += len + 2;
		}
		/* others are not even looked at: tx_lines.h */
		if (!number && !strpbrk(pattern->text, "0123456789") &&
		    strncmp(pattern->text, "\"test\",\"rps\",", 13) != 0)
			complain(pattern, "matches lines without a digit or a colon");
	}
}

TEST(every_pattern_without_a_section_can_be_looked_for)
{
	const char *needle;
	size_t i;

	for (i = 0; i < pipa_tx_n_patterns; i++)
		if (!pipa_tx_patterns[i].needs &&
		    pipa_tx_head(pipa_tx_patterns[i].text) < PIPA_TX_WINDOW &&
		    pipa_tx_needle(pipa_tx_patterns[i].text, &needle) < PIPA_TX_NEEDLE_MIN)
			complain(&pipa_tx_patterns[i], "has too little text");
}

TEST(every_section_that_is_needed_is_opened)
{
	unsigned int opened = 0, needed = 0;
	size_t i;

	for (i = 0; i < pipa_tx_n_patterns; i++) {
		opened |= pipa_tx_patterns[i].opens;
		needed |= pipa_tx_patterns[i].needs;
		CHECK(pipa_tx_patterns[i].measure < pipa_tx_n_measures);
	}
	CHECK_EQ(needed, opened);
}

TEST(every_measure_has_a_benchmark_and_a_unit_and_patterns)
{
	size_t i, j;

	for (i = 0; i < pipa_tx_n_measures; i++) {
		CHECK(pipa_tx_measures[i].benchmark && pipa_tx_measures[i].unit);
		for (j = 0; j < pipa_tx_n_patterns && pipa_tx_patterns[j].measure != i; j++)
			;
		CHECK(j < pipa_tx_n_patterns);
	}
}

/* ---- needles ---------------------------------------------------------------------------------- */

TEST(needles_are_found_at_any_position)
{
	struct pipa_tx_needles needles = { 0 };
	const char *texts[] = { "a needle", "haystack", "stack of hay" };
	char line[64];
	size_t i, at;

	for (i = 0; i < PIPA_COUNT(texts); i++)
		pipa_tx_needles_add(&needles, texts[i], strlen(texts[i]), (unsigned int)(i * 60));
	for (i = 0; i < PIPA_COUNT(texts); i++)
		for (at = 0; at + strlen(texts[i]) <= sizeof(line); at++) {
			struct pipa_tx_found found = { 0 };

			memset(line, '.', sizeof(line));
			memcpy(line + at, texts[i], strlen(texts[i]));
			pipa_tx_needles_find(&needles, line, sizeof(line), &found);
			CHECK_EQ(found.bits[0], i == 0 ? 1 : i == 1 ? 1ll << 60 : 0);
			CHECK_EQ(found.bits[1], i == 2 ? 1ll << (120 - 64) : 0);
		}
}

TEST(a_truncated_needle_is_not_found)
{
	struct pipa_tx_needles needles = { 0 };
	struct pipa_tx_found found = { 0 };

	pipa_tx_needles_add(&needles, "a needle", 8, 3);
	pipa_tx_needles_find(&needles, "is a needle", 10, &found);
	pipa_tx_needles_find(&needles, " needle", 7, &found);
	pipa_tx_needles_find(&needles, "", 0, &found);
	CHECK_EQ(found.bits[0], 0);
	pipa_tx_needles_find(&needles, "is a needle", 11, &found);
	CHECK_EQ(found.bits[0], 1 << 3);
}

TEST(a_head_is_found_at_the_start_of_a_line_only)
{
	struct pipa_tx_needles needles = { 0 };
	struct pipa_tx_found found = { 0 };

	pipa_tx_needles_add_head(&needles, "Done: ", 6, 70);
	pipa_tx_needles_find(&needles, " Done: 5", 8, &found);
	pipa_tx_needles_find(&needles, "Done:", 5, &found);
	pipa_tx_needles_find(&needles, "Done, 5", 7, &found);
	CHECK_EQ(found.bits[1], 0);
	pipa_tx_needles_find(&needles, "Done: 5", 7, &found);
	CHECK_EQ(found.bits[1], 1 << 6);
}
