#include "ingest/stack_join.h"

#include <string.h>

#include "lib/test.h"

enum {
	TOP = 0x7fff0000, /* where the stack ends */
	FRAME = 128,	  /* bytes of each frame */
	DEEP = 400,	  /* calls at most */
};

static uint8_t memory[2 * DEEP * FRAME + 2048];
static uint64_t addrs[DEEP + 1], lows[DEEP + 1];
static struct pipa_stack_join *join;

/*
 * A stack of `depth` calls, of which a dump holds `bytes` (0: all). Frames are numbered from the outermost, 0;
 * each has a number in its bytes that tells its activation, and an address of its caller. What is in frames from
 * `changed` on inwards was called anew.
 */
struct stack {
	size_t depth, bytes, changed;
	uint8_t activation; /* of those */
	uint64_t outermost; /* address in frame 0, 0: 0x1000 */
	uint64_t thread, space;
};

static struct pipa_join_walk walk_of(const struct stack *s)
{
	size_t len = s->depth * FRAME + 2048, i;
	struct pipa_join_walk walk = { .thread = s->thread,
				       .space = s->space,
				       .sp = TOP - s->depth * FRAME,
				       .stack = memory,
				       .addrs = addrs,
				       .lows = lows };

	memset(memory, 0, sizeof(memory));
	for (i = 0; i < s->depth; i++) {
		uint64_t addr = !i && s->outermost ? s->outermost : 0x1000 + 16 * (i % 5);
		uint8_t *frame = memory + (s->depth - 1 - i) * FRAME;

		memset(frame, i >= s->changed ? s->activation : 1, FRAME - 8);
		memcpy(frame + FRAME - 8, &addr, 8);
	}
	walk.stack_len = s->bytes && s->bytes < len ? s->bytes : len;
	lows[0] = walk.sp;
	addrs[0] = 0xabc;
	for (walk.n = 1; walk.n <= s->depth; walk.n++) {
		size_t end = walk.n * FRAME;

		if (end > walk.stack_len)
			break;
		lows[walk.n] = walk.sp + end;
		memcpy(&addrs[walk.n], memory + end - 8, 8);
	}
	return walk;
}

static void complete(struct stack s)
{
	struct pipa_join_walk walk = walk_of(&s);

	pipa_stack_join_complete(join, &walk);
}

/* Frames of a truncated stack after joining; 0: it was not joined. */
static size_t joined(struct stack s)
{
	struct pipa_join_walk walk = walk_of(&s);
	size_t n = walk.n, len, i;
	const uint8_t *bytes;

	if (!pipa_stack_join_extend(join, &walk, &bytes, &len))
		return 0;
	CHECK(len >= s.depth * FRAME);
	for (i = n; i <= s.depth; i++) { /* what an unwinder would find */
		lows[i] = walk.sp + i * FRAME;
		memcpy(&addrs[i], bytes + i * FRAME - 8, 8);
	}
	walk.stack = bytes;
	walk.stack_len = len;
	walk.n = s.depth + 1;
	return pipa_stack_join_accept(join, &walk, n, true) ? walk.n : 0;
}

static const struct stack shallow = { .depth = 50, .activation = 1 };
static const struct stack deep = { .depth = 100, .bytes = 80 * FRAME, .activation = 1 };

/* Complete stacks that agree, as many as make a thread trusted, after a truncated one. */
static void begin(struct stack s)
{
	int i;

	join = pipa_stack_join_new();
	CHECK(join != NULL);
	CHECK_EQ(joined(deep), 0);
	for (i = 0; i <= PIPA_JOIN_TRUSTED; i++)
		complete(s);
}

static void end(void)
{
	pipa_stack_join_free(join);
}

TEST(a_truncated_stack_gets_the_outer_frames_of_the_last_complete_one)
{
	begin(shallow);
	CHECK_EQ(joined(deep), 101);
	CHECK_EQ(addrs[100], 0x1000);
	CHECK_EQ(lows[100], TOP);
	end();
}

