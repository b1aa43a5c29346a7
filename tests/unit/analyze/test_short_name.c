/* Names that fit: which parts of a name go first, and which never. */
#include <string.h>

#include "analyze/profile/short_name.h"
#include "base/buf.h"
#include "lib/test.h"

#define STRING "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"

static const char *shorten(const char *symbol, size_t columns, enum pipa_short_form form)
{
	static struct pipa_buf out;

	pipa_buf_reset(&out);
	pipa_short_name(symbol, columns, form, &out);
	CHECK_EQ(out.status, 0);
	return pipa_buf_str(&out);
}

TEST(names_fit_into_the_column_of_a_table)
{
	static const struct {
		size_t columns;
		const char *symbol, *want;
	} rows[] = {
		{ 80, "std::vector<int>::push_back", "std::vector<int>::push_back" },
		{ 40, "std::sort<__gnu_cxx::__normal_iterator<int*, std::vector<int> >, Cmp<int> >",
		  "std::sort<...>" },
		{ 60, "std::sort<__gnu_cxx::__normal_iterator<int*, std::vector<int> >, Cmp<int> >",
		  "std::sort<__gnu_cxx::__normal_iterator<...>, Cmp<int> >" },
		{ 60, "std::map<" STRING ", int, std::less<" STRING " > >::find",
		  "std::map<std::string, int, std::less<std::string > >::find" },
		{ 40, "std::map<" STRING ", int, std::less<" STRING " > >::find",
		  "std::map<...>::find" },
		{ 20, "ns::inner::Klass<int, long>::method(int, char const*) const", "...method" },
		{ 22, "ns::inner::Klass<int, long>::method(int, char const*) const",
		  "...Klass<...>::method" },
		{ 10, "(anonymous namespace)::f(int, long)", "...f" },
		{ 12, "github.com/owner/module/package.(*Type).Method",
		  "...package.(*Type).Method" },
		{ 12, "libcrypto.so.3!fn@0x29c240", "...fn@0x29c240" },
		{ 20, "<alloc::vec::Vec<T> as core::ops::Drop>::drop", "<...>::drop" },
		{ 14, "LazyCompile:*render /srv/app/view.js:12",
		  "LazyCompile:*render /srv/app/view.js:12" },
		{ 10, "operator new(unsigned long)", "operator new" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK_STR(shorten(rows[i].symbol, rows[i].columns, PIPA_SHORT_COLUMN),
			  rows[i].want);
}

TEST(narrow_boxes_have_the_part_that_distinguishes)
{
	CHECK_STR(shorten("std::vector<int, long>::push_back(int const&)", 20, PIPA_SHORT_BOX),
		  "push_back");
	CHECK_STR(shorten("std::vector<int, long>::push_back(int const&)", 23, PIPA_SHORT_BOX),
		  "vector<...>::push_back");
	CHECK_STR(shorten("libcrypto.so.3!fn@0x29c240", 14, PIPA_SHORT_BOX), "fn@0x29c240");
	CHECK_STR(shorten("a::b::c::d", 1, PIPA_SHORT_BOX), "d");
	CHECK_STR(shorten("a::b::", 1, PIPA_SHORT_BOX), "b::");
	CHECK_STR(shorten("net/http.(*conn).serve", 16, PIPA_SHORT_BOX), "http.(*conn).serve");
}

TEST(the_library_is_not_repeated_beside_its_own_name)
{
	CHECK_STR(pipa_short_name_in("libx.so!fn@0x10", "libx.so"), "fn@0x10");
	CHECK_STR(pipa_short_name_in("libx.so!fn@0x10", "liby.so"), "libx.so!fn@0x10");
	CHECK_STR(pipa_short_name_in("libx.so!", "libx.so"), "libx.so!");
	CHECK_STR(pipa_short_name_in("main", "main"), "main");
}
