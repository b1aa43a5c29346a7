/* Reports of pipa run to the fields of a result. */
#include "import/result_json.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "lib/test.h"
#include "model/run.h"

static const char report[] =
	"{\"schema\":\"pipa-run/1\",\"workload\":\"rocksdb\",\"username\":\"ann\",\"hw_info\":\"1*4*1\","
	"\"runs\":1,\"used_threads\":[36,37],\"scope\":\"cores\",\"transactions\":303318880,"
	"\"throughput\":33673818.34,\"run_time\":9.007558243,\"cycles\":748699758097,"
	"\"instructions\":242066352981.4,\"CPI\":3.0929526094,\"IPC\":0.3,\"%usr\":0,\"%idle\":94.5,"
	"\"kbmemfree\":0,\"%memused\":12.5,\"%commit\":3,\"DEV\":\"sdc\",\"tps\":1.5,\"rkB/s\":0,"
	"\"areq-sz\":4,\"aqu-sz\":0.5,\"disk_await\":1,\"%disk_util\":2,\"comment\":\"\",\"notes\":[]}";

static int decode(const char *text, struct pipa_result_document *ret, struct pipa_error *err)
{
	return pipa_result_json_decode(text, strlen(text), ret, err);
}

TEST(report_of_a_run_becomes_a_result_with_the_names_of_pipad)
{
	struct pipa_result_document d = { 0 };
	const struct pipa_result *r;

	CHECK_EQ(decode(report, &d, NULL), 0);
	CHECK_EQ(d.n, 1);
	r = &d.items[0].result;
	CHECK_EQ(r->values[PIPA_RESULT_TRANSACTIONS].number, 303318880);
	CHECK_EQ(r->values[PIPA_RESULT_INSTRUCTIONS].number, 242066352981);
	CHECK(r->values[PIPA_RESULT_CPI].real == 3.0929526094);
	CHECK(r->values[PIPA_RESULT_CPU_IDLE].real == 94.5);
	CHECK(r->values[PIPA_RESULT_PERCENT_MEMUSED].real == 12.5);
	CHECK(r->values[PIPA_RESULT_AREQ_SZ].real == 4);
	CHECK_EQ(r->values[PIPA_RESULT_USED_THREADS].list.n, 2);
	CHECK_EQ(r->values[PIPA_RESULT_USED_THREADS].list.items[1], 37);
	CHECK_EQ(r->values[PIPA_RESULT_DEV].text.size, 3);
	/* 0 is a value where presence is explicit, and a missing key is none */
	CHECK(pipa_result_has(r, PIPA_RESULT_CPU_USR));
	CHECK(pipa_result_has(r, PIPA_RESULT_KBMEMFREE));
	CHECK(pipa_result_has(r, PIPA_RESULT_RKB_S));
	CHECK(pipa_result_has(r, PIPA_RESULT_COMMENT));
	CHECK(!pipa_result_has(r, PIPA_RESULT_WKB_S));
	CHECK(!pipa_result_has(r, PIPA_RESULT_PLATFORM));
	pipa_result_document_done(&d);
}

TEST(largest_whole_numbers_are_not_taken_for_larger_ones)
{
	struct pipa_result_document d = { 0 };
	struct pipa_error err = { 0 };

	CHECK_EQ(decode("{\"schema\":\"pipa-run/1\",\"transactions\":9223372036854775807,"
			"\"cycles\":9223372036854775296,\"instructions\":9223372036854774784.0}",
			&d, &err),
		 0);
	CHECK_STR(err.what, "");
	if (!d.n)
		return;
	CHECK_EQ(d.items[0].result.values[PIPA_RESULT_TRANSACTIONS].number, INT64_MAX);
	CHECK_EQ(d.items[0].result.values[PIPA_RESULT_CYCLES].number, 9223372036854775296u);
	CHECK_EQ(d.items[0].result.values[PIPA_RESULT_INSTRUCTIONS].number, 9223372036854774784u);
	pipa_result_document_done(&d);
}

