#include "model/metric_names.h"

#include <errno.h>

#include "lib/test.h"
#include "model/sections.h"

static double factor;

static const char *find(const char *section, const char *name)
{
	const struct pipa_column *column = NULL;
	int rc = pipa_metric_find(section, name, &column, &factor);

	return rc == -ENOENT ? "none" : rc == -ENOTUNIQ ? "several" : column->id;
}

TEST(a_metric_is_found_by_its_id_and_by_sysstats_name)
{
	CHECK_STR(find(NULL, "cpu.usr"), "cpu.usr");
	CHECK_STR(find(NULL, "kbmemfree"), "memory.free");
	CHECK_STR(find("cpu", "%usr"), "cpu.usr");
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

TEST(older_column_names_are_found_with_their_unit_factor)
{
	CHECK_STR(find(NULL, "avgrq-sz"), "disk.request_size");
	CHECK_NEAR(factor, 0.5, 0);
	CHECK_STR(find("cpu", "avgrq-sz"), "none");
}

TEST(a_column_is_found_within_its_section)
{
	CHECK_EQ(pipa_metric_slot(&pipa_sections[PIPA_SECTION_DISK], "areq_sz", NULL),
		 PIPA_COL_DISK_REQUEST_SIZE);
	CHECK_EQ(pipa_metric_slot(&pipa_sections[PIPA_SECTION_DISK], "disk.tps", NULL),
		 PIPA_COL_DISK_TPS);
	CHECK_EQ(pipa_metric_slot(&pipa_sections[PIPA_SECTION_CPU], "disk.tps", NULL), -ENOENT);
}
