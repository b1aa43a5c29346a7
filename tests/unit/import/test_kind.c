#include "import/kind.h"

#include "lib/test.h"

static const char *kind(const char *text)
{
	return pipa_kind_name(pipa_kind_find(text, strlen(text)));
}

TEST(binary_files_are_known_by_their_first_bytes)
{
	CHECK_EQ(pipa_kind_find("PERFILE2\0\0", 10), PIPA_KIND_PERF_DATA);
	CHECK_EQ(pipa_kind_find("2ELIFREP\0\0", 10), PIPA_KIND_PERF_DATA);
	CHECK_EQ(pipa_kind_find("PERFFILE\0\0", 10), PIPA_KIND_PERF_DATA);
	CHECK_EQ(pipa_kind_find("PERFILE", 7), PIPA_KIND_UNKNOWN);
	CHECK_EQ(pipa_kind_find("\x1f\x8b\x08\0", 4), PIPA_KIND_GZIP);
	CHECK_EQ(pipa_kind_find("\x28\xb5\x2f\xfd\0", 5), PIPA_KIND_ZSTD);
	CHECK_EQ(pipa_kind_find("\x7f"
				"ELF\2\1\1\0",
				8),
		 PIPA_KIND_UNKNOWN);
	CHECK_EQ(pipa_kind_find("", 0), PIPA_KIND_EMPTY);
	CHECK_EQ(pipa_kind_find("a;b 1\n\0\n", 8), PIPA_KIND_UNKNOWN);
}

static enum pipa_kind kind_of(const char *text)
{
	return pipa_kind_find(text, strlen(text));
}

TEST(otlp_in_json_is_known_by_its_first_key)
{
	CHECK_EQ(kind_of("{\"resourceProfiles\":[]}"), PIPA_KIND_OTLP_JSON);
	CHECK_EQ(kind_of("\n { \"dictionary\" : {"), PIPA_KIND_OTLP_JSON);
	CHECK_EQ(kind_of("{\"resourceSpans\":[]}"), PIPA_KIND_UNKNOWN);
	CHECK_EQ(kind_of("{\"dictionary\""), PIPA_KIND_UNKNOWN);
	CHECK_EQ(kind_of("{}"), PIPA_KIND_UNKNOWN);
	CHECK_EQ(kind_of("{\"exporter\":\"x\",\"$schema\":"
			 "\"https://www.speedscope.app/file-format-schema.json\""),
		 PIPA_KIND_SPEEDSCOPE);
	CHECK_EQ(kind_of("{\"name\":\"x\",\"shared\":{\"frames\":["), PIPA_KIND_SPEEDSCOPE);
	CHECK_EQ(kind_of("{\"$schema\":\"x\",\"frames\":[]}"), PIPA_KIND_UNKNOWN);
	CHECK_EQ(kind_of("{\"nodes\":[{\"id\":1,\"callFrame\":{"), PIPA_KIND_CPUPROFILE);
	CHECK_EQ(kind_of("{\"nodes\":[{\"id\":1}]}"), PIPA_KIND_UNKNOWN);
}

TEST(texts_are_known_by_their_lines)
{
	CHECK_STR(kind("# ========\n# captured on: today\n#\na 1 [000] 1.5: cycles: \n"),
		  "text of perf script");
	CHECK_STR(kind("node 1 cpu-clock: \n   c6d78146ea0 A builtin (/tmp/perf-1.map)\n\n"),
		  "text of perf script");
	CHECK_STR(kind("\n\t           153e0 f\n\n"), "text of perf script");
	CHECK_STR(kind("   dd 905 1.8: 10 cpu:      7f866240f8a7 f (/lib/c)\n"),
		  "text of perf script");
	/* ends in a number, as folded stacks do */
	CHECK_STR(kind("a 1 [000] 1.5: raw_syscalls:sys_exit: NR 1 = 5\n"), "text of perf script");
	CHECK_STR(kind("# ========\n# a header so long that nothing else is\n"),
		  "text of perf script");
	CHECK_STR(kind("a;b;c 1\nd;e 2\n"), "folded stacks");
	CHECK_STR(kind("a 1"), "folded stacks");
	CHECK_STR(kind("# a note\na;b c 7\nbroken\n"), "folded stacks");
}

/* Every line of perf script ends in a space unless something follows; folded stacks do not. */
TEST(perf_script_without_times_or_indentation_is_known)
{
	CHECK_STR(kind("a 1 cycles: \n7f10 f+0x1 (/bin/a)\n55d0 main (/bin/a)\n\n"),
		  "text of perf script");
	CHECK_STR(kind("a 1 \n7f10 f\n55d0 main\n\n"), "text of perf script");
	CHECK_STR(kind("7f10 f (/bin/a)\n55d0 main (/bin/a)\n\n"), "text of perf script");
	CHECK_STR(kind("a 4711 \na 4711 \n"), "text of perf script");
	CHECK_STR(kind("a 4711\na 4711\n"), "folded stacks");
	CHECK_STR(kind("a 1/2 \n"), "text of perf script");
	CHECK_STR(kind("a 1 cycles:\na 1 cycles:\n"), "text of perf script");
	CHECK_STR(kind("   a 1 [003]     ffffffff81000000 f ([kernel])\n"), "text of perf script");
	CHECK_STR(kind("a;b 1.5\na;c 1e+06\n"), "folded stacks");
}

static size_t skip(const char *text, bool inside, bool *ret)
{
	size_t n;

	*ret = inside;
	n = pipa_kind_skip(text, strlen(text), ret);
	return n;
}

TEST(comments_before_a_text_are_skipped)
{
	bool inside;

	CHECK_EQ(skip("a;b 1\n", false, &inside), 0);
	CHECK_EQ(skip("# x\n\n#\na;b 1\n", false, &inside), 7);
	CHECK(!inside);
	CHECK_EQ(skip("# x\n# a lon", false, &inside), 11);
	CHECK(inside);
	CHECK_EQ(skip("g one\na", true, &inside), 6);
	CHECK(!inside);
	CHECK_EQ(skip("", true, &inside), 0);
	CHECK(inside);
}

TEST(other_texts_are_neither_sar_nor_sadf_output)
{
	CHECK_STR(kind("feed me now\nfeed it\n"), "of unknown format");
	CHECK_STR(kind("line 12 of it: no\nline 13 of it: no\n"), "of unknown format");
	CHECK_STR(kind("Hello, world\n"), "of unknown format");
	CHECK_STR(kind("int main(void)\n{\n\tadd foo;\n\treturn 0;\n}\n"), "of unknown format");
	CHECK_STR(kind("chapter 1\nIt was a dark night\nand so on\nto the end\n"),
		  "of unknown format");
	CHECK_STR(kind("{\n  \"a\": 1\n}\n"), "of unknown format");
	CHECK_STR(kind("\n\n\n"), "of unknown format");
}

TEST(a_folded_stack_longer_than_the_examined_bytes_is_recognised)
{
	static char text[PIPA_KIND_BYTES + 10];

	memset(text, 'a', sizeof(text));
	CHECK_STR(pipa_kind_name(pipa_kind_find(text, PIPA_KIND_BYTES - 1)), "of unknown format");
	CHECK_STR(pipa_kind_name(pipa_kind_find(text, sizeof(text))), "folded stacks");
	text[0] = '{';
	CHECK_STR(pipa_kind_name(pipa_kind_find(text, sizeof(text))), "of unknown format");
	text[0] = 'a';
	text[200] = '\n'; /* a short line that is none, and a long one of which nothing is known */
	CHECK_STR(pipa_kind_name(pipa_kind_find(text, sizeof(text))), "of unknown format");
}
