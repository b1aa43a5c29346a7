/* Readable names: a table of known ones, c++filt on a whole library, and names that mean harm. */
#include <stdio.h>
#include <stdlib.h>

#include "lib/oracle.h"
#include "lib/test.h"
#include "symbol/text/demangle.h"

static const char *demangle(const char *name, unsigned int flags)
{
	static char out[4096];
	size_t n = pipa_demangle(name, strlen(name), flags, out, sizeof(out));

	CHECK(n == 0 || n == strlen(out));
	return n ? out : "-";
}

static const struct {
	const char *name, *bare, *params;
} known[] = {
	/* C++ */
	{ "_ZN3foo3barEv", "foo::bar", "foo::bar()" },
	{ "_ZN3foo1SIlE3barEli", "foo::S<long>::bar", "foo::S<long>::bar(long, int)" },
	{ "_Z4swapIiEvRT_S1_", "swap<int>", "void swap<int>(int&, int&)" },
	{ "_ZN3foo3barEv.cold", "foo::bar", "foo::bar() [clone .cold]" },
	{ "_ZN3foo3barEv@plt", "foo::bar@plt", "foo::bar()@plt" },
	{ "_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back",
	  "std::vector<int, std::allocator<int> >::push_back(int const&)" },
	{ "_ZTV3foo", "vtable for foo", "vtable for foo" },
	{ "_ZGVZ4mainE1x", "guard variable for main::x", "guard variable for main::x" },
	{ "_ZN12_GLOBAL__N_14implEv", "(anonymous namespace)::impl",
	  "(anonymous namespace)::impl()" },
	{ "_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()",
	  "main::{lambda(int)#1}::operator()(int) const" },
	{ "_GLOBAL__I_main", "global constructors keyed to main",
	  "global constructors keyed to main" },
	/* Rust, legacy: the hash goes */
	{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad",
	  "core::fmt::Formatter::pad" },
	{ "_ZN47_$LT$std..fs..File$u20$as$u20$std..io..Read$GT$4read17h0123456789abcdefE",
	  "<std::fs::File as std::io::Read>::read", "<std::fs::File as std::io::Read>::read" },
	{ "_ZN4test3foo28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE",
	  "test::foo::{{closure}}", "test::foo::{{closure}}" },
	/* Rust, v0 */
	{ "_RNvC6_123foo3bar", "123foo::bar", "123foo::bar" },
	{ "_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar", "mycrate::foo::bar" },
	{ "_RNCNvC4bees5swarm0B3_", "bees::swarm::{closure#0}", "bees::swarm::{closure#0}" },
	{ "_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>", "std::mem::align_of::<f64>" },
	{ "_RNvNtNtCs1234_7mycrateu8gdel_5qa3fooC3bar", "-", "-" },
	/* D */
	{ "_D4test3fooFZv", "test.foo()", "test.foo()" },
	{ "_D3std5stdio7writelnFAyaZv", "std.stdio.writeln(immutable(char)[])",
	  "std.stdio.writeln(immutable(char)[])" },
	{ "_Dmain", "D main", "D main" },
	/* none of them */
	{ "main", "-", "-" },
	{ "_start", "-", "-" },
	{ "_GLOBAL__sub_I_main", "-", "-" }, /* libiberty leaves it unchanged, and so does perf */
	{ "__libc_start_main", "-", "-" },
	{ "_Z", "-", "-" },
	{ "_ZN", "-", "-" },
	{ "_Z9short", "-", "-" },
	{ "_R", "-", "-" },
	{ "_Darwin", "-", "-" },
	{ "", "-", "-" },
};

TEST(names_of_cxx_rust_and_d_are_made_readable)
{
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		CHECK_STR(demangle(known[i].name, 0), known[i].bare);
		CHECK_STR(demangle(known[i].name, PIPA_DEMANGLE_PARAMS), known[i].params);
	}
}

TEST(names_that_are_not_mangled_are_rejected_at_once)
{
	CHECK(!pipa_is_mangled("malloc", 6));
	CHECK(!pipa_is_mangled("__memcpy_avx", 12));
	CHECK(!pipa_is_mangled("_Z", 2));
	CHECK(pipa_is_mangled("_Zx", 3));
	CHECK(pipa_is_mangled("_RNvC3", 6));
	CHECK(pipa_is_mangled("_Dmain", 6));
}

