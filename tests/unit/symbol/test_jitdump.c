/* jitdump files made by hand, in both byte orders. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "lib/test.h"
#include "symbol/table/jitdump.h"

enum { LOAD, MOVE, DEBUG_INFO, CLOSE, UNWINDING };

struct file {
	uint8_t bytes[4096];
	size_t size;
	bool big;
};

static void put(struct file *f, uint64_t value, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		f->bytes[f->size + (f->big ? size - 1 - i : i)] = (uint8_t)(value >> (8 * i));
	f->size += size;
}

static void put_text(struct file *f, const char *text)
{
	memcpy(f->bytes + f->size, text, strlen(text) + 1);
	f->size += strlen(text) + 1;
}

static void header(struct file *f, bool big, uint64_t flags)
{
	f->size = 0;
	f->big = big;
	put(f, 0x4a695444, 4);
	put(f, 1, 4);
	put(f, 48, 4); /* eight bytes more than today's */
	put(f, EM_AARCH64, 4);
	put(f, 0, 4);
	put(f, 4242, 4);
	put(f, 1000, 8);
	put(f, flags, 8);
	put(f, 0, 8);
}

static void prefix(struct file *f, uint32_t type, size_t size, uint64_t time)
{
	put(f, type, 4);
	put(f, 16 + size, 4);
	put(f, time, 8);
}

static void load(struct file *f, uint64_t time, uint64_t addr, uint64_t size, uint64_t index,
		 const char *name)
{
	prefix(f, LOAD, 40 + strlen(name) + 1 + size, time);
	put(f, 4242, 4);
	put(f, 4243, 4);
	put(f, addr, 8);
	put(f, addr, 8);
	put(f, size, 8);
	put(f, index, 8);
	put_text(f, name);
	memset(f->bytes + f->size, (int)(0x90 + index), size);
	f->size += size;
}

static void move(struct file *f, uint64_t time, uint64_t from, uint64_t to, uint64_t size,
		 uint64_t index)
{
	prefix(f, MOVE, 48, time);
	put(f, 4242, 4);
	put(f, 4243, 4);
	put(f, to, 8);
	put(f, from, 8);
	put(f, to, 8);
	put(f, size, 8);
	put(f, index, 8);
}

static const char *at(const struct pipa_jitdump *jit, uint64_t addr, uint64_t time)
{
	const struct pipa_jit_code *code = pipa_jitdump_find(jit, addr, time);

	return code ? code->name : "-";
}

static struct pipa_span span(const struct file *f)
{
	return (struct pipa_span){ f->bytes, f->size };
}

static void check_orders(bool big)
{
	PIPA_AUTO(pipa_jitdump_done) struct pipa_jitdump jit = { 0 };
	struct file f;

	header(&f, big, 0);
	load(&f, 100, 0x1000, 0x40, 1, "first");
	prefix(&f, UNWINDING, 24, 110);
	f.size += 24;
	prefix(&f, 77, 3, 120); /* of the future */
	f.size += 3;
	load(&f, 200, 0x1020, 0x40, 2, "second");
	move(&f, 300, 0x1000, 0x2000, 0x40, 1);
	prefix(&f, CLOSE, 0, 400);
	CHECK_EQ(pipa_jitdump_init(&jit, span(&f), NULL), 0);
	CHECK_EQ(jit.machine, EM_AARCH64);
	CHECK_EQ(jit.pid, 4242);
	CHECK_EQ(jit.time, 1000);
	CHECK(jit.closed && !jit.damaged && !jit.arch_clock);
	CHECK_EQ(jit.n, 3);

	CHECK_STR(at(&jit, 0x1000, 99), "-");
	CHECK_STR(at(&jit, 0x1000, 100), "first");
	CHECK_STR(at(&jit, 0x1030, 199), "first");
	CHECK_STR(at(&jit, 0x1030, 200), "second"); /* the memory was used again */
	CHECK_STR(at(&jit, 0x1010, UINT64_MAX), "first");
	CHECK_STR(at(&jit, 0x2000, 299), "-");
	CHECK_STR(at(&jit, 0x203f, 300), "first");
	CHECK_STR(at(&jit, 0x2040, 300), "-");
	CHECK_EQ(pipa_jitdump_find(&jit, 0x1000, 100)->bytes.size, 0x40);
	CHECK_EQ(pipa_jitdump_find(&jit, 0x1000, 100)->bytes.data[0], 0x91);
}

