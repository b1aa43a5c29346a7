#include "codec/proto.h"

#include <errno.h>
#include <stdlib.h>

#include "base/buf.h"
#include "codec/pprof_schema.h"
#include "lib/test.h"

/* Two samples, main and work called by main, with labels; go tool pprof reads it. */
static const char golden[] =
	"0a04080110020a0408031004121d0a0201021205038087a70e1a040809100a1a04080b100c1a04080d100e120a0a0102"
	"12050180ade2041a14080110808080021880a080022808380140014801220f0801100118a3828002220408011007220f"
	"0802100118d688800222040802100c2a0a080110061806200728052a0a0802100518052007280a3200320773616d706c"
	"65733205636f756e743203637075320b6e616e6f7365636f6e647332046d61696e3204776f726b3203612e63320a2f74"
	"6d702f612e6f75743206746872656164320b6d61696e2d746872656164320874726163655f6964322030616637363531"
	"3931366364343364643834343865623231316338303331396332077370616e5f69643210623761643662373136393230"
	"3333333132056279746573321768747470733a2f2f6578616d706c652e636f6d2f637075488080a8b1e39fe7cb175080"
	"94ebdc035a04080310046080ade20470037810";

static struct pipa_span from_hex(const char *hex, struct pipa_buf *out)
{
	unsigned int byte;

	for (; *hex; hex += 2) {
		const char digits[] = { hex[0], hex[1], '\0' };

		byte = (unsigned int)strtoul(digits, NULL, 16);
		pipa_buf_putc(out, (char)byte);
	}
	return (struct pipa_span){ (const uint8_t *)pipa_buf_str(out), out->len };
}

static int put(void *ctx, const char *bytes, size_t len)
{
	pipa_buf_add(ctx, bytes, len);
	return 0;
}

static int decode(const struct pipa_proto_message *message, const char *hex, void *ret,
		  struct pipa_proto_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
	struct pipa_proto_memory memory = { 0 };
	int rc = pipa_proto_decode(message, from_hex(hex, &bytes), &memory, ret, err);

	pipa_proto_memory_done(&memory);
	return rc;
}

TEST(a_profile_is_decoded_and_encoded_again_byte_for_byte)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 }, again = { 0 };
	struct pipa_span span = from_hex(golden, &bytes);
	struct pipa_proto_memory memory = { 0 };
	struct pipa_pprof_profile profile;
	struct pipa_proto_writer w;
	struct pipa_proto_error err;

	CHECK_EQ(span.size, 355);
	CHECK_EQ(pipa_proto_decode(&pipa_pprof_profile_message, span, &memory, &profile, &err), 0);
	CHECK_EQ(profile.sample.n, 2);
	CHECK_EQ(profile.sample.items[0].location_id.n, 2);
	CHECK_EQ(profile.sample.items[0].value.items[1], 30000000);
	CHECK_EQ(profile.sample.items[0].label.n, 3);
	CHECK_EQ(profile.string_table.n, 17);
	CHECK_EQ(profile.period, 10000000);
	pipa_proto_writer_init(&w, put, &again);
	pipa_proto_put_message(&w, &pipa_pprof_profile_message, &profile);
	CHECK_EQ(pipa_proto_flush(&w), 0);
	CHECK(again.len == bytes.len && memcmp(again.data, bytes.data, bytes.len) == 0);
	pipa_proto_writer_done(&w);
	pipa_proto_memory_done(&memory);
}

TEST(repeated_numbers_are_read_packed_or_not)
{
	struct pipa_pprof_sample sample;
	struct pipa_proto_memory memory = { 0 };
	struct pipa_proto_error err;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };

	/* 1, then 2 and 3 packed, then an empty list, then 300 */
	CHECK_EQ(pipa_proto_decode(&pipa_pprof_sample_message,
				   from_hex("08010a0202030a0008ac02", &bytes), &memory, &sample,
				   &err),
		 0);
	CHECK_EQ(sample.location_id.n, 4);
	CHECK_EQ(sample.location_id.items[2], 3);
	CHECK_EQ(sample.location_id.items[3], 300);
	pipa_proto_memory_done(&memory);
}

