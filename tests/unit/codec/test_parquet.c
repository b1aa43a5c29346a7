#include "codec/parquet.h"

#include <errno.h>

#include "base/buf.h"
#include "base/leb.h"
#include "codec/parquet_pages.h"
#include "codec/thrift.h"
#include "codec/varint.h"
#include "lib/test.h"

TEST(thrift_fields_follow_the_compact_protocol)
{
	static const unsigned char expected[] = {
		0x15, 0x02,		      /* 1: i32 1 */
		0x26, 0x01,		      /* 3: i64 -1 */
		0x11,			      /* 4: true */
		0x18, 0x01, 'x',	      /* 5: string */
		0x19, 0x25, 0x00, 0x06,	      /* 6: list of two i32: 0, 3 */
		0x1c, 0x13, 0x20, 0x12, 0x00, /* 7: struct { 1: i8 32, 2: false } */
		0x08, 0x80, 0x01, 0x00,	      /* 64: empty binary, with a long header */
		0x00,
	};
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	struct pipa_thrift t = { .out = &out };

	pipa_thrift_int(&t, 1, PIPA_THRIFT_I32, 1);
	pipa_thrift_int(&t, 3, PIPA_THRIFT_I64, -1);
	pipa_thrift_bool(&t, 4, true);
	pipa_thrift_string(&t, 5, "x");
	pipa_thrift_list(&t, 6, PIPA_THRIFT_I32, 2);
	pipa_thrift_element_int(&t, 0);
	pipa_thrift_element_int(&t, 3);
	pipa_thrift_begin(&t, 7);
	pipa_thrift_i8(&t, 1, 32);
	pipa_thrift_bool(&t, 2, false);
	pipa_thrift_end(&t);
	pipa_thrift_binary(&t, 64, "", 0);
	pipa_thrift_end(&t);
	CHECK_EQ(out.len, sizeof(expected));
	CHECK(memcmp(out.data, expected, sizeof(expected)) == 0);
}

TEST(long_thrift_lists_have_their_length_after_the_header)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	struct pipa_thrift t = { .out = &out };

	pipa_thrift_list(&t, 1, PIPA_THRIFT_I32, 21);
	CHECK_EQ(out.len, 3);
	CHECK(memcmp(out.data, "\x19\xf5\x15", 3) == 0);
}

static bool packs_to(const uint32_t *values, size_t n, unsigned int width, const char *expected,
		     size_t len)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };

	pipa_parquet_pack_runs(&out, values, n, width);
	return out.len == len && memcmp(out.data, expected, len) == 0;
}

TEST(short_runs_are_bit_packed_and_long_ones_counted)
{
	static const uint32_t mixed[] = { 0, 1, 1, 0, 1, 1, 1, 1 };
	static const uint32_t rising[] = { 0, 1, 2, 3, 0, 1, 2, 3 };
	uint32_t same[20];
	size_t i;

	for (i = 0; i < PIPA_COUNT(same); i++)
		same[i] = 1;
	CHECK(packs_to(mixed, 8, 1, "\x03\xf6", 2));
	CHECK(packs_to(rising, 8, 2, "\x03\xe4\xe4", 3));
	CHECK(packs_to(same, 20, 1, "\x28\x01", 2));
}

static uint64_t get_bits(const unsigned char *from, size_t at, unsigned int width)
{
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < width; i++)
		value |= (uint64_t)(from[(at + i) / 8] >> (at + i) % 8 & 1) << i;
	return value;
}

/* Decode a hybrid stream as the format describes it; returns how many values it has, padding included. */
static size_t unpack_runs(struct pipa_cursor *c, unsigned int width, uint32_t *values, size_t most)
{
	size_t n = 0, i;

	while (n < most && c->pos < c->end) {
		uint64_t head = pipa_get_uleb(c), count = head >> 1;

		if (head & 1) {
			for (i = 0; i < count * 8 && n < most; i++)
				values[n++] = (uint32_t)get_bits(c->pos, i * width, width);
			c->pos += count * width;
		} else {
			uint32_t value = (uint32_t)pipa_le_get(c->pos, (width + 7) / 8);

			c->pos += (width + 7) / 8;
			for (i = 0; i < count && n < most; i++)
				values[n++] = value;
		}
	}
	return n;
}

TEST(runs_of_every_width_are_read_back)
{
	enum { N = 1003 };
	static uint32_t values[N], got[N];
	unsigned int width;
	size_t i;

	for (width = 1; width <= 32; width++) {
		PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
		uint64_t random = width;
		struct pipa_cursor c;

		for (i = 0; i < N; i++) {
			random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
			values[i] = i % 100 < 40 ? 1 : (uint32_t)(random >> 32 >> (32 - width));
		}
		pipa_parquet_pack_runs(&out, values, N, width);
		c = (struct pipa_cursor){ .pos = (void *)out.data,
					  .end = (void *)(out.data + out.len) };
		CHECK_EQ(unpack_runs(&c, width, got, N), N);
		CHECK(memcmp(values, got, sizeof(values)) == 0);
		CHECK(c.pos == c.end);
	}
}

