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
 * A stack of `depth` calls, of which a dump holds `bytes` (0: all). Frames are numbered from the
 * outermost, 0; each has the number of its activation in its bytes, and an address of its caller.
 * Frames from `changed` on inwards are new calls.
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
	for (i = n; i <= s.depth; i++) { /* the result of an unwinder */
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

TEST(a_growing_stack_is_joined_repeatedly)
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

TEST(frames_of_new_calls_are_not_joined)
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

TEST(other_callers_of_another_activation_do_not_conflict)
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

TEST(stacks_of_other_threads_and_address_spaces_are_not_joined)
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

TEST(the_number_of_bytes_a_complete_dump_needs_is_computed)
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

TEST(frames_that_were_called_again_from_elsewhere_with_equal_bytes_end_joining)
{
	struct stack outer = { .depth = 3, .activation = 1 }, other = shallow;

	begin(shallow);
	CHECK_EQ(joined(deep), 101);
	complete(outer); /* all but three returned */
	outer.outermost = other.outermost = 0x2000;
	complete(outer); /* and the third caller, too */
	complete(other); /* below the new one the frames are as they were */
	CHECK_EQ(joined(deep), 0);
	end();
}

TEST(frames_that_were_called_again_from_the_same_caller_do_not_end_joining)
{
	struct stack outer = { .depth = 3, .activation = 1 };

	begin(shallow);
	complete(outer);
	complete(shallow);
	CHECK_EQ(joined(deep), 101);
	end();
}

TEST(frames_left_by_longjmp_are_not_joined_with_those_of_other_calls)
{
	struct stack again = { .depth = 50, .changed = 2, .activation = 3, .outermost = 0x2000 };

	begin(shallow);
	complete(again); /* at the same depth, on the bytes of the frames that were left */
	CHECK_EQ(joined(deep), 0);
	end();
}

TEST(equal_bytes_with_other_frames_in_them_are_not_joined)
{
	struct pipa_join_walk walk;
	const uint8_t *bytes;
	size_t len;

	begin(shallow);
	walk = walk_of(&deep);
	addrs[walk.n - 1] +=
		16; /* as if another function were there: its bytes are read otherwise */
	CHECK(!pipa_stack_join_extend(join, &walk, &bytes, &len));
	walk = walk_of(&deep);
	lows[walk.n - 3] += 8;
	CHECK(!pipa_stack_join_extend(join, &walk, &bytes, &len));
	walk = walk_of(&deep);
	memmove(&addrs[walk.n - 3], &addrs[walk.n - 2], 2 * sizeof(addrs[0]));
	memmove(&lows[walk.n - 3], &lows[walk.n - 2], 2 * sizeof(lows[0]));
	walk.n--; /* one is missing between the others */
	CHECK(!pipa_stack_join_extend(join, &walk, &bytes, &len));
	walk = walk_of(&deep);
	CHECK(pipa_stack_join_extend(join, &walk, &bytes, &len));
	end();
}

TEST(the_stack_of_a_signal_handler_is_not_joined)
{
	struct pipa_join_walk walk;
	const uint8_t *bytes;
	size_t len, i;

	begin(shallow);
	walk = walk_of(&deep);
	for (i = 5; i < walk.n; i++) /* the interrupted frames are on another stack */
		lows[i] -= 1 << 20;
	CHECK(!pipa_stack_join_extend(join, &walk, &bytes, &len));
	for (i = 5; i < walk.n; i++)
		lows[i] += 2 << 20;
	CHECK(!pipa_stack_join_extend(join, &walk, &bytes, &len));
	end();
}

/* Random numbers that are the same in each run. */
static uint32_t random_below(uint32_t n)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005U + 1442695040888963407U;
	return (uint32_t)(state >> 33) % n;
}

/*
 * Sample a thread that goes up to 120 calls deep and back, below one of two callers that leave equal bytes in all
 * frames; samples are lost now and then. Returns the joined stacks, *ret_false those with the other caller.
 */
static size_t sample_laps(uint32_t lap, uint32_t step, size_t *ret_false)
{
	size_t n = 0, at, found;
	uint32_t i, depth, lost = 0, next;

	join = pipa_stack_join_new();
	*ret_false = 0;
	for (at = 0; at < 40; at++) {
		uint64_t caller = random_below(2) ? 0x3000 : 0x2000;

		for (i = random_below(step); i < lap; i += next) {
			next = 1 + random_below(step);
			if (lost) { /* with the returns and calls of that time */
				lost -= lost < next ? lost : next;
				if (!lost)
					pipa_stack_join_lost(join);
				continue;
			}
			if (!random_below(2 * lap / step))
				lost = lap / 2 + random_below(lap);
			depth = i < lap / 2 ? i : lap - i;
			depth = 1 + depth * 240 / lap;
			if (depth <= 80) {
				complete((struct stack){
					.depth = depth, .activation = 1, .outermost = caller });
				continue;
			}
			found = joined((struct stack){ .depth = depth,
						       .bytes = (size_t)80 * FRAME,
						       .activation = 1,
						       .outermost = caller });
			n += found > 0;
			*ret_false += found && addrs[depth] != caller;
		}
	}
	end();
	return n;
}

TEST(nothing_is_joined_after_lost_samples_until_a_stack_is_complete)
{
	begin(shallow);
	pipa_stack_join_lost(join);
	CHECK_EQ(joined(deep), 0);
	complete(shallow);
	CHECK_EQ(joined(deep), 101);
	end();
}

TEST(laps_below_alternating_callers_with_equal_bytes_get_no_wrong_caller)
{
	size_t wrong, all = 0, n;
	uint32_t lap, step;

	for (lap = 20; lap <= 2000; lap *= 3)
		for (step = 2; step <= lap / 3; step *= 2) {
			n = sample_laps(lap, step, &wrong);
			CHECK_EQ(wrong, 0);
			all += n;
		}
	CHECK(all > 0);
}
