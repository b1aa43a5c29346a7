#include <errno.h>
#include <stdio.h>

#include "analyze/results/result_groups.h"
#include "analyze/results/result_where.h"
#include "base/error.h"
#include "lib/test.h"

static struct pipa_span span(const char *text)
{
	return (struct pipa_span){ (const uint8_t *)text, strlen(text) };
}

static struct pipa_span find_label(const void *ctx, struct pipa_span key)
{
	return key.size == 6 && memcmp(key.data, "branch", 6) == 0 ? span(ctx) :
								     (struct pipa_span){ 0 };
}

static int matches(const char *expression, struct pipa_error *err)
{
	static const uint32_t cpus[] = { 36, 37 };
	struct pipa_result result = { 0 };
	struct pipa_result_row row = { .result = &result, .upload_time_us = 1790000000000000 };
	PIPA_AUTO(pipa_result_where_free) struct pipa_result_where *where = NULL;
	int rc = pipa_result_where_new(span(expression), &where, err);

	if (rc < 0)
		return rc;
	pipa_result_set_string(&result, PIPA_RESULT_WORKLOAD, "rocksdb");
	pipa_result_set_string(&result, PIPA_RESULT_PLATFORM, "arm");
	pipa_result_set_real(&result, PIPA_RESULT_CPI, 1.75);
	pipa_result_set_number(&result, PIPA_RESULT_CYCLES, 1000);
	pipa_result_set_real(&result, PIPA_RESULT_CPU_USR, 0);
	pipa_result_set_list(&result, cpus, 2);
	pipa_result_where_matches(where, &row, err); /* the state of a row does not stay */
	return pipa_result_where_matches(where, &row, err);
}

TEST(where_compares_fields_and_does_not_match_absent_ones)
{
	struct pipa_error err = { 0 };

	CHECK_EQ(matches("CPI > 1.5 and platform == 'arm'", &err), 1);
	CHECK_EQ(matches("CPI > 1.5 and platform == 'x86'", &err), 0);
	CHECK_EQ(matches("workload == 'rocksdb' and platform != workload", &err), 1);
	CHECK_EQ(matches("cycles / 10 == 100", &err), 1);
	CHECK_EQ(matches("cpu_usr == 0", &err), 1);
	CHECK_EQ(matches("used_threads == '[36, 37]'", &err), 1);
	CHECK_EQ(matches("upload_time >= 1790000000", &err), 1);
	CHECK_EQ(matches("upload_time < 1790000000", &err), 0);
	CHECK_EQ(matches("instructions > 0", &err), 0); /* absent: unknown */
	CHECK_EQ(matches("instructions == 0", &err), 0);
	CHECK_EQ(matches("not (instructions > 0)", &err), 0);
	CHECK_EQ(matches("defined(instructions)", &err), 0);
	CHECK_EQ(matches("not defined(instructions) and CPI < 2", &err), 1);
}