TEST(code_is_found_by_address_and_time_in_both_byte_orders)
{
	check_orders(false);
	check_orders(true);
}

TEST(the_arch_timestamp_flag_of_a_jitdump_is_read)
{
	PIPA_AUTO(pipa_jitdump_done) struct pipa_jitdump jit = { 0 };
	struct file f;

	header(&f, false, 1);
	CHECK_EQ(pipa_jitdump_init(&jit, span(&f), NULL), 0);
	CHECK(jit.arch_clock);
	CHECK_STR(at(&jit, 0, UINT64_MAX), "-");
}

TEST(debug_lines_belong_to_the_code_that_follows_them)
{
	PIPA_AUTO(pipa_jitdump_done) struct pipa_jitdump jit = { 0 };
	struct pipa_jit_line line = { 0 };
	struct pipa_cursor lines;
	struct file f;

	header(&f, true, 0);
	prefix(&f, DEBUG_INFO, 16 + 16 + 5 + 16 + 2, 90);
	put(&f, 0x1000, 8);
	put(&f, 2, 8);
	put(&f, 0x1000, 8);
	put(&f, 12, 4);
	put(&f, 0, 4);
	put_text(&f, "a.js");
	put(&f, 0x1010, 8);
	put(&f, 13, 4);
	put(&f, 2, 4);
	put_text(&f, "\xff");
	load(&f, 100, 0x1000, 0x20, 1, "with");
	load(&f, 100, 0x2000, 0x20, 2, "without");
	CHECK_EQ(pipa_jitdump_init(&jit, span(&f), NULL), 0);
	CHECK_EQ(jit.n, 2);
	lines = pipa_jit_lines(&jit, &jit.codes[0]);
	CHECK(pipa_jit_line_next(&lines, &line));
	CHECK_EQ(line.addr, 0x1000);
	CHECK_EQ(line.line, 12);
	CHECK_STR(line.file, "a.js");
	CHECK(pipa_jit_line_next(&lines, &line));
	CHECK_EQ(line.line, 13);
	CHECK_EQ(line.discriminator, 2);
	CHECK_STR(line.file, "a.js");
	CHECK(!pipa_jit_line_next(&lines, &line));
	lines = pipa_jit_lines(&jit, &jit.codes[1]);
	CHECK(!pipa_jit_line_next(&lines, &line));
}

TEST(a_truncated_jitdump_keeps_its_complete_records)
{
	struct pipa_error err = { 0 };
	struct pipa_jitdump jit;
	struct file f;
	size_t len, first, second;

	header(&f, false, 0);
	load(&f, 100, 0x1000, 0x40, 1, "first");
	first = f.size;
	load(&f, 200, 0x2000, 0x40, 2, "second");
	second = f.size;
	for (len = 0; len <= second; len++) {
		uint8_t *copy = malloc(len ? len : 1);
		int rc;

		memcpy(copy, f.bytes, len);
		rc = pipa_jitdump_init(&jit, (struct pipa_span){ copy, len }, &err);
		CHECK_EQ(rc, len < 48 ? -EBADMSG : 0);
		if (rc == 0) {
			CHECK_EQ(jit.n, (len >= first) + (len >= second));
			CHECK(!jit.damaged);
			pipa_jitdump_done(&jit);
		}
		free(copy);
	}
}