TEST(names_need_no_nul_and_results_must_fit)
{
	static const char text[] = "_ZN3foo3barEvTAIL";
	char out[16];

	CHECK_EQ(pipa_demangle(text, 13, 0, out, sizeof(out)), 8);
	CHECK_STR(out, "foo::bar");
	CHECK_EQ(pipa_demangle(text, 13, 0, out, 9), 8); /* exactly, with the NUL */
	CHECK_EQ(pipa_demangle(text, 13, 0, out, 8), 0);
	CHECK_EQ(pipa_demangle(text, 13, 0, out, 1), 0);
	CHECK_EQ(pipa_demangle(text, 13, 0, out, 0), 0);
	CHECK_EQ(pipa_demangle("_ZN3foo3barEv@plt", 17, 0, out, 13), 12);
	CHECK_EQ(pipa_demangle("_ZN3foo3barEv@plt", 17, 0, out, 12), 0);
	CHECK_EQ(pipa_demangle("_ZN3f\0o3barEv", 13, 0, out, sizeof(out)), 0);
}

/* Each level repeats the one before twice: 2^60 of them, were they printed. */
TEST(names_that_double_and_double_are_given_up)
{
	static char name[8192], out[65536];
	size_t n = (size_t)snprintf(name, sizeof(name), "_Z1fI1A1BIS_S_E"), i;

	for (i = 0; i < 36; i++) {
		char seq = (char)(i < 10 ? '0' + i : 'A' + i - 10);

		n += (size_t)snprintf(name + n, sizeof(name) - n, "1BIS%c_S%c_E", seq, seq);
	}
	n += (size_t)snprintf(name + n, sizeof(name) - n, "EvT_");
	CHECK(pipa_demangle(name, n, PIPA_DEMANGLE_PARAMS, out, sizeof(out)) < sizeof(out));
	CHECK(pipa_demangle(name, n, 0, out, sizeof(out)) < sizeof(out));
}

/* D: each parameter is an array of the one before, twice. */
static size_t demangle_doubled(unsigned int levels)
{
	static char name[1024], out[1 << 20];
	size_t n = (size_t)snprintf(name, sizeof(name), "_D1fFHiiHQeQg");

	while (levels--)
		n += (size_t)snprintf(name + n, sizeof(name) - n, "HQgQi");
	n += (size_t)snprintf(name + n, sizeof(name) - n, "Zv");
	return pipa_demangle(name, n, 0, out, sizeof(out));
}

TEST(names_of_d_that_double_are_given_up_before_they_are_large)
{
	CHECK(demangle_doubled(0) > 0);
	CHECK(demangle_doubled(6) > 500); /* they do double */
	CHECK_EQ(demangle_doubled(12), 0);
	CHECK_EQ(demangle_doubled(150), 0);
}

static void repeat(const char *head, const char *piece, size_t times, const char *tail)
{
	static char name[PIPA_DEMANGLE_MAX * 2], out[4096];
	size_t n = (size_t)snprintf(name, sizeof(name), "%s", head), i;

	for (i = 0; i < times; i++)
		n += (size_t)snprintf(name + n, sizeof(name) - n, "%s", piece);
	n += (size_t)snprintf(name + n, sizeof(name) - n, "%s", tail);
	pipa_demangle(name, n, 0, out, sizeof(out));
	pipa_demangle(name, n, PIPA_DEMANGLE_PARAMS, out, sizeof(out));
}

TEST(names_that_nest_deeply_are_survived)
{
	repeat("_Z1f", "P", 8000, "i");
	repeat("_Z1fI", "1AI", 2000, "iEEv");
	repeat("_RINvC1a1b", "R", 8000, "uE");
	repeat("_RNvC1a1b", "INvB2_", 1000, "");
	repeat("_D1a", "P", 8000, "v");
	repeat("_D1aFS1bS1c", "QcQc", 1500, "Zv");
	repeat("_Z1f", "K", 9000, "i"); /* too long altogether */
}

/* Every C++ name of a large library, as c++filt has it. */
TEST(whole_libraries_come_out_as_with_cxxfilt)
{
	FILE *out;
	char name[32768], want[65536], got[65536];
	size_t n = 0;
	int c;

	NEED("c++filt");
	NEED("nm");
	out = oracle_read(
		"lib=$(PATH=$PATH:/sbin ldconfig -p 2> /dev/null | sed -n 's/.*libstdc++.so.6 .*=> //p' |"
		" head -n 1); [ -r \"$lib\" ] &&"
		" nm -D --defined-only --without-symbol-versions \"$lib\" |"
		" awk '$3 ~ /^_Z/ { print $3 }' > %s/names && c++filt -i < %s/names |"
		" paste %s/names -",
		pipa_test_dir(), pipa_test_dir(), pipa_test_dir());
	while (fscanf(out, "%32767[^\t]\t%65535[^\n]", name, want) == 2) {
		size_t len = strlen(name);

		if (pipa_demangle(name, len, PIPA_DEMANGLE_PARAMS, got, sizeof(got)) == 0)
			snprintf(got, sizeof(got), "%s", name);
		CHECK_STR(got, want);
		n++;
		c = fgetc(out);
		CHECK(c == '\n' || c == EOF);
	}
	pclose(out);
	if (!n)
		SKIP("no libstdc++ to take names from");
}
