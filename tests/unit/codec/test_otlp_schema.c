#include "codec/otlp_schema.h"

#include <errno.h>

#include "base/buf.h"
#include "lib/otlp_golden.h"
#include "lib/test.h"

static int put(void *ctx, const char *bytes, size_t len)
{
	pipa_buf_add(ctx, bytes, len);
	return 0;
}

/* Decode a message and encode it again; return whether the bytes are the same. */
static bool is_encoded_again(const struct pipa_proto_message *message, struct pipa_span bytes,
			     struct pipa_proto_memory *memory, void *ret)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf again = { 0 };
	struct pipa_proto_writer w;
	struct pipa_proto_error err;

	CHECK_EQ(pipa_proto_decode(message, bytes, memory, ret, &err), 0);
	pipa_proto_writer_init(&w, put, &again);
	pipa_proto_put_message(&w, message, ret);
	CHECK_EQ(pipa_proto_flush(&w), 0);
	pipa_proto_writer_done(&w);
	return again.len == bytes.size && memcmp(again.data, bytes.data, bytes.size) == 0;
}

static void check_sample(const struct pipa_otlp_data *data)
{
	const struct pipa_otlp_profile *profile =
		&data->resource_profiles.items[0].scope_profiles.items[0].profiles.items[0];
	const struct pipa_otlp_sample *sample = &profile->samples.items[0];

	CHECK_EQ(profile->samples.n, 1);
	CHECK_EQ(profile->time_unix_nano, 1700000000000000000);
	CHECK_EQ(profile->duration_nano, 1000000000);
	CHECK_EQ(profile->period, 50000000);
	CHECK_EQ(sample->stack_index, 1);
	CHECK_EQ(sample->link_index, 1);
	CHECK_EQ(sample->values.n, 1);
	CHECK_EQ(sample->values.items[0], 3);
	CHECK_EQ(sample->attribute_indices.n, 1);
	CHECK_EQ(sample->attribute_indices.items[0], 3);
}

TEST(the_golden_request_is_decoded_and_encoded_again_byte_for_byte)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
	struct pipa_span span = otlp_from_hex(otlp_golden, &bytes);
	struct pipa_proto_memory memory = { 0 };
	const struct pipa_otlp_dictionary *dictionary;
	struct pipa_otlp_data data;

	CHECK_EQ(span.size, 384);
	CHECK(is_encoded_again(&pipa_otlp_data_messages[PIPA_OTLP_1_10], span, &memory, &data));
	check_sample(&data);
	dictionary = data.dictionary;
	CHECK_EQ(dictionary->mapping_table.n, 2);
	CHECK_EQ(dictionary->location_table.n, 3);
	CHECK_EQ(dictionary->function_table.n, 3);
	CHECK_EQ(dictionary->link_table.n, 2);
	CHECK_EQ(dictionary->link_table.items[0].trace_id.size, 0);
	CHECK_EQ(dictionary->link_table.items[1].trace_id.size, 16);
	CHECK_EQ(dictionary->link_table.items[1].span_id.size, 8);
	CHECK_EQ(dictionary->string_table.n, 11);
	CHECK_EQ(dictionary->attribute_table.n, 4);
	CHECK_EQ(dictionary->attribute_table.items[3].value->which, PIPA_OTLP_STRING_VALUE);
	CHECK_EQ(dictionary->stack_table.n, 2);
	CHECK_EQ(dictionary->stack_table.items[1].location_indices.items[1], 2);
	pipa_proto_memory_done(&memory);
}

