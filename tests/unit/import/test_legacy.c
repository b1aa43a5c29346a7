/* Legacy forms of pprof. The expected texts are those of `go tool pprof -raw`; tests/cli/test_export.sh compares them. */
#include "import/legacy/legacy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/error.h"
#include "lib/test.h"
#include "model/profile.h"

static struct pipa_error err;

static int read_bytes(struct pipa_profile *p, const void *bytes, size_t size)
{
	err = (struct pipa_error){ 0 };
	return pipa_legacy_read(p, (struct pipa_span){ bytes, size }, &err);
}

static void put_frames(const struct pipa_profile *p, uint32_t stack, struct pipa_buf *out)
{
	for (; stack != PIPA_NONE; stack = p->stacks.items[stack].parent) {
		const struct pipa_location *l =
			&p->locations.items[p->stacks.items[stack].location];

		if (l->n_lines) {
			const struct pipa_line *line = &p->lines.items[l->lines];
			const struct pipa_function *f = &p->functions.items[line->function];

			pipa_buf_printf(out, " %s:%s:%" PRIu32, pipa_profile_string(p, f->name),
					pipa_profile_string(p, f->file), line->line);
		} else {
			pipa_buf_printf(
				out, " %" PRIx64 "/%s", l->address,
				pipa_profile_string(
					p,
					l->mapping ?
						p->objects
							.items[p->mappings.items[l->mapping].object]
							.path :
						0));
		}
	}
}

/* A line per sample: "COLUMN=WEIGHT[*COUNT] [bytes=N]: FRAMES". Frames innermost first. Valid until the next call. */
static const char *text_of(const void *bytes, size_t size)
{
	static struct pipa_buf out;
	struct pipa_profile p = { 0 };
	uint32_t i;
	int rc = read_bytes(&p, bytes, size);

	pipa_buf_reset(&out);
	if (rc)
		pipa_buf_printf(&out, "%s\n", err.what);
	for (i = 0; !rc && i < p.samples.n; i++) {
		const struct pipa_sample *s = &p.samples.items[i];
		const struct pipa_profile_event *e = &p.events.items[s->event];

		pipa_buf_printf(&out, "%s=%" PRIu64, pipa_profile_string(&p, e->name), s->weight);
		if (e->counted)
			pipa_buf_printf(&out, "*%" PRIu64, s->count);
		if (s->labels)
			pipa_buf_printf(&out, " bytes=%" PRId64,
					pipa_label_set_get(&p, s->labels, 0)->number);
		pipa_buf_putc(&out, ':');
		put_frames(&p, s->stack, &out);
		pipa_buf_putc(&out, '\n');
	}
	if (!rc && p.losses.damaged)
		pipa_buf_printf(&out, "damaged %" PRIu64 "\n", p.losses.damaged);
	pipa_profile_done(&p);
	return pipa_buf_str(&out);
}

#define TEXT(s) text_of(s, strlen(s))

static bool is_legacy(const char *text)
{
	return pipa_legacy_is((struct pipa_span){ (const uint8_t *)text, strlen(text) });
}

/* Append a word of 4 or 8 bytes. */
static void put_word(struct pipa_buf *out, size_t bytes, bool big, uint64_t value)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		pipa_buf_putc(out, (char)(value >> 8 * (big ? bytes - 1 - i : i)));
}

/* Words up to UINT64_MAX. */
static void put_words(struct pipa_buf *out, size_t bytes, bool big, const uint64_t *words)
{
	for (; *words != UINT64_MAX; words++)
		put_word(out, bytes, big, *words);
}

static const uint64_t cpu_words[] = { 0,	 3, 0,	      10000,	0,	  /* header */
				      2,	 3, 0x401000, 0x402001, 0x403001, /* a record */
				      1,	 2, 0x401000, 0x405001,		  /* another */
				      0,	 1, 0,				  /* the trailer */
				      UINT64_MAX };

