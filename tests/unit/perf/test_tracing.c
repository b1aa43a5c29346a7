/* Samples of tracepoints: invented format files of either byte order, and their output. */
#include "perf/tracing.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "lib/test.h"

#define COMMON                                                                                     \
	"format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"            \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#define FIELDS                                                                                     \
	"\tfield:char comm[8];\toffset:8;\tsize:8;\tsigned:0;\n"                                   \
	"\tfield:pid_t pid;\toffset:16;\tsize:4;\tsigned:1;\n"                                     \
	"\tfield:__data_loc char[] name;\toffset:20;\tsize:4;\tsigned:0;\n"                        \
	"\tfield:unsigned long state;\toffset:24;\tsize:8;\tsigned:0;\n"                           \
	"\tfield:const char * where;\toffset:24;\tsize:8;\tsigned:0;\n"                            \
	"\tfield:u16 pair[2];\toffset:32;\tsize:4;\tsigned:0;\n"                                   \
	"\tfield:unsigned char small;\toffset:36;\tsize:1;\tsigned:0;\n\n"

/* comm "ab", pid -3, name at 40 "text", state 5, pair 7 and 8, small 200 */
static const uint8_t raw_bytes[] = { 9,	  0, 0, 0, 1,	 0,    0,    0,	   'a', 'b', 0, 0,
				     0,	  0, 0, 0, 0xfd, 0xff, 0xff, 0xff, 40,	0,   5, 0,
				     5,	  0, 0, 0, 0,	 0,    0,    0,	   7,	0,   8, 0,
				     200, 0, 0, 0, 't',	 'e',  'x',  't',  0 };
static const struct pipa_span raw = { raw_bytes, sizeof(raw_bytes) };

static const char *shown_as(const char *print, struct pipa_span of)
{
	static char text[400];
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	struct pipa_tracing t = { 0 };
	char format[2000];

	snprintf(format, sizeof(format), "name: it\nID: 9\n" COMMON FIELDS "print fmt: %s\n",
		 print);
	CHECK_EQ(pipa_trace_format_decode(
			 (struct pipa_span){ (const uint8_t *)format, strlen(format) }, &t),
		 0);
	CHECK_EQ(t.events.n, 1);
	CHECK(pipa_tracing_find(&t, 9) && !pipa_tracing_find(&t, 8));
	pipa_trace_text(&t, pipa_tracing_find(&t, 9), of, &out);
	snprintf(text, sizeof(text), "%s", pipa_buf_str(&out));
	pipa_tracing_done(&t);
	return text;
}

#define PAIRS " comm=ab pid=-3 name=text state=0x5 where=0x5 pair=ARRAY[07, 00, 08, 00] small=200"

TEST(fields_are_formatted_by_the_print_format)
{
	CHECK_STR(shown_as("\"%s %d %s\", REC->comm, REC->pid, __get_str(name)", raw),
		  "ab -3 text");
	CHECK_STR(
		shown_as("\"0x%08lx|%-6s|%5u|%05d|%%\", ((unsigned long)(REC->state)), REC->comm, "
			 "REC->small, REC->pid",
			 raw),
		"0x00000005|ab    |  200|-0003|%");
	CHECK_STR(shown_as("\"%x %X %#x %p %c\", REC->pid, REC->small, REC->small, REC->where, 65",
			   raw),
		  "fffffffd C8 0xc8 0x5 A");
	CHECK_STR(shown_as("\"%u+%u\", REC->pair[0], REC->pair[1]", raw), "7+8");
	CHECK_STR(shown_as("\"nothing\"", raw), "nothing");
}

TEST(expressions_are_worked_out)
{
	CHECK_STR(shown_as("\"%d %d %d\", 1 + 2 * 3, (1 + 2) * 3, 7 - 2 - 1", raw), "7 9 4");
	CHECK_STR(shown_as("\"%d %d %d\", REC->state & 4 ? 1 : 0, !REC->state, -REC->pid", raw),
		  "1 0 3");
	CHECK_STR(shown_as("\"%s\", REC->pid < 0 ? \"below\" : \"above\"", raw), "below");
	CHECK_STR(shown_as("\"%d,%d\", ((unsigned int) ((REC->state) >> 1)), (int)(REC->state & "
			   "((1U << 2) - 1))",
			   raw),
		  "2,1");
	CHECK_STR(
		shown_as(
			"\"%s %s\", __print_flags(REC->state, \"|\", { 0x1, \"S\" }, { 0x4, \"T\" }), "
			"__print_flags(REC->small, \"|\", { 0x8, \"x\" })",
			raw),
		"S|T x|0xc0");
	CHECK_STR(shown_as("\"%s %s\", __print_symbolic(REC->state, {4, \"four\"}, {5, \"five\"}), "
			   "__print_symbolic(REC->small, {4, \"four\"})",
			   raw),
		  "five 0xc8");
}

