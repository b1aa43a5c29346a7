#include "import/folded.h"

#include <stdio.h>

#include "base/auto.h"
#include "lib/test.h"
#include "model/profile.h"
#include "profile_text.h"

static void check(const char *text, const char *want, uint64_t damaged)
{
	size_t piece, len = strlen(text), at;

	for (piece = 1; piece <= len; piece++) {
		PIPA_AUTO(pipa_profile_done) struct pipa_profile p = { 0 };
		struct pipa_folded *folded = pipa_folded_new(&p);

		CHECK(folded);
		for (at = 0; at < len; at += piece)
			CHECK_EQ(pipa_folded_put(folded, text + at,
						 len - at < piece ? len - at : piece),
				 0);
		CHECK_EQ(pipa_folded_end(folded), 0);
		pipa_folded_free(folded);
		CHECK_STR(profile_text(&p), want);
		CHECK_EQ(p.losses.damaged, damaged);
	}
}

TEST(folded_stacks_are_read_and_added_up)
{
	check("a;b;c 12\na;b 3\n# a note\n\na;b;c 1\n", "| a b c | 13 13\n| a b | 3 3\n", 0);
	check("a 5", "| a | 5 5\n", 0);
	check("a;b 5\r\n\r\n", "| a b | 5 5\n", 0);
}

/* Frames equal to those of the line before are not looked up again. */
TEST(lines_share_only_complete_frames_with_the_previous_line)
{
	check("a;b;c 1\na;b;c 2\na;b;cd 3\na;b 4\na;bc;c 5\na;b;c;d 6\nab;b 7\na 8\na; 9\na;b;c 10\n",
	      "| a b c | 13 13\n| a b cd | 3 3\n| a b | 4 4\n| a bc c | 5 5\n| a b c d | 6 6\n"
	      "| ab b | 7 7\n| a | 8 8\n| a  | 9 9\n",
	      0);
	check("a;b 1\nbroken\na;b;c 2\n;b 3\n;b;c 4\n",
	      "| a b | 1 1\n| a b c | 2 2\n|  b | 3 3\n|  b c | 4 4\n", 1);
}

TEST(frames_may_contain_blanks_and_numbers)
{
	check("my prog;f(int, 3) 2;A builtin 17 5\n", "| my prog f(int, 3) 2 A builtin 17 | 5 5\n",
	      0);
	check("a;;b 2\n;a 1\n", "| a  b | 2 2\n|  a | 1 1\n", 0);
}

TEST(lines_without_a_count_are_malformed)
{
	check("a;b\na;b 3x\na;b3\n 3\n7\na;b 1.5.5\na;b -1\na 12345678901234567890\nc 4\n",
	      "| c | 4 4\n", 8);
	check("a .\na e\na 1e\na 1e+\na 1e99\na 1e3x\na +1\na 0x1\na inf\nc 4\n", "| c | 4 4\n", 9);
}

/* As flamegraph.pl takes them: milliseconds with a fraction, and what awk makes of large numbers. */
TEST(counts_may_have_a_fraction)
{
	check("a;b 1.5\na;c 2.5\n", "thousandths| a b | 1500 2\nthousandths| a c | 2500 3\n", 0);
	/* lines before the first fraction are of the same unit */
	check("a 7\nb 2\na 0.25\nc 3\n",
	      "thousandths| a | 7250 8\nthousandths| b | 2000 2\nthousandths| c | 3000 3\n", 0);
	check("a 2.0\nb 3.\nc 1e3\nd 1.25e+06\n",
	      "| a | 2 2\n| b | 3 3\n| c | 1000 1000\n| d | 1250000 1250000\n", 0);
	check("b 0.001\nc .5\nd 5e-1\n",
	      "thousandths| b | 1 1\nthousandths| c | 500 1\nthousandths| d | 500 1\n", 0);
	/* with too much for thousandths, the fraction is too much */
	check("a 1844674407370955161\nb 1.5\n", "| a | 1844674407370955161 1844674407370955161\n",
	      1);
}

/* Seconds with microseconds; large numbers need no more than thousandths. */
TEST(counts_may_have_six_digits_of_a_fraction)
{
	check("a 0.000421\nb 1\nc 2.5\n",
	      "millionths| a | 421 1\nmillionths| b | 1000000 1\nmillionths| c | 2500000 3\n", 0);
	check("a 0.5\nb 0.000001\n", "millionths| a | 500000 1\nmillionths| b | 1 1\n", 0);
	check("a 1234567.333333\nb 0.002\n",
	      "thousandths| a | 1234567333 1234567\n"
	      "thousandths| b | 2 1\n",
	      0);
	check("a 0.0000004\nb 1\nc 0.0\n", "| b | 1 1\n| c | 0 0\n", 1);
	/* with too much for millionths, thousandths are used */
	check("a 18446744073709551\nb 0.000421\n",
	      "thousandths| a | 18446744073709551000 18446744073709551\n", 1);
}

/* async-profiler -t writes the thread as the outermost frame; the frame stays. */
TEST(threads_of_async_profiler_are_threads)
{
	check("[main tid=12];a;b_[j] 3\n[main tid=12];a 2\n[tid=13];a 1\n[G1 Conc#0 tid=14];a 1\n",
	      "main ?/12 | [main tid=12] a b_[j] | 3 3\nmain ?/12 | [main tid=12] a | 2 2\n"
	      " ?/13 | [tid=13] a | 1 1\nG1 Conc#0 ?/14 | [G1 Conc#0 tid=14] a | 1 1\n",
	      0);
}

