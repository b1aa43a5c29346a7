#include "codec/proto_json.h"

#include <errno.h>
#include <stdlib.h>

#include "base/buf.h"
#include "codec/otlp_schema.h"
#include "codec/pprof_schema.h"
#include "lib/otlp_golden.h"
#include "lib/test.h"

/* ---- a message with a field of every type ------------------------------------------------------ */

struct every {
	uint64_t address;
	int64_t delta;
	uint32_t dropped_count;
	int32_t key_strindex;
	bool is_folded;
	uint64_t time_unix_nano;
	double load;
	struct pipa_span name, payload, trace_id;
	struct every *inner;
	PIPA_PROTO_LIST(int64_t) values;
	PIPA_PROTO_LIST(uint64_t) times;
	PIPA_PROTO_LIST(struct pipa_span) names;
	PIPA_PROTO_LIST(struct every) parts;
	struct pipa_span string_value;
	int64_t int_value;
	double double_value;
	bool bool_value;
	uint32_t which;
};

static const struct pipa_proto_message every_message;
static const struct pipa_proto_field every_fields[] = {
	PIPA_PROTO_FIELD(every, 1, UINT64, address),
	PIPA_PROTO_FIELD(every, 2, INT64, delta),
	PIPA_PROTO_FIELD(every, 3, UINT32, dropped_count),
	PIPA_PROTO_FIELD(every, 4, INT32, key_strindex),
	PIPA_PROTO_FIELD(every, 5, BOOL, is_folded),
	PIPA_PROTO_FIELD(every, 6, FIXED64, time_unix_nano),
	PIPA_PROTO_FIELD(every, 7, DOUBLE, load),
	PIPA_PROTO_FIELD(every, 8, STRING, name),
	PIPA_PROTO_FIELD(every, 9, BYTES, payload),
	PIPA_PROTO_FIELD(every, 10, ID, trace_id),
	PIPA_PROTO_SUB(every, 11, inner, every_message),
	PIPA_PROTO_REPEATED(every, 12, INT64, values),
	PIPA_PROTO_REPEATED(every, 13, FIXED64, times),
	PIPA_PROTO_REPEATED(every, 14, STRING, names),
	PIPA_PROTO_SUBS(every, 15, parts, every_message),
	PIPA_PROTO_ONEOF(every, 16, STRING, string_value),
	PIPA_PROTO_ONEOF(every, 17, INT64, int_value),
	PIPA_PROTO_ONEOF(every, 18, DOUBLE, double_value),
	PIPA_PROTO_ONEOF(every, 19, BOOL, bool_value),
};
static const struct pipa_proto_message every_message = { .name = "Every",
							 .fields = every_fields,
							 .n_fields = PIPA_COUNT(every_fields),
							 .size = sizeof(struct every),
							 .which = offsetof(struct every, which) };

/* ---- helpers ----------------------------------------------------------------------------------- */

static struct pipa_span span_of(const struct pipa_buf *buf)
{
	return (struct pipa_span){ (const uint8_t *)pipa_buf_str(buf), buf->len };
}

static void add_hex(struct pipa_buf *out, const char *hex)
{
	for (; *hex; hex += 2) {
		const char digits[] = { hex[0], hex[1], '\0' };

		pipa_buf_putc(out, (char)strtoul(digits, NULL, 16));
	}
}

static int put(void *ctx, const char *text, size_t len)
{
	pipa_buf_add(ctx, text, len);
	return 0;
}

/* Convert text to protobuf bytes. */
static int read_text(const struct pipa_proto_message *message, const char *text,
		     struct pipa_buf *out, struct pipa_proto_error *err)
{
	struct pipa_span span = { (const uint8_t *)text, strlen(text) };

	return pipa_proto_json_read(message, span, out, NULL, err);
}

static int write_pieces(const struct pipa_proto_message *message, const struct pipa_buf *bytes,
			size_t piece, struct pipa_buf *out)
{
	struct pipa_proto_json *json = pipa_proto_json_new(message, put, out);
	size_t at, n;
	int rc = json ? 0 : -ENOMEM;

	for (at = 0; !rc && at < bytes->len; at += n) {
		n = bytes->len - at < piece ? bytes->len - at : piece;
		rc = pipa_proto_json_put(json, bytes->data + at, n);
	}
	if (json && !rc)
		rc = pipa_proto_json_end(json);
	pipa_proto_json_free(json);
	return rc;
}