TEST(cpu_profiles_of_all_word_sizes_and_byte_orders_are_the_same)
{
	static const char want[] = "cpu=20000000*2: 401000/a 402000/a 403000/a\n"
				   "cpu=10000000*1: 401000/a 405000/\n";
	static const char maps[] = "400000-404000 r-xp 00000000 08:01 1 a\n";
	int i;

	for (i = 0; i < 4; i++) {
		PIPA_AUTO(pipa_buf_done) struct pipa_buf file = { 0 };

		put_words(&file, i & 1 ? 8 : 4, i & 2, cpu_words);
		pipa_buf_add(&file, maps, strlen(maps));
		CHECK(pipa_legacy_is((struct pipa_span){ (const uint8_t *)file.data, file.len }));
		CHECK_STR(text_of(file.data, file.len), want);
	}
}

TEST(truncated_cpu_profiles_are_refused_with_the_offset)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf file = { 0 };
	size_t len;

	put_words(&file, 8, false, cpu_words);
	CHECK_STR(text_of(file.data, 40 + 8), "malformed pprof profile: the record at offset 40 is "
					      "truncated\n");
	CHECK_STR(text_of(file.data, 40 + 16 + 8),
		  "malformed pprof profile: the record at offset 40 "
		  "has more addresses than the file\n");
	/* pprof reads missing addresses as 0 */
	CHECK_STR(text_of(file.data, 40 + 40 + 24), "cpu=20000000*2: 401000/ 402000/ 403000/\n"
						    "cpu=10000000*1: 401000/\ndamaged 1\n");
	for (len = 0; len < file.len; len++)
		text_of(file.data, len);
}

TEST(a_frame_of_the_signal_handler_is_removed)
{
	static const uint64_t words[] = { 0,	    3,	      0,	1000,	   0, 1,
					  3,	    0x401000, 0x500001, 0x402001,  1, 3,
					  0x401010, 0x500001, 0x403001, 1,	   4, 0x401020,
					  0x500001, 0x401020, 0x404001, UINT64_MAX };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf file = { 0 };

	put_words(&file, 8, false, words);
	CHECK_STR(text_of(file.data, file.len), "cpu=1000000*1: 401000/ 402000/\n"
						"cpu=1000000*1: 401010/ 403000/\n"
						"cpu=1000000*1: 401020/ 404000/\n");
}

TEST(sampled_heaps_are_scaled)
{
	CHECK_STR(TEXT("heap profile: 1: 1024 [1: 1024] @ heap_v2/524288\n"
		       "1: 1024 [1: 1024] @ 0x401001 0x402001\n"),
		  "objects=512 bytes=1024: 401000/ 402000/\n"
		  "space=524800 bytes=1024: 401000/ 402000/\n");
	CHECK_STR(TEXT("heap profile: 1: 1024 [1: 1024] @ heap/1048576\r\n"
		       "1: 1024 [1: 1024] @ 0x401001"),
		  "objects=512 bytes=1024: 401000/\nspace=524800 bytes=1024: 401000/\n");
	CHECK_STR(TEXT("heap profile: 1: 1024 [1: 1024] @ heap/1\n1: 1024 [1: 1024] @ 0x401001\n"),
		  "objects=1 bytes=1024: 401000/\nspace=1024 bytes=1024: 401000/\n");
	CHECK_STR(TEXT("heap profile: 1: 1024 [1: 1024] @ growthz\n1: 1024 [1: 1024] @ 0x401001\n"),
		  "objects=1 bytes=1024: 401000/\nspace=1024 bytes=1024: 401000/\n");
}

TEST(heaps_with_totals_of_allocations_have_four_columns)
{
	CHECK_STR(TEXT("heap profile:  1:  10 [  3:  30 ] @ heapprofile\n"
		       "  0:   0 [ 2: 20] @ 0x1001\n"
		       "# a comment\n\n"
		       "  1:  10 [ 1: 10] @ 0x2001\n"),
		  "alloc_objects=2 bytes=10: 1000/\nalloc_space=20 bytes=10: 1000/\n"
		  "alloc_objects=1 bytes=10: 2000/\nalloc_space=10 bytes=10: 2000/\n"
		  "inuse_objects=1 bytes=10: 2000/\ninuse_space=10 bytes=10: 2000/\n");
}

