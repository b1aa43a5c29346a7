#include "import/perf_script.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/auto.h"
#include "lib/test.h"
#include "model/profile.h"
#include "model/timeline.h"
#include "profile_text.h"

/* In pieces of `piece` bytes. */
static void load(struct pipa_profile *p, const char *text, size_t len, size_t piece)
{
	struct pipa_perf_script *script = pipa_perf_script_new(p);
	size_t at;

	CHECK(script);
	for (at = 0; at < len; at += piece)
		CHECK_EQ(pipa_perf_script_put(script, text + at,
					      len - at < piece ? len - at : piece),
			 0);
	CHECK_EQ(pipa_perf_script_end(script), 0);
	pipa_perf_script_free(script);
}

static void check(const char *text, const char *want, uint64_t damaged, uint64_t cut)
{
	PIPA_AUTO(pipa_profile_done) struct pipa_profile p = { 0 };

	load(&p, text, strlen(text), strlen(text) + 1);
	CHECK_STR(profile_text(&p), want);
	CHECK_EQ(p.losses.damaged, damaged);
	CHECK_EQ(p.losses.cut_stacks, cut);
}

static const char sampled[] = "# ========\n# cmdline : perf record\n#\n"
			      "a 1/2 [000] 1.0:   100 cycles: \n"
			      "\t              12 inner+0x2 (/bin/a)\n"
			      "\t              34 outer (/bin/a)\n"
			      "\n"
			      "b b 3/3 [000] 1.1:    50 instructions: \n"
			      "\tffffffff81000000 k ([kernel.kallsyms])\n"
			      "\t              99 [unknown] (/lib/x.so)\n"
			      "\n"
			      "a 1/2 [001] 1.2:     7 cycles: \n"
			      "\t              12 inner+0x2 (/bin/a)\n"
			      "\t              34 outer (/bin/a)\n"
			      "\n";
static const char sampled_text[] = "a 1/2 cycles| outer inner | 107 2\n"
				   "b b 3/3 instructions| [/lib/x.so] k | 50 1\n";

TEST(samples_are_added_up_by_event_thread_and_stack)
{
	check(sampled, sampled_text, 0, 0);
}

static void load_times(uint64_t from_ns, uint64_t until_ns, struct pipa_profile *p,
		       struct pipa_timeline *ret)
{
	struct pipa_perf_script *script = pipa_perf_script_new(p);

	CHECK(script);
	pipa_perf_script_keep_times(script, ret);
	pipa_perf_script_between(script, from_ns, until_ns);
	CHECK_EQ(pipa_perf_script_put(script, sampled, strlen(sampled)), 0);
	CHECK_EQ(pipa_perf_script_end(script), 0);
	pipa_perf_script_free(script);
}

TEST(sample_times_are_kept_if_a_timeline_is_requested)
{
	PIPA_AUTO(pipa_profile_done) struct pipa_profile p = { 0 };
	PIPA_AUTO(pipa_timeline_done) struct pipa_timeline t = { 0 };

	load_times(0, 0, &p, &t);
	CHECK_EQ(t.n, 3);
	CHECK_EQ(t.items[0].time, 1000000000);
	CHECK_EQ(t.items[2].time, 1200000000);
	CHECK_EQ(t.items[2].weight, 7);
	CHECK_EQ(t.items[2].cpu, 1);
	CHECK_EQ(t.items[2].sample, t.items[0].sample);
	CHECK(t.items[1].sample != t.items[0].sample);
	CHECK_STR(profile_text(&p), sampled_text);
}

TEST(samples_of_another_time_are_left_out)
{
	PIPA_AUTO(pipa_profile_done) struct pipa_profile p = { 0 }, q = { 0 };
	PIPA_AUTO(pipa_timeline_done) struct pipa_timeline t = { 0 };

	load_times(1000000001, 1200000000, &p, &t);
	CHECK_EQ(t.n, 2);
	CHECK_STR(profile_text(&p), "b b 3/3 instructions| [/lib/x.so] k | 50 1\n"
				    "a 1/2 cycles| outer inner | 7 1\n");
	load_times(0, 1000000000, &q, &t);
	CHECK_STR(profile_text(&q), "a 1/2 cycles| outer inner | 100 1\n");
}

TEST(a_text_may_be_truncated_anywhere)
{
	size_t len = strlen(sampled), at;

	for (at = 1; at < len; at++) {
		PIPA_AUTO(pipa_profile_done) struct pipa_profile p = { 0 }, two = { 0 };
		struct pipa_perf_script *script = pipa_perf_script_new(&two);

		load(&p, sampled, len, at); /* pieces of that size */
		CHECK_STR(profile_text(&p), sampled_text);
		CHECK_EQ(pipa_perf_script_put(script, sampled, at), 0); /* two pieces */
		CHECK_EQ(pipa_perf_script_put(script, sampled + at, len - at), 0);
		CHECK_EQ(pipa_perf_script_end(script), 0);
		pipa_perf_script_free(script);
		CHECK_STR(profile_text(&two), sampled_text);
	}
}