TEST(it_is_joined_on_and_on_as_the_stack_grows)
{
	struct stack s = deep;

	begin(shallow);
	for (s.depth = 80; s.depth <= 300; s.depth += 50) {
		s.bytes = 70 * FRAME;
		CHECK_EQ(joined(s), s.depth + 1);
	}
	s.depth += 70; /* the dump ends below all that was seen */
	CHECK_EQ(joined(s), 0);
	end();
}

TEST(a_thread_is_trusted_after_some_complete_stacks)
{
	int i;

	join = pipa_stack_join_new();
	CHECK_EQ(joined(deep), 0);
	complete(shallow);
	for (i = 0; i < PIPA_JOIN_TRUSTED; i++) {
		CHECK_EQ(joined(deep), 0);
		complete(shallow);
	}
	CHECK_EQ(joined(deep), 101);
	end();
}

TEST(frames_that_were_called_anew_are_not_joined)
{
	struct stack s = deep;

	begin(shallow);
	s.activation = 2;
	s.changed = 30; /* the dump ends at frame 20 */
	CHECK_EQ(joined(s), 0);
	s.changed = 45; /* 25 frames are as they were */
	CHECK_EQ(joined(s), 101);
	end();
}

TEST(equal_bytes_without_enough_frames_do_not_count)
{
	struct stack s = { .depth = 100, .bytes = 60 * FRAME, .activation = 1 };

	begin(shallow); /* up to frame 49; the dump ends at frame 40 */
	CHECK_EQ(joined(s), 0);
	s.bytes = 75 * FRAME;
	CHECK_EQ(joined(s), 101);
	end();
}

TEST(equal_frames_below_other_callers_end_joining)
{
	struct stack other = shallow;

	begin(shallow);
	CHECK_EQ(joined(deep), 101);
	other.outermost = 0x2000;
	complete(other);
	CHECK_EQ(joined(deep), 0);
	complete(shallow);
	CHECK_EQ(joined(deep), 0);
	end();
}

TEST(other_callers_of_frames_with_other_bytes_are_no_contradiction)
{
	struct stack other = shallow;

	begin(shallow);
	other.outermost = 0x2000;
	other.activation = 2;
	complete(other);
	CHECK_EQ(joined(deep), 0); /* its frames are those of before */
	complete(shallow);
	CHECK_EQ(joined(deep), 101);
	end();
}

TEST(threads_and_address_spaces_are_told_apart)
{
	struct stack s = deep;

	begin(shallow);
	s.thread = 1;
	CHECK_EQ(joined(s), 0);
	s.thread = 0;
	s.space = 1;
	CHECK_EQ(joined(s), 0);
	s.space = 0;
	CHECK_EQ(joined(s), 101);
	end();
}

TEST(of_many_threads_the_last_ones_are_kept)
{
	struct stack s = shallow, t = deep;
	uint64_t i;
	int k;

	begin(shallow);
	for (i = 1; i < 100; i++) {
		s.thread = t.thread = i;
		CHECK_EQ(joined(t), 0);
		for (k = 0; k <= PIPA_JOIN_TRUSTED; k++)
			complete(s);
		CHECK_EQ(joined(t), 101);
	}
	t.thread = 98;
	CHECK_EQ(joined(t), 101);
	t.thread = 0;
	CHECK_EQ(joined(t), 0);
	end();
}

TEST(a_stack_that_needs_more_bytes_says_how_many)
{
	struct pipa_join_walk walk;

	begin(shallow);
	walk = walk_of(&deep);
	CHECK(pipa_stack_join_needed(join, &walk) >= 100 * FRAME);
	CHECK(pipa_stack_join_needed(join, &walk) <= 101 * FRAME);
	walk.thread = 5;
	CHECK_EQ(pipa_stack_join_needed(join, &walk), 0);
	end();
}