/* Check that the text becomes protobuf and again the same text, at once and in pieces. */
static void check_same_text(const char *text)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 }, again = { 0 }, pieces = { 0 };
	struct pipa_proto_error err;

	CHECK_EQ(read_text(&every_message, text, &bytes, &err), 0);
	CHECK_EQ(pipa_proto_json_write(&every_message, span_of(&bytes), put, &again, &err), 0);
	CHECK_STR(pipa_buf_str(&again), text);
	CHECK_EQ(write_pieces(&every_message, &bytes, 1, &pieces), 0);
	CHECK_STR(pipa_buf_str(&pieces), text);
}

/* Check that `text` means the same as `canonical`. */
static void check_canonical(const char *text, const char *canonical)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 }, again = { 0 };
	struct pipa_proto_error err = { 0 };

	CHECK_EQ(read_text(&every_message, text, &bytes, &err), 0);
	CHECK_EQ(pipa_proto_json_write(&every_message, span_of(&bytes), put, &again, &err), 0);
	CHECK_STR(pipa_buf_str(&again), canonical);
}

/* ---- tests ------------------------------------------------------------------------------------- */

TEST(every_type_is_written_and_read_again)
{
	check_same_text("{}");
	check_same_text("{\"address\":\"18446744073709551615\",\"delta\":\"-9223372036854775808\","
			"\"droppedCount\":4294967295,\"keyStrindex\":-2147483648,\"isFolded\":true,"
			"\"timeUnixNano\":\"1700000000000000000\",\"load\":0.1,\"name\":\"a.out\","
			"\"payload\":\"AAEC/w==\",\"traceId\":\"0af7651916cd43dd8448eb211c80319c\","
			"\"inner\":{},\"values\":[\"-1\",\"0\",\"9223372036854775807\"],"
			"\"times\":[\"0\",\"18446744073709551615\"],\"names\":[\"\",\"b\"],"
			"\"parts\":[{},{\"inner\":{\"isFolded\":true}}],\"stringValue\":\"\"}");
	check_same_text("{\"intValue\":\"0\"}");
	check_same_text("{\"doubleValue\":0}");
	check_same_text("{\"doubleValue\":\"NaN\"}");
	check_same_text("{\"doubleValue\":\"-Infinity\"}");
	check_same_text("{\"doubleValue\":1.7976931348623157e+308}");
	check_same_text("{\"boolValue\":false}");
}

TEST(defaults_null_and_other_spellings_are_read)
{
	check_canonical(" { \"address\" : 0 , \"name\" : \"\" , \"values\" : [ ] } ", "{}");
	check_canonical("{\"address\":null,\"inner\":null,\"values\":null}", "{}");
	check_canonical("{\"address\":18446744073709551615}",
			"{\"address\":\"18446744073709551615\"}");
	check_canonical("{\"address\":1.8446744073709551615e19}",
			"{\"address\":\"18446744073709551615\"}");
	check_canonical("{\"delta\":-25.0,\"keyStrindex\":\"2.50e1\"}",
			"{\"delta\":\"-25\",\"keyStrindex\":25}");
	check_canonical("{\"delta\":1000e-3,\"address\":0e999999999999}", "{\"delta\":\"1\"}");
	check_canonical("{\"payload\":\"-_8\"}", "{\"payload\":\"+/8=\"}");
	check_canonical("{\"traceId\":\"ABcd\"}", "{\"traceId\":\"abcd\"}");
	check_canonical("{\"load\":\"1.5\",\"doubleValue\":\"\\u0032\"}",
			"{\"load\":1.5,\"doubleValue\":2}");
}

TEST(strings_are_escaped_and_surrogate_pairs_are_joined)
{
	check_same_text("{\"name\":\"\\\"\\\\\\b\\t\\n\\f\\r\\u0000\\u001f\"}");
	check_canonical("{\"name\":\"\\u00e4\\u20ac\\ud83d\\ude00\\/\"}",
			"{\"name\":\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80/\"}");
}

TEST(bytes_that_are_not_utf8_become_replacement_characters)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 }, text = { 0 };
	struct pipa_proto_error err;

	add_hex(&bytes, "4205"
			"61ff62e282"); /* name: 'a', ff, 'b', the start of a character */
	CHECK_EQ(pipa_proto_json_write(&every_message, span_of(&bytes), put, &text, &err), 0);
	CHECK_STR(pipa_buf_str(&text), "{\"name\":\"a\xef\xbf\xbd"
				       "b\xef\xbf\xbd\xef\xbf\xbd\"}");
}