TEST(where_refuses_unknown_fields_syntax_and_types)
{
	struct pipa_error err = { 0 };
	char longer[5000];

	CHECK_EQ(matches("latency > 5", &err), -EINVAL);
	CHECK_HAS(err.what, "no field is named 'latency'");
	CHECK_EQ(matches("CPI >", &err), -EINVAL);
	CHECK_HAS(err.what, "cannot select results: ");
	CHECK_EQ(matches("", &err), -EINVAL);
	CHECK_EQ(matches("workload > 5", &err), -EINVAL);
	CHECK_EQ(matches("1 / cpu_usr > 5", &err), -EINVAL);
	CHECK_EQ(matches("1; DROP TABLE example", &err), -EINVAL);
	memset(longer, ' ', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	CHECK_EQ(matches(longer, &err), -EINVAL);
}

static void add(struct pipa_result_groups *groups, const char *workload, double cpi, uint64_t day,
		const char *branch)
{
	struct pipa_result result = { 0 };
	struct pipa_result_row row = { .result = &result,
				       .upload_time_us = (20000 * 24 + day * 24 + 1) * 3600000000,
				       .label = find_label,
				       .ctx = branch };

	pipa_result_set_string(&result, PIPA_RESULT_WORKLOAD, workload);
	pipa_result_set_real(&result, PIPA_RESULT_CPI, cpi);
	pipa_result_set_number(&result, PIPA_RESULT_CYCLES, 10);
	CHECK_EQ(pipa_result_groups_add(groups, &row), 0);
}

static struct pipa_result_groups *make_groups(const char *by, size_t max)
{
	const struct pipa_span metrics[] = { span("CPI"), span("cycles") };
	const struct pipa_span names[] = { span(by ? by : "") };
	struct pipa_result_groups *groups = NULL;
	struct pipa_error err;

	if (pipa_result_groups_new(metrics, 2, names, by ? 1 : 0, max, &groups, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", err.what);
	add(groups, "b", 1, 0, "main");
	add(groups, "a", 2, 1, "dev");
	add(groups, "b", 4, 3, "");
	add(groups, "b", 0, 2, "main"); /* has no CPI */
	add(groups, "ab", 7, 2, "main");
	return groups;
}

TEST(statistics_are_those_of_the_runs_of_a_group)
{
	struct pipa_result_groups *groups = make_groups("workload", 100);
	const struct pipa_result_group *all;
	size_t n;

	all = pipa_result_groups_all(groups, &n);
	CHECK_EQ(n, 3);
	CHECK(memcmp(all[0].by[0].data, "a", 1) == 0 && all[0].by[0].size == 1);
	CHECK_EQ(all[1].by[0].size, 2);
	CHECK_EQ(all[2].runs, 3);
	CHECK_EQ(all[2].metrics[0].count, 2);
	CHECK_NEAR(all[2].metrics[0].mean, 2.5, 1e-12);
	CHECK_NEAR(pipa_result_statistics_sd(&all[2].metrics[0]), 2.1213203435596424, 1e-12);
	CHECK_NEAR(all[2].metrics[0].min, 1, 0);
	CHECK_NEAR(all[2].metrics[0].max, 4, 0);
	CHECK_NEAR(all[2].metrics[0].last, 4, 0);
	CHECK_EQ(all[2].metrics[1].count, 3);
	CHECK_EQ(all[2].last_us - all[2].first_us, UINT64_C(3) * 24 * 3600000000);
	CHECK_NEAR(pipa_result_statistics_sd(&all[0].metrics[0]), 0, 0);
	pipa_result_groups_free(groups);
}

TEST(groups_are_made_of_labels_days_numbers_or_everything)
{
	const struct pipa_result_group *all;
	struct pipa_result_groups *groups;
	size_t n;

	groups = make_groups("label:branch", 100);
	all = pipa_result_groups_all(groups, &n);
	CHECK_EQ(n, 3);
	CHECK_EQ(all[0].by[0].size, 0); /* without the label */
	CHECK_EQ(all[2].runs, 3);
	pipa_result_groups_free(groups);
	groups = make_groups("day", 100);
	all = pipa_result_groups_all(groups, &n);
	CHECK_EQ(n, 4);
	CHECK_EQ(all[0].by[0].size, 10);
	CHECK(memcmp(all[0].by[0].data, "2024-10-04", 10) == 0);
	CHECK_EQ(all[2].runs, 2);
	pipa_result_groups_free(groups);
	groups = make_groups("CPI", 100);
	all = pipa_result_groups_all(groups, &n);
	CHECK_EQ(n, 5);
	pipa_result_groups_free(groups);
	groups = make_groups(NULL, 100);
	all = pipa_result_groups_all(groups, &n);
	CHECK_EQ(n, 1);
	CHECK_EQ(all[0].runs, 5);
	pipa_result_groups_free(groups);
}

static void add_numbers(struct pipa_result_groups *groups, double cpi, uint64_t cycles, double freq)
{
	struct pipa_result result = { 0 };
	struct pipa_result_row row = { .result = &result, .upload_time_us = 5 };

	if (cpi >= 0)
		pipa_result_set_real(&result, PIPA_RESULT_CPI, cpi);
	pipa_result_set_number(&result, PIPA_RESULT_CYCLES, cycles);
	pipa_result_set_real(&result, PIPA_RESULT_CPU_FREQUENCY_MHZ, freq);
	CHECK_EQ(pipa_result_groups_add(groups, &row), 0);
}

TEST(groups_by_numbers_are_in_the_order_of_the_numbers)
{
	static const struct {
		const char *by, *order;
	} cases[] = { { "cycles", "9 10 100 9007199254740993 18446744073709551615 " },
		      { "CPI", " 9.5 10 10.25 1e+20 " } };
	const struct pipa_span metric = span("cpu_frequency_mhz");
	size_t i, g, n;

	for (i = 0; i < PIPA_COUNT(cases); i++) {
		PIPA_AUTO(pipa_result_groups_free) struct pipa_result_groups *groups = NULL;
		const struct pipa_span by = span(cases[i].by);
		const struct pipa_result_group *all;
		char order[200] = "";

		CHECK_EQ(pipa_result_groups_new(&metric, 1, &by, 1, 9, &groups, NULL), 0);
		add_numbers(groups, 10.25, 10, 1);
		add_numbers(groups, 1e20, UINT64_MAX, 1);
		add_numbers(groups, 9.5, 100, 1);
		add_numbers(groups, -1, 9, 1); /* without CPI */
		add_numbers(groups, 10, 9007199254740993, 1);
		all = pipa_result_groups_all(groups, &n);
		for (g = 0; g < n; g++)
			snprintf(order + strlen(order), sizeof(order) - strlen(order), "%.*s ",
				 (int)all[g].by[0].size, (const char *)all[g].by[0].data);
		CHECK_STR(order, cases[i].order);
	}
}

TEST(of_values_at_the_same_time_the_first_is_the_last)
{
	PIPA_AUTO(pipa_result_groups_free) struct pipa_result_groups *groups = NULL;
	const struct pipa_span metric = span("cpu_frequency_mhz");
	const struct pipa_result_group *all;
	size_t n;

	CHECK_EQ(pipa_result_groups_new(&metric, 1, NULL, 0, 9, &groups, NULL), 0);
	add_numbers(groups, 1, 1, 3);
	add_numbers(groups, 1, 1, 2);
	all = pipa_result_groups_all(groups, &n);
	CHECK_EQ(n, 1);
	CHECK_NEAR(all[0].metrics[0].last, 3, 0);
}

TEST(groups_beyond_the_limit_are_counted)
{
	struct pipa_result_groups *groups = make_groups("workload", 2);
	size_t n;

	CHECK_EQ(pipa_result_groups_dropped(groups), 1);
	pipa_result_groups_all(groups, &n);
	CHECK_EQ(n, 2);
	pipa_result_groups_free(groups);
}

TEST(names_that_cannot_be_grouped_by_are_refused)
{
	const struct pipa_span bad[] = { span("workload"), span("latency"), span(""),
					 span("used_threads") };
	const struct pipa_span metric = span("CPI"), by[] = { span("label:"), span("nothing") };
	struct pipa_result_groups *groups = NULL;
	size_t i;

	for (i = 0; i < PIPA_COUNT(bad); i++)
		CHECK_EQ(pipa_result_groups_new(&bad[i], 1, NULL, 0, 5, &groups, NULL), -EINVAL);
	for (i = 0; i < PIPA_COUNT(by); i++)
		CHECK_EQ(pipa_result_groups_new(&metric, 1, &by[i], 1, 5, &groups, NULL), -EINVAL);
	CHECK_EQ(pipa_result_groups_new(&metric, 0, NULL, 0, 5, &groups, NULL), -EINVAL);
}
