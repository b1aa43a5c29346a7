#include "perf/record_fields.h"

#include <string.h>

#include "lib/test.h"
#include "perf/decode.h"

static const struct pipa_rec_field *find_field(const struct pipa_rec_field *fields, size_t n,
					       const char *name)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strcmp(fields[i].name, name) == 0)
			return &fields[i];
	return NULL;
}

static size_t decode_words(uint32_t type, const uint64_t *words, size_t n, uint64_t read_format,
			   struct pipa_rec_field *ret, bool *ret_complete)
{
	const struct pipa_perf_raw raw = { .type = type,
					   .body = (const uint8_t *)words,
					   .len = n * sizeof(*words) };

	return pipa_perf_record_fields(&raw, read_format, ret, ret_complete);
}

TEST(aux_records_have_three_fields)
{
	static const uint64_t words[] = { 1, 2, 3 };
	struct pipa_rec_field fields[PIPA_PERF_FIELDS_MAX];
	bool complete;

	CHECK_EQ(decode_words(11, words, 3, 0, fields, &complete), 3);
	CHECK(complete);
	CHECK_STR(fields[1].name, "aux_size");
	CHECK_EQ(fields[1].value, 2);
}

TEST(fields_after_the_end_of_a_record_are_left_out)
{
	static const uint64_t words[] = { 1, 2 };
	struct pipa_rec_field fields[PIPA_PERF_FIELDS_MAX];
	bool complete;

	CHECK_EQ(decode_words(11, words, 2, 0, fields, &complete), 2);
	CHECK(!complete);
}

TEST(namespaces_have_a_device_and_an_inode_each_and_their_number_is_not_trusted)
{
	static const uint64_t words[] = { 7 | UINT64_C(8) << 32, UINT64_MAX, 10, 11, 12, 13 };
	struct pipa_rec_field fields[PIPA_PERF_FIELDS_MAX];
	const struct pipa_rec_field *inode;
	bool complete;
	size_t n = decode_words(16, words, 6, 0, fields, &complete);

	CHECK_EQ(n, 7);
	inode = find_field(fields, n, "uts_ino");
	CHECK(inode && inode->value == 13);
	CHECK(!complete);
}

TEST(read_records_follow_the_read_format)
{
	static const uint64_t words[] = { 1 | UINT64_C(2) << 32, 100, 30, 40 };
	struct pipa_rec_field fields[PIPA_PERF_FIELDS_MAX];
	const struct pipa_rec_field *id;
	bool complete;
	size_t n = decode_words(8, words, 4, 1 | 4, fields, &complete);

	id = find_field(fields, n, "id");
	CHECK(id && id->value == 40);
	CHECK(!find_field(fields, n, "time_running"));
}

TEST(unknown_types_have_no_fields)
{
	static const uint64_t words[] = { 1 };
	struct pipa_rec_field fields[PIPA_PERF_FIELDS_MAX];
	bool complete;

	CHECK_EQ(decode_words(99, words, 1, 0, fields, &complete), 0);
	CHECK(!complete);
}