TEST(malformed_heaps_are_refused_with_the_line)
{
	CHECK_STR(TEXT("heap profile: 1: 1 [1: 1] @ heapprofile\n\nx\n"),
		  "malformed pprof profile: line 3: expected 'COUNT: BYTES [COUNT: BYTES] @ "
		  "ADDRESSES'\n");
	CHECK_STR(TEXT("heap profile: 1: 1 [1: 1] @ heapprofile\n0: 5 [0: 0] @ 0x1\n"),
		  "malformed pprof profile: line 2: 0 allocations have 5 bytes\n");
	CHECK_STR(
		TEXT("heap profile: 1: 1 [1: 1] @ heapprofile\n1: 5 [0: 0] @ 0x10000000000000000"),
		"malformed pprof profile: line 2: an address exceeds 64 bits\n");
	CHECK_STR(TEXT("heap profile: 1: 1 [1: 1] @ heap_v2/9223372036854775807\n"
		       "9000000000000000000: 1 [0: 0] @ 0x1"),
		  "malformed pprof profile: line 2: the scaled values exceed 64 bits\n");
	CHECK(!is_legacy("heap profile: 1: 1 [1: 1] @ heap_v3/5\n"));
	CHECK(!is_legacy("heap_v2/524288\n  t*: 1: 1 [0: 0]\n"));
}

TEST(contentions_are_scaled_to_nanoseconds)
{
	CHECK_STR(
		TEXT("--- contentionz 1 ---\ncycles/second = 2000000000\nsampling period = 100\n"
		     "  1000 3 @ 0x1001 0x2001\n 2003 @ 0x3001\n--- Memory map: ---\n1000-2000: a\n"),
		"contentions=300: 1000/a 2000/\ndelay=50000: 1000/a 2000/\n"
		"contentions=300: 3000/\ndelay=10000: 3000/\n");
	CHECK_STR(TEXT("--- mutex:\nsampling period=010\n5 2 @ 0x1001"),
		  "contentions=16: 1000/\ndelay=5: 1000/\n");
	CHECK_STR(TEXT("--- contention:\ncycles/second=1\nspeed = 1\n"),
		  "malformed pprof profile: line 3: unknown attribute 'speed'\n");
	CHECK_STR(TEXT("--- contentionz 1 ---\n3 @ 0x1\n"),
		  "malformed pprof profile: line 2: expected 'DELAY COUNT @ ADDRESSES'\n");
}

TEST(threads_are_counted_by_stack)
{
	static const char file[] = "--- threadz 1 ---\n\n"
				   "--- Thread 7f5 (name: a/b/12) stack: ---\n"
				   "  PC: 0x1000 0x2001: f(x)\n  0x3001: main\n"
				   "--- Thread 7f6 (name: c/13) stack: ---\n"
				   "  [same as previous thread]\n"
				   "--- Thread 7f7 (name: d/14) stack: ---\n"
				   "0x5000 0x5000 0x6001\n";
	char mapped[sizeof(file) + 40];

	snprintf(mapped, sizeof(mapped), "%s--- Memory map: ---\n", file);
	CHECK_STR(TEXT(mapped), "thread=2: 1000/ 2000/ 3000/\nthread=1: 5000/ 6000/\n");
	CHECK_STR(TEXT(file), "thread=2: 1000/ 2000/ 3000/\nthread=1: 5000/ 6000/\ndamaged 1\n");
	CHECK_STR(
		TEXT("--- Thread 7f5 (name: a/1) stack: ---\n0x1\n--- oops\n"),
		"malformed pprof profile: line 3: expected '--- Thread ID (name: NAME/TID) stack: "
		"---'\n");
}

TEST(counts_keep_stacks_without_addresses)
{
	CHECK_STR(
		TEXT("# x\n\nthreadcreate profile: total 12\n11 @\n#\t0x0\n\n1 @ 0x1001 0x2001\n"),
		"threadcreate=11:\nthreadcreate=1: 1000/ 2000/\n");
	CHECK_STR(TEXT("goroutine profile: total 1\n1 @ 0x1001 x\n"),
		  "malformed pprof profile: line 2: expected 'COUNT @ ADDRESSES'\n");
}

TEST(folded_stacks_are_not_counts)
{
	CHECK(is_legacy("goroutine profile: total 4\n4 @ 0x1\n"));
	CHECK(is_legacy("goroutine profile: total 4"));
	CHECK(!is_legacy("memory profile: total 4\nmain;f 5\n"));
	CHECK(!is_legacy("a;b 5\ngoroutine profile: total 4\n"));
}