TEST(unknown_keys_are_skipped_and_counted)
{
	static const char text[] =
		"{\"isFolded\":true,\"other\":[1,{\"a\":[true,null,-1e5]},\"]\"],"
		"\"is_folded\":3,\"inner\":{\"more\":{}}}";
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	struct pipa_proto_json_unknown unknown = { 0 };
	struct pipa_proto_error err;

	CHECK_EQ(pipa_proto_json_read(&every_message,
				      (struct pipa_span){ (const uint8_t *)text, strlen(text) },
				      &out, &unknown, &err),
		 0);
	CHECK_EQ(unknown.n, 3);
	CHECK_EQ(unknown.offset, 17);
	CHECK(unknown.message == &every_message);
	CHECK_EQ(out.len, 4);
}

TEST(malformed_json_is_refused_with_its_offset)
{
	static const struct {
		const char *text, *what;
		uint64_t offset;
	} cases[] = {
		{ "", "expected an object", 0 },
		{ "[]", "expected an object", 0 },
		{ "{\"name\":\"a\"", "expected ',' or '}'", 11 },
		{ "{\"name\":\"a\"} x", "text after the end of the object", 13 },
		{ "{\"name\":\"a", "unterminated string", 8 },
		{ "{\"name\":3}", "expected a string", 8 },
		{ "{name:3}", "expected a string", 1 },
		{ "{\"name\" 3}", "expected ':'", 8 },
		{ "{\"name\":\"\\x\"}", "invalid escape in a string", 9 },
		{ "{\"name\":\"\\u12g4\"}", "invalid escape in a string", 9 },
		{ "{\"name\":\"\\ud800\"}", "unpaired surrogate in a string", 9 },
		{ "{\"name\":\"\\ud800\\u0041\"}", "unpaired surrogate in a string", 9 },
		{ "{\"name\":\"\\udc00\"}", "unpaired surrogate in a string", 9 },
		{ "{\"name\":\"a\nb\"}", "control character in a string", 10 },
		{ "{\"name\":\"a\xff\"}", "invalid UTF-8", 10 },
		{ "{\"name\":\"\xed\xa0\x80\"}", "invalid UTF-8", 9 },
		{ "{\"address\":-1}", "number out of range", 11 },
		{ "{\"address\":18446744073709551616}", "number is not an integer of 64 bits", 11 },
		{ "{\"address\":1e20}", "number is not an integer of 64 bits", 11 },
		{ "{\"address\":1.5}", "number is not an integer of 64 bits", 11 },
		{ "{\"address\":01}", "expected ',' or '}'", 12 },
		{ "{\"address\":.5}", "malformed number", 11 },
		{ "{\"address\":\"\"}", "expected a number", 12 },
		{ "{\"address\":\"1 \"}", "expected a number", 14 },
		{ "{\"delta\":9223372036854775808}", "number out of range", 9 },
		{ "{\"keyStrindex\":2147483648}", "number out of range", 15 },
		{ "{\"isFolded\":1}", "expected true or false", 12 },
		{ "{\"load\":1e999}", "number out of range", 8 },
		{ "{\"payload\":\"a\"}", "malformed base64", 11 },
		{ "{\"payload\":\"aa=a\"}", "malformed base64", 11 },
		{ "{\"traceId\":\"abc\"}", "odd number of hexadecimal digits", 11 },
		{ "{\"traceId\":\"xx\"}", "expected hexadecimal digits", 11 },
		{ "{\"values\":3}", "expected an array", 10 },
		{ "{\"values\":[1,]}", "malformed number", 13 },
		{ "{\"values\":[null]}", "malformed number", 11 },
		{ "{\"parts\":[{}", "expected ',' or ']'", 12 },
		{ "{\"inner\":[]}", "expected an object", 9 },
		{ "{\"name\":\"\",\"name\":\"\"}", "key occurs twice", 11 },
		{ "{\"intValue\":1,\"boolValue\":true}",
		  "another field of the oneof is set already", 14 },
		{ "{\"x\":tru}", "expected a value", 5 },
		{ "{\"x\":[1}", "expected ',' or the end of the value", 7 },
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(cases); i++) {
		PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
		struct pipa_proto_error err = { 0 };

		CHECK_EQ(read_text(&every_message, cases[i].text, &out, &err), -EBADMSG);
		CHECK_STR(err.what, cases[i].what);
		CHECK_EQ(err.offset, cases[i].offset);
	}
}

