/* The dictionary of metrics, together with the table of aliases. */
#include "model/sections.h"

#include <errno.h>
#include <string.h>

#include "base/auto.h"
#include "lib/test.h"
#include "model/metric_names.h"

/* Call fn for every column there is. */
static void each_column(void (*fn)(const struct pipa_section *section,
				   const struct pipa_column *column))
{
	size_t i, k;

	for (i = 0; i < PIPA_SECTION_NR; i++)
		for (k = 0; k < pipa_sections[i].n_columns; k++)
			fn(&pipa_sections[i], &pipa_sections[i].columns[k]);
}

static const struct pipa_section *one_section;
static const struct pipa_column *one;

static void check_pair(const struct pipa_section *section, const struct pipa_column *column)
{
	if (column == one || strcmp(column->id, one->id) != 0)
		return;
	if (section == one_section)
		pipa_test_fail(__FILE__, __LINE__, "%s is twice in %s", one->id, section->name);
	CHECK_STR(column->name, one->name);
	CHECK_EQ(column->unit, one->unit);
}

static void check_against_all(const struct pipa_section *section, const struct pipa_column *column)
{
	one_section = section;
	one = column;
	each_column(check_pair);
}

TEST(an_id_means_one_thing_wherever_it_is)
{
	each_column(check_against_all);
}

static void check_resolves(const struct pipa_section *section, const struct pipa_column *column)
{
	const struct pipa_column *found = NULL;

	CHECK_EQ(pipa_metric_find(NULL, column->id, &found, NULL), 0);
	CHECK_STR(found->id, column->id);
	CHECK_EQ(pipa_metric_find(section->name, column->name, &found, NULL), 0);
	CHECK_STR(found->id, column->id);
	CHECK_EQ(strcspn(column->id, " ,;*?[%"), strlen(column->id));
}

TEST(every_column_is_found_by_its_id_and_in_its_section_by_its_name)
{
	each_column(check_resolves);
}

TEST(every_alias_means_a_column_and_no_other)
{
	const struct pipa_metric_alias *alias;
	const struct pipa_column *found = NULL;
	double factor;
	size_t i;

	for (i = 0; (alias = pipa_metric_alias(i)); i++) {
		if (pipa_metric_find(alias->section, alias->name, &found, &factor) != 0)
			pipa_test_fail(__FILE__, __LINE__, "%s is not found", alias->name);
		CHECK_STR(found->id, alias->id);
		CHECK_NEAR(factor, alias->factor, 0);
	}
}

TEST(the_originals_two_user_times_are_kept_apart)
{
	const struct pipa_column *found = NULL;

	CHECK_EQ(pipa_metric_find("cpu-short", "%user", &found, NULL), 0);
	CHECK_STR(found->id, "cpu.user");
	CHECK_EQ(pipa_metric_find("cpu", "%usr", &found, NULL), 0);
	CHECK_STR(found->id, "cpu.usr");
	CHECK_EQ(pipa_metric_find(NULL, "tps", &found, NULL), -ENOTUNIQ);
}

TEST(every_section_is_found_by_a_name_of_its_own)
{
	size_t i;

	for (i = 0; i < PIPA_SECTION_NR; i++) {
		const struct pipa_section *section = &pipa_sections[i];

		CHECK(section->name && section->title && section->title[0]);
		CHECK(section->n_columns > 0);
		CHECK(pipa_section_find(section->name) == section);
		CHECK_EQ(pipa_section_id(section), i);
	}
	CHECK(!pipa_section_find("nothing"));
	CHECK_EQ(pipa_section_id(NULL), PIPA_SECTION_NR);
}

static void check_described(const struct pipa_section *section, const struct pipa_column *column)
{
	static const bool percent[] = { [PIPA_METRIC_GAUGE] = true, [PIPA_METRIC_SHARE] = true };
	bool per_second = column->unit == PIPA_UNIT_PER_SECOND ||
			  column->unit == PIPA_UNIT_KB_PER_SECOND;
	const struct pipa_column *other;

	if (!column->id || !column->name || !column->description || !column->description[0])
		pipa_test_fail(__FILE__, __LINE__, "a column of %s is not described",
			       section->name);
	CHECK(column->unit < PIPA_UNIT_NR);
	CHECK(column->digits >= 0 && column->digits <= 4);
	CHECK(strchr(column->id, '.'));
	CHECK_EQ(column->kind == PIPA_METRIC_RATE, per_second);
	CHECK_EQ(column->kind == PIPA_METRIC_TEXT, column->unit == PIPA_UNIT_WORD);
	if (column->unit == PIPA_UNIT_PERCENT)
		CHECK(column->kind <= PIPA_METRIC_SHARE && percent[column->kind]);
	for (other = section->columns; other < column; other++)
		CHECK(strcmp(other->name, column->name) != 0);
}

TEST(every_column_has_a_name_a_unit_a_kind_and_a_description)
{
	each_column(check_described);
}

/* Constants and tables must not drift apart: a constant per area, with the id that it means. */
TEST(constants_mean_the_columns_that_they_are_called_after)
{
	static const struct {
		enum pipa_section_id section;
		size_t column;
		const char *id;
	} some[] = {
		{ PIPA_SECTION_CPU, PIPA_COL_CPU_IDLE, "cpu.idle" },
		{ PIPA_SECTION_PSI_IO, PIPA_COL_PSI_IO_FULL_10, "psi.io.full_10" },
		{ PIPA_SECTION_MEM, PIPA_COL_MEM_AVAILABLE, "memory.available" },
		{ PIPA_SECTION_DISK, PIPA_COL_DISK_UTIL, "disk.util" },
		{ PIPA_SECTION_NET_ERRORS, PIPA_COL_NET_ERRORS_TX_FIFO, "net.tx_fifo" },
		{ PIPA_SECTION_UDP6, PIPA_COL_UDP6_IN_ERRORS, "udp6.in_errors" },
		{ PIPA_SECTION_THREADS, PIPA_COL_THREADS_COMMAND, "thread.command" },
		{ PIPA_SECTION_LIMITS, PIPA_COL_LIMITS_PIDS, "limits.pids" },
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(some); i++) {
		CHECK(some[i].column < pipa_sections[some[i].section].n_columns);
		CHECK_STR(pipa_sections[some[i].section].columns[some[i].column].id, some[i].id);
	}
}