TEST(java_profiles_have_names)
{
	const char *text = TEXT(
		"--- contentionz 1 ---\nformat = java\nresolution=ms\n"
		"sampling period = 100\n 1 1 @ 0x1 0x2\n 14 2 @ 0x3 0x4 0x5 0x6\n"
		"0x1 f (A.java:3)\n0x2 x generated stub/JIT\n0x3 g (/lib/libc.so.6)\n"
		"0x4 GC\n0x5 f (B.java:-1)\n");

	CHECK_STR(text, "contentions=100: f:A.java:3 STUB::0\ndelay=100: f:A.java:3 STUB::0\n"
			"contentions=200: g:libc.so.6:0 GC::0 f:A.java:0 0/\n"
			"delay=1400: g:libc.so.6:0 GC::0 f:A.java:0 0/\n");
	CHECK_STR(TEXT("--- heapz 1 ---\nformat = java\nresolution = bytes\n1024 1 @ 0x1\n0x1 a b "
		       "(C.java:7)\n"),
		  "inuse_objects=512 bytes=1024: a b:C.java:7\n"
		  "inuse_space=524800 bytes=1024: a b:C.java:7\n");
	CHECK_STR(TEXT("--- heapz 1 ---\nformat = java\n1024 1 @ 0x1\n"),
		  "malformed pprof profile: line 3: samples without a resolution\n");
	CHECK_STR(TEXT("--- heapz 1 ---\nformat = c\n"),
		  "malformed pprof profile: line 2: the format is not java\n");
}

TEST(maps_are_corrected)
{
#define STACK "x profile: total 1\n1 @ 0x1801 0x400101 0x2fff1\n---\nMAPPED_LIBRARIES:\n"
	/* parts of a mapping are one; the first program is the main one; a missing start is added */
	CHECK_STR(TEXT(STACK "1000-1400 r-xp 00000000 08:01 1 /lib/a.so\n"
			     "1400-2000 r-xp 00000400 08:01 1 /lib/a.so\n"
			     "30000-40000 r-xp 00010000 08:01 1 /lib/b.so.1\n"
			     "401000-402000 r-xp 00001000 08:01 1 /bin/p\n"),
		  "x=1: 1800//lib/a.so 400100//bin/p 2fff0//lib/b.so.1\n");
	CHECK_STR(TEXT(STACK "I12 f.cc:12] root=/opt\nI12 f.cc:13] 0x1000-0x2000: $root/p\n"),
		  "x=1: 1800//opt/p 400100/ 2fff0/\n");
	CHECK_STR(TEXT(STACK
		       "1000-2000 rw-p 00000000 08:01 1 /data\njunk\n1000 2000 --xp 0 0:0 0 q"),
		  "x=1: 1800/q 400100/ 2fff0/\n");
}

TEST(values_that_multiply_are_refused)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf file = { 0 };
	int i;

	pipa_buf_printf(&file, "x profile: total 1\n---\nMAPPED_LIBRARIES:\nz0=zzzzzzzzzz\n");
	for (i = 1; i < 20; i++)
		pipa_buf_printf(&file, "z%d=$z%d$z%d$z%d$z%d$z%d$z%d$z%d$z%d\n", i, i - 1, i - 1,
				i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
	CHECK_STR(text_of(file.data, file.len), "malformed pprof profile: line 9: the line exceeds "
						"64 KiB with values for $names\n");
}

TEST(the_functions_of_allocators_are_named)
{
	static const char text[] = "heap profile: 1: 1 [1: 1] @ heapprofile\n1: 1 [1: 1] @ 0x1\n";
	struct pipa_profile p = { 0 };
	const struct pipa_label *drop;

	CHECK_EQ(read_bytes(&p, text, strlen(text)), 0);
	drop = pipa_label_set_find(&p, p.attributes,
				   pipa_profile_text(&p, "pprof.profile.drop_frames"));
	CHECK(drop && strstr(pipa_profile_string(&p, drop->text), "|tcmalloc::.*|"));
	CHECK(pipa_label_set_find(&p, p.attributes,
				  pipa_profile_text(&p, "pprof.profile.keep_frames")));
	pipa_profile_done(&p);
}
