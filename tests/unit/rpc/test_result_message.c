#include "rpc/result_message.h"

#include <errno.h>

#include "base/buf.h"
#include "base/error.h"
#include "codec/sha256.h"
#include "lib/test.h"
#include "rpc/result_hash.h"

static struct pipa_span span(const void *bytes, size_t size)
{
	return (struct pipa_span){ bytes, size };
}

static int decode(const void *bytes, size_t size, struct pipa_result *ret, struct pipa_error *err)
{
	static struct pipa_proto_memory memory;

	return pipa_rpc_decode_result(span(bytes, size), &memory, ret, err);
}

static void fill(struct pipa_result *result)
{
	static const uint32_t cpus[] = { 36, 37, 300 };
	int i;

	*result = (struct pipa_result){ 0 };
	for (i = 1; i <= PIPA_RESULT_FIELDS; i++)
		switch (pipa_result_fields[i].type) {
		case PIPA_RESULT_TEXT:
			pipa_result_set_string(result, (enum pipa_result_field)i,
					       pipa_result_fields[i].name);
			break;
		case PIPA_RESULT_UINT64:
			pipa_result_set_number(result, (enum pipa_result_field)i, UINT64_C(1) << i);
			break;
		case PIPA_RESULT_DOUBLE:
			pipa_result_set_real(result, (enum pipa_result_field)i, i / 3.0);
			break;
		case PIPA_RESULT_LIST: pipa_result_set_list(result, cpus, 3); break;
		}
}

static bool same(const struct pipa_result *a, const struct pipa_result *b)
{
	char left[PIPA_RESULT_HASH_CHARS + 1], right[PIPA_RESULT_HASH_CHARS + 1];

	return strcmp(pipa_result_hash(a, left), pipa_result_hash(b, right)) == 0;
}

TEST(result_is_decoded_as_it_was_encoded)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
	struct pipa_result result, again;
	struct pipa_error err;

	fill(&result);
	CHECK_EQ(pipa_rpc_encode_result(&result, &bytes), 0);
	CHECK_EQ(decode(bytes.data, bytes.len, &again, &err), 0);
	CHECK_EQ(again.set, result.set);
	CHECK_EQ(again.values[PIPA_RESULT_CYCLES].number, 1 << PIPA_RESULT_CYCLES);
	CHECK_EQ(again.values[PIPA_RESULT_USED_THREADS].list.n, 3);
	CHECK_EQ(again.values[PIPA_RESULT_USED_THREADS].list.items[2], 300);
	CHECK(same(&result, &again));
}

TEST(empty_message_is_a_result_without_values)
{
	struct pipa_result result = { .set = 1 };
	struct pipa_error err;

	CHECK_EQ(decode("", 0, &result, &err), 0);
	CHECK_EQ(result.set, 0);
}

TEST(unknown_fields_are_skipped_and_the_last_value_counts)
{
	/* 1000: "x", 99: fixed32, 98: fixed64, 6: 1, 6: 2, 1: "a", 1: "b" */
	static const uint8_t bytes[] = "\xc2\x3e\x01x\x9d\x06\1\2\3\4\x91\x06\1\2\3\4\5\6\7\x08"
				       "\x30\x01\x30\x02\x0a\x01"
				       "a\x0a\x01"
				       "b";
	struct pipa_result result;
	struct pipa_error err;

	CHECK_EQ(decode(bytes, sizeof(bytes) - 1, &result, &err), 0);
	CHECK_EQ(result.set, UINT64_C(1) << PIPA_RESULT_CYCLES | 1 << PIPA_RESULT_WORKLOAD);
	CHECK_EQ(result.values[PIPA_RESULT_CYCLES].number, 2);
	CHECK_EQ(result.values[PIPA_RESULT_WORKLOAD].text.data[0], 'b');
}

TEST(value_that_becomes_zero_again_is_not_set)
{
	struct pipa_result result;
	struct pipa_error err;

	CHECK_EQ(decode("\x30\x01\x30\x00", 4, &result, &err), 0); /* 6: 1, 6: 0 */
	CHECK_EQ(result.set, 0);
	CHECK_EQ(decode("\xc8\x01\x00", 3, &result, &err), 0); /* 25: 0, optional */
	CHECK(pipa_result_has(&result, PIPA_RESULT_KBMEMFREE));
}

TEST(threads_are_read_packed_and_unpacked)
{
	/* 36, [37, 300], 38 */
	static const uint8_t bytes[] = { 0x20, 36, 0x22, 3, 37, 0xac, 0x02, 0x20, 38 };
	struct pipa_result result;
	struct pipa_error err;

	CHECK_EQ(decode(bytes, sizeof(bytes), &result, &err), 0);
	CHECK_EQ(result.values[PIPA_RESULT_USED_THREADS].list.n, 4);
	CHECK_EQ(result.values[PIPA_RESULT_USED_THREADS].list.items[0], 36);
	CHECK_EQ(result.values[PIPA_RESULT_USED_THREADS].list.items[2], 300);
	CHECK_EQ(result.values[PIPA_RESULT_USED_THREADS].list.items[3], 38);
}

