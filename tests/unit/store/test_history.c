/* Files that export/exchange/history writes and import/history reads. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "export/exchange/history.h"
#include "export/text/number.h"
#include "import/history.h"
#include "lib/test.h"
#include "model/sections.h"

enum { T0 = 1794700000 };

static const struct pipa_section *sections[PIPA_SECTION_NR];
static size_t n_sections;

static void find_sections(void)
{
	for (n_sections = 0; n_sections < PIPA_SECTION_NR; n_sections++)
		sections[n_sections] = &pipa_sections[n_sections];
}

/* ---- ticks with all kinds of values ---------------------------------------------------------- */

static double invent(size_t tick, size_t section, size_t column)
{
	static const double odd[] = { 0,
				      NAN,
				      -12.34,
				      1e300,
				      0.165,
				      0.125,
				      -0.505,
				      INFINITY,
				      9007199254740991.0,
				      18446744073709551616.0,
				      99.995,
				      4.35 };

	switch ((section + column) % 4) {
	case 0: return 12.5;
	case 1: return (double)(tick * 17 + column);
	case 2: return odd[(tick + column) % PIPA_COUNT(odd)];
	default: return tick % 3 ? (double)column / 3 : NAN;
	}
}

static int put_row(struct pipa_series_sink *sink, const struct pipa_tick *tick, size_t section,
		   const char *name, size_t k)
{
	char instance[256] = { 0 };
	double values[256];
	size_t i, len = (size_t)snprintf(instance, 100, "%s", name) + 1;

	for (i = 0; i < sections[section]->n_columns; i++)
		if (sections[section]->columns[i].unit == PIPA_UNIT_WORD) {
			/* some stay, some change, some are empty */
			len += (size_t)snprintf(instance + len, 32, "%.*s%zu", (int)(k % 3), "ab",
						(k + i) % 2 ? 7 : k) +
			       1;
			values[i] = NAN;
		} else {
			values[i] = invent(k, section, i);
		}
	return sink->row(sink, sections[section], tick, instance, values);
}

/* Tick number k: instances come and go, and have a changing order. */
static int put_tick(struct pipa_series_sink *sink, size_t k)
{
	struct pipa_tick tick = { .wall_ns = (T0 + k) * PIPA_NS_PER_SEC + k * 1001000,
				  .interval_s = 1.001,
				  .suspended_s = k == 3 ? 7.5 : 0,
				  .late = k == 2 ? 4 : 0 };
	size_t s;
	int rc = 0;

	for (s = 0; !rc && s < n_sections; s++) {
		if (!sections[s]->label) {
			rc = put_row(sink, &tick, s, "", k);
			continue;
		}
		if (k % 2)
			rc = put_row(sink, &tick, s, "first", k);
		if (!rc)
			rc = put_row(sink, &tick, s, k == 4 ? "a name of some length" : "all", k);
		if (!rc && k % 2 == 0)
			rc = put_row(sink, &tick, s, "first", k + 1);
	}
	return rc ? rc : sink->end(sink, &tick);
}

/* ---- rows as text ------------------------------------------------------------------------------- */

struct teller {
	struct pipa_series_sink sink;
	struct pipa_buf text;
	size_t ticks;
};

static int tell_row(struct pipa_series_sink *self, const struct pipa_section *section,
		    const struct pipa_tick *tick, const char *instance, const double *values)
{
	struct teller *t = (struct teller *)(void *)self;
	char cell[512];
	size_t i;

	pipa_buf_printf(&t->text, "%llu %.6f %g %llu %s '%s'", (unsigned long long)tick->wall_ns,
			tick->interval_s, tick->suspended_s, (unsigned long long)tick->late,
			section->name, instance);
	for (i = 0; i < section->n_columns; i++) {
		const char *told = "-";

		if (section->columns[i].unit == PIPA_UNIT_WORD)
			told = instance = pipa_instance_next(instance);
		else if (!isnan(values[i]))
			told = pipa_number_fixed(values[i], section->columns[i].digits, cell,
						 sizeof(cell));
		pipa_buf_printf(&t->text, " %s", told);
	}
	pipa_buf_putc(&t->text, '\n');
	return 0;
}

