#include "base/cpus.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "lib/test.h"

/* The members as "0 1 5", for comparing. */
static const char *members(const struct pipa_cpus *cpus)
{
	static char text[1000];
	size_t i, len = 0;

	text[0] = '\0';
	for (i = 0; i < cpus->n; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%d", i ? " " : "",
					cpus->items[i]);
	return text;
}

static void check_list(const char *list, const char *want)
{
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus cpus = { 0 };
	struct pipa_error err = { 0 };

	if (pipa_cpus_parse(list, &cpus, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "'%s': %s", list, err.what);
	CHECK_STR(members(&cpus), want);
}

TEST(lists_are_numbers_and_ranges)
{
	check_list("0", "0");
	check_list("0-3,7", "0 1 2 3 7");
	check_list("0-2,5,7-8", "0 1 2 5 7 8");
	check_list("5-5", "5");
	check_list("65535", "65535");
}

TEST(list_as_the_kernel_writes_it_ends_in_a_newline)
{
	check_list("0-1\n", "0 1");
	check_list("\n", "");
	check_list("", "");
}

TEST(members_are_sorted_and_there_once)
{
	check_list("7,0-3,2,1-2", "0 1 2 3 7");
}

TEST(strided_ranges_take_the_first_of_each_group)
{
	check_list("0-30:2/8", "0 1 8 9 16 17 24 25");
	check_list("4-9:1/2", "4 6 8");
	check_list("5-12:2/4", "5 6 9 10"); /* counted from the first, not from 0 */
	check_list("0-3:4/4", "0 1 2 3");
}

TEST(invalid_lists_are_refused_and_keep_the_set_unchanged)
{
	static const char *const lists[] = {
		"x",	 "-1",	  "0-",	    "0,",      ",0",	  "0,,1",      "3-1", "0 1",
		"0-3:",	 "0-3:1", "0-3:1/", "0-3:0/2", "0-3:3/2", "0-3:1/0",   "0x1", "0-3-5",
		"0:1/2", "+1",	  "1\n2",   " 1",      "1 ",	  "0-3:1/2/3",
	};
	struct pipa_cpus cpus = { 0 };
	struct pipa_error err;
	size_t i;

	CHECK_EQ(pipa_cpus_add(&cpus, 42), 0);
	for (i = 0; i < PIPA_COUNT(lists); i++) {
		/* on the heap and exact, so that a read past the end is seen */
		PIPA_AUTO(free) char *list = strdup(lists[i]);

		err = (struct pipa_error){ 0 };
		if (pipa_cpus_parse(list, &cpus, &err) != -EINVAL)
			pipa_test_fail(__FILE__, __LINE__, "'%s' was taken", lists[i]);
		CHECK_HAS(err.what, "invalid CPU list");
		CHECK_HAS(err.hint, "0-3,7");
		CHECK_STR(members(&cpus), "42");
	}
	pipa_cpus_done(&cpus);
}

TEST(number_past_any_kernel_is_out_of_range)
{
	struct pipa_cpus cpus = { 0 };
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_cpus_parse("65536", &cpus, &err), -ERANGE);
	CHECK_EQ(pipa_cpus_parse("0-99999999999999999999", &cpus, &err), -ERANGE);
	CHECK_HAS(err.hint, "below 65536");
	CHECK_EQ(cpus.n, 0);
}

TEST(message_names_the_list_and_the_place)
{
	struct pipa_cpus cpus = { 0 };
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_cpus_parse("0-3,x7", &cpus, &err), -EINVAL);
	CHECK_STR(err.what, "invalid CPU list '0-3,x7' at ',x7'");
	CHECK_EQ(pipa_cpus_parse("0-3:2", &cpus, NULL), -EINVAL);
	CHECK_EQ(pipa_cpus_parse("0-3,7-", &cpus, &err), -EINVAL);
	CHECK_STR(err.what, "invalid CPU list '0-3,7-' at its end");
	CHECK_EQ(pipa_cpus_parse("0,7-5,9\n", &cpus, &err), -EINVAL);
	CHECK_STR(err.what, "invalid CPU list '0,7-5,9': the range 7-5 ends before it begins");
	CHECK_EQ(pipa_cpus_parse("0,65537", &cpus, &err), -ERANGE);
	CHECK_STR(err.what, "invalid CPU list '0,65537' at '65537'");
}

TEST(membership_is_exact)
{
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus cpus = { 0 };
	struct pipa_cpus none = { 0 };

	CHECK_EQ(pipa_cpus_parse("2-4,9", &cpus, NULL), 0);
	CHECK(pipa_cpus_has(&cpus, 2));
	CHECK(pipa_cpus_has(&cpus, 9));
	CHECK(!pipa_cpus_has(&cpus, 1));
	CHECK(!pipa_cpus_has(&cpus, 5));
	CHECK(!pipa_cpus_has(&cpus, 10));
	CHECK(!pipa_cpus_has(&none, 0));
}

TEST(common_members_are_those_of_both)
{
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus a = { 0 }, b = { 0 }, both = { 0 };

	CHECK_EQ(pipa_cpus_parse("0-5", &a, NULL), 0);
	CHECK_EQ(pipa_cpus_parse("4-9,1", &b, NULL), 0);
	CHECK_EQ(pipa_cpus_common(&a, &b, &both), 0);
	CHECK_STR(members(&both), "1 4 5");
}

TEST(copy_is_independent)
{
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus a = { 0 }, copy = { 0 };

	CHECK_EQ(pipa_cpus_parse("0-2", &a, NULL), 0);
	CHECK_EQ(pipa_cpus_copy(&a, &copy), 0);
	CHECK_EQ(pipa_cpus_add(&a, 7), 0);
	CHECK_STR(members(&copy), "0 1 2");
	CHECK_STR(members(&a), "0 1 2 7");
}

TEST(numbers_added_in_any_order_end_up_sorted)
{
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus cpus = { 0 };
	static const int order[] = { 5, 1, 9, 5, 0, 7, 3, 2, 8, 6, 4, 1 };
	size_t i;

	for (i = 0; i < PIPA_COUNT(order); i++)
		CHECK_EQ(pipa_cpus_add(&cpus, order[i]), 0);
	CHECK_STR(members(&cpus), "0 1 2 3 4 5 6 7 8 9");
}

TEST(numbers_are_written_as_ranges)
{
	const int cpus[] = { 0, 1, 2, 3, 7, 9, 10 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };

	pipa_cpus_put(cpus, 7, &text);
	CHECK_STR(pipa_buf_str(&text), "0-3,7,9-10");
	pipa_cpus_put(cpus, 0, &text);
	CHECK_STR(pipa_buf_str(&text), "0-3,7,9-10");
}