TEST(packed_numbers_of_any_length_in_any_number_of_fields_are_one_list)
{
	static const size_t cuts[][3] = {
		{ 300, 300, 300 }, { 0, 0, 300 }, { 100, 100, 300 }, { 1, 299, 300 }
	};
	uint64_t values[300], state = 1;
	size_t i, k, shortest;

	for (shortest = 1; shortest < 64; shortest += 9)
		for (k = 0; k < PIPA_COUNT(cuts); k++) {
			PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
			struct pipa_proto_memory memory = { 0 };
			struct pipa_pprof_sample sample;
			struct pipa_proto_writer w;
			struct pipa_proto_error err;

			for (i = 0; i < 300; i++) {
				state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
				values[i] = (state | UINT64_C(1) << 63) >>
					    (state >> 20) % (65 - shortest);
			}
			pipa_proto_writer_init(&w, put, &out);
			pipa_proto_put_packed(&w, 1, values, cuts[k][0]);
			pipa_proto_put_packed(&w, 2, values, 3);
			pipa_proto_put_packed(&w, 1, values + cuts[k][0], cuts[k][1] - cuts[k][0]);
			for (i = cuts[k][1]; i < cuts[k][2]; i++) /* not packed */
				pipa_proto_put_always(&w, 1, values[i]);
			CHECK_EQ(pipa_proto_flush(&w), 0);
			CHECK_EQ(pipa_proto_decode(&pipa_pprof_sample_message,
						   (struct pipa_span){ (uint8_t *)out.data,
								       out.len },
						   &memory, &sample, &err),
				 0);
			CHECK_EQ(sample.location_id.n, 300);
			CHECK(memcmp(sample.location_id.items, values, sizeof(values)) == 0);
			CHECK_EQ(sample.value.n, 3);
			CHECK(memcmp(sample.value.items, values, 3 * sizeof(values[0])) == 0);
			pipa_proto_writer_done(&w);
			pipa_proto_memory_done(&memory);
		}
}

TEST(malformed_bytes_are_refused_with_their_offset)
{
	static const struct {
		const char *hex, *what;
		uint64_t offset;
	} cases[] = {
		{ "0a", "malformed varint in a length", 0 },
		{ "08010a05", "length exceeds the message", 2 },
		{ "0801ff", "malformed varint in a field's tag", 2 },
		{ "0880808080808080808080808001", "malformed varint", 0 },
		{ "02", "field number out of range", 0 },
		{ "0b", "unsupported wire type", 0 },
		{ "1801", "wrong wire type", 0 },
		{ "09000000", "fixed-size value exceeds the message", 0 },
		{ "0a0180", "repeated values end inside of one", 2 },
		{ "08011a030a0100", "wrong wire type", 4 },
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(cases); i++) {
		struct pipa_pprof_sample sample;
		struct pipa_proto_error err = { 0 };

		CHECK_EQ(decode(&pipa_pprof_sample_message, cases[i].hex, &sample, &err), -EBADMSG);
		CHECK_STR(err.what, cases[i].what);
		CHECK_EQ(err.offset, cases[i].offset);
	}
}

TEST(unknown_fields_are_skipped)
{
	struct pipa_pprof_line line;
	struct pipa_proto_error err;

	/* 50 varint, 51 fixed64, 52 bytes, 53 fixed32 around line 7 */
	CHECK_EQ(decode(&pipa_pprof_line_message,
			"900301990300000000000000001007a20302ffffad0300000000", &line, &err),
		 0);
	CHECK_EQ(line.line, 7);
}

TEST(the_limit_of_memory_is_kept)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
	struct pipa_proto_memory memory = { .max = 4096 };
	struct pipa_pprof_profile profile;
	struct pipa_proto_error err;
	size_t i;

	for (i = 0; i < 1000; i++)
		pipa_buf_add(&bytes, "\x12\0", 2);
	CHECK_EQ(pipa_proto_decode(&pipa_pprof_profile_message,
				   (struct pipa_span){ (const uint8_t *)bytes.data, bytes.len },
				   &memory, &profile, &err),
		 -E2BIG);
	pipa_proto_memory_done(&memory);
}