static int tell_end(struct pipa_series_sink *self, const struct pipa_tick *tick PIPA_UNUSED)
{
	struct teller *t = (struct teller *)(void *)self;

	pipa_buf_puts(&t->text, "end\n");
	t->ticks++;
	return 0;
}

static struct teller teller(void)
{
	return (struct teller){ .sink = { .row = tell_row, .end = tell_end } };
}

static const char *expected(size_t first, size_t end)
{
	static struct teller t;

	pipa_buf_done(&t.text);
	t = teller();
	for (; first < end; first++)
		put_tick(&t.sink, first);
	return pipa_buf_str(&t.text);
}

/* ---- writing and reading ------------------------------------------------------------------------ */

static const struct pipa_history_head started = { .reason = PIPA_HISTORY_STARTED,
						  .wall_ns = T0 * PIPA_NS_PER_SEC,
						  .interval_ns = PIPA_NS_PER_SEC,
						  .utc_offset_s = -3600,
						  .cpus = 3,
						  .host = "box",
						  .boot_id = "one" };

/* Append a segment of ticks first..end to the buffer. */
static void write_segment(struct pipa_buf *out, const struct pipa_history_head *head,
			  enum pipa_history_packing packing, size_t first, size_t end)
{
	struct pipa_history_writer *w = pipa_history_writer_new(sections, n_sections, packing, out);

	CHECK(w);
	pipa_history_writer_begin(w, head);
	for (; first < end; first++)
		CHECK_EQ(put_tick(pipa_history_writer_sink(w), first), 0);
	CHECK_EQ(out->status, 0);
	pipa_history_writer_free(w);
}

/* The first line that differs is enough to see. */
static void check_text(const char *got, const char *want)
{
	size_t n = 0, line = 0;

	for (; got[n] && got[n] == want[n]; n++)
		if (got[n] == '\n')
			line = n + 1;
	if (got[n] != want[n])
		pipa_test_fail(__FILE__, __LINE__, "%.400s\nis not\n%.400s", got + line,
			       want + line);
}

static struct pipa_history_result result;

static int decode(const char *bytes, size_t len, size_t piece, struct pipa_history_read *read)
{
	struct pipa_history_reader *r = pipa_history_reader_new(read);
	int rc = 0;

	CHECK(r);
	for (; !rc && len; bytes += piece, len -= piece) {
		piece = piece < len ? piece : len;
		rc = pipa_history_reader_feed(r, bytes, piece);
	}
	if (!rc)
		rc = pipa_history_reader_finish(r);
	result = *pipa_history_reader_result(r);
	pipa_history_reader_free(r);
	return rc;
}

/* Return all ticks as text; valid until the next call. */
static const char *told(const struct pipa_buf *file, size_t len)
{
	static struct teller t;
	struct pipa_history_read read = { .sink = &t.sink };

	pipa_buf_done(&t.text);
	t = teller();
	CHECK_EQ(decode(pipa_buf_str(file), len, 1000, &read), 0);
	CHECK_EQ(result.ticks, t.ticks);
	return pipa_buf_str(&t.text);
}

TEST(every_section_is_read_back_as_it_is_shown)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf file = { 0 };

	find_sections();
	write_segment(&file, &started, PIPA_HISTORY_ZSTD, 0, 30);
	CHECK(pipa_history_is(file.data, file.len));
	check_text(told(&file, file.len), expected(0, 30));
	CHECK_EQ(result.segments, 1);
	CHECK_EQ(result.ticks, 30);
	CHECK_EQ(result.damaged + result.unknown + result.restarts + result.newer, 0);
}

TEST(uncompressed_history_of_many_groups_is_read_back)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf file = { 0 };
	size_t n = 2 * PIPA_HISTORY_KEY_EVERY + 3;

	find_sections();
	write_segment(&file, &started, PIPA_HISTORY_PLAIN, 0, n);
	check_text(told(&file, file.len), expected(0, n));
}