TEST(other_frames_are_not_threads)
{
	check("a;[main tid=12] 3\n[unknown];a 1\n[xtid=1];a 1\n[tid=];a 1\n[tid=1];a 1.5\n"
	      "tid=1];a 1\n[main tid=99999999999];a 1\n[main tid=1]x;a 1\n[];a 1\n",
	      "thousandths| a [main tid=12] | 3000 3\nthousandths| [unknown] a | 1000 1\n"
	      "thousandths| [xtid=1] a | 1000 1\nthousandths| [tid=] a | 1000 1\n"
	      " ?/1 thousandths| [tid=1] a | 1500 2\nthousandths| tid=1] a | 1000 1\n"
	      "thousandths| [main tid=99999999999] a | 1000 1\n"
	      "thousandths| [main tid=1]x a | 1000 1\nthousandths| [] a | 1000 1\n",
	      0);
}

TEST(frames_marked_as_the_kernels_are_of_the_kernel)
{
	PIPA_AUTO(pipa_profile_done) struct pipa_profile p = { 0 };
	struct pipa_folded *folded = pipa_folded_new(&p);

	CHECK_EQ(pipa_folded_put(folded, "a;b_[k] 1\n", 10), 0);
	CHECK_EQ(pipa_folded_end(folded), 0);
	pipa_folded_free(folded);
	CHECK_EQ(p.locations.items[0].mode, PIPA_MODE_UNKNOWN);
	CHECK_EQ(p.locations.items[1].mode, PIPA_MODE_KERNEL);
}

/* Wherever a name ends, in the middle of a word or of the line, it is the same name. */
TEST(names_of_any_length_are_one_location_each)
{
	enum { LONGEST = 80 };
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789:<>_()ABCDEFGHIJKLMNOP"
				      "QRSTUVWXYZ~[]{}+-*/%&|^!";
	PIPA_AUTO(pipa_profile_done) struct pipa_profile p = { 0 };
	PIPA_AUTO(pipa_folded_free) struct pipa_folded *folded = pipa_folded_new(&p);
	char line[4 * LONGEST];
	int len, shift, n;

	for (shift = 0; shift < 9; shift++)
		for (len = 1; len <= LONGEST; len++) {
			n = snprintf(line, sizeof(line), "%.*s;%.*s;%.*s 1\n", shift + 1, letters,
				     len, letters, len, letters);
			CHECK_EQ(pipa_folded_put(folded, line, (size_t)n), 0);
		}
	CHECK_EQ(pipa_folded_end(folded), 0);
	CHECK_EQ(p.locations.n, LONGEST);
	CHECK_EQ(p.samples.n, 9 * LONGEST);
	CHECK_EQ(p.losses.damaged, 0);
}

/* Each line adds to a stack that another one, far before it, began. */
TEST(lines_in_no_order_find_their_frames_again)
{
	enum { STACKS = 500, ROUNDS = 3 };
	PIPA_AUTO(pipa_profile_done) struct pipa_profile p = { 0 };
	PIPA_AUTO(pipa_folded_free) struct pipa_folded *folded = pipa_folded_new(&p);
	char line[200];
	size_t i, n;

	CHECK_EQ(pipa_folded_expect(folded, 10000), 0);
	for (i = 0; i < STACKS * ROUNDS; i++) {
		size_t k = i * 211 % STACKS;

		n = (size_t)snprintf(line, sizeof(line), "m;a%zu;b%zu;c%zu;d;e%zu 2\n", k % 3,
				     k / 3 % 5, k / 15 % 20, k);
		CHECK_EQ(pipa_folded_put(folded, line, n), 0);
	}
	CHECK_EQ(pipa_folded_end(folded), 0);
	CHECK_EQ(p.stacks.n, 1 + 3 + 15 + 300 + 300 + STACKS);
	CHECK_EQ(p.samples.n, STACKS);
	for (i = 0; i < STACKS; i++) {
		CHECK_EQ(p.samples.items[i].weight, 2 * ROUNDS);
		CHECK_EQ(p.stacks.items[p.samples.items[i].stack].depth, 6);
	}
}

TEST(the_expected_size_does_not_change_the_result)
{
	PIPA_AUTO(pipa_profile_done) struct pipa_profile p = { 0 };
	PIPA_AUTO(pipa_folded_free) struct pipa_folded *folded = pipa_folded_new(&p);

	CHECK_EQ(pipa_folded_expect(folded, 0), 0);
	CHECK_EQ(pipa_folded_put(folded, "a;b 1\n", 6), 0);
	CHECK_EQ(pipa_folded_expect(folded, UINT64_MAX), 0); /* too late */
	CHECK_EQ(pipa_folded_put(folded, "a;c 2\n", 6), 0);
	CHECK_EQ(pipa_folded_end(folded), 0);
	CHECK_STR(profile_text(&p), "| a b | 1 1\n| a c | 2 2\n");
}

TEST(a_line_with_a_weight_is_one_sample)
{
	PIPA_AUTO(pipa_profile_done) struct pipa_profile p = { 0 };
	PIPA_AUTO(pipa_folded_free) struct pipa_folded *folded = pipa_folded_new(&p);

	pipa_folded_take_weights(folded);
	CHECK_EQ(pipa_folded_put(folded, "a;b 3000\na 0\na;b 4000\n", 23), 0);
	CHECK_EQ(pipa_folded_end(folded), 0);
	CHECK_STR(profile_text(&p), "| a b | 7000 2\n| a | 0 1\n");
	CHECK_EQ(p.events.items[0].count, 3);
	CHECK(p.events.items[0].squares > 24999999 && p.events.items[0].squares < 25000001);
}