static void write_nested(struct pipa_proto_writer *w, const char *text, size_t len)
{
	size_t small;
	int i;

	pipa_proto_open(w, 1);
	for (i = 0; i < 3; i++) {
		pipa_proto_open(w, 2);
		small = pipa_proto_begin(w, 3);
		pipa_proto_put_bytes(w, 4, text, len);
		pipa_proto_end(w, small);
		pipa_proto_close(w);
	}
	pipa_proto_close(w);
	pipa_proto_put(w, 5, 1);
}

TEST(many_small_messages_do_not_enlarge_the_window)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	char text[1000] = { 0 };
	struct pipa_proto_writer w;
	size_t i, start;

	pipa_proto_writer_init(&w, put, &out);
	for (i = 0; i < 1000; i++) {
		start = pipa_proto_begin(&w, 1);
		pipa_proto_put_bytes(&w, 2, text, i);
		pipa_proto_end(&w, start);
	}
	CHECK_EQ(pipa_proto_flush(&w), 0);
	CHECK_EQ(w.cap, PIPA_PROTO_WINDOW);
	CHECK_EQ(w.total, out.len);
	pipa_proto_writer_done(&w);
}

TEST(large_messages_are_measured_before_they_are_written)
{
	static const size_t sizes[] = { 0, 1, 126, 127, 128, 16383, 16384, 70000 };
	size_t i, j;

	for (i = 0; i < PIPA_COUNT(sizes); i++) {
		PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 }, text = { 0 };
		struct pipa_proto_item item, inner;
		struct pipa_proto_error err;
		struct pipa_proto_writer w;
		struct pipa_cursor in, next;

		pipa_buf_fill(&text, 'x', sizes[i]);
		pipa_proto_writer_init(&w, put, &out);
		pipa_proto_measure(&w);
		write_nested(&w, pipa_buf_str(&text), sizes[i]);
		pipa_proto_write(&w);
		write_nested(&w, pipa_buf_str(&text), sizes[i]);
		CHECK_EQ(pipa_proto_flush(&w), 0);
		pipa_proto_writer_done(&w);

		in = pipa_span_cursor((struct pipa_span){ (const uint8_t *)out.data, out.len },
				      false);
		CHECK_EQ(pipa_proto_next(&in, &item, &err), 1);
		CHECK_EQ(item.number, 1);
		next = pipa_span_cursor(item.bytes, false);
		for (j = 0; j < 3; j++) {
			struct pipa_cursor deeper;

			CHECK_EQ(pipa_proto_next(&next, &inner, &err), 1);
			CHECK_EQ(inner.number, 2);
			deeper = pipa_span_cursor(inner.bytes, false);
			CHECK_EQ(pipa_proto_next(&deeper, &inner, &err), 1);
			deeper = pipa_span_cursor(inner.bytes, false);
			CHECK_EQ(pipa_proto_next(&deeper, &inner, &err), 1);
			CHECK_EQ(inner.bytes.size, sizes[i]);
		}
		CHECK_EQ(pipa_proto_next(&next, &inner, &err), 0);
		CHECK_EQ(pipa_proto_next(&in, &item, &err), 1);
		CHECK_EQ(item.number, 5);
		CHECK_EQ(pipa_proto_next(&in, &item, &err), 0);
	}
}

TEST(text_is_not_treated_as_a_profile)
{
	static const char *const texts[] = { "\n\nmain;work 12\n", "main;work 12\n",
					     "a 1 1.0: 3 cycles:\n\t 12 f (/a)\n", "", "\n" };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
	struct pipa_span span = from_hex(golden, &bytes);
	size_t i, cut;

	for (i = 0; i < PIPA_COUNT(texts); i++)
		CHECK(!pipa_proto_matches(
			&pipa_pprof_profile_message,
			(struct pipa_span){ (const uint8_t *)texts[i], strlen(texts[i]) }, true));
	CHECK(pipa_proto_matches(&pipa_pprof_profile_message, span, true));
	for (cut = 8; cut < span.size; cut++)
		CHECK(pipa_proto_matches(&pipa_pprof_profile_message,
					 (struct pipa_span){ span.data, cut }, false));
}