TEST(history_can_be_read_in_pieces_of_any_size)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf file = { 0 };
	static struct teller t;
	struct pipa_history_read read = { .sink = &t.sink };
	size_t piece;

	find_sections();
	n_sections = 3;
	write_segment(&file, &started, PIPA_HISTORY_ZSTD, 0, 4);
	for (piece = 1; piece < 50; piece += 7) {
		t = teller();
		CHECK_EQ(decode(file.data, file.len, piece, &read), 0);
		check_text(pipa_buf_str(&t.text), expected(0, 4));
		pipa_buf_done(&t.text);
	}
}

TEST(a_file_truncated_at_any_byte_is_read_up_to_its_last_complete_interval)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf file = { 0 };
	size_t len, last = 0;

	find_sections();
	n_sections = 4;
	write_segment(&file, &started, PIPA_HISTORY_ZSTD, 0, 6);
	for (len = 0; len <= file.len; len++) {
		const char *text = told(&file, len);

		CHECK(result.ticks == last || result.ticks == last + 1);
		check_text(text, expected(0, result.ticks));
		CHECK_EQ(result.unknown, 0);
		last = result.ticks;
	}
	CHECK_EQ(last, 6);
	CHECK_EQ(result.damaged, 0);
}

TEST(the_segment_after_a_truncated_one_is_found)
{
	struct pipa_history_head again = started;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf whole = { 0 };
	size_t cut;

	again.wall_ns += 60 * PIPA_NS_PER_SEC;
	find_sections();
	n_sections = 2;
	write_segment(&whole, &started, PIPA_HISTORY_ZSTD, 0, 3);
	for (cut = PIPA_HISTORY_MAGIC_SIZE; cut < whole.len; cut++) {
		PIPA_AUTO(pipa_buf_done) struct pipa_buf file = { 0 };

		pipa_buf_add(&file, whole.data, cut);
		write_segment(&file, &again, PIPA_HISTORY_ZSTD, 10, 12);
		CHECK(strstr(told(&file, file.len), expected(10, 12)));
		CHECK(result.ticks >= 2 && result.ticks < 2 + 3);
	}
}

TEST(a_corrupt_byte_loses_only_its_group)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf file = { 0 };
	size_t n = PIPA_HISTORY_KEY_EVERY + 2, at, head;

	find_sections();
	n_sections = 2;
	write_segment(&file, &started, PIPA_HISTORY_ZSTD, 0, 0);
	head = file.len;
	pipa_buf_reset(&file);
	write_segment(&file, &started, PIPA_HISTORY_ZSTD, 0, n);
	for (at = head; at < head + 100; at++) {
		const char *text, *end = expected(n - 2, n);
		size_t len;

		file.data[at] = (char)~file.data[at];
		text = told(&file, file.len);
		len = strlen(text);
		CHECK(result.ticks >= 2 && result.ticks < n);
		CHECK(result.damaged > 0);
		CHECK(len >= strlen(end));
		check_text(text + len - strlen(end), end);
		file.data[at] = (char)~file.data[at];
	}
}

/* ---- restarts ----------------------------------------------------------------------------------- */

static char marks[300];

static int note_restart(struct pipa_series_sink *self PIPA_UNUSED,
			const struct pipa_section *section PIPA_UNUSED,
			const struct pipa_tick *tick, const char *instance PIPA_UNUSED,
			const double *values PIPA_UNUSED)
{
	size_t n = strlen(marks);

	snprintf(marks + n, sizeof(marks) - n, "%c",
		 !tick->restart				   ? '.' :
		 tick->restart->of == PIPA_RESTART_MACHINE ? 'M' :
							     'C');
	return 0;
}