TEST(a_last_stack_without_its_end_is_left_out_and_counted)
{
	check("a 1 1.0: c: \n\t              12 f (/a)\n\n"
	      "a 1 1.0: c: \n\t              12 f (/a)\n",
	      "a ?/1 c| f | 1 1\n", 0, 1);
	check("a 1 1.0: c: \n\t              12 f (/a)\n\na 1 1.0: c: ", "a ?/1 c| f | 1 1\n", 0,
	      1);
	check("a 1 1.0: c: \n\t              12 f (/a)\n\na 1 1.0", "a ?/1 c| f | 1 1\n", 0, 1);
}

TEST(samples_may_have_no_stack)
{
	check("a 1 1.0: c: \n\na 1 1.0: c: \n\n", "a ?/1 c| | 2 2\n", 0, 0);
	check("a 1 1.0: s:t: x=1\na 1 1.1: s:t: x=2\n", "a ?/1 s:t| | 2 2\n", 0, 0);
	check("a 1 1.0: s:t: x=1\na 1 1.1: s:t: x=2", "a ?/1 s:t| | 2 2\n", 0, 0);
}

TEST(samples_of_one_line_are_complete)
{
	check("              dd   905 1.8:   10 cpu:      7f866240f8a7 f+0xa7 (/lib/c)\n"
	      "              dd   905 1.9:   10 cpu:      7f866240f8a7 f+0xa7 (/lib/c)\n"
	      "             b c   905 1.9:   10 cpu:      7f866240f8a7 [unknown] (/lib/c)\n",
	      "dd ?/905 cpu| f | 20 2\nb c ?/905 cpu| [/lib/c] | 10 1\n", 0, 0);
}

TEST(odd_lines_of_PIPAs_tests_are_samples)
{
	check("perf 3732494 [000] 954453.309835:       2715 cycles:  ffffffff8ae9ceb6 "
	      "native_write_msr+0x6 ([kernel.kallsyms])\n"
	      "              :-1    -1 [000] 1.0:          1 cycles:  ffffffff8ae9ceb6 "
	      "native_write_msr+0x6 ([kernel.kallsyms])\n"
	      "a 1 [000] 1.0:          3 cpu_core/branch-misses/:      7f866240f8a7 "
	      "std::map<int, long>::at(int const&) const+0x3 (/lib/c)\n",
	      "perf ?/3732494 cycles| native_write_msr | 2715 1\n"
	      ":-1 ?/? cycles| native_write_msr | 1 1\n"
	      "a ?/1 cpu_core/branch-misses/| std::map<int, long>::at(int const&) const | 3 1\n",
	      0, 0);
}

TEST(frames_without_a_header_are_samples_without_a_thread)
{
	check("\n\t              12 f (/a)\n\n\n\t              12 f (/a)\n\n", "| f | 2 2\n", 0,
	      0);
}

TEST(a_line_with_only_a_comm_is_a_header_if_frames_follow)
{
	check("a b \n\t              12 f (/a)\n\n", "a b ?/? | f | 1 1\n", 0, 0);
	check("some words\nmore words\n\na 1 1.0: c: \n\n", "a ?/1 c| | 1 1\n", 2, 0);
}

TEST(inlined_functions_belong_to_the_next_frame)
{
	check("a 1 1.0: c: \n\t              12 deep (inlined)\n\t              12 mid (inlined)\n"
	      "\t              12 f+0x1 (/a)\n\t              20 main (/a)\n\n",
	      "a ?/1 c| main f>mid>deep | 1 1\n", 0, 0);
	check("a 1 1.0: c: \n\t              20 main (/a)\n\t              12 deep (inlined)\n\n",
	      "a ?/1 c| deep main | 1 1\n", 0, 0);
}

TEST(source_lines_between_the_frames_are_not_frames)
{
	check("a 1 1.0: c: \n\t              12 f+0x1 (/a)\n  a b.c:12\n\t              20 main (/a)\n"
	      "  [kernel.kallsyms][ffffffff8168a9a7]\n\n",
	      "a ?/1 c| main f | 1 1\n", 0, 0);
}

TEST(one_address_may_have_several_names)
{
	check("a 1 1.0: c: \n\t              12 f (/a)\n\nb 2 1.0: c: \n\t              12 g (/a)\n\n"
	      "b 2 1.0: c: \n\t              12 g+0x0 (/a)\n\nb 2 1.0: c: \n\t              12 h (/a)\n\n"
	      "a 1 1.0: c: \n\t              12 f+0x0 (/a)\n\n",
	      "a ?/1 c| f | 2 2\nb ?/2 c| g | 2 2\nb ?/2 c| h | 1 1\n", 0, 0);
}

TEST(a_header_ends_the_sample_before_it)
{
	check("a 1 1.0: c: \n\t              12 f (/a)\nb 2 1.0: c: \n\t              13 g (/a)\n\n",
	      "a ?/1 c| f | 1 1\nb ?/2 c| g | 1 1\n", 0, 0);
}

