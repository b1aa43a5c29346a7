#include "model/series_set.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/auto.h"
#include "lib/test.h"

#define S UINT64_C(1000000000)

static const struct pipa_column cpu_columns[] = { { .id = "cpu.usr" }, { .id = "cpu.sys" } };
static const struct pipa_column load_columns[] = { { .id = "load.1" } };
static const struct pipa_section cpu = { "cpu", "CPU", "", cpu_columns, 2 };
static const struct pipa_section load = { "load", NULL, "", load_columns, 1 };

static struct pipa_series_set set;
static struct pipa_series_feed feed;

static void begin(void)
{
	ptrdiff_t source = pipa_series_set_add_source(&set, "test", PIPA_CLOCK_UTC);

	CHECK(source >= 0);
	pipa_series_feed_init(&feed, &set, (size_t)source);
}

static int put(const struct pipa_section *section, uint64_t second, const char *instance, double a,
	       double b)
{
	const struct pipa_tick tick = { .wall_ns = second * S, .interval_s = 1 };

	return feed.sink.row(&feed.sink, section, &tick, instance, (const double[]){ a, b });
}

static double value(const char *id, const char *instance, size_t tick)
{
	struct pipa_series_ref ref;
	double ret = -1;

	CHECK_EQ(pipa_series_find(&set, id, instance, &ref), 0);
	pipa_series_read(&set, ref, tick, 1, &ret);
	return ret;
}

static void check_block(const double *values, size_t n)
{
	struct pipa_arena arena = { 0 };
	double back[PIPA_BLOCK_VALUES];
	struct pipa_block block;

	CHECK_EQ(pipa_block_encode(values, n, &arena, &block), 0);
	CHECK_EQ(block.n, n);
	pipa_block_decode(&block, back);
	for (size_t i = 0; i < n; i++)
		CHECK((isnan(values[i]) && isnan(back[i])) ||
		      memcmp(&values[i], &back[i], sizeof(back[i])) == 0);
	pipa_arena_done(&arena);
}

TEST(blocks_restore_every_value_exactly)
{
	static const double odd[] = { 0.0,   -0.0,   1.0 / 3, INFINITY, -INFINITY,
				      1e300, 5e-324, 2.25e15, -2.25e15, 4503599627370497.0,
				      NAN,   0.01 };
	double values[PIPA_BLOCK_VALUES];
	uint64_t seed = 1;
	size_t i, n;

	check_block(odd, PIPA_COUNT(odd));
	for (i = 0; i < PIPA_COUNT(odd); i++)
		check_block(&odd[i], 1);
	for (n = 1; n <= PIPA_BLOCK_VALUES; n += 7)
		for (int digits = 0; digits <= 7; digits++) {
			for (i = 0; i < n; i++) {
				seed = seed * 6364136223846793005U + 1442695040888963407U;
				values[i] = (double)((int64_t)seed >> (20 + n % 40)) /
					    pow(10, digits);
				if (n % 3 == 0 && seed >> 60 == 3)
					values[i] = NAN;
			}
			check_block(values, n);
		}
}

/* Blocks of hundredths and of their quotients restore the same doubles, and have the same figures. */
static void check_hundredths(const int32_t *hundredths, size_t n)
{
	double values[PIPA_BLOCK_VALUES], back[PIPA_BLOCK_VALUES + 1];
	struct pipa_arena arena = { 0 };
	struct pipa_block block, other;

	for (size_t i = 0; i < n; i++)
		values[i] = hundredths[i] / 100.0;
	CHECK_EQ(pipa_block_encode_hundredths(hundredths, n, &arena, &block), 0);
	CHECK_EQ(pipa_block_encode(values, n, &arena, &other), 0);
	CHECK_EQ(block.n, n);
	CHECK_EQ(block.present, n);
	CHECK(memcmp(&block.min, &other.min, sizeof(block.min)) == 0);
	CHECK(memcmp(&block.max, &other.max, sizeof(block.max)) == 0);
	CHECK(memcmp(&block.sum, &other.sum, sizeof(block.sum)) == 0);
	back[n] = 77;
	pipa_block_decode(&block, back);
	CHECK(memcmp(values, back, n * sizeof(*values)) == 0);
	pipa_block_decode(&other, back);
	CHECK(memcmp(values, back, n * sizeof(*values)) == 0);
	CHECK(back[n] == 77);
	pipa_arena_done(&arena);
}