TEST(a_second_start_is_a_restart_of_the_collector_or_of_the_machine)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf file = { 0 };
	struct pipa_series_sink sink = { .row = note_restart };
	struct pipa_history_read read = { .sink = &sink };
	struct pipa_history_head head = started;

	find_sections();
	for (n_sections = 0; sections[n_sections]->label; n_sections++)
		;
	sections[0] = sections[n_sections]; /* one row a tick */
	n_sections = 1;
	write_segment(&file, &head, PIPA_HISTORY_ZSTD, 0, 2);
	write_segment(&file, &head, PIPA_HISTORY_ZSTD, 2, 4);
	head.boot_id = "two";
	write_segment(&file, &head, PIPA_HISTORY_ZSTD, 4, 6);
	head.reason = PIPA_HISTORY_CONTINUED;
	write_segment(&file, &head, PIPA_HISTORY_ZSTD, 6, 8);
	marks[0] = '\0';
	CHECK_EQ(decode(file.data, file.len, 100, &read), 0);
	CHECK_STR(marks, "..C.M...");
	CHECK_EQ(result.restarts, 2);
	CHECK_EQ(result.segments, 4);
}

/* ---- other versions of pipa --------------------------------------------------------------------- */

/* psi-cpu as another version has it: a new column, two that it shares with other digits, two less. */
static const struct pipa_column new_columns[] = {
	{ .id = "psi.cpu.new", .name = "new", .digits = 2 },
	{ .id = "psi.cpu.some_300", .name = "b", .digits = 1 },
	{ .id = "psi.cpu.some_10", .name = "a", .digits = 0 },
};
static const struct pipa_section written[] = {
	{ "unheard-of", "THING", "", new_columns, 3 },
	{ "psi-cpu", NULL, "", new_columns, 3 },
};

TEST(columns_of_other_writers_are_found_by_their_ids)
{
	const struct pipa_section *const both[] = { &written[0], &written[1] };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf file = { 0 };
	static const double values[] = { 7, 1.5, 1e30 };
	struct teller t = teller();
	struct pipa_history_read read = { .sink = &t.sink };
	struct pipa_history_writer *w = pipa_history_writer_new(both, 2, PIPA_HISTORY_ZSTD, &file);
	struct pipa_series_sink *sink = pipa_history_writer_sink(w);
	struct pipa_tick tick = { .wall_ns = T0 * PIPA_NS_PER_SEC, .interval_s = 1 };

	pipa_history_writer_begin(w, &started);
	CHECK_EQ(sink->row(sink, &written[0], &tick, "some", values), 0);
	CHECK_EQ(sink->row(sink, &written[1], &tick, "", values), 0);
	CHECK_EQ(sink->end(sink, &tick), 0);
	CHECK_EQ(decode(file.data, file.len, 64, &read), 0);
	CHECK_STR(pipa_buf_str(&t.text), "1794700000000000000 1.000000 0 0 psi-cpu '' "
					 "1000000000000000019884624838656.00 - 1.50 -\nend\n");
	CHECK_EQ(result.unknown, 3 + 1);
	pipa_history_writer_free(w);
	pipa_buf_done(&t.text);
}

TEST(an_unknown_version_is_counted_and_skipped)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf file = { 0 };
	struct pipa_buf plain = { 0 };
	struct pipa_history_writer *w;

	find_sections();
	n_sections = 1;
	w = pipa_history_writer_new(sections, 0, PIPA_HISTORY_PACKING_NR, &plain);
	CHECK(w);
	pipa_history_writer_begin(w, &started);
	pipa_buf_add(&file, plain.data, plain.len); /* a packing of tomorrow */
	write_segment(&file, &started, PIPA_HISTORY_ZSTD, 0, 2);
	check_text(told(&file, file.len), expected(0, 2));
	CHECK_EQ(result.newer, 1);
	CHECK_EQ(result.damaged, 0);
	pipa_history_writer_free(w);
	pipa_buf_done(&plain);
}

/* ---- looking at a part -------------------------------------------------------------------------- */

static bool wants_last(void *ctx PIPA_UNUSED, const struct pipa_section *section)
{
	return section == sections[n_sections - 1];
}