TEST(malformed_results_are_refused_and_leave_the_output)
{
	static const struct {
		const char *bytes;
		size_t size;
		const char *what;
	} cases[] = {
		{ "\x08\x01", 2, "cannot decode DeployRequest.workload: wrong wire type" },
		{ "\x32\x01x", 3, "cannot decode DeployRequest.cycles: wrong wire type" },
		{ "\x18\x01", 2, "cannot decode DeployRequest.throughput: wrong wire type" },
		{ "\x21\1\2\3\4\5\6\7\x08", 9, "cannot decode DeployRequest.used_threads: wrong" },
		{ "\x0a\x02\xc3(", 4,
		  "cannot decode DeployRequest.workload: the text is not UTF-8" },
		{ "\x0a\x05"
		  "ab",
		  4, "cannot decode DeployRequest: length exceeds the message" },
		{ "\x30\xff\xff", 3, "cannot decode DeployRequest: malformed varint" },
		{ "\x22\x02\x01\xff", 4, "cannot decode DeployRequest.used_threads: repeated" },
		{ "\x07", 1, "cannot decode DeployRequest: field number out of range" },
		{ "\x0b", 1, "cannot decode DeployRequest: unsupported wire type" },
	};
	struct pipa_result result = { .set = 42 };
	struct pipa_error err;
	size_t i;

	for (i = 0; i < PIPA_COUNT(cases); i++) {
		CHECK_EQ(decode(cases[i].bytes, cases[i].size, &result, &err), -EBADMSG);
		CHECK_HAS(err.what, cases[i].what);
		CHECK_EQ(result.set, 42);
	}
}

TEST(list_of_too_many_threads_is_refused)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
	struct pipa_result result;
	struct pipa_error err;
	size_t n = PIPA_RPC_THREADS_MAX + 1;

	pipa_buf_add(&bytes, "\x22\x81\x80\x04", 4); /* 65537 bytes */
	pipa_buf_fill(&bytes, 1, n);
	CHECK_EQ(decode(bytes.data, bytes.len, &result, &err), -E2BIG);
	CHECK_HAS(err.what, "used_threads");
}

/* The documented bytes (docs/format/results.md), whose sum another program computed. */
TEST(hash_is_that_of_the_documented_bytes)
{
	static const uint32_t cpus[] = { 36, 37 };
	char hash[PIPA_RESULT_HASH_CHARS + 1];
	struct pipa_result result = { 0 };

	CHECK_STR(pipa_result_hash(&result, hash),
		  "f8e0fed695b2080169bf91c4be88df48e7eefe6e14f53c35c0c81f930d147221");
	pipa_result_set_string(&result, PIPA_RESULT_WORKLOAD, "rocksdb");
	pipa_result_set_number(&result, PIPA_RESULT_TRANSACTIONS, 7561946);
	pipa_result_set_list(&result, cpus, 2);
	pipa_result_set_real(&result, PIPA_RESULT_CPI, 1.5);
	pipa_result_set_real(&result, PIPA_RESULT_CPU_USR, 0);
	pipa_result_set_string(&result, PIPA_RESULT_COMMENT, "");
	CHECK_STR(pipa_result_hash(&result, hash),
		  "3ef0e9020030c4824b156c1443700e41332b4c231029a928d4b15e9cd4ef75e0");
}

/* Texts of any length, up to those that do not fit into the window that gathers the bytes. */
TEST(hash_of_long_texts_is_that_of_the_documented_bytes)
{
	char hash[PIPA_RESULT_HASH_CHARS + 1], sum[PIPA_SHA256_CHARS + 1], text[1200];
	uint8_t digest[PIPA_SHA256_SIZE];
	size_t n;

	for (n = 0; n < sizeof(text); n++)
		text[n] = (char)('a' + n % 26);
	for (n = 1; n <= sizeof(text); n += 7) {
		PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
		struct pipa_result result = { 0 };
		uint64_t size = n;
		int i;

		pipa_buf_add(&bytes, "pipa-result/1", sizeof("pipa-result/1"));
		for (i = PIPA_RESULT_WORKLOAD; i <= PIPA_RESULT_COMMENT; i++) {
			if (i != PIPA_RESULT_WORKLOAD && i != PIPA_RESULT_COMMENT)
				continue;
			pipa_result_set_text(&result, (enum pipa_result_field)i,
					     (struct pipa_span){ (uint8_t *)text, n });
			pipa_buf_putc(&bytes, (char)i);
			pipa_buf_add(&bytes, &size,
				     sizeof(size)); /* little-endian, as the machine */
			pipa_buf_add(&bytes, text, n);
		}
		pipa_sha256(bytes.data, bytes.len, digest);
		CHECK_STR(pipa_result_hash(&result, hash), pipa_sha256_hex(digest, sum));
	}
}

TEST(hash_depends_on_every_field_and_on_presence)
{
	char hash[PIPA_RESULT_HASH_CHARS + 1], other[PIPA_RESULT_HASH_CHARS + 1];
	struct pipa_result result, changed;
	int i;

	fill(&result);
	pipa_result_hash(&result, hash);
	for (i = 1; i <= PIPA_RESULT_FIELDS; i++) {
		changed = result;
		changed.set &= ~(UINT64_C(1) << i);
		CHECK(strcmp(pipa_result_hash(&changed, other), hash) != 0);
		changed = result;
		changed.values[i].number ^= 1; /* the number, the bits, the pointer's bits */
		if (pipa_result_fields[i].type == PIPA_RESULT_TEXT)
			changed.values[i].text = (struct pipa_span){
				result.values[i].text.data, result.values[i].text.size - 1
			};
		if (pipa_result_fields[i].type == PIPA_RESULT_LIST) {
			changed.values[i] = result.values[i];
			changed.values[i].list.n--;
		}
		CHECK(strcmp(pipa_result_hash(&changed, other), hash) != 0);
	}
}
