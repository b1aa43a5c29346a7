#include "base/regex.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "lib/test.h"

static bool matches(const char *expression, const char *text)
{
	struct pipa_error err = { 0 };
	regex_t regex;
	bool found;

	CHECK_EQ(pipa_regex_compile("--focus", expression, &regex, &err), 0);
	found = pipa_regex_matches(&regex, text);
	regfree(&regex);
	return found;
}

TEST(an_expression_matches_anywhere_and_by_case)
{
	CHECK(matches("sort", "main.sorting"));
	CHECK(!matches("Sort", "main.sorting"));
	CHECK(!matches("^sort", "main.sorting"));
	CHECK(matches("main\\.(sort|parse)", "main.parse"));
}

TEST(forms_of_re2_are_translated)
{
	CHECK(matches("(?i)MAIN", "main.sort"));
	CHECK(matches("(?:a|b)c", "bc"));
	CHECK(matches("func\\d+$", "main.func12"));
	CHECK(!matches("func\\d+$", "main.funcx"));
	CHECK(matches("f\\D", "fx"));
	CHECK(matches("^[\\w.]+$", "main.func1_2"));
	CHECK(matches("^[\\d]+$", "123"));
	CHECK(!matches("^[\\d]+$", "12d"));
	CHECK(matches("^[a\\]]+$", "a]a"));
	CHECK(matches("^[a\\\\]+$", "a\\"));
	CHECK(matches("^[[:alpha:]\\s]+$", "a b"));
	CHECK(matches("[\\.]", "a.b"));
	CHECK(!matches("[\\.]", "a\\b"));
	CHECK(matches("^[]a]+$", "]a"));
	CHECK(matches("^[^\\d]$", "x"));
	CHECK(!matches("^[^\\d]$", "7"));
}

TEST(an_invalid_expression_is_refused_with_its_option)
{
	struct pipa_error err = { 0 };
	regex_t regex;

	CHECK_EQ(pipa_regex_compile("--hide", "a(", &regex, &err), -EINVAL);
	CHECK(strstr(err.what, "--hide: invalid regular expression 'a('"));
	CHECK_EQ(pipa_regex_compile("--hide", "[a", &regex, &err), -EINVAL);
}