/* Decode DELTA_BINARY_PACKED as the format describes it. */
static size_t unpack_deltas(struct pipa_cursor *c, uint64_t *values)
{
	uint64_t block = pipa_get_uleb(c), parts = pipa_get_uleb(c), n = pipa_get_uleb(c);
	uint64_t value = (uint64_t)pipa_unzigzag(pipa_get_uleb(c)), min;
	const unsigned char *widths;
	size_t have = 0, m, i;

	if (n)
		values[have++] = value;
	while (have < n) {
		min = (uint64_t)pipa_unzigzag(pipa_get_uleb(c));
		widths = c->pos;
		c->pos += parts;
		for (m = 0; m < parts && have < n; m++) {
			for (i = 0; i < block / parts && have < n; i++) {
				value += min + get_bits(c->pos, i * widths[m], widths[m]);
				values[have++] = value;
			}
			c->pos += block / parts * widths[m] / 8;
		}
	}
	return have;
}

static void check_deltas(const uint64_t *values, size_t n, unsigned int bits)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	const uint64_t mask = bits == 32 ? UINT32_MAX : UINT64_MAX;
	static uint64_t got[4096];
	struct pipa_cursor c;
	size_t i;

	pipa_parquet_pack_deltas(&out, values, n, bits);
	c = (struct pipa_cursor){ .pos = (void *)out.data, .end = (void *)(out.data + out.len) };
	CHECK_EQ(unpack_deltas(&c, got), n);
	CHECK(c.pos == c.end);
	for (i = 0; i < n; i++)
		CHECK((got[i] & mask) == (values[i] & mask));
}

TEST(deltas_of_any_numbers_are_read_back)
{
	static const size_t counts[] = { 0, 1, 2, 32, 33, 128, 129, 130, 161, 1000 };
	static uint64_t values[1000];
	uint64_t random = 1;
	size_t i, k;
	int kind;

	for (kind = 0; kind < 4; kind++) {
		for (i = 0; i < PIPA_COUNT(values); i++) {
			random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
			values[i] = kind == 0 ? i * 1000 + (random >> 60) : /* rising */
				    kind == 1 ? random :			/* all bits */
				    kind == 2 ? i % 2 * UINT64_MAX :	/* largest deltas */
						random >> 33 & UINT32_MAX;
		}
		for (k = 0; k < PIPA_COUNT(counts); k++) {
			check_deltas(values, counts[k], 64);
			check_deltas(values, counts[k], 32);
		}
	}
}

static int collect(void *ctx, const char *bytes, size_t len)
{
	pipa_buf_add(ctx, bytes, len);
	return 0;
}

static int refuse(void *ctx PIPA_UNUSED, const char *bytes PIPA_UNUSED, size_t len PIPA_UNUSED)
{
	return -ENOSPC;
}

static const struct pipa_frame_column columns[] = {
	{ "n", PIPA_FRAME_U64, false, "ns" },
	{ "text", PIPA_FRAME_TEXT, true, NULL },
};

TEST(a_file_has_its_metadata_at_the_end)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	const struct pipa_frame_options o = { .columns = columns,
					      .n_columns = 2,
					      .created_by = "test",
					      .put = collect,
					      .ctx = &out };
	struct pipa_frame_writer *p = pipa_parquet_new(&o);
	size_t footer;
	int i;

	CHECK(p);
	for (i = 0; i < 10; i++) {
		p->put(p, 0, (uint64_t)i);
		if (i % 2)
			p->put_text(p, 1, "a\xff", 2);
		CHECK_EQ(p->end_row(p), 0);
	}
	CHECK_EQ(p->finish(p, NULL, 0), 0);
	CHECK_EQ(pipa_parquet_replaced(p), 5);
	p->free(p);
	CHECK(memcmp(out.data, "PAR1", 4) == 0);
	CHECK(memcmp(out.data + out.len - 4, "PAR1", 4) == 0);
	footer = pipa_le_get((unsigned char *)out.data + out.len - 8, 4);
	CHECK(footer < out.len - 12);
	CHECK(memcmp(out.data + out.len - 8 - footer, "\x15\x02\x19\x3c", 4) == 0);
}

TEST(a_missing_value_of_a_required_column_and_a_failed_write_stay_in_the_status)
{
	struct pipa_frame_options o = {
		.columns = columns, .n_columns = 2, .created_by = "test", .put = refuse
	};
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	struct pipa_frame_writer *p = pipa_parquet_new(&o);

	CHECK(p);
	CHECK_EQ(p->end_row(p), -ENOSPC);
	CHECK_EQ(p->finish(p, NULL, 0), -ENOSPC);
	p->free(p);
	o.put = collect;
	o.ctx = &out;
	p = pipa_parquet_new(&o);
	CHECK_EQ(p->end_row(p), -EINVAL);
	CHECK_EQ(p->finish(p, NULL, 0), -EINVAL);
	p->free(p);
}