TEST(only_selected_sections_and_groups_are_returned)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf file = { 0 };
	size_t n = 4 * PIPA_HISTORY_KEY_EVERY;
	struct teller t = teller();
	struct pipa_history_read read = { .sink = &t.sink, .wants = wants_last };

	find_sections();
	n_sections = 3;
	write_segment(&file, &started, PIPA_HISTORY_ZSTD, 0, n);
	/* within the second group, which begins before and is needed; then into the third */
	read.from_wall_ns = (T0 + PIPA_HISTORY_KEY_EVERY + 10) * PIPA_NS_PER_SEC;
	read.until_wall_ns = (T0 + 2 * PIPA_HISTORY_KEY_EVERY + 10) * PIPA_NS_PER_SEC;
	CHECK_EQ(decode(file.data, file.len, 5000, &read), 0);
	CHECK_EQ(t.ticks, 2 * PIPA_HISTORY_KEY_EVERY);
	CHECK_HAS(pipa_buf_str(&t.text), sections[2]->name);
	CHECK(!strstr(pipa_buf_str(&t.text), sections[0]->name));
	pipa_buf_done(&t.text);
}

/* ---- what the disk does to it ------------------------------------------------------------------- */

TEST(a_chunk_that_was_not_written_is_not_missed)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf file = { 0 };
	struct pipa_history_writer *w;
	size_t k;

	find_sections();
	n_sections = 3;
	w = pipa_history_writer_new(sections, n_sections, PIPA_HISTORY_ZSTD, &out);
	CHECK(w);
	pipa_history_writer_begin(w, &started);
	for (k = 0; k < 6; k++) {
		CHECK_EQ(put_tick(pipa_history_writer_sink(w), k), 0);
		if (k == 2 || k == 3)
			pipa_history_writer_lost(w); /* the disk was full */
		else
			pipa_buf_add(&file, out.data, out.len);
		pipa_buf_reset(&out);
	}
	CHECK(strstr(told(&file, file.len), expected(0, 2)));
	CHECK(strstr(told(&file, file.len), expected(4, 6)));
	CHECK_EQ(result.ticks, 4);
	CHECK_EQ(result.damaged, 0);
	pipa_history_writer_free(w);
}

/* Halves in decimal that are not in binary, on either side. */
static double half(size_t i)
{
	return (double)(2 * i + 1) / 200 * (i % 3 ? 1 : -1);
}

static int check_half(struct pipa_series_sink *self PIPA_UNUSED,
		      const struct pipa_section *section PIPA_UNUSED, const struct pipa_tick *tick,
		      const char *instance PIPA_UNUSED, const double *values)
{
	char want[64], got[64];

	pipa_number_fixed(half(tick->wall_ns / PIPA_NS_PER_SEC - T0), 2, want, sizeof(want));
	pipa_number_fixed(values[0], 2, got, sizeof(got));
	CHECK_STR(got, want);
	return 0;
}

TEST(rounding_is_that_of_the_tables)
{
	const struct pipa_section *halves = &pipa_sections[PIPA_SECTION_FREQ];
	PIPA_AUTO(pipa_buf_done) struct pipa_buf file = { 0 };
	struct pipa_history_writer *w = pipa_history_writer_new(&halves, 1, PIPA_HISTORY_ZSTD,
								&file);
	struct pipa_series_sink *sink = pipa_history_writer_sink(w), check = { .row = check_half };
	struct pipa_history_read read = { .sink = &check };
	struct pipa_tick tick = { .interval_s = 1 };
	double value;
	size_t i;

	pipa_history_writer_begin(w, &started);
	for (i = 1; i < 20000; i++) {
		tick.wall_ns = (T0 + i) * PIPA_NS_PER_SEC;
		value = half(i);
		CHECK_EQ(sink->row(sink, halves, &tick, "", &value), 0);
		CHECK_EQ(sink->end(sink, &tick), 0);
	}
	CHECK_EQ(decode(file.data, file.len, 4096, &read), 0);
	CHECK_EQ(result.ticks, 19999);
	pipa_history_writer_free(w);
}