TEST(layout_1_9_has_other_field_numbers_in_samples)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 }, other = { 0 };
	struct pipa_span span = otlp_from_hex(otlp_golden_1_9, &bytes);
	struct pipa_proto_memory memory = { 0 };
	struct pipa_proto_error err;
	struct pipa_otlp_data data;

	CHECK(is_encoded_again(&pipa_otlp_data_messages[PIPA_OTLP_1_9], span, &memory, &data));
	check_sample(&data);
	pipa_proto_memory_done(&memory);

	/* the layouts differ in wire types: link_index is a varint, its number in the other a list */
	CHECK_EQ(pipa_proto_decode(&pipa_otlp_data_messages[PIPA_OTLP_1_10], span, &memory, &data,
				   &err),
		 -EBADMSG);
	pipa_proto_memory_done(&memory);
	CHECK_EQ(pipa_proto_decode(&pipa_otlp_data_messages[PIPA_OTLP_1_9],
				   otlp_from_hex(otlp_golden, &other), &memory, &data, &err),
		 -EBADMSG);
	pipa_proto_memory_done(&memory);
}

TEST(every_kind_of_attribute_value_is_decoded_and_encoded_again)
{
	/* an empty string, false, 0, 0.0, [1, {"k": "v"}], bytes, a string reference */
	static const struct {
		const char *hex;
		uint32_t which;
	} values[] = {
		{ "0a00", PIPA_OTLP_STRING_VALUE },
		{ "1000", PIPA_OTLP_BOOL_VALUE },
		{ "1800", PIPA_OTLP_INT_VALUE },
		{ "18ffffffffffffffffff01", PIPA_OTLP_INT_VALUE },
		{ "210000000000000000", PIPA_OTLP_DOUBLE_VALUE },
		{ "2a100a0218010a0a32080a060a016b12010a", 0 },
		{ "2a120a0218010a0c320a0a080a016b12030a0176", PIPA_OTLP_ARRAY_VALUE },
		{ "3a0300ff01", PIPA_OTLP_BYTES_VALUE },
		{ "4007", PIPA_OTLP_STRING_VALUE_STRINDEX },
	};
	struct pipa_proto_memory memory = { 0 };
	struct pipa_otlp_any_value value;
	size_t i;

	for (i = 0; i < PIPA_COUNT(values); i++) {
		PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
		struct pipa_span span = otlp_from_hex(values[i].hex, &bytes);
		struct pipa_proto_error err;

		if (!values[i].which) {
			CHECK_EQ(pipa_proto_decode(&pipa_otlp_any_value_message, span, &memory,
						   &value, &err),
				 -EBADMSG);
			continue;
		}
		CHECK(is_encoded_again(&pipa_otlp_any_value_message, span, &memory, &value));
		CHECK_EQ(value.which, values[i].which);
	}
	pipa_proto_memory_done(&memory);
}

TEST(a_response_and_a_status_with_a_delay_are_decoded)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf empty = { 0 }, bytes = { 0 };
	struct pipa_proto_memory memory = { 0 };
	struct pipa_otlp_response response;
	struct pipa_otlp_status status;
	struct pipa_otlp_retry_info retry;
	struct pipa_proto_error err;

	CHECK(is_encoded_again(&pipa_otlp_response_message, otlp_from_hex("0a00", &empty), &memory,
			       &response));
	CHECK(response.partial_success);
	/* code 14, "busy", RetryInfo of 2 s and 5 ns */
	CHECK(is_encoded_again(
		&pipa_otlp_status_message,
		otlp_from_hex("080e1204627573791a320a28747970652e676f6f676c65617069732e636f6d2f676f"
			      "6f676c652e7270632e5265747279496e666f12060a0408021005",
			      &bytes),
		&memory, &status));
	CHECK_EQ(status.code, 14);
	CHECK_EQ(status.details.n, 1);
	CHECK_EQ(status.details.items[0].type_url.size, strlen(PIPA_OTLP_RETRY_INFO_URL));
	CHECK_EQ(memcmp(status.details.items[0].type_url.data, PIPA_OTLP_RETRY_INFO_URL,
			strlen(PIPA_OTLP_RETRY_INFO_URL)),
		 0);
	CHECK_EQ(pipa_proto_decode(&pipa_otlp_retry_info_message, status.details.items[0].value,
				   &memory, &retry, &err),
		 0);
	CHECK_EQ(retry.retry_delay->seconds, 2);
	CHECK_EQ(retry.retry_delay->nanos, 5);
	pipa_proto_memory_done(&memory);
}
