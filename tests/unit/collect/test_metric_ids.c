/* The names of all columns of all sections, together with the table of what others call them. */
#include <errno.h>
#include <string.h>

#include "collect/meter/sources.h"
#include "lib/test.h"
#include "model/metric_names.h"

/* Call fn for every column there is. */
static void each_column(void (*fn)(const struct pipa_section *section,
				   const struct pipa_column *column))
{
	const struct pipa_section *section;
	size_t i, k;

	for (i = 0; (section = pipa_sources_section(i)); i++)
		for (k = 0; k < section->n_columns; k++)
			fn(section, &section->columns[k]);
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

	CHECK_EQ(pipa_metric_find(pipa_sources_section, NULL, column->id, &found, NULL), 0);
	CHECK_STR(found->id, column->id);
	CHECK_EQ(pipa_metric_find(pipa_sources_section, section->name, column->name, &found, NULL),
		 0);
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
		if (pipa_metric_find(pipa_sources_section, alias->section, alias->name, &found,
				     &factor) != 0)
			pipa_test_fail(__FILE__, __LINE__, "%s is not found", alias->name);
		CHECK_STR(found->id, alias->id);
		CHECK_NEAR(factor, alias->factor, 0);
	}
}

TEST(the_originals_two_user_times_are_kept_apart)
{
	const struct pipa_column *found = NULL;

	CHECK_EQ(pipa_metric_find(pipa_sources_section, "cpu-short", "%user", &found, NULL), 0);
	CHECK_STR(found->id, "cpu.user");
	CHECK_EQ(pipa_metric_find(pipa_sources_section, "cpu", "%usr", &found, NULL), 0);
	CHECK_STR(found->id, "cpu.usr");
	CHECK_EQ(pipa_metric_find(pipa_sources_section, NULL, "tps", &found, NULL), -ENOTUNIQ);
}