TEST(depth_and_size_are_limited)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf deep = { 0 }, unknown = { 0 }, out = { 0 };
	struct pipa_buf small = { .max = 100 };
	struct pipa_proto_error err;
	size_t i;

	pipa_buf_puts(&unknown, "{\"x\":");
	for (i = 0; i < 100000; i++) {
		pipa_buf_puts(&deep, "{\"inner\":");
		pipa_buf_putc(&unknown, '[');
	}
	CHECK_EQ(read_text(&every_message, pipa_buf_str(&deep), &out, &err), -E2BIG);
	CHECK_EQ(read_text(&every_message, pipa_buf_str(&unknown), &out, &err), -E2BIG);
	pipa_buf_reset(&deep);
	pipa_buf_puts(&deep, "{\"name\":\"");
	pipa_buf_fill(&deep, 'a', 200);
	pipa_buf_puts(&deep, "\"}");
	CHECK_EQ(read_text(&every_message, pipa_buf_str(&deep), &small, &err), -EFBIG);
	pipa_buf_done(&small);
	pipa_buf_reset(&out);
	for (i = 0; i < 65; i++) { /* inner messages, from the innermost */
		struct pipa_buf whole = { 0 };

		pipa_buf_putc(&whole, 11 << 3 | 2);
		if (out.len >= 128)
			pipa_buf_putc(&whole, (char)(out.len | 128));
		pipa_buf_putc(&whole, (char)(out.len >= 128 ? out.len >> 7 : out.len));
		pipa_buf_add(&whole, pipa_buf_str(&out), out.len);
		pipa_buf_done(&out);
		out = whole;
	}
	pipa_buf_reset(&deep);
	CHECK_EQ(pipa_proto_json_write(&every_message, span_of(&out), put, &deep, &err), -E2BIG);
}

TEST(fields_that_are_not_contiguous_become_one_array)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 }, text = { 0 };
	struct pipa_proto_error err;

	/* values 1; names "a"; values 2 and 3 packed; key_strindex 4, then 5; int_value 1, bool_value */
	add_hex(&bytes, "6001"
			"720161"
			"62020203"
			"2004"
			"2005"
			"880101"
			"980101"
			"980100");
	CHECK_EQ(pipa_proto_json_write(&every_message, span_of(&bytes), put, &text, &err), 0);
	CHECK_STR(pipa_buf_str(&text), "{\"values\":[\"1\",\"2\",\"3\"],\"names\":[\"a\"],"
				       "\"keyStrindex\":5,\"boolValue\":false}");
}

TEST(malformed_protobuf_is_refused_with_its_offset)
{
	static const struct {
		const char *hex, *what;
		uint64_t offset;
	} cases[] = {
		{ "2001ff", "malformed varint in a field's tag", 2 },
		{ "20015a030a0100", "wrong wire type", 4 },
		{ "200142", "malformed varint in a length", 2 },
		{ "42054141", "length exceeds the message", 0 },
		{ "02", "field number out of range", 0 },
		{ "620180", "malformed varint in repeated values", 2 },
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(cases); i++) {
		PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 }, text = { 0 };
		struct pipa_proto_error err = { 0 };

		add_hex(&bytes, cases[i].hex);
		CHECK_EQ(pipa_proto_json_write(&every_message, span_of(&bytes), put, &text, &err),
			 -EBADMSG);
		CHECK_STR(err.what, cases[i].what);
		CHECK_EQ(err.offset, cases[i].offset);
		pipa_buf_reset(&text);
		CHECK_EQ(write_pieces(&every_message, &bytes, 1, &text), -EBADMSG);
		CHECK_EQ(write_pieces(&every_message, &bytes, 1000, &text), -EBADMSG);
	}
}

/* Two parts of 200 KB each with many values and names, in a message of 400 KB. */
static void make_large(struct pipa_buf *text)
{
	int part, i;

	pipa_buf_puts(text, "{\"inner\":{\"parts\":[");
	for (part = 0; part < 2; part++) {
		pipa_buf_puts(text, part ? ",{\"values\":[\"1\"" : "{\"values\":[\"1\"");
		for (i = 0; i < 30000; i++)
			pipa_buf_printf(text, ",\"%d\"", i * 77);
		pipa_buf_puts(text, "],\"names\":[\"\"");
		for (i = 0; i < 10000; i++)
			pipa_buf_printf(text, ",\"name %d\"", i);
		pipa_buf_puts(text, "],\"parts\":[{}");
		for (i = 0; i < 2000; i++)
			pipa_buf_printf(text, ",{\"keyStrindex\":%d}", i + 1);
		pipa_buf_puts(text, "],\"boolValue\":false}");
	}
	pipa_buf_puts(text, "]},\"intValue\":\"5\"}");
}