TEST(malformed_records_of_a_jitdump_are_reported_and_skipped)
{
	PIPA_AUTO(pipa_jitdump_done) struct pipa_jitdump jit = { 0 };
	struct file f;

	header(&f, false, 0);
	prefix(&f, LOAD, 8, 10); /* too short for what it is */
	put(&f, 0, 8);
	load(&f, 100, 0x1000, 0x40, 1, "good");
	load(&f, 100, UINT64_MAX - 4, 0x40, 1, "wraps");
	move(&f, 300, 0x1000, 0x2000, 0x40, 99); /* of nothing */
	prefix(&f, LOAD, (size_t)-8, 10);
	CHECK_EQ(pipa_jitdump_init(&jit, span(&f), NULL), 0);
	CHECK(jit.damaged);
	CHECK_EQ(jit.n, 1);
	CHECK_STR(at(&jit, 0x1000, 100), "good");
}

TEST(other_files_and_other_versions_are_refused)
{
	struct pipa_error err = { 0 };
	struct pipa_jitdump jit;
	struct file f;

	header(&f, false, 0);
	f.bytes[4] = 9;
	CHECK_EQ(pipa_jitdump_init(&jit, span(&f), &err), -EBADMSG);
	CHECK_HAS(err.what, "version 9");
	f.bytes[0] = 0;
	CHECK_EQ(pipa_jitdump_init(&jit, span(&f), &err), -EBADMSG);
	CHECK_STR(err.what, "not a jitdump file");
}

/* Many versions at overlapping places, against a walk over all of them. */
TEST(searching_agrees_with_a_walk_over_all_code)
{
	enum { CODES = 50 };
	PIPA_AUTO(pipa_jitdump_done) struct pipa_jitdump jit = { 0 };
	uint64_t state = 7, addr, time;
	struct file f;
	size_t i;

	header(&f, false, 0);
	for (i = 0; i < CODES; i++) {
		state = state * 6364136223846793005U + 1442695040888963407U;
		load(&f, 10 * (i + 1), (state >> 33) % 64, 1 + (state >> 20) % 12, i, "x");
	}
	CHECK_EQ(pipa_jitdump_init(&jit, span(&f), NULL), 0);
	for (addr = 0; addr < 80; addr++)
		for (time = 5; time < 10 * CODES + 10; time += 10) {
			const struct pipa_jit_code *want = NULL;

			for (i = 0; i < jit.n; i++)
				if (jit.codes[i].time <= time && addr >= jit.codes[i].addr &&
				    addr - jit.codes[i].addr < jit.codes[i].size &&
				    (!want || jit.codes[i].time > want->time))
					want = &jit.codes[i];
			CHECK(pipa_jitdump_find(&jit, addr, time) == want);
		}
}

TEST(every_piece_of_code_has_a_place_of_its_own_in_the_file)
{
	PIPA_AUTO(pipa_jitdump_done) struct pipa_jitdump jit = { 0 };
	const struct pipa_jit_code *first, *second, *moved;
	struct file f;

	header(&f, false, 0);
	load(&f, 100, 0x1000, 0x40, 1, "first");
	load(&f, 200, 0x1000, 0x40, 2, "second");
	move(&f, 300, 0x1000, 0x5000, 0x80, 2);
	CHECK_EQ(pipa_jitdump_init(&jit, span(&f), NULL), 0);
	first = pipa_jitdump_find(&jit, 0x1010, 150);
	second = pipa_jitdump_find(&jit, 0x1010, 250);
	moved = pipa_jitdump_find(&jit, 0x5010, 350);
	CHECK_EQ(f.bytes[pipa_jit_code_place(first, 0x1010)], 0x91);
	CHECK_EQ(f.bytes[pipa_jit_code_place(second, 0x1010)], 0x92);
	CHECK_EQ(pipa_jit_code_place(moved, 0x5010), pipa_jit_code_place(second, 0x1010));
	CHECK_EQ(pipa_jit_code_place(moved, 0x5070), pipa_jit_code_place(second, 0x103f));
	CHECK_STR(pipa_jitdump_at(&jit, pipa_jit_code_place(first, 0x1000))->name, "first");
	CHECK_STR(pipa_jitdump_at(&jit, pipa_jit_code_place(first, 0x103f))->name, "first");
	CHECK_STR(pipa_jitdump_at(&jit, pipa_jit_code_place(second, 0x1000))->name, "second");
	CHECK(!pipa_jitdump_at(&jit, pipa_jit_code_place(first, 0x103f) + 1));
	CHECK(!pipa_jitdump_at(&jit, 0));
	CHECK(!pipa_jitdump_at(&jit, UINT64_MAX));
}

