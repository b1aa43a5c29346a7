#include "perf/event_spec.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "lib/test.h"

static struct pipa_specs parse(const char *text)
{
	struct pipa_specs specs = { 0 };
	struct pipa_error err = { 0 };

	if (pipa_specs_parse(&specs, text, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", err.what);
	return specs;
}

/* The message with which a text is refused. */
static const char *refusal(const char *text)
{
	static struct pipa_error err;
	PIPA_AUTO(pipa_specs_done) struct pipa_specs specs = { 0 };
	PIPA_AUTO(free) char *copy = strdup(text); /* exact: a read past the end is seen */

	err = (struct pipa_error){ 0 };
	if (pipa_specs_parse(&specs, copy, &err) != -EINVAL)
		pipa_test_fail(__FILE__, __LINE__, "'%s' was taken", text);
	CHECK_EQ(err.code, -EINVAL);
	CHECK_HAS(err.hint, "pipa list");
	return err.what;
}

TEST(names_are_separated_by_commas)
{
	PIPA_AUTO(pipa_specs_done) struct pipa_specs specs = parse("cycles,L1-dcache-loads,cs");

	CHECK_EQ(specs.n, 3);
	CHECK_EQ(specs.items[0].kind, PIPA_SPEC_NAME);
	CHECK_STR(specs.items[0].head, "cycles");
	CHECK_STR(specs.items[1].head, "L1-dcache-loads");
	CHECK_STR(specs.items[2].text, "cs");
	CHECK_EQ(specs.items[2].group, 0);
	CHECK(!specs.items[2].tail);
}

TEST(lists_add_up)
{
	PIPA_AUTO(pipa_specs_done) struct pipa_specs specs = parse("{a,b}");

	CHECK_EQ(pipa_specs_parse(&specs, "c,{d,e}", NULL), 0);
	CHECK_EQ(specs.n, 5);
	CHECK_EQ(specs.items[0].group, 1);
	CHECK_EQ(specs.items[2].group, 0);
	CHECK_EQ(specs.items[4].group, 2);
	CHECK_EQ(specs.groups, 2);
}

TEST(each_modifier_sets_its_own_flag)
{
	PIPA_AUTO(pipa_specs_done)
	struct pipa_specs specs = parse("a:u,a:k,a:h,a:G,a:H,a:I,a:S,a:D,"
					"a:e,a:W,a:P,a:p,a:ppp");
	const struct pipa_spec *s = specs.items;

	CHECK(s[0].mods.user && !s[0].mods.kernel && !s[0].mods.hv);
	CHECK(s[1].mods.kernel && !s[1].mods.user);
	CHECK(s[2].mods.hv);
	CHECK(s[3].mods.guest && !s[3].mods.host);
	CHECK(s[4].mods.host);
	CHECK(s[5].mods.no_idle);
	CHECK(s[6].mods.sample_read);
	CHECK(s[7].mods.pinned);
	CHECK(s[8].mods.exclusive);
	CHECK(s[9].mods.weak);
	CHECK(s[10].mods.max_precise);
	CHECK_EQ(s[11].mods.precise, 1);
	CHECK_EQ(s[12].mods.precise, 3);
	CHECK(s[0].has_mods);
	CHECK_STR(s[12].text, "a:ppp");
	CHECK_STR(s[12].head, "a");
}

TEST(raw_codes_are_an_r_and_hexadecimal_digits)
{
	PIPA_AUTO(pipa_specs_done) struct pipa_specs specs = parse("r1a8,r1A8:k,ref-cycles,r,rxyz");

	CHECK_EQ(specs.items[0].kind, PIPA_SPEC_RAW);
	CHECK_EQ(specs.items[0].number, 0x1a8);
	CHECK_EQ(specs.items[1].kind, PIPA_SPEC_RAW);
	CHECK_EQ(specs.items[1].number, 0x1a8);
	CHECK(specs.items[1].mods.kernel);
	CHECK_STR(specs.items[1].text, "r1A8:k");
	CHECK_EQ(specs.items[2].kind, PIPA_SPEC_NAME);
	CHECK_EQ(specs.items[3].kind, PIPA_SPEC_NAME);
	CHECK_EQ(specs.items[4].kind, PIPA_SPEC_NAME);
}

TEST(pmu_has_terms_between_slashes)
{
	PIPA_AUTO(pipa_specs_done)
	struct pipa_specs specs = parse(
		"cpu/event=0x3c,umask=0,inv/k,uncore_imc*/cas_count_read/,cpu//u");
	const struct pipa_spec *s = specs.items;

	CHECK_EQ(specs.n, 3);
	CHECK_EQ(s[0].kind, PIPA_SPEC_PMU);
	CHECK_STR(s[0].head, "cpu");
	CHECK_EQ(s[0].terms.n, 3);
	CHECK_STR(s[0].terms.items[0].name, "event");
	CHECK_STR(s[0].terms.items[0].value, "0x3c");
	CHECK_STR(s[0].terms.items[2].name, "inv");
	CHECK(!s[0].terms.items[2].value);
	CHECK(s[0].mods.kernel);
	CHECK_STR(s[0].text, "cpu/event=0x3c,umask=0,inv/k");
	CHECK_STR(s[1].head, "uncore_imc*");
	CHECK(!s[1].has_mods);
	CHECK_EQ(s[2].terms.n, 0);
	CHECK(s[2].mods.user);
}

TEST(tracepoint_is_a_system_and_a_name)
{
	PIPA_AUTO(pipa_specs_done)
	struct pipa_specs specs = parse("sched:sched_switch,syscalls:sys_enter_*:u,irq:*");
	const struct pipa_spec *s = specs.items;

	CHECK_EQ(s[0].kind, PIPA_SPEC_TRACEPOINT);
	CHECK_STR(s[0].head, "sched");
	CHECK_STR(s[0].tail, "sched_switch");
	CHECK(!s[0].has_mods);
	CHECK_STR(s[1].tail, "sys_enter_*");
	CHECK(s[1].mods.user);
	CHECK_STR(s[2].tail, "*");
}

TEST(name_made_of_modifier_letters_is_modifiers)
{
	PIPA_AUTO(pipa_specs_done) struct pipa_specs specs = parse("cycles:ku,probe:hup2");

	CHECK_EQ(specs.items[0].kind, PIPA_SPEC_NAME);
	CHECK_EQ(specs.items[1].kind, PIPA_SPEC_TRACEPOINT);
	CHECK_STR(specs.items[1].tail, "hup2");
}

TEST(breakpoint_has_an_address_a_length_and_a_kind)
{
	PIPA_AUTO(pipa_specs_done)
	struct pipa_specs specs = parse(
		"mem:0x1000,mem:0x1000/8:r,mem:4096:w:u,mem:0x1000:x:k,mem:0x1000/1,"
		"mem:0xffffffffffffffff:u");
	const struct pipa_spec *s = specs.items;

	CHECK_EQ(s[0].kind, PIPA_SPEC_BREAKPOINT);
	CHECK_EQ(s[0].number, 0x1000);
	CHECK_EQ(s[0].bp_len, 0);
	CHECK_EQ(s[0].bp_type, HW_BREAKPOINT_RW);
	CHECK_EQ(s[1].bp_len, 8);
	CHECK_EQ(s[1].bp_type, HW_BREAKPOINT_R);
	CHECK_EQ(s[2].number, 4096);
	CHECK_EQ(s[2].bp_type, HW_BREAKPOINT_W);
	CHECK(s[2].mods.user);
	CHECK_EQ(s[3].bp_type, HW_BREAKPOINT_X);
	CHECK(s[3].mods.kernel);
	CHECK_EQ(s[4].bp_len, 1);
	CHECK_EQ(s[5].number, UINT64_MAX);
	CHECK_EQ(s[5].bp_type, HW_BREAKPOINT_RW);
}

TEST(groups_share_a_number)
{
	PIPA_AUTO(pipa_specs_done) struct pipa_specs specs = parse("a,{b,cpu/c/,x:y},{d},e");

	CHECK_EQ(specs.n, 6);
	CHECK_EQ(specs.items[0].group, 0);
	CHECK_EQ(specs.items[1].group, 1);
	CHECK_EQ(specs.items[2].group, 1);
	CHECK_EQ(specs.items[3].group, 1);
	CHECK_EQ(specs.items[4].group, 2);
	CHECK_EQ(specs.items[5].group, 0);
}

TEST(modifiers_of_a_group_are_for_all_its_members)
{
	PIPA_AUTO(pipa_specs_done) struct pipa_specs specs = parse("{a,b:k,cpu/c/,cpu/d/p}:uS");
	const struct pipa_spec *s = specs.items;
	size_t i;

	for (i = 0; i < specs.n; i++)
		CHECK(s[i].mods.user && s[i].mods.sample_read);
	CHECK(!s[0].mods.kernel);
	CHECK(s[1].mods.kernel);
	CHECK_STR(s[0].text, "a:u"); /* S does not select modes */
	CHECK_STR(s[1].text, "b:ku");
	CHECK_STR(s[2].text, "cpu/c/u");
	CHECK_STR(s[3].text, "cpu/d/pu");
}

TEST(modifiers_of_a_group_that_narrow_nothing_are_not_shown)
{
	PIPA_AUTO(pipa_specs_done) struct pipa_specs specs = parse("{a,b}:SDeW");

	CHECK_STR(specs.items[0].text, "a");
	CHECK(specs.items[1].mods.sample_read && specs.items[1].mods.pinned);
	CHECK(specs.items[1].mods.exclusive && specs.items[1].mods.weak);
}

TEST(modifier_of_both_the_member_and_the_group_is_shown_once)
{
	PIPA_AUTO(pipa_specs_done) struct pipa_specs specs = parse("{a:u,b:pp,c:p,d}:uupp");

	CHECK_STR(specs.items[0].text, "a:upp");
	CHECK_STR(specs.items[1].text, "b:ppu");
	CHECK_EQ(specs.items[1].mods.precise, 2);
	CHECK_STR(specs.items[2].text, "c:pup");
	CHECK_EQ(specs.items[2].mods.precise, 2);
	CHECK_STR(specs.items[3].text, "d:upp");
}

TEST(message_names_the_column)
{
	CHECK_HAS(refusal("cycles,,cs"),
		  "invalid event list 'cycles,,cs' at column 8: missing event name");
}

TEST(bad_lists_are_refused_with_their_reason)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "", "missing event name" },
		{ ",", "missing event name" },
		{ "a,", "missing event name" },
		{ " a", "missing event name" },
		{ "{}", "missing event name" },
		{ "{a,}", "missing event name" },
		{ "{{a}}", "missing event name" },
		{ "{", "missing event name" },
		{ "{a", "closing }" },
		{ "{a}x", "missing comma" },
		{ "a}", "missing comma" },
		{ "{a}:", "expected modifiers" },
		{ "{a}:x", "expected modifiers" },
		{ "{a}:pppp", "more than three p" },
		{ "a:", "SYSTEM:NAME" },
		{ "a:pppp", "more than three p" },
		{ "a b", "expected modifiers" },
		{ "a:b:x", "expected modifiers" },
		{ "cpu/event=1", "closing / of the PMU" },
		{ "cpu/=1/", "expected terms" },
		{ "cpu/a=/", "expected terms" },
		{ "cpu/a,,b/", "expected terms" },
		{ "cpu/a/x", "expected modifiers" },
		{ "mem:", "mem:ADDRESS" },
		{ "mem:x", "mem:ADDRESS" },
		{ "mem:-1", "mem:ADDRESS" },
		{ "mem:0x10000000000000000", "mem:ADDRESS" },
		{ "mem:0x100000000000000000000000000", "too long" },
		{ "mem:0x1000/", "1, 2, 4 or 8" },
		{ "mem:0x1000/3", "1, 2, 4 or 8" },
		{ "mem:0x1000/0", "1, 2, 4 or 8" },
		{ "mem:0x1000/16", "1, 2, 4 or 8" },
		{ "mem:0x1000:rx", "on both" },
		{ "mem:0x1000:", "expected modifiers" },
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(rows); i++)
		CHECK_HAS(refusal(rows[i].text), rows[i].why);
}

TEST(error_argument_of_the_parser_may_be_null)
{
	PIPA_AUTO(pipa_specs_done) struct pipa_specs specs = { 0 };

	CHECK_EQ(pipa_specs_parse(&specs, "cpu/=/", NULL), -EINVAL);
}

TEST(list_without_end_is_refused)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf list = { 0 };
	int i;

	for (i = 0; i < 4096; i++)
		pipa_buf_puts(&list, "cs,");
	pipa_buf_puts(&list, "cs");
	CHECK_HAS(refusal(pipa_buf_str(&list)), "too many events");
}

TEST(terms_of_an_alias_are_the_same_language)
{
	PIPA_AUTO(pipa_spec_terms_done) struct pipa_spec_terms terms = { 0 };
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_spec_terms_parse("event=0xcd,umask=1|rest", 18, &terms, NULL), 0);
	CHECK_EQ(terms.n, 2);
	CHECK_STR(terms.items[1].name, "umask");
	CHECK_STR(terms.items[1].value, "1");
	CHECK_EQ(pipa_spec_terms_parse("a=,b", 4, &terms, &err), -EINVAL);
	CHECK_STR(err.what, "invalid PMU term 'a='");
	CHECK_EQ(terms.n, 2); /* a failed parse leaves what was there */
}
