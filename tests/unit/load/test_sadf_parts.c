#include "load/sadf_parts.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "import/sadf_csv.h"
#include "lib/test.h"
#include "model/series_set.h"
#include "store/archive.h"

static char path[PATH_MAX];
static struct pipa_series_set whole, parts;

static void put_head(struct pipa_buf *text)
{
	pipa_buf_puts(text, "# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;"
			    "%idle\n");
}

static void put_seconds(struct pipa_buf *text, int from, int until)
{
	int i, cpu;

	for (i = from; i < until; i++)
		for (cpu = -1; cpu < 8; cpu++)
			pipa_buf_printf(text,
					"box;1;1970-01-01 %02d:%02d:%02d UTC;%d;%d.%02d;0.00;1.00;"
					"0.00;0.00;%d.00\n",
					i / 3600, i / 60 % 60, i % 60, cpu, i % 50, i % 97,
					cpu + 1);
}

static void save(const struct pipa_buf *text)
{
	FILE *file;

	snprintf(path, sizeof(path), "%s/sar.csv", pipa_test_dir());
	file = fopen(path, "w");
	CHECK(file && fwrite(text->data, text->len, 1, file) == 1);
	CHECK_EQ(fclose(file), 0);
}

static struct pipa_sadf_result read_set(struct pipa_series_set *set, size_t min_part)
{
	PIPA_AUTO(pipa_archive_close) struct pipa_archive *archive = NULL;
	struct pipa_sadf_input input = { .min_part = min_part };
	struct pipa_sadf_result result = { 0 };

	CHECK_EQ(pipa_archive_open(path, &archive, NULL), 0);
	input.archive = archive;
	CHECK(pipa_series_set_add_source(set, path, PIPA_CLOCK_UTC) >= 0);
	CHECK_EQ(pipa_sadf_read(&input, set, 0, &result), 0);
	CHECK_EQ(pipa_series_set_finish(set), 0);
	return result;
}

/* Read the file in one piece and in parts, and compare the series. */
static void compare(void)
{
	struct pipa_sadf_result one = read_set(&whole, SIZE_MAX), many = read_set(&parts, 4096);
	size_t g, row, column, i;

	CHECK_EQ(one.rows, many.rows);
	CHECK_EQ(one.skipped, many.skipped);
	CHECK_EQ(one.restarts, many.restarts);
	CHECK_EQ(whole.values, parts.values);
	CHECK_EQ(whole.groups.n, parts.groups.n);
	CHECK_EQ(whole.restarts.n, parts.restarts.n);
	for (g = 0; g < whole.groups.n; g++) {
		const struct pipa_series_group *group = &whole.groups.items[g];
		const struct pipa_series_axis *axis = pipa_series_axis_of(&whole, group);
		const struct pipa_series_axis *other = pipa_series_axis_of(&parts,
									   &parts.groups.items[g]);

		CHECK_EQ(axis->n, other->n);
		CHECK(memcmp(axis->wall_ns, other->wall_ns, axis->n * sizeof(uint64_t)) == 0);
		CHECK_EQ(group->n, parts.groups.items[g].n);
		CHECK_EQ(group->duplicates, parts.groups.items[g].duplicates);
		CHECK_EQ(group->backwards, parts.groups.items[g].backwards);
		for (row = 0; row < group->n; row++)
			for (column = 0; column < group->section->n_columns; column++)
				for (i = 0; i < axis->n; i += 100) {
					double a[100], b[100];
					struct pipa_series_ref ref = { g, row, column };

					pipa_series_read(&whole, ref, i, 100, a);
					pipa_series_read(&parts, ref, i, 100, b);
					CHECK(memcmp(a, b, sizeof(a)) == 0);
				}
	}
	pipa_series_set_done(&whole);
	pipa_series_set_done(&parts);
}

TEST(tables_in_parts_give_the_series_of_one_piece)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };

	put_head(&text);
	put_seconds(&text, 0, 3000);
	save(&text);
	compare();
}

TEST(several_tables_restarts_and_clocks_set_back_are_read_in_one_piece)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };

	put_head(&text);
	put_seconds(&text, 0, 800);
	pipa_buf_puts(&text, "box;-1;1970-01-01 00:14:00 UTC;LINUX-RESTART\t(8 CPU)\n");
	put_seconds(&text, 900, 1500);
	put_seconds(&text, 700, 1700); /* the clock was set back */
	pipa_buf_puts(&text, "# hostname;interval;timestamp;proc/s;cswch/s\n"
			     "box;1;1970-01-01 00:01:00 UTC;1.00;100.00\n");
	put_head(&text);
	put_seconds(&text, 1700, 2500);
	pipa_buf_puts(&text, "box;1;1970-01-01 01:"); /* truncated */
	save(&text);
	compare();
}
