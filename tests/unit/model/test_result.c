#include "model/result.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/error.h"
#include "lib/test.h"

TEST(table_of_fields_has_no_gap_and_every_name_is_found)
{
	int i;

	CHECK_EQ(PIPA_RESULT_FIELDS, 55);
	for (i = 1; i <= PIPA_RESULT_FIELDS; i++) {
		CHECK(pipa_result_fields[i].name && pipa_result_fields[i].unit);
		CHECK_EQ(pipa_result_field_find(pipa_result_fields[i].name), i);
		CHECK_EQ(pipa_result_field_find(pipa_result_fields[i].key), i);
	}
	CHECK_EQ(pipa_result_field_find("%usr"), PIPA_RESULT_CPU_USR);
	CHECK_EQ(pipa_result_field_find("rkB/s"), PIPA_RESULT_RKB_S);
	CHECK_EQ(pipa_result_field_find("latency"), 0);
	CHECK_STR(pipa_result_sqlite_type(PIPA_RESULT_LIST), "TEXT");
	CHECK_STR(pipa_result_sqlite_type(PIPA_RESULT_UINT64), "INTEGER");
}

TEST(zero_is_a_value_only_with_explicit_presence)
{
	static const uint32_t cpus[] = { 36, 37 };
	struct pipa_result result = { 0 };

	pipa_result_set_number(&result, PIPA_RESULT_CYCLES, 7);
	CHECK(pipa_result_has(&result, PIPA_RESULT_CYCLES));
	pipa_result_set_number(&result, PIPA_RESULT_CYCLES, 0);
	CHECK(!pipa_result_has(&result, PIPA_RESULT_CYCLES));
	pipa_result_set_number(&result, PIPA_RESULT_KBDIRTY, 0);
	CHECK(pipa_result_has(&result, PIPA_RESULT_KBDIRTY));
	pipa_result_set_real(&result, PIPA_RESULT_CPI, -0.0);
	CHECK(!pipa_result_has(&result, PIPA_RESULT_CPI));
	pipa_result_set_real(&result, PIPA_RESULT_TPS, -0.0);
	CHECK(pipa_result_has(&result, PIPA_RESULT_TPS));
	CHECK(!signbit(result.values[PIPA_RESULT_TPS].real));
	pipa_result_set_string(&result, PIPA_RESULT_COMMENT, "");
	CHECK(pipa_result_has(&result, PIPA_RESULT_COMMENT));
	pipa_result_set_string(&result, PIPA_RESULT_COMMENT, NULL);
	CHECK(!pipa_result_has(&result, PIPA_RESULT_COMMENT));
	pipa_result_set_string(&result, PIPA_RESULT_WORKLOAD, "");
	CHECK(!pipa_result_has(&result, PIPA_RESULT_WORKLOAD));
	pipa_result_set_list(&result, cpus, 2);
	CHECK(pipa_result_has(&result, PIPA_RESULT_USED_THREADS));
	pipa_result_set_list(&result, cpus, 0);
	CHECK(!pipa_result_has(&result, PIPA_RESULT_USED_THREADS));
}

TEST(values_that_no_store_keeps_exactly_are_refused_by_name)
{
	struct pipa_result result = { 0 };
	struct pipa_error err;

	pipa_result_set_number(&result, PIPA_RESULT_CYCLES, INT64_MAX);
	CHECK_EQ(pipa_result_check(&result, &err), 0);
	pipa_result_set_number(&result, PIPA_RESULT_CYCLES, (uint64_t)INT64_MAX + 1);
	CHECK_EQ(pipa_result_check(&result, &err), -EINVAL);
	CHECK_STR(err.what, "cannot store a result: cycles is above 9223372036854775807");
	result = (struct pipa_result){ 0 };
	pipa_result_set_real(&result, PIPA_RESULT_TPS, NAN);
	CHECK_EQ(pipa_result_check(&result, &err), -EINVAL);
	CHECK_STR(err.what, "cannot store a result: tps is not a finite number");
	pipa_result_set_real(&result, PIPA_RESULT_TPS, INFINITY);
	CHECK_EQ(pipa_result_check(&result, &err), -EINVAL);
	result = (struct pipa_result){ 0 };
	pipa_result_set_text(&result, PIPA_RESULT_PLATFORM,
			     (struct pipa_span){ (const uint8_t *)"a\0b", 3 });
	CHECK_EQ(pipa_result_check(&result, &err), -EINVAL);
	CHECK_STR(err.what, "cannot store a result: platform has a NUL");
	pipa_result_set_string(&result, PIPA_RESULT_PLATFORM, "\xff");
	CHECK_EQ(pipa_result_check(&result, &err), -EINVAL);
	pipa_result_set_string(&result, PIPA_RESULT_PLATFORM, "\xe6\x9c\x8d\xef\xbf\xbf");
	CHECK_EQ(pipa_result_check(&result, &err), 0);
}

static ptrdiff_t parse(const char *text, uint32_t items[4])
{
	return pipa_result_parse_list((struct pipa_span){ (const uint8_t *)text, strlen(text) },
				      items, 4);
}

TEST(lists_are_written_as_python_does_and_read_back)
{
	static const uint32_t cpus[] = { 36, 37, UINT32_MAX };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	uint32_t items[4] = { 0 };

	pipa_result_put_list(&text, cpus, 3);
	CHECK_STR(pipa_buf_str(&text), "[36, 37, 4294967295]");
	CHECK_EQ(parse(pipa_buf_str(&text), items), 3);
	CHECK(memcmp(items, cpus, sizeof(cpus)) == 0);
	CHECK_EQ(parse("[]", items), 0);
	CHECK_EQ(parse(" [ 1,2 ,3] ", items), 3);
	CHECK_EQ(parse("[1, 2, 3, 4, 5, 6]", items), 6); /* more than fit are counted */
	CHECK_EQ(parse("", items), -1);
	CHECK_EQ(parse("[", items), -1);
	CHECK_EQ(parse("[1", items), -1);
	CHECK_EQ(parse("[1,]", items), -1);
	CHECK_EQ(parse("[,1]", items), -1);
	CHECK_EQ(parse("[1 2]", items), -1);
	CHECK_EQ(parse("[-1]", items), -1);
	CHECK_EQ(parse("[4294967296]", items), -1);
	CHECK_EQ(parse("[1]x", items), -1);
	CHECK_EQ(parse("36", items), -1);
}