TEST(other_records_are_not_samples)
{
	check("a 1 [000] 1.0: PERF_RECORD_COMM: a:1/1\na 1 [000] 1.0: c: \n\t              12 f (/a)\n\n",
	      "a ?/1 c| f | 1 1\n", 0, 0);
}

TEST(lines_may_end_as_on_windows)
{
	check("a 1 1.0: c: \r\n\t              12 f+0x2 (/a)\r\n\r\n", "a ?/1 c| f | 1 1\n", 0, 0);
}

TEST(kernel_and_jit_are_known_by_their_objects)
{
	PIPA_AUTO(pipa_profile_done) struct pipa_profile p = { 0 };
	const char *text =
		"a 1 1.0: c: \n\t              12 f (/lib/modules/1/build/vmlinux)\n"
		"\t              13 g ([ext4])\n\t              14 h (/tmp/perf-77.map)\n"
		"\t              15 i ([vdso])\n\t              16 [unknown] ([unknown])\n\n";

	load(&p, text, strlen(text), 7);
	CHECK_EQ(p.objects.n, 5);
	CHECK_EQ(p.objects.items[0].kind, PIPA_OBJECT_KERNEL);
	CHECK_EQ(p.objects.items[1].kind, PIPA_OBJECT_MODULE);
	CHECK_EQ(p.objects.items[2].kind, PIPA_OBJECT_JIT);
	CHECK_EQ(p.objects.items[2].pid, 77);
	CHECK_EQ(p.objects.items[3].kind, PIPA_OBJECT_VDSO);
	CHECK_EQ(p.objects.items[4].kind, PIPA_OBJECT_UNKNOWN);
	CHECK_EQ(p.locations.items[0].mode, PIPA_MODE_KERNEL);
	CHECK_EQ(p.locations.items[2].mode, PIPA_MODE_USER);
	CHECK_EQ(p.locations.items[4].unresolved, PIPA_UNRESOLVED_NO_MAPPING);
}

TEST(malformed_text_uses_no_memory_and_is_counted)
{
	static const size_t pieces[] = { 4097, 1 << 20, 64 << 20 };
	const size_t len = 9 << 20;
	char *text = malloc(len + 100);
	size_t i, k;

	CHECK(text);
	for (i = 0; i < PIPA_COUNT(pieces); i++) {
		PIPA_AUTO(pipa_profile_done) struct pipa_profile a = { 0 }, b = { 0 }, c = { 0 };

		memset(text, 'x', len); /* no line ever ends */
		load(&a, text, len, pieces[i]);
		CHECK_EQ(a.samples.n, 0);
		CHECK(a.losses.damaged + a.losses.cut_stacks > 0);

		memset(text, 0, len); /* zeros, followed by a valid sample */
		memcpy(text + len, "\n\n", 2);
		strcpy(text + len + 2, "a 1 1.0: c: \n\t              12 f (/a)\n\n");
		load(&b, text, len + 2 + strlen(text + len + 2), pieces[i]);
		CHECK_STR(profile_text(&b), "a ?/1 c| f | 1 1\n");

		for (k = 0; k + 32 < len; k += 32) /* a stack that never ends */
			memcpy(text + k, "\t              12 abcdefgh (/a)\n", 32);
		memcpy(text, "a 1 [000] 1.000000: cycles:u:  \n", 32);
		load(&c, text, k, pieces[i]);
		CHECK_EQ(c.samples.n, 0);
		CHECK_EQ(c.losses.cut_stacks > 0, 1);
	}
	free(text);
}

TEST(a_line_of_a_megabyte_is_a_line_like_any_other)
{
	PIPA_AUTO(pipa_profile_done) struct pipa_profile p = { 0 };
	const size_t n = 1 << 20;
	char *text = malloc(n + 200);
	size_t len = 0;

	CHECK(text);
	len += (size_t)sprintf(text, "a 1 1.0: c: \n\t              12 ");
	memset(text + len, 'f', n);
	len += n;
	len += (size_t)sprintf(text + len, " (/a)\n\n");
	load(&p, text, len, 100000);
	CHECK_EQ(p.samples.n, 1);
	CHECK_EQ(strlen(pipa_profile_string(&p, p.functions.items[0].name)), n);
	free(text);
}

TEST(clocks_are_known_by_their_names)
{
	PIPA_AUTO(pipa_profile_done) struct pipa_profile p = { 0 };
	static const char text[] = "a 1/2 [000] 1.0:   100 cpu-clock:u: \n"
				   "\t              12 f (/bin/a)\n"
				   "\n"
				   "a 1/2 [000] 1.1:   100 cpu-clocks: \n"
				   "\t              12 f (/bin/a)\n"
				   "\n";

	load(&p, text, strlen(text), strlen(text));
	CHECK_EQ(p.events.n, 2);
	CHECK_STR(pipa_profile_string(&p, p.events.items[0].unit), PIPA_VALUE_NS);
	CHECK_STR(pipa_profile_string(&p, p.events.items[1].unit), PIPA_VALUE_COUNT);
}