TEST(a_large_message_in_pieces_gives_the_same_text)
{
	static const size_t pieces[] = { 1, 7, 4096, 65536, 100000, 1 << 20 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 }, bytes = { 0 }, again = { 0 };
	struct pipa_proto_error err;
	size_t i;

	make_large(&text);
	CHECK_EQ(read_text(&every_message, pipa_buf_str(&text), &bytes, &err), 0);
	CHECK(bytes.len > 400000);
	CHECK_EQ(pipa_proto_json_write(&every_message, span_of(&bytes), put, &again, &err), 0);
	CHECK(again.len == text.len && memcmp(again.data, text.data, text.len) == 0);
	for (i = 0; i < PIPA_COUNT(pieces); i++) {
		pipa_buf_reset(&again);
		CHECK_EQ(write_pieces(&every_message, &bytes, pieces[i], &again), 0);
		CHECK(again.len == text.len && memcmp(again.data, text.data, text.len) == 0);
	}
	bytes.len--;
	CHECK_EQ(write_pieces(&every_message, &bytes, 4096, &again), -EBADMSG);
}

TEST(a_pprof_profile_survives_json_byte_for_byte)
{
	static const char golden[] =
		"0a04080110020a0408031004121d0a0201021205038087a70e1a040809100a1a04080b100c1a04080d100e120a0a0102"
		"12050180ade2041a14080110808080021880a080022808380140014801220f0801100118a3828002220408011007220f"
		"0802100118d688800222040802100c2a0a080110061806200728052a0a0802100518052007280a3200320773616d706c"
		"65733205636f756e743203637075320b6e616e6f7365636f6e647332046d61696e3204776f726b3203612e63320a2f74"
		"6d702f612e6f75743206746872656164320b6d61696e2d746872656164320874726163655f6964322030616637363531"
		"3931366364343364643834343865623231316338303331396332077370616e5f69643210623761643662373136393230"
		"3333333132056279746573321768747470733a2f2f6578616d706c652e636f6d2f637075488080a8b1e39fe7cb175080"
		"94ebdc035a04080310046080ade20470037810";
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 }, text = { 0 }, again = { 0 };
	struct pipa_proto_error err;

	add_hex(&bytes, golden);
	CHECK_EQ(pipa_proto_json_write(&pipa_pprof_profile_message, span_of(&bytes), put, &text,
				       &err),
		 0);
	CHECK(pipa_proto_json_matches(&pipa_pprof_profile_message, span_of(&text)));
	CHECK_EQ(read_text(&pipa_pprof_profile_message, pipa_buf_str(&text), &again, &err), 0);
	CHECK(again.len == bytes.len && memcmp(again.data, bytes.data, bytes.len) == 0);
}

TEST(the_golden_request_survives_json_byte_for_byte)
{
	static const char start[] =
		"{\"resourceProfiles\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\","
		"\"value\":{\"stringValue\":\"demo\"}}]},\"scopeProfiles\":[{\"scope\":{\"name\":"
		"\"t\"},\"profiles\":[{\"sampleType\":{\"typeStrindex\":1,\"unitStrindex\":2},"
		"\"samples\":[{\"stackIndex\":1,\"attributeIndices\":[3],\"linkIndex\":1,"
		"\"values\":[\"3\"]}],\"timeUnixNano\":\"1700000000000000000\","
		"\"durationNano\":\"1000000000\",";
	const struct pipa_proto_message *message = &pipa_otlp_data_messages[PIPA_OTLP_1_10];
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 }, text = { 0 }, again = { 0 };
	struct pipa_proto_error err;

	otlp_from_hex(otlp_golden, &bytes);
	CHECK_EQ(pipa_proto_json_write(message, span_of(&bytes), put, &text, &err), 0);
	CHECK_EQ(text.len, 1330);
	CHECK(strncmp(text.data, start, strlen(start)) == 0);
	CHECK(strstr(text.data, "{\"traceId\":\"0af7651916cd43dd8448eb211c80319c\","
				"\"spanId\":\"b7ad6b7169203331\"}"));
	CHECK(pipa_proto_json_matches(message, span_of(&text)));
	CHECK_EQ(read_text(message, pipa_buf_str(&text), &again, &err), 0);
	CHECK(again.len == bytes.len && memcmp(again.data, bytes.data, bytes.len) == 0);
}