TEST(hundredths_of_any_width_are_restored_exactly)
{
	int32_t values[PIPA_BLOCK_VALUES];
	uint64_t seed = 3;
	size_t i, n;

	for (n = 1; n <= PIPA_BLOCK_VALUES; n += n < 40 || n > 500 ? 1 : 31)
		for (unsigned width = 0; width <= 22; width++)
			for (int form = 0; form < 3; form++) {
				for (i = 0; i < n; i++) {
					seed = seed * 6364136223846793005U + 1442695040888963407U;
					values[i] = (int32_t)(seed >> 32 &
							      ((UINT64_C(1) << width) - 1));
					if (form == 1) /* steps are smaller than the values */
						values[i] = values[i] % 16 + 8000 * (int32_t)i;
					if (form == 2 && i % 7)
						values[i] = PIPA_HUNDREDTHS_MAX - values[i];
				}
				check_hundredths(values, n);
			}
}

TEST(every_hundredth_is_restored_as_its_quotient_by_100)
{
	int32_t values[PIPA_BLOCK_VALUES];

	for (int32_t first = 0; first < PIPA_HUNDREDTHS_MAX; first += PIPA_BLOCK_VALUES) {
		for (int32_t i = 0; i < PIPA_BLOCK_VALUES; i++)
			values[i] = first + (i * 37 & (PIPA_BLOCK_VALUES - 1));
		check_hundredths(values, PIPA_BLOCK_VALUES);
	}
}

TEST(decimals_around_every_power_of_two_are_restored_exactly)
{
	double values[PIPA_BLOCK_VALUES];
	uint64_t seed = 11;

	for (int digits = 0; digits <= PIPA_BLOCK_DIGITS; digits++)
		for (int power = 1; power < 30; power++)
			for (int round = 0; round < 40; round++) {
				for (size_t i = 0; i < PIPA_BLOCK_VALUES; i++) {
					seed = seed * 6364136223846793005U + 1442695040888963407U;
					values[i] = (double)(((int64_t)1 << power) - 9000 +
							     (int64_t)(seed >> 50)) *
						    (round % 2 ? 1 : -1) / pow(10, digits);
				}
				check_block(values, PIPA_BLOCK_VALUES - (size_t)round % 9);
			}
}

TEST(rows_of_hundredths_and_of_doubles_make_one_series)
{
	const struct pipa_section *section = &cpu;
	uint64_t seed = 17, i;
	static double want[3000];

	begin();
	for (i = 0; i < PIPA_COUNT(want); i++) {
		const struct pipa_tick tick = { .wall_ns = (i + 1) * S, .interval_s = 1 };
		const int32_t hundredths[] = { (int32_t)(i * 7 % 10000), 5 };

		seed = seed * 6364136223846793005U + 1442695040888963407U;
		want[i] = hundredths[0] / 100.0;
		if (i % 1500 > 700 && seed >> 61 == 0) { /* others, in the middle of blocks */
			want[i] = seed >> 60 & 1 ? 1.0 / 3 : -1;
			CHECK_EQ(put(section, i + 1, "0", want[i], 0.05), 0);
		} else if (i % 1500 > 700 && seed >> 61 == 1) {
			want[i] = NAN;
		} else {
			CHECK_EQ(feed.sink.row_hundredths(&feed.sink, section, &tick, "0",
							  hundredths),
				 0);
			CHECK_EQ(feed.sink.row_hundredths(&feed.sink, section, &tick, "0",
							  hundredths),
				 0); /* repeated */
		}
		CHECK_EQ(put(section, i + 1, "1", 1, 2), 0);
	}
	CHECK_EQ(pipa_series_set_finish(&set), 0);
	CHECK(set.groups.items[0].duplicates > 2000);
	for (i = 0; i < PIPA_COUNT(want); i++) {
		const double got = value("cpu.usr", "0", i);

		CHECK(isnan(want[i]) ? isnan(got) : got == want[i]);
	}
	pipa_series_set_done(&set);
}