TEST(code_without_its_instructions_has_one_place)
{
	PIPA_AUTO(pipa_jitdump_done) struct pipa_jitdump jit = { 0 };
	const struct pipa_jit_code *code;
	struct file f;

	header(&f, false, 0);
	prefix(&f, LOAD, 40 + 5, 100);
	put(&f, 4242, 4);
	put(&f, 4242, 4);
	put(&f, 0x1000, 8);
	put(&f, 0x1000, 8);
	put(&f, 0x40, 8);
	put(&f, 1, 8);
	put_text(&f, "bare");
	CHECK_EQ(pipa_jitdump_init(&jit, span(&f), NULL), 0);
	code = pipa_jitdump_find(&jit, 0x1020, 100);
	CHECK(code && !code->bytes.size);
	CHECK_EQ(pipa_jit_code_place(code, 0x1020), code->place);
	CHECK(pipa_jitdump_at(&jit, code->place) == code);
}

TEST(memory_that_was_used_again_is_known)
{
	PIPA_AUTO(pipa_jitdump_done) struct pipa_jitdump jit = { 0 };
	struct file f;

	header(&f, false, 0);
	load(&f, 100, 0x1000, 0x40, 1, "alone");
	load(&f, 100, 0x1040, 0x40, 2, "beside");
	load(&f, 100, 0x2000, 0x40, 3, "long");
	load(&f, 200, 0x2030, 0x40, 4, "over");
	load(&f, 100, 0x3000, 0x10, 5, "behind");
	CHECK_EQ(pipa_jitdump_init(&jit, span(&f), NULL), 0);
	CHECK_EQ(jit.reused_from, 0x2030);
	CHECK_EQ(jit.reused_to, 0x2040);
	CHECK(!pipa_jitdump_reused(&jit, 0x1000));
	CHECK(!pipa_jitdump_reused(&jit, 0x202f));
	CHECK(pipa_jitdump_reused(&jit, 0x2030));
	CHECK(!pipa_jitdump_reused(&jit, 0x2040));
	pipa_jitdump_done(&jit);
	header(&f, false, 0);
	load(&f, 100, 0x1000, 0x40, 1, "alone");
	CHECK_EQ(pipa_jitdump_init(&jit, span(&f), NULL), 0);
	CHECK(!pipa_jitdump_reused(&jit, 0x1000));
	CHECK(!pipa_jitdump_reused(&jit, 0));
}

TEST(dumps_are_known_by_their_name)
{
	CHECK(pipa_jitdump_is_name("/tmp/a/jit-4242.dump"));
	CHECK(pipa_jitdump_is_name("jit-1.dump"));
	CHECK(!pipa_jitdump_is_name("/tmp/jit-.dump"));
	CHECK(!pipa_jitdump_is_name("/tmp/jit-4242.dump.old"));
	CHECK(!pipa_jitdump_is_name("/tmp/jit-42x.dump"));
	CHECK(!pipa_jitdump_is_name("/tmp/xjit-42.dump"));
	CHECK(!pipa_jitdump_is_name("/jit-42.dump/libc.so.6"));
	CHECK(!pipa_jitdump_is_name(""));
}
