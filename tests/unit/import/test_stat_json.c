#include "import/stat_json.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "lib/test.h"
#include "model/stat.h"

static struct pipa_base decode(const char *text)
{
	struct pipa_base base = { 0 };
	struct pipa_error err = { 0 };

	if (pipa_stat_json_decode(text, strlen(text), &base, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", err.what);
	return base;
}

#define REPORT(members) "{\"schema\": \"pipa-stat/1\"" members "}"

TEST(rows_of_a_report_are_read_back)
{
	PIPA_AUTO(pipa_base_done)
	struct pipa_base base = decode(
		REPORT(", \"elapsed\": {\"value\": 1.5},"
		       "\"events\": ["
		       "{\"event\": \"cycles\", \"value\": 1000},"
		       "{\"event\": \"task-clock\", \"value\": 12.25, \"unit\": \"msec\"}]"));

	CHECK_EQ(base.n, 3);
	CHECK_STR(base.items[0].name, "elapsed");
	CHECK_STR(base.items[0].where, "");
	CHECK_NEAR(base.items[0].spread.mean, 1.5, 0);
	CHECK_STR(base.items[1].name, "cycles");
	CHECK_NEAR(base.items[1].spread.mean, 1000, 0);
	CHECK_EQ(base.items[1].spread.n, 1);
	CHECK(isnan(base.items[1].spread.sd));
	CHECK_NEAR(base.items[2].spread.mean, 12.25, 0);
}

TEST(spread_of_repeated_runs_is_read_back)
{
	PIPA_AUTO(pipa_base_done)
	struct pipa_base base = decode(
		REPORT(", \"events\": [{\"event\": \"cycles\", \"value\": 10, \"spread\":"
		       "{\"n\": 5, \"mean\": 10, \"sd\": 2, \"min\": 7, \"max\": 13,"
		       " \"median\": 9.5, \"low\": 7.5, \"high\": 12.5}}]"));
	const struct pipa_spread *s = &base.items[0].spread;

	CHECK_EQ(base.n, 1);
	CHECK_EQ(s->n, 5);
	CHECK_NEAR(s->mean, 10, 0);
	CHECK_NEAR(s->sd, 2, 0);
	CHECK_NEAR(s->min, 7, 0);
	CHECK_NEAR(s->max, 13, 0);
	CHECK_NEAR(s->median, 9.5, 0);
	CHECK_NEAR(s->low, 7.5, 0);
	CHECK_NEAR(s->high, 12.5, 0);
}

TEST(deviation_of_nothing_is_a_deviation)
{
	PIPA_AUTO(pipa_base_done)
	struct pipa_base base = decode(
		REPORT(", \"events\": [{\"event\": \"cs\", \"value\": 10, \"spread\":"
		       "{\"n\": 3, \"mean\": 10, \"sd\": 0}}]"));

	CHECK_EQ(base.items[0].spread.n, 3); /* exact in every run, and known to be */
	CHECK_NEAR(base.items[0].spread.sd, 0, 0);
}

TEST(runs_without_a_deviation_count_as_one_run)
{
	PIPA_AUTO(pipa_base_done)
	struct pipa_base base = decode(
		REPORT(", \"events\": ["
		       "{\"event\": \"a\", \"spread\": {\"n\": 5, \"mean\": 10}},"
		       "{\"event\": \"b\", \"spread\": {\"n\": 5, \"mean\": 10, \"sd\": -1}},"
		       "{\"event\": \"c\", \"value\": 7, \"spread\": {\"n\": 0, \"mean\": 10}},"
		       "{\"event\": \"d\", \"value\": 8, \"spread\": {\"n\": 1e300}}]"));

	CHECK_EQ(base.n, 4);
	CHECK_EQ(base.items[0].spread.n, 1);
	CHECK_EQ(base.items[1].spread.n, 1);
	CHECK_EQ(base.items[2].spread.n, 1);
	CHECK_NEAR(base.items[2].spread.mean, 7, 0);
	CHECK_NEAR(base.items[3].spread.mean, 8, 0);
}

TEST(rows_know_where_they_were_counted)
{
	PIPA_AUTO(pipa_base_done)
	struct pipa_base base = decode(
		REPORT(", \"events\": ["
		       "{\"event\": \"a\", \"value\": 1, \"location\": {\"cpu\": 3}},"
		       "{\"event\": \"a\", \"value\": 2, \"location\": {\"tid\": 9,"
		       " \"comm\": \"worker\"}},"
		       "{\"event\": \"a\", \"value\": 3, \"cgroup\": \"my.slice\"}]"));
	struct pipa_stat_place cpu = { .cpu = 3, .core = -1, .die = -1, .socket = -1, .node = -1 };
	struct pipa_stat_place thread = cpu, all;
	char where[300];

	thread.cpu = -1;
	all = thread;
	strcpy(thread.comm, "worker");
	CHECK_STR(base.items[0].where, pipa_stat_where(NULL, &cpu, where, sizeof(where)));
	CHECK_STR(base.items[1].where, pipa_stat_where(NULL, &thread, where, sizeof(where)));
	CHECK_STR(base.items[2].where, pipa_stat_where("my.slice", &all, where, sizeof(where)));
}

TEST(rows_without_a_number_or_a_name_are_left_out)
{
	PIPA_AUTO(pipa_base_done)
	struct pipa_base base = decode(REPORT(", \"elapsed\": null, \"events\": ["
					      "{\"event\": \"cycles\", \"value\": null},"
					      "{\"event\": \"cycles\", \"value\": \"12\"},"
					      "{\"event\": 5, \"value\": 12},"
					      "{\"value\": 12}, 7, null, [],"
					      "{\"event\": \"cs\", \"value\": 12}]"));

	CHECK_EQ(base.n, 1);
	CHECK_STR(base.items[0].name, "cs");
}

TEST(report_without_events_is_a_report)
{
	PIPA_AUTO(pipa_base_done) struct pipa_base base = decode(REPORT(""));
	PIPA_AUTO(pipa_base_done) struct pipa_base odd = decode(REPORT(", \"events\": 5"));

	CHECK_EQ(base.n + odd.n, 0);
}

/* The failure with which a text is refused; ret must stay as it was. */
static struct pipa_error refusal(const char *text)
{
	struct pipa_base base = { .n = 42 };
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_stat_json_decode(text, strlen(text), &base, &err), -EBADMSG);
	CHECK_EQ(base.n, 42);
	CHECK_EQ(pipa_stat_json_decode(text, strlen(text), &base, NULL) < 0, 1);
	return err;
}

TEST(text_that_is_not_json_is_refused_with_its_line)
{
	CHECK_HAS(refusal("").what, "is not JSON");
	CHECK_HAS(refusal("{\n\"schema\": \n}").what, "line 3 is not JSON");
	CHECK_HAS(refusal("# started on Monday\n").what, "line 1 is not JSON");
	CHECK_HAS(refusal("{} {}").what, "is not JSON");
}

TEST(json_other_than_a_report_is_refused_with_a_hint)
{
	CHECK_HAS(refusal("{}").what, "schema missing");
	CHECK_HAS(refusal("[]").what, "schema missing");
	CHECK_HAS(refusal("{\"schema\": 1}").what, "schema missing");
	CHECK_HAS(refusal("{\"schema\": \"pipa-stat/2\"}").what, "schema pipa-stat/2");
	CHECK_HAS(refusal("{\"schema\": \"other\"}").hint, "pipa stat -r 5 --json -o FILE");
}