TEST(every_key_of_a_report_that_a_result_has_is_found)
{
	static const char *const texts[] = { "workload",      "used_threads", "DEV",
					     "data_location", "hw_info",      "sw_info",
					     "platform",      "comment",      "username" };
	size_t texts_found = 0, i;
	int field;

	for (field = 1; field <= PIPA_RESULT_FIELDS; field++) {
		const char *key = pipa_result_fields[field].key;
		bool found = pipa_run_key_find(key) != PIPA_RUN_KEYS;

		for (i = 0; i < PIPA_COUNT(texts); i++)
			texts_found += strcmp(key, texts[i]) == 0;
		for (i = 0; !found && i < PIPA_COUNT(texts); i++)
			found = strcmp(key, texts[i]) == 0;
		CHECK_STR(found ? key : "no such key in reports", key);
	}
	CHECK_EQ(texts_found, PIPA_COUNT(texts));
}

TEST(comparison_of_commands_has_a_result_for_each)
{
	struct pipa_result_document d = { 0 };

	CHECK_EQ(decode("{\"schema\":\"pipa-run-comparison/1\",\"commands\":["
			"{\"report\":{\"command\":\"a\",\"workload\":\"w\",\"run_time\":1.5}},"
			"{\"report\":{\"command\":\"b\",\"workload\":\"w\",\"run_time\":2.5}}]}",
			&d, NULL),
		 0);
	CHECK_EQ(d.n, 2);
	CHECK_STR(d.items[1].command, "b");
	CHECK(d.items[1].result.values[PIPA_RESULT_RUN_TIME].real == 2.5);
	pipa_result_document_done(&d);
}

TEST(report_with_values_that_do_not_fit_is_refused_with_the_key)
{
	static const struct {
		const char *text, *what;
		int rc;
	} cases[] = {
		{ "{\"schema\":\"pipa-run/1\",\"cycles\":-1}", "cycles: expected a number from 0",
		  -EINVAL },
		{ "{\"schema\":\"pipa-run/1\",\"kbmemfree\":1e300}", "kbmemfree: expected",
		  -EINVAL },
		{ "{\"schema\":\"pipa-run/1\",\"cycles\":9223372036854775808}", "is not JSON",
		  -EBADMSG },
		{ "{\"schema\":\"pipa-run/1\",\"cycles\":9223372036854775808.0}",
		  "cycles: expected a number from 0", -EINVAL },
		{ "{\"schema\":\"pipa-run/1\",\"CPI\":\"1\"}", "CPI: expected a number", -EINVAL },
		{ "{\"schema\":\"pipa-run/1\",\"workload\":1}", "workload: expected a text",
		  -EINVAL },
		{ "{\"schema\":\"pipa-run/1\",\"used_threads\":[4294967296]}",
		  "used_threads: expected", -EINVAL },
		{ "{\"schema\":\"pipa-run/1\",\"used_threads\":3}", "used_threads: expected",
		  -EINVAL },
		{ "{\"schema\":\"pipa-run-comparison/1\",\"commands\":[1]}", "commands: expected",
		  -EINVAL },
		{ "{\"schema\":\"pipa-run-comparison/1\"}", "commands: expected", -EINVAL },
		{ "{\"schema\":\"pipa-stat/1\"}", "not a report of pipa run (schema pipa-stat/1)",
		  -EBADMSG },
		{ "[]", "not a report of pipa run (schema missing)", -EBADMSG },
		{ "{", "is not JSON", -EBADMSG },
		{ "", "is not JSON", -EBADMSG },
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(cases); i++) {
		struct pipa_result_document d = { 0 };
		struct pipa_error err = { 0 };

		CHECK_EQ(decode(cases[i].text, &d, &err), cases[i].rc);
		CHECK_HAS(err.what, cases[i].what);
		CHECK_EQ(d.n, 0);
		CHECK(!d.doc);
	}
}
