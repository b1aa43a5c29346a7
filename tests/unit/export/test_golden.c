/* Every form of every shape of report, byte for byte. The JSON ones are held against the schema too
 * (tests/tools/test_schemas.sh). */
#include <stdio.h>

#include "base/buf.h"
#include "export/table/stat.h"
#include "lib/golden.h"
#include "lib/test.h"
#include "sample.h"

static const struct {
	const char *suffix;
	enum pipa_stat_form form;
} forms[] = { { "txt", PIPA_STAT_TEXT },
	      { "csv", PIPA_STAT_CSV },
	      { "json", PIPA_STAT_JSON },
	      { "yaml", PIPA_STAT_YAML } };

static void check(const char *name, const char *suffix, const struct pipa_buf *out)
{
	char path[100];

	snprintf(path, sizeof(path), "stat/%s.%s", name, suffix);
	CHECK_EQ(out->status, 0);
	CHECK_GOLDEN(path, pipa_buf_str(out), out->len);
}

static void check_form(const char *name, const struct pipa_stat *stat, size_t form,
		       bool metric_only)
{
	const struct pipa_stat_format format = { .form = forms[form].form,
						 .separator = ",",
						 .metric_only = metric_only };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };

	pipa_stat_export(stat, &format, &out);
	check(name, forms[form].suffix, &out);
}

/* One test per form, so that its name shows the failed form. */
#define SHAPE(name)                                                                                \
	TEST(the_report_##name##_is_right_as_text)                                                 \
	{                                                                                          \
		check_form(#name, sample_##name(), 0, false);                                      \
	}                                                                                          \
	TEST(the_report_##name##_is_right_as_csv)                                                  \
	{                                                                                          \
		check_form(#name, sample_##name(), 1, false);                                      \
	}                                                                                          \
	TEST(the_report_##name##_is_right_as_json)                                                 \
	{                                                                                          \
		check_form(#name, sample_##name(), 2, false);                                      \
	}                                                                                          \
	TEST(the_report_##name##_is_right_as_yaml)                                                 \
	{                                                                                          \
		check_form(#name, sample_##name(), 3, false);                                      \
	}

SHAPE(global)
SHAPE(user_only)
SHAPE(cpus)
SHAPE(cores)
SHAPE(dies)
SHAPE(sockets)
SHAPE(nodes)
SHAPE(threads)
SHAPE(summary)
SHAPE(repeats)
SHAPE(cgroups)
SHAPE(hybrid)
SHAPE(energy)
SHAPE(topdown)
SHAPE(several)
SHAPE(compared)
SHAPE(nothing)

/* ---- intervals: several reports in sequence --------------------------------------------- */

static void check_ticks(const char *name, const struct pipa_stat *(*tick)(int n), size_t form,
			bool metric_only)
{
	struct pipa_stat_format format = { .form = forms[form].form,
					   .separator = ",",
					   .metric_only = metric_only };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	int n;

	for (n = 0; n < 2; n++) {
		format.header = n == 0;
		pipa_stat_export(tick(n), &format, &out);
	}
	check(name, form == 2 ? "jsonl" : forms[form].suffix, &out);
}

TEST(intervals_are_right_in_all_forms)
{
	size_t form;

	for (form = 0; form < PIPA_COUNT(forms); form++) {
		check_ticks("interval", sample_tick, form, false);
		check_ticks("interval-cpus", sample_cpu_tick, form, false);
	}
}

TEST(intervals_of_metrics_only_are_right_in_all_forms)
{
	size_t form;

	for (form = 0; form < PIPA_COUNT(forms); form++) {
		check_ticks("interval-metrics", sample_tick, form, true);
		check_ticks("interval-cpus-metrics", sample_cpu_tick, form, true);
	}
}

/* ---- other looks -------------------------------------------------------------------------- */

TEST(metrics_only_are_right_in_all_forms)
{
	size_t form;

	for (form = 0; form < PIPA_COUNT(forms); form++) {
		check_form("global-metrics", sample_global(), form, true);
		check_form("topdown-metrics", sample_topdown(), form, true);
		check_form("hybrid-metrics", sample_hybrid(), form, true);
		check_form("threads-metrics", sample_threads(), form, true);
		check_form("summary-metrics", sample_summary(), form, true);
	}
}

TEST(a_terminal_gets_colours)
{
	const struct pipa_stat_format format = { .color = true };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };

	pipa_stat_export(sample_global(), &format, &out);
	check("global-color", "txt", &out);
	pipa_buf_reset(&out);
	pipa_stat_export(sample_compared(), &format, &out);
	check("compared-color", "txt", &out);
}

TEST(numbers_can_be_without_separators)
{
	const struct pipa_stat_format format = { .plain_numbers = true };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };

	pipa_stat_export(sample_compared(), &format, &out);
	check("compared-plain", "txt", &out);
}

TEST(the_separator_of_the_csv_can_be_any_text)
{
	struct pipa_stat_format format = { .form = PIPA_STAT_CSV, .separator = "\t" };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };

	pipa_stat_export(sample_cores(), &format, &out);
	check("cores-tab", "csv", &out);
	pipa_buf_reset(&out);
	format.separator = "<>";
	format.metric_only = true;
	pipa_stat_export(sample_cores(), &format, &out);
	check("cores-metrics-odd", "csv", &out);
}

TEST(a_report_that_exceeds_its_buffer_is_an_error)
{
	static const enum pipa_stat_form all[] = { PIPA_STAT_TEXT, PIPA_STAT_CSV, PIPA_STAT_JSON,
						   PIPA_STAT_YAML };
	size_t i;

	for (i = 0; i < PIPA_COUNT(all); i++) {
		const struct pipa_stat_format format = { .form = all[i], .separator = "," };
		PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { .max = 100 };

		pipa_stat_export(sample_global(), &format, &out);
		CHECK(out.status < 0);
	}
}