TEST(blocks_of_equal_or_rising_values_need_few_bytes)
{
	double same[PIPA_BLOCK_VALUES], rising[PIPA_BLOCK_VALUES];
	struct pipa_arena arena = { 0 };
	struct pipa_block block;
	size_t i;

	for (i = 0; i < PIPA_BLOCK_VALUES; i++) {
		same[i] = 12.34;
		rising[i] = 1e9 + 37.5 * (double)i;
	}
	CHECK_EQ(pipa_block_encode(same, PIPA_BLOCK_VALUES, &arena, &block), 0);
	CHECK(arena.bytes - (size_t)(arena.end - arena.pos) <= 32);
	CHECK(block.min == 12.34 && block.max == 12.34 && block.present == PIPA_BLOCK_VALUES);
	CHECK_EQ(pipa_block_encode(rising, PIPA_BLOCK_VALUES, &arena, &block), 0);
	CHECK(arena.bytes - (size_t)(arena.end - arena.pos) <= 96);
	CHECK(block.min == 1e9 && block.max == rising[PIPA_BLOCK_VALUES - 1]);
	pipa_arena_done(&arena);
}

TEST(missing_intervals_of_an_instance_are_missing_values)
{
	begin();
	CHECK_EQ(put(&cpu, 1, "0", 1, 2), 0);
	CHECK_EQ(put(&cpu, 2, "1", 3, 4), 0);
	CHECK_EQ(put(&cpu, 3, "0", 5, NAN), 0);
	CHECK_EQ(pipa_series_set_finish(&set), 0);
	CHECK(value("cpu.usr", "0", 0) == 1 && isnan(value("cpu.usr", "0", 1)));
	CHECK(value("cpu.usr", "0", 2) == 5 && isnan(value("cpu.sys", "0", 2)));
	CHECK(isnan(value("cpu.usr", "1", 0)) && value("cpu.sys", "1", 1) == 4);
	CHECK(isnan(value("cpu.usr", "1", 2)) && isnan(value("cpu.usr", "1", 99)));
	CHECK_EQ(set.values, 5);
	pipa_series_set_done(&set);
}

TEST(repeated_and_earlier_rows_are_dropped_and_counted)
{
	const struct pipa_series_group *group;

	begin();
	CHECK_EQ(put(&cpu, 5, "0", 1, 2), 0);
	CHECK_EQ(put(&cpu, 5, "0", 8, 8), 0);
	CHECK_EQ(put(&cpu, 5, "1", 3, 3), 0);
	CHECK_EQ(put(&cpu, 4, "0", 9, 9), 0);
	CHECK_EQ(put(&cpu, 6, "0", 7, 7), 0);
	CHECK_EQ(pipa_series_set_finish(&set), 0);
	group = &set.groups.items[0];
	CHECK_EQ(group->duplicates, 1);
	CHECK_EQ(group->backwards, 1);
	CHECK_EQ(group->first_duplicate_ns, 5 * S);
	CHECK_EQ(group->first_backward_ns, 4 * S);
	CHECK(value("cpu.usr", "0", 0) == 1 && value("cpu.usr", "0", 1) == 7);
	pipa_series_set_done(&set);
}

