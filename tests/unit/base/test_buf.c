#include "base/buf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/test.h"

TEST(empty_buffer_reads_as_an_empty_text)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf buf = { 0 };

	CHECK_STR(pipa_buf_str(&buf), "");
	pipa_buf_puts(&buf, "");
	pipa_buf_fill(&buf, 'x', 0);
	CHECK_STR(pipa_buf_str(&buf), "");
	CHECK_EQ(buf.len, 0);
	CHECK_EQ(buf.status, 0);
}

TEST(appended_pieces_follow_each_other)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf buf = { 0 };

	pipa_buf_puts(&buf, "cycles");
	pipa_buf_putc(&buf, ':');
	pipa_buf_fill(&buf, 'p', 3);
	pipa_buf_printf(&buf, " = %d%s", 42, "!");
	pipa_buf_add(&buf, "abcdef", 3);
	CHECK_STR(pipa_buf_str(&buf), "cycles:ppp = 42!abc");
	CHECK_EQ(buf.len, strlen("cycles:ppp = 42!abc"));
}

TEST(buffer_keeps_zero_bytes)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf buf = { 0 };

	pipa_buf_add(&buf, "a\0b", 3);
	CHECK_EQ(buf.len, 3);
	CHECK_EQ(memcmp(buf.data, "a\0b", 4), 0);
}

TEST(printf_output_longer_than_the_first_estimate_is_complete)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf buf = { 0 };
	char long_text[5000];

	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	pipa_buf_puts(&buf, "<");
	pipa_buf_printf(&buf, "%s>", long_text);
	CHECK_EQ(buf.status, 0);
	CHECK_EQ(buf.len, 1 + sizeof(long_text) - 1 + 1);
	CHECK_EQ(memcmp(buf.data + 1, long_text, sizeof(long_text) - 1), 0);
	CHECK_STR(buf.data + buf.len - 1, ">");
}

TEST(printf_of_nothing_adds_nothing)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf buf = { 0 };

	pipa_buf_printf(&buf, "%s", "");
	CHECK_EQ(buf.status, 0);
	CHECK_EQ(buf.len, 0);
	CHECK_STR(pipa_buf_str(&buf), "");
}

TEST(ceiling_holds_for_every_way_to_append)
{
	static const char text[] = "0123456789abcdefghij";
	struct pipa_buf add = { .max = 20 }, fill = { .max = 20 }, print = { .max = 20 };

	pipa_buf_add(&add, text, 20);
	pipa_buf_fill(&fill, 'x', 20);
	pipa_buf_printf(&print, "%s", text);
	CHECK_EQ(add.status, -EFBIG);
	CHECK_EQ(fill.status, -EFBIG);
	CHECK_EQ(print.status, -EFBIG);
	CHECK_EQ(add.len + fill.len + print.len, 0);
	pipa_buf_done(&add);
	pipa_buf_done(&fill);
	pipa_buf_done(&print);
}

TEST(buffer_fills_up_to_one_below_its_ceiling)
{
	struct pipa_buf add = { .max = 20 }, print = { .max = 20 };

	pipa_buf_add(&add, "0123456789abcdefghi", 19);
	pipa_buf_printf(&print, "%s%s", "0123456789", "abcdefghi");
	CHECK_EQ(add.status, 0);
	CHECK_EQ(print.status, 0);
	CHECK_EQ(print.len, 19);
	CHECK_STR(pipa_buf_str(&print), pipa_buf_str(&add));
	pipa_buf_done(&add);
	pipa_buf_done(&print);
}

TEST(first_failure_sticks_and_keeps_the_earlier_contents)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf buf = { .max = 8 };

	pipa_buf_puts(&buf, "abc");
	pipa_buf_puts(&buf, "0123456789");
	CHECK_EQ(buf.status, -EFBIG);
	pipa_buf_putc(&buf, 'd'); /* would fit, but comes after a hole */
	pipa_buf_printf(&buf, "%d", 1);
	pipa_buf_fill(&buf, 'x', 1);
	CHECK_STR(pipa_buf_str(&buf), "abc");
	CHECK_EQ(buf.status, -EFBIG);
}

TEST(failed_printf_leaves_no_half_text)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf buf = { .max = 100 };
	int i;

	pipa_buf_puts(&buf, "start ");
	for (i = 0; i < 30; i++)
		pipa_buf_printf(&buf, "%s", "0123456789");
	CHECK_EQ(buf.status, -EFBIG);
	CHECK(buf.len < 100);
	CHECK_EQ(strlen(pipa_buf_str(&buf)), buf.len);
	CHECK_EQ((buf.len - 6) % 10, 0);
}

TEST(huge_length_does_not_wrap_around)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf buf = { .max = 100 };

	pipa_buf_puts(&buf, "abc");
	pipa_buf_fill(&buf, 'x', SIZE_MAX - 1);
	CHECK_EQ(buf.status, -EFBIG);
	CHECK_STR(pipa_buf_str(&buf), "abc");
}

TEST(without_a_ceiling_it_is_64_mib)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf buf = { 0 };

	pipa_buf_fill(&buf, 'x', (64 << 20) - 1);
	CHECK_EQ(buf.status, 0);
	pipa_buf_putc(&buf, 'x');
	CHECK_EQ(buf.status, -EFBIG);
}

TEST(bytes_written_in_place_count_once_they_are_committed)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf buf = { .max = 1000 };
	char *room;

	pipa_buf_puts(&buf, "one ");
	room = pipa_buf_room(&buf, 900);
	CHECK(room);
	memset(room, '!', 900);
	memcpy(room, "two", sizeof("two"));
	pipa_buf_wrote(&buf, 3);
	CHECK_STR(pipa_buf_str(&buf), "one two");
	CHECK(!pipa_buf_room(&buf, 1000));
	CHECK_EQ(buf.status, -EFBIG);
	CHECK_STR(pipa_buf_str(&buf), "one two");
}

TEST(reset_forgets_the_text_and_the_failure)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf buf = { .max = 8 };

	pipa_buf_reset(&buf); /* one that never held anything */
	pipa_buf_puts(&buf, "abc");
	pipa_buf_puts(&buf, "0123456789");
	pipa_buf_reset(&buf);
	CHECK_STR(pipa_buf_str(&buf), "");
	CHECK_EQ(buf.status, 0);
	pipa_buf_puts(&buf, "new");
	CHECK_STR(pipa_buf_str(&buf), "new");
}

TEST(taken_text_belongs_to_the_taker)
{
	struct pipa_buf buf = { .max = 100 };
	PIPA_AUTO(free) char *text = NULL, *none = NULL;

	pipa_buf_puts(&buf, "mine");
	text = pipa_buf_take(&buf);
	CHECK_STR(text, "mine");
	CHECK_EQ(buf.len, 0);
	CHECK_EQ(buf.max, 100);
	none = pipa_buf_take(&buf);
	CHECK_STR(none, "");
}

TEST(nothing_can_be_taken_after_a_failure)
{
	struct pipa_buf buf = { .max = 4 };

	pipa_buf_puts(&buf, "abc");
	pipa_buf_puts(&buf, "def");
	CHECK(!pipa_buf_take(&buf));
	CHECK_EQ(buf.status, 0); /* and it can be used again */
	pipa_buf_puts(&buf, "ok");
	CHECK_STR(pipa_buf_str(&buf), "ok");
	pipa_buf_done(&buf);
}
