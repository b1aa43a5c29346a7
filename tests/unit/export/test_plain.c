#include "export/text/plain.h"

#include "base/buf.h"
#include "lib/test.h"

static struct pipa_buf out;

static const char *put(const char *text, size_t columns)
{
	size_t n;

	pipa_buf_reset(&out);
	n = pipa_plain_put(&out, text, columns);
	CHECK(n <= columns);
	CHECK_EQ(pipa_plain_width(pipa_buf_str(&out)), n);
	return pipa_buf_str(&out);
}

static const char *symbol(const char *text, size_t columns)
{
	pipa_buf_reset(&out);
	pipa_plain_put_symbol(&out, text, columns);
	return pipa_buf_str(&out);
}

static const char *wrap(const char *text, size_t indent, size_t columns)
{
	pipa_buf_reset(&out);
	pipa_plain_wrap(&out, text, indent, columns);
	return pipa_buf_str(&out);
}

TEST(control_characters_are_escaped)
{
	CHECK_STR(put("a\033[31mb\007\n\r\t\177c", 80), "a\\x1b[31mb\\x07\\x0a\\x0d\\x09\\x7fc");
	CHECK_STR(put("\302\233csi", 80), "\\u009bcsi"); /* a C1 control, in UTF-8 */
	CHECK_STR(put("\377\200x\303", 80), "\\xff\\x80x\\xc3");
	CHECK_STR(wrap("a\033b \033\n", 0, 80), "a\\x1bb \\x1b\\x0a\n");
}

TEST(escape_sequences_are_not_split)
{
	CHECK_STR(put("ab\001cdef", 10), "ab\\x01cdef");
	CHECK_STR(put("ab\001cdef", 9), "ab\\x01...");
	CHECK_STR(put("ab\001cdef", 8), "ab...");
	CHECK_STR(put("\342\200\256name", 10), "\\u202ename");
	CHECK_STR(put("\342\200\256name", 9), "\\u202e...");
	CHECK_STR(put("\342\200\256name", 7), "...");
}

TEST(letters_of_all_languages_stay)
{
	CHECK_STR(put("größe µs 漢", 80), "größe µs 漢");
	CHECK_EQ(pipa_plain_width("größe"), 5);
	CHECK_STR(put("größer", 5), "gr...");
}

TEST(overlong_text_is_truncated_with_dots)
{
	CHECK_STR(put("abcdef", 6), "abcdef");
	CHECK_STR(put("abcdef", 5), "ab...");
	CHECK_STR(put("abcdef", 3), "...");
	CHECK_STR(put("abcdef", 2), "..");
	CHECK_STR(put("abcdef", 0), "");
	CHECK_STR(put("", 0), "");
}

TEST(a_symbol_loses_arguments_before_its_end)
{
	CHECK_STR(symbol("std::map<int, long>::insert(int const&)", 80),
		  "std::map<int, long>::insert(int const&)");
	CHECK_STR(symbol("std::map<int, long>::insert(int const&)", 30),
		  "std::map<...>::insert(...)");
	CHECK_STR(symbol("(anonymous namespace)::walk<int>(std::vector<int> const&, long)", 50),
		  "(anonymous namespace)::walk<int>(...)");
	CHECK_STR(symbol("N::operator<<(std::basic_ostream<char>&, int)", 40),
		  "N::operator<<(...)");
	CHECK_STR(symbol("P<int>::operator->() const and some words more", 43),
		  "P<int>::operator->");
	CHECK_STR(symbol("f<g(h, and no end of words to be had", 20), "f<g(h, and no end...");
	CHECK_STR(symbol("call(int (*)(int), std::function<void ()>)", 30), "call(...)");
}

TEST(brackets_that_nothing_closes_stay_and_those_in_them_do_not)
{
	CHECK_STR(symbol("f(((a, b), c", 11), "f(((...), c");
	CHECK_STR(symbol("f<a, b>>(c, d) and words", 23), "f<...>>(...) and words");
	CHECK_STR(symbol("f()<>(a, b, c)<(d, e)(f, g, h)", 25), "f()<>(...)<(...)(...)");
	CHECK_STR(symbol("f)>)(int, long)", 10), "f)>)(...)");
}

/* Without a cached position each is searched up to the end: a minute of work. */
TEST(a_megabyte_of_brackets_is_folded_in_one_pass)
{
	enum { LEN = 1 << 20 };
	static char name[LEN + 1];
	size_t i;

	memset(name, '(', LEN);
	CHECK_STR(symbol(name, 10), "(((((((...");
	for (i = 0; i < LEN; i++)
		name[i] = "(<>"[i % 3];
	CHECK_STR(symbol(name, 10), "(<>(<>(...");
	for (i = 0; i < LEN; i++)
		name[i] = i < LEN / 2 ? '(' : ')';
	CHECK_STR(symbol(name, 10), "(((...)))");
}

TEST(lines_break_between_words)
{
	CHECK_STR(wrap("one two three", 2, 9), "  one two\n  three\n");
	CHECK_STR(wrap("one two three", 0, 80), "one two three\n");
	CHECK_STR(wrap("longerthanthat x", 1, 5), " longerthanthat\n x\n");
	CHECK_STR(wrap("", 2, 5), "\n");
}