TEST(sections_with_the_same_intervals_share_an_axis)
{
	begin();
	for (uint64_t i = 1; i < 9; i++)
		CHECK_EQ(put(&cpu, i, "all", 1, 1), 0);
	for (uint64_t i = 3; i < 12; i++) /* starts later, lasts longer */
		CHECK_EQ(put(&load, i, "", (double)i, 0), 0);
	CHECK_EQ(pipa_series_set_finish(&set), 0);
	CHECK_EQ(set.axes.n, 1);
	CHECK_EQ(set.axes.items[0].n, 11);
	CHECK_EQ(set.groups.items[0].n_ticks, 8);
	CHECK(value("load.1", "", 2) == 3 && value("load.1", "", 10) == 11);
	pipa_series_set_done(&set);
}

TEST(a_section_with_other_intervals_gets_its_own_axis)
{
	begin();
	for (uint64_t i = 1; i < 9; i++)
		CHECK_EQ(put(&cpu, i, "all", 1, 1), 0);
	for (uint64_t i = 1; i < 9; i += 2)
		CHECK_EQ(put(&load, i, "", (double)i, 0), 0);
	CHECK_EQ(pipa_series_set_finish(&set), 0);
	CHECK_EQ(set.axes.n, 2);
	CHECK_EQ(set.axes.items[1].n, 4);
	CHECK_EQ(set.axes.items[1].wall_ns[3], 7 * S);
	CHECK(value("load.1", "", 3) == 7);
	pipa_series_set_done(&set);
}

TEST(long_series_are_read_across_blocks)
{
	struct pipa_series_ref ref;
	double *values = calloc(5000, sizeof(*values));

	begin();
	CHECK_EQ(put(&cpu, 1, "late", 1, 1), 0);
	for (uint64_t i = 1; i < 4000; i++)
		CHECK_EQ(put(&cpu, i, "0", (double)i / 4, 1), 0);
	CHECK_EQ(put(&cpu, 4000, "late", 2, 2), 0);
	CHECK_EQ(pipa_series_set_finish(&set), 0);
	CHECK_EQ(pipa_series_find(&set, "cpu.usr", "0", &ref), 0);
	pipa_series_read(&set, ref, 500, 4500, values);
	for (size_t i = 0; i < 3499; i++)
		CHECK(values[i] == (double)(i + 501) / 4);
	CHECK(isnan(values[3499]) && isnan(values[4499]));
	CHECK(isnan(value("cpu.usr", "late", 2000)) && value("cpu.usr", "late", 3999) == 2);
	free(values);
	pipa_series_set_done(&set);
}

/* Put seconds [from, until) of two CPUs, the second one only in every other part, and of the load. */
static void put_part(uint64_t from, uint64_t until, bool with_second)
{
	for (uint64_t i = from; i < until; i++) {
		CHECK_EQ(put(&cpu, 1000 + i, "0", (double)i, 1), 0);
		if (with_second)
			CHECK_EQ(put(&cpu, 1000 + i, "1", (double)i / 4, 2), 0);
		CHECK_EQ(put(&load, 1000 + i, "", (double)(i % 7), 0), 0);
	}
}

static void check_parts(void)
{
	static double values[2000];
	struct pipa_series_ref ref;
	size_t i;

	CHECK_EQ(set.groups.n, 2);
	CHECK_EQ(pipa_series_axis_of(&set, &set.groups.items[0])->n, 2000);
	CHECK_EQ(pipa_series_find(&set, "cpu.usr", "0", &ref), 0);
	pipa_series_read(&set, ref, 0, 2000, values);
	for (i = 0; i < 2000; i++)
		CHECK_NEAR(values[i], (double)i, 0);
	CHECK_EQ(pipa_series_find(&set, "cpu.usr", "1", &ref), 0);
	pipa_series_read(&set, ref, 600, 1400, values);
	for (i = 600; i < 2000; i++)
		CHECK(i < 700 || i >= 1500 ? values[i - 600] == (double)i / 4 :
					     isnan(values[i - 600]));
	CHECK_NEAR(value("load.1", "", 1999), 1999 % 7, 0);
}

