#include "model/metric_names.h"

#include <errno.h>

#include "lib/test.h"

static const struct pipa_column cpu_columns[] = {
	{ .id = "cpu.usr", .name = "%usr" },
	{ .id = "cpu.nice", .name = "%nice" },
	{ .id = "cpu.idle", .name = "%idle" },
};
static const struct pipa_column short_columns[] = {
	{ .id = "cpu.user", .name = "%user" },
	{ .id = "cpu.nice_all", .name = "%nice" },
	{ .id = "cpu.idle", .name = "%idle" },
};
static const struct pipa_column disk_columns[] = {
	{ .id = "disk.tps", .name = "tps" },
	{ .id = "disk.request_size", .name = "areq-sz" },
};
static const struct pipa_section sections[] = {
	{ "cpu", "CPU", "CPU", cpu_columns, 3 },
	{ "cpu-short", "CPU", "CPU", short_columns, 3 },
	{ "disk", "DEV", "disks", disk_columns, 2 },
};

static const struct pipa_section *section_at(size_t index)
{
	return index < 3 ? &sections[index] : NULL;
}

static double factor;

static const char *find(const char *section, const char *name)
{
	const struct pipa_column *column = NULL;
	int rc = pipa_metric_find(section_at, section, name, &column, &factor);

	return rc == -ENOENT ? "none" : rc == -ENOTUNIQ ? "several" : column->id;
}

TEST(a_metric_is_found_by_its_id_and_by_sysstats_name)
{
	CHECK_STR(find(NULL, "cpu.usr"), "cpu.usr");
	CHECK_STR(find(NULL, "%usr"), "cpu.usr");
	CHECK_NEAR(factor, 1, 0);
	CHECK_STR(find(NULL, "nothing"), "none");
	CHECK_STR(find("disk", "%usr"), "none");
}

TEST(user_time_with_guests_is_not_the_one_without)
{
	CHECK_STR(find(NULL, "%user"), "cpu.user");
	CHECK_STR(find(NULL, "cpu_usr"), "cpu.usr");
}

TEST(a_name_with_two_meanings_needs_its_section)
{
	CHECK_STR(find(NULL, "%nice"), "several");
	CHECK_STR(find("cpu", "%nice"), "cpu.nice");
	CHECK_STR(find("cpu-short", "%nice"), "cpu.nice_all");
	CHECK_STR(find(NULL, "%idle"), "cpu.idle"); /* in two sections, with one meaning */
}

TEST(older_names_are_found_with_what_their_unit_needs)
{
	CHECK_STR(find(NULL, "avgrq-sz"), "disk.request_size");
	CHECK_NEAR(factor, 0.5, 0);
	CHECK_STR(find("cpu", "avgrq-sz"), "none");
}

TEST(a_column_is_found_within_its_section)
{
	CHECK_EQ(pipa_metric_slot(&sections[2], "areq_sz", NULL), 1);
	CHECK_EQ(pipa_metric_slot(&sections[2], "disk.tps", NULL), 0);
	CHECK_EQ(pipa_metric_slot(&sections[0], "disk.tps", NULL), -ENOENT);
}