TEST(unsupported_print_formats_are_shown_as_name_value_pairs)
{
	CHECK_STR(shown_as("\"%pS\", REC->where", raw), PAIRS);
	CHECK_STR(shown_as("\"%d\", some_function(REC->pid)", raw), PAIRS);
	CHECK_STR(shown_as("\"%s\", __print_symbolic(REC->pid, {NAME, \"four\"})", raw), PAIRS);
	CHECK_STR(shown_as("\"%d\", REC->nobody", raw), PAIRS);
	CHECK_STR(shown_as("\"%d\", REC->pid / 0", raw), PAIRS);
	CHECK_STR(shown_as("\"%s\", REC->pid", raw), PAIRS);
	CHECK_STR(shown_as("\"%d %d\", REC->pid", raw), PAIRS);
	CHECK_STR(shown_as("\"%d\", REC->pid, REC->pid", raw), PAIRS);
	CHECK_STR(shown_as("\"%u\", REC->pair[2]", raw), PAIRS);
	CHECK_STR(shown_as("", raw), PAIRS);
}

TEST(a_sample_that_is_too_short_lacks_fields_after_its_end)
{
	CHECK_STR(shown_as("\"%s %d %s\", REC->comm, REC->pid, __get_str(name)",
			   (struct pipa_span){ raw_bytes, 20 }),
		  "ab -3 ");
	CHECK_STR(shown_as("\"%s|%d\", REC->comm, REC->pid", (struct pipa_span){ raw_bytes, 9 }),
		  "a|0");
}

TEST(deeply_nested_print_formats_do_not_overflow_the_stack)
{
	char print[1000] = "\"%d\", ";

	memset(print + strlen(print), '(', 900);
	CHECK_STR(shown_as(print, raw), PAIRS);
	memset(print + 6, '-', 900);
	CHECK_STR(shown_as(print, raw), PAIRS);
}

/* ---- tracing data ------------------------------------------------------------------------------------- */

static void put(struct pipa_buf *out, uint64_t value, size_t size, bool big)
{
	size_t i;

	for (i = 0; i < size; i++)
		pipa_buf_putc(out, (char)(value >> 8 * (big ? size - 1 - i : i)));
}

static void put_format(struct pipa_buf *out, const char *text, bool big)
{
	put(out, strlen(text), 8, big);
	pipa_buf_puts(out, text);
}

static void make(struct pipa_buf *out, bool big)
{
	pipa_buf_add(out, "\x17\x08\x44tracing0.6", 14);
	put(out, big, 1, false);
	put(out, 8, 1, false);
	put(out, 4096, 4, big);
	pipa_buf_add(out, "header_page", 12);
	put_format(out, "\tfield: u64 timestamp;\n", big);
	pipa_buf_add(out, "header_event", 13);
	put_format(out, "# compressed entry header\n", big);
	put(out, 1, 4, big);
	put_format(out, "name: function\nID: 1\n" COMMON, big);
	put(out, 1, 4, big);
	pipa_buf_add(out, "sched", 6);
	put(out, 3, 4, big);
	put_format(out, "name: one\nID: 300\n" COMMON FIELDS "print fmt: \"%d\", REC->pid\n", big);
	put_format(out, "without a number\n", big);
	put_format(out, "name: two\nID: 301\n" COMMON, big);
	put(out, 0, 4, big);
	put(out, 0, 4, big);
}

TEST(tracing_data_of_both_byte_orders_is_decoded)
{
	static const uint8_t big_sample[20] = { [18] = 1, [19] = 2 };
	unsigned int big;

	for (big = 0; big < 2; big++) {
		PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 }, text = { 0 };
		struct pipa_tracing t;

		make(&bytes, big);
		CHECK_EQ(pipa_tracing_decode(
				 (struct pipa_span){ (const uint8_t *)bytes.data, bytes.len }, &t),
			 0);
		CHECK_EQ(t.events.n, 3);
		CHECK_EQ(t.big, big);
		CHECK_EQ(pipa_tracing_find(&t, 300)->n, 9);
		pipa_trace_text(&t, pipa_tracing_find(&t, 300),
				(struct pipa_span){ big_sample, sizeof(big_sample) }, &text);
		CHECK_STR(pipa_buf_str(&text), big ? "258" : "33619968");
		pipa_tracing_done(&t);
	}
}

TEST(truncated_tracing_data_gives_its_complete_events)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
	size_t len, last = 0;

	make(&bytes, false);
	for (len = 0; len <= bytes.len; len++) {
		struct pipa_tracing t = { 0 };
		int rc = pipa_tracing_decode((struct pipa_span){ (const uint8_t *)bytes.data, len },
					     &t);

		CHECK(rc == 0 || rc == -EBADMSG);
		CHECK(t.events.n >= last);
		last = t.events.n;
		pipa_tracing_done(&t);
	}
	CHECK_EQ(last, 3);
}