TEST(a_source_continues_another_one)
{
	uint64_t first, last;

	begin();
	put_part(1500, 2000, true); /* the order of the sources does not matter */
	begin();
	put_part(0, 700, true);
	begin();
	put_part(700, 1500, false);
	CHECK(pipa_series_bounds(&set, 1, &first, &last));
	CHECK(first == 1000 * S && last == 1699 * S);
	CHECK_EQ(pipa_series_append(&set, 1, &set, 2), 0);
	CHECK_EQ(pipa_series_append(&set, 1, &set, 0), 0);
	CHECK(!pipa_series_bounds(&set, 0, &first, &last));
	CHECK_EQ(pipa_series_set_finish(&set), 0);
	check_parts();
	pipa_series_set_done(&set);
}

TEST(a_set_continues_a_source_of_another_one)
{
	struct pipa_series_set part;

	begin();
	put_part(700, 1500, false);
	part = set;
	set = (struct pipa_series_set){ 0 };
	begin();
	put_part(0, 700, true);
	CHECK_EQ(pipa_series_append(&set, 0, &part, 0), 0);
	pipa_series_set_done(&part);
	feed.set = &part;
	CHECK(pipa_series_set_add_source(&part, "last", PIPA_CLOCK_UTC) == 0);
	pipa_series_feed_init(&feed, &part, 0);
	put_part(1500, 2000, true);
	CHECK_EQ(pipa_series_append(&set, 0, &part, 0), 0);
	pipa_series_set_done(&part);
	CHECK_EQ(pipa_series_set_finish(&set), 0);
	check_parts();
	CHECK_EQ(set.values, 2000 * 3 + 1200 * 2);
	pipa_series_set_done(&set);
}

TEST(memory_of_a_set_is_limited)
{
	char name[32];
	int rc = 0;

	set.max_bytes = 1 << 20;
	begin();
	for (int i = 0; !rc && i < 1000000; i++) {
		snprintf(name, sizeof(name), "%d", i);
		rc = put(&cpu, 1, name, 1, 1);
	}
	CHECK_EQ(rc, -EFBIG);
	CHECK(pipa_series_set_bytes(&set) < 2 << 20);
	pipa_series_set_done(&set);
}

TEST(restarts_are_noted_once)
{
	const struct pipa_restart restart = { .wall_ns = 2 * S };
	const struct pipa_tick tick = { .wall_ns = 3 * S, .restart = &restart };

	begin();
	CHECK_EQ(put(&cpu, 1, "all", 1, 1), 0);
	CHECK_EQ(feed.sink.row(&feed.sink, &cpu, &tick, "all", (const double[]){ 1, 2 }), 0);
	CHECK_EQ(feed.sink.row(&feed.sink, &load, &tick, "", (const double[]){ 1 }), 0);
	CHECK_EQ(set.restarts.n, 1);
	pipa_series_set_done(&set);
}

TEST(series_at_the_limit_of_memory_stay_readable)
{
	struct pipa_series_ref ref;
	double values[64];
	uint64_t i;
	int rc = 0;

	set.max_bytes = 200 << 10;
	begin();
	for (i = 1; !rc && i < 100000; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%d", (int)(i % 40));
		rc = put(&cpu, i / 40 + 1, name, 1.0 / (double)i, (double)i);
		if (!rc && i % 7 == 0)
			rc = put(&load, i / 40 + 1 + i % 2, "", (double)i, 0);
	}
	CHECK_EQ(rc, -EFBIG);
	CHECK_EQ(pipa_series_set_finish(&set), 0);
	for (size_t g = 0; g < set.groups.n; g++) {
		const struct pipa_series_group *group = &set.groups.items[g];

		CHECK(group->n_ticks <= pipa_series_axis_of(&set, group)->n);
		for (size_t r = 0; r < group->n; r++)
			for (size_t c = 0; c < group->section->n_columns; c++) {
				ref = (struct pipa_series_ref){ g, r, c };
				pipa_series_read(&set, ref, 0, 64, values);
				CHECK_EQ(group->items[r].columns[c].n,
					 group->items[r].columns[0].n);
			}
	}
	pipa_series_set_done(&set);
}
