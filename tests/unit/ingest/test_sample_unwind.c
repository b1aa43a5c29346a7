#include "ingest/sample_unwind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/ingest.h"
#include "lib/test.h"
#include "lib/unwind_fixture.h"
#include "unwind/rows.h"
#include "unwind/table.h"

enum { PID = 7, PAGE = 0x1000, REGS = 64 };

static struct pipa_profile profile;
static struct pipa_ingest *ingest;
static struct pipa_record_sink *sink;
static struct unwind_fixture fixture;
static bool no_tables, other_arch;

static uint32_t same_event(void *ctx, uint32_t event)
{
	(void)ctx;
	return event;
}

static const struct pipa_unwind_arch *arch_of(void *ctx)
{
	(void)ctx;
	return other_arch ? NULL : fixture.arch;
}

/* The program's file begins where it is mapped, whatever the one that is kept of it. */
static const struct pipa_unwind_table *table_of(void *ctx, uint32_t object, uint64_t offset,
						uint64_t *ret_linked)
{
	(void)ctx;
	CHECK_STR(pipa_profile_string(&profile, profile.objects.items[object].path), "/bin/frames");
	*ret_linked = offset;
	return no_tables ? NULL : fixture.table;
}

static void map_program(void)
{
	struct pipa_rec_id id = { .pid = PID, .tid = PID };
	struct pipa_rec_map map = { .pid = PID,
				    .start = PAGE,
				    .len = 64 << 20,
				    .file_offset = PAGE,
				    .executable = true,
				    .mode = PIPA_MODE_USER,
				    .path = "/bin/frames" };

	CHECK_EQ(sink->map(sink, &id, &map), 0);
}

static void start(const struct pipa_unwind_arch *arch, struct pipa_ingest_options options)
{
	static const struct pipa_unwind_source from = { .arch = arch_of, .table = table_of };
	const char *source = getenv("PIPA_SOURCE");
	char folder[4096];

	snprintf(folder, sizeof(folder), "%s/tests/data/unwind", source ? source : ".");
	unwind_fixture_read(&fixture, folder, arch);
	options.event = same_event;
	options.unwind = &from;
	CHECK_EQ(pipa_profile_event(&profile, "cycles"), 0);
	ingest = pipa_ingest_new(&profile, &options);
	CHECK(ingest);
	sink = pipa_ingest_sink(ingest);
	map_program();
}

static void stop(void)
{
	pipa_ingest_free(ingest);
	pipa_profile_done(&profile);
	unwind_fixture_done(&fixture);
}

/* Registers as perf numbers them. */
static struct pipa_rec_regs perf_regs(const struct pipa_unwind_regs *regs, uint64_t values[REGS])
{
	struct pipa_rec_regs ret = { .abi = 2, .values = values };
	unsigned int i, n = 0;

	for (i = 0; i < REGS; i++) {
		if (i == fixture.arch->perf_pc)
			values[n++] = regs->pc;
		else if (i < fixture.arch->n_perf && pipa_unwind_knows(regs, fixture.arch->perf[i]))
			values[n++] = regs->r[fixture.arch->perf[i]];
		else
			continue;
		ret.mask |= UINT64_C(1) << i;
	}
	return ret;
}

/* The stack that the stop's sample is on, `words` of the stop's at most. */
static uint32_t add_stop(const struct unwind_stop *s, size_t words, const uint64_t *chain,
			 size_t chain_len, enum pipa_mode mode)
{
	uint64_t values[REGS];
	struct pipa_rec_id id = { .pid = PID, .tid = PID, .time = 5, .order = 5 };
	struct pipa_rec_sample sample = {
		.ip = mode == PIPA_MODE_USER ? s->regs.pc : 0xffff0000,
		.period = 1,
		.mode = mode,
		.chain = chain,
		.chain_len = chain_len,
		.user_regs = perf_regs(&s->regs, values),
		.stack = (const uint8_t *)s->words,
		.stack_len = (words < s->n_words ? words : s->n_words) * 8,
		.stack_requested = 8192,
	};
	struct pipa_ingest_found found;

	CHECK_EQ(sink->sample(sink, &id, &sample), 0);
	CHECK_EQ(pipa_ingest_find(ingest, &id, &sample, &found), 0);
	return found.stack;
}

static const struct pipa_location *location_of(uint32_t stack)
{
	return &profile.locations.items[profile.stacks.items[stack].location];
}

/* Are these the stack's frames? Callers lie a byte before where they return to. */
static bool is_chain(uint32_t stack, const uint64_t *frames, size_t n)
{
	size_t i;

	for (i = 0; i < n && stack != PIPA_NONE; i++) {
		if (frames[i] - location_of(stack)->offset > 1)
			return false;
		stack = profile.stacks.items[stack].parent;
	}
	return i == n && stack == PIPA_NONE;
}

static const struct unwind_stop *stop_named(const char *label)
{
	size_t i;

	for (i = 0; i < fixture.stops.n; i++)
		if (strcmp(fixture.stops.items[i].label, label) == 0)
			return &fixture.stops.items[i];
	CHECK(!"there is such a stop");
	return NULL;
}

static bool is_cut(uint32_t stack)
{
	while (profile.stacks.items[stack].parent != PIPA_NONE)
		stack = profile.stacks.items[stack].parent;
	return profile.stacks.items[stack].cut;
}

/*
 * The files of the fixtures have no code in them, so signal return trampolines and PLT stubs are
 * not recognised by it: these stacks end there, or use the frame-pointer fallback, and are marked
 * so. (The tests of unwind/ pass the code.)
 */
static void check_all(const struct pipa_unwind_arch *arch)
{
	size_t i, whole = 0, right = 0;
	uint64_t fp_fallback;
	uint32_t stack;

	start(arch, (struct pipa_ingest_options){ 0 });
	for (i = 0; i < fixture.stops.n; i++) {
		const struct unwind_stop *s = &fixture.stops.items[i];

		fp_fallback = profile.losses.unwound_fp_fallback;
		stack = add_stop(s, SIZE_MAX, NULL, 0, PIPA_MODE_USER);
		if (is_cut(stack))
			continue;
		whole++;
		if (profile.losses.unwound_fp_fallback != fp_fallback)
			continue;
		right++;
		if (!is_chain(stack, s->frames, s->n_frames))
			pipa_test_fail(__FILE__, __LINE__, "%s %s: another chain (%s)", arch->name,
				       s->label, s->end);
	}
	CHECK(whole * 10 >= fixture.stops.n * 7);
	CHECK(right * 10 >= fixture.stops.n * 6);
	CHECK_EQ(profile.losses.unwound, fixture.stops.n);
	CHECK_EQ(profile.losses.unwound_truncated, fixture.stops.n - whole);
	stop();
}

TEST(stacks_of_all_architectures_are_unwound_or_marked_truncated)
{
	check_all(&pipa_unwind_x86_64);
	check_all(&pipa_unwind_aarch64);
	check_all(&pipa_unwind_riscv64);
}

TEST(recorded_kernel_frames_precede_the_unwound_user_frames)
{
	const uint64_t chain[] = { PIPA_CHAIN_KERNEL, 0xffff0000, 0xffff0100, PIPA_CHAIN_USER,
				   0x1234 };
	const struct unwind_stop *s;
	uint64_t frames[16] = { 0xffff0000, 0xffff0100 };
	uint32_t stack;

	start(&pipa_unwind_x86_64, (struct pipa_ingest_options){ 0 });
	s = stop_named("deep/1+0");
	memcpy(frames + 2, s->frames, s->n_frames * sizeof(*frames));
	stack = add_stop(s, SIZE_MAX, chain, 3, PIPA_MODE_KERNEL);
	CHECK(is_chain(stack, frames, s->n_frames + 2));
	CHECK_EQ(location_of(stack)->mode, PIPA_MODE_KERNEL);
	/* user frames of the kernel's frame-pointer chain are not used */
	CHECK_EQ(add_stop(s, SIZE_MAX, chain, 5, PIPA_MODE_KERNEL), stack);
	/* without any chain, where it was */
	frames[1] = frames[0];
	stack = add_stop(s, SIZE_MAX, NULL, 0, PIPA_MODE_KERNEL);
	CHECK(is_chain(stack, frames + 1, s->n_frames + 1));
	stop();
}

TEST(a_stack_that_was_recorded_in_part_is_marked_at_its_root)
{
	const struct unwind_stop *s;
	uint32_t stack;

	start(&pipa_unwind_x86_64, (struct pipa_ingest_options){ 0 });
	s = stop_named("deep/1+0");
	stack = add_stop(s, 4, NULL, 0, PIPA_MODE_USER);
	CHECK(is_chain(stack, s->frames, 2));
	CHECK(is_cut(stack));
	add_stop(s, 4, NULL, 0, PIPA_MODE_USER);
	CHECK_EQ(profile.losses.unwound, 2);
	CHECK_EQ(profile.losses.unwound_truncated, 2);
	CHECK_EQ(profile.truncated_stacks.n, 1);
	CHECK_EQ(profile.truncated_stacks.items[0].why, PIPA_STACK_TRUNCATED);
	CHECK_EQ(profile.truncated_stacks.items[0].count, 2);
	CHECK_STR(pipa_profile_string(
			  &profile,
			  profile.objects.items[profile.truncated_stacks.items[0].object].path),
		  "/bin/frames");
	/* the same frames, but these are all there were */
	CHECK(add_stop(s, SIZE_MAX, NULL, 0, PIPA_MODE_USER) != stack);
	CHECK_EQ(profile.losses.unwound_truncated, 2);
	stop();
}

TEST(code_without_a_table_ends_a_stack_with_its_reason)
{
	const struct unwind_stop *s;

	no_tables = true;
	start(&pipa_unwind_x86_64, (struct pipa_ingest_options){ 0 });
	s = stop_named("deep/1+0");
	CHECK(is_cut(add_stop(s, SIZE_MAX, NULL, 0, PIPA_MODE_USER)));
	CHECK_EQ(profile.truncated_stacks.items[0].why, PIPA_STACK_NO_CFI);
	stop();
}

TEST(stacks_of_an_unknown_architecture_are_not_unwound)
{
	const struct unwind_stop *s;

	other_arch = true;
	start(&pipa_unwind_x86_64, (struct pipa_ingest_options){ 0 });
	s = stop_named("deep/1+0");
	CHECK(is_chain(add_stop(s, SIZE_MAX, NULL, 0, PIPA_MODE_USER), &s->regs.pc, 1));
	CHECK_EQ(profile.losses.unwound, 0);
	stop();
}

TEST(no_more_frames_are_kept_than_requested)
{
	const struct unwind_stop *s;
	uint32_t stack;

	start(&pipa_unwind_x86_64, (struct pipa_ingest_options){ .max_stack = 2 });
	s = stop_named("deep/1+0");
	stack = add_stop(s, SIZE_MAX, NULL, 0, PIPA_MODE_USER);
	CHECK(is_chain(stack, s->frames, 2));
	CHECK(!is_cut(stack));
	stop();
}

TEST(stacks_are_not_unwound_if_only_one_frame_is_needed)
{
	const struct unwind_stop *s;

	start(&pipa_unwind_x86_64, (struct pipa_ingest_options){ .no_stacks = true });
	s = stop_named("deep/1+0");
	CHECK(is_chain(add_stop(s, SIZE_MAX, NULL, 0, PIPA_MODE_USER), &s->regs.pc, 1));
	CHECK_EQ(profile.losses.unwound, 0);
	stop();
}

/* Registers and a stack that no machine produces. */
TEST(nonsense_in_registers_and_stack_does_no_harm)
{
	uint64_t words[] = { UINT64_MAX, PIPA_CHAIN_USER, 0, 0x401579, 0x401579 };
	struct unwind_stop nonsense = { .words = words, .n_words = 5 };
	size_t i;

	start(&pipa_unwind_x86_64, (struct pipa_ingest_options){ 0 });
	nonsense.regs = stop_named("deep/1+0")->regs;
	add_stop(&nonsense, SIZE_MAX, NULL, 0, PIPA_MODE_USER);
	nonsense.regs.pc = UINT64_MAX;
	add_stop(&nonsense, SIZE_MAX, NULL, 0, PIPA_MODE_USER);
	nonsense.regs.pc = 0;
	add_stop(&nonsense, SIZE_MAX, NULL, 0, PIPA_MODE_USER);
	for (i = 0; i < PIPA_UNWIND_REGS; i++)
		nonsense.regs.r[i] = UINT64_MAX - 7;
	add_stop(&nonsense, SIZE_MAX, NULL, 0, PIPA_MODE_KERNEL);
	CHECK_EQ(profile.losses.unwound, 4);
	CHECK_EQ(profile.losses.unwound_truncated, 4);
	stop();
}

/* The output of live unwinding, read back: the same stacks, ends and counts. */
TEST(a_chain_that_was_unwound_before_reads_as_if_it_were_unwound_now)
{
	const struct unwind_stop *s;
	struct pipa_rec_id id = { .pid = PID, .tid = PID, .time = 5, .order = 5 };
	struct pipa_rec_sample sample = { .ip = 1, .period = 1, .mode = PIPA_MODE_USER };
	struct pipa_unwound_chain chain;
	struct pipa_ingest_found found;
	uint64_t values[REGS];
	uint32_t stack;

	start(&pipa_unwind_x86_64, (struct pipa_ingest_options){ .live = true });
	s = stop_named("deep/1+0");
	stack = add_stop(s, 4, NULL, 0, PIPA_MODE_USER);
	sample.user_regs = perf_regs(&s->regs, values);
	sample.stack = (const uint8_t *)s->words;
	sample.stack_len = 32;
	sample.stack_requested = 8192;
	CHECK_EQ(pipa_ingest_unwind(ingest, &id, &sample, &chain), 1);
	CHECK_EQ(chain.end, PIPA_STACK_TRUNCATED);
	CHECK_EQ(profile.truncated_stacks.items[0].count, 2);
	sample = (struct pipa_rec_sample){ .ip = 1,
					   .period = 1,
					   .mode = PIPA_MODE_USER,
					   .chain = chain.words,
					   .chain_len = chain.n };
	CHECK_EQ(sink->sample(sink, &id, &sample), 0);
	CHECK_EQ(pipa_ingest_find(ingest, &id, &sample, &found), 0);
	CHECK_EQ(found.stack, stack);
	CHECK_EQ(profile.truncated_stacks.n, 1);
	CHECK_EQ(profile.truncated_stacks.items[0].count, 3);
	CHECK_EQ(profile.losses.chains, 1);
	stop();
}

TEST(markers_after_a_chain_encode_the_end_of_the_stack)
{
	const uint64_t chain[] = { PIPA_CHAIN_USER, 0x1000, PIPA_CHAIN_USER, PIPA_CHAIN_USER };

	CHECK_EQ(pipa_chain_end(chain, 2), PIPA_STACK_COMPLETE);
	CHECK_EQ(pipa_chain_end(chain, 3), PIPA_STACK_TRUNCATED);
	CHECK_EQ(pipa_chain_end(chain, 4), PIPA_STACK_OTHER_STACK);
	CHECK_EQ(pipa_chain_end(chain, 1), PIPA_STACK_COMPLETE);
	CHECK_EQ(pipa_chain_end(NULL, 0), PIPA_STACK_COMPLETE);
}

TEST(markers_after_a_chain_encode_the_frame_pointer_fallback)
{
	uint64_t chain[60] = { PIPA_CHAIN_USER, 0x1000 };
	struct pipa_chain_tail tail;
	size_t i;

	for (i = 2; i < 60; i++)
		chain[i] = PIPA_CHAIN_USER;
	for (i = 0; i < PIPA_STACK_END_NR; i++) {
		tail = pipa_chain_tail(chain, 2 + i);
		CHECK(!tail.fp_fallback);
		CHECK_EQ(tail.end, i);
		tail = pipa_chain_tail(chain, 2 + PIPA_STACK_END_NR + i);
		CHECK(tail.fp_fallback);
		CHECK_EQ(tail.end, i);
		CHECK_EQ(tail.marks, PIPA_STACK_END_NR + i);
	}
	tail = pipa_chain_tail(chain, 2 + 2 * PIPA_STACK_END_NR);
	CHECK(!tail.fp_fallback);
	CHECK(tail.joined);
	CHECK_EQ(tail.end, PIPA_STACK_COMPLETE);
	tail = pipa_chain_tail(chain, 3 + 3 * PIPA_STACK_END_NR);
	CHECK(tail.fp_fallback);
	CHECK(tail.joined);
	CHECK_EQ(tail.end, PIPA_STACK_TRUNCATED);
	tail = pipa_chain_tail(chain, 2 + 4 * PIPA_STACK_END_NR); /* nothing that is ever written */
	CHECK(!tail.fp_fallback);
	CHECK(!tail.joined);
	CHECK_EQ(tail.end, PIPA_STACK_COMPLETE);
}

/* Frame pointers lead on where the bytes end, if they came by all that was found in them. */
TEST(an_agreeing_kernel_chain_continues_a_truncated_stack)
{
	const struct unwind_stop *s;
	uint64_t chain[16] = { PIPA_CHAIN_USER };
	uint32_t stack;

	start(&pipa_unwind_x86_64, (struct pipa_ingest_options){ 0 });
	s = stop_named("deep/1+0");
	memcpy(chain + 1, s->frames, s->n_frames * sizeof(*chain));
	stack = add_stop(s, 4, chain, s->n_frames + 1, PIPA_MODE_USER);
	CHECK(is_chain(stack, s->frames, s->n_frames));
	CHECK(is_cut(stack)); /* where they end is not known to be the root */
	CHECK_EQ(profile.losses.unwound_fp_fallback, 1);
	/* no frame was made yet: the caller of the leaf is missing. Three frames must be known then. */
	memcpy(chain + 2, s->frames + 2, (s->n_frames - 2) * sizeof(*chain));
	stack = add_stop(s, 4, chain, s->n_frames, PIPA_MODE_USER);
	CHECK(is_chain(stack, s->frames, 2));
	/* other callers than those that were found */
	memcpy(chain + 1, s->frames, s->n_frames * sizeof(*chain));
	chain[2]++;
	stack = add_stop(s, 4, chain, s->n_frames + 1, PIPA_MODE_USER);
	CHECK(is_chain(stack, s->frames, 2));
	/* a whole stack needs no help */
	chain[2]--;
	stack = add_stop(s, SIZE_MAX, chain, s->n_frames + 1, PIPA_MODE_USER);
	CHECK(!is_cut(stack));
	CHECK(is_chain(stack, s->frames, s->n_frames));
	stop();
}

TEST(a_kernels_chain_goes_on_where_nothing_is_known_of_code)
{
	const struct unwind_stop *s;
	struct unwind_stop bare;
	uint64_t chain[32] = { PIPA_CHAIN_USER };
	uint32_t stack;

	start(&pipa_unwind_x86_64, (struct pipa_ingest_options){ 0 });
	no_tables = true;
	s = stop_named("deep/1+0");
	bare = *s;
	pipa_unwind_set(&bare.regs, fixture.arch->fp, 1); /* leads nowhere */
	stack = add_stop(&bare, SIZE_MAX, NULL, 0, PIPA_MODE_USER);
	CHECK(is_chain(stack, s->frames, 1) && is_cut(stack));
	memcpy(chain + 1, s->frames, s->n_frames * sizeof(*chain));
	stack = add_stop(&bare, SIZE_MAX, chain, s->n_frames + 1, PIPA_MODE_USER);
	CHECK(is_chain(stack, s->frames, s->n_frames));
	CHECK(is_cut(stack)); /* where it ends is not known to be the root */
	CHECK_EQ(profile.losses.unwound_fp_fallback, 1);
	chain[1]++; /* another sample's */
	stack = add_stop(&bare, SIZE_MAX, chain, s->n_frames + 1, PIPA_MODE_USER);
	CHECK(is_chain(stack, s->frames, 1));
	stop();
}

TEST(the_caller_of_a_leaf_without_a_frame_may_be_missing_in_a_kernels_chain)
{
	const struct unwind_stop *s;
	uint64_t chain[32] = { PIPA_CHAIN_USER };
	size_t words;
	uint32_t stack;

	start(&pipa_unwind_x86_64, (struct pipa_ingest_options){ 0 });
	s = stop_named("deep/1+0");
	chain[1] = s->frames[0];
	memcpy(chain + 2, s->frames + 2, (s->n_frames - 2) * sizeof(*chain));
	for (words = 4; words < s->n_words; words++) {
		stack = add_stop(s, words, NULL, 0, PIPA_MODE_USER);
		if (is_cut(stack) && is_chain(stack, s->frames, 3))
			break;
	}
	CHECK(words < s->n_words);
	stack = add_stop(s, words, chain, s->n_frames, PIPA_MODE_USER);
	CHECK(is_chain(stack, s->frames, s->n_frames));
	stop();
}

/* The kernel's chain by frame pointers, and the link register. */
static uint32_t add_framed(const struct unwind_stop *s, bool leaf, bool with_link)
{
	uint64_t chain[64] = { PIPA_CHAIN_USER, s->frames[0] };
	uint64_t link = s->regs.r[fixture.arch->link];
	size_t skip = leaf ? 2 : 1, n = s->n_frames - skip;
	struct pipa_rec_id id = { .pid = PID, .tid = PID, .time = 5, .order = 5 };
	struct pipa_rec_sample sample = { .ip = s->frames[0],
					  .period = 1,
					  .mode = PIPA_MODE_USER,
					  .chain = chain,
					  .chain_len = n + 2 };
	struct pipa_ingest_found found;

	memcpy(chain + 2, s->frames + skip, n * sizeof(*chain));
	if (with_link)
		sample.user_regs = (struct pipa_rec_regs){ 2, UINT64_C(1) << 30, &link };
	CHECK_EQ(sink->sample(sink, &id, &sample), 0);
	CHECK_EQ(pipa_ingest_find(ingest, &id, &sample, &found), 0);
	CHECK(!found.unwound);
	return found.stack;
}

/* As at the start of a program: the frame 0 is not a caller. */
TEST(a_link_register_of_zero_is_not_a_caller)
{
	size_t i, tried = 0;
	struct pipa_row row;

	start(&pipa_unwind_aarch64, (struct pipa_ingest_options){ 0 });
	for (i = 0; i < fixture.stops.n; i++) {
		struct unwind_stop s = fixture.stops.items[i];

		if (pipa_unwind_table_row(fixture.table, s.regs.pc, &row) < 0 ||
		    row.regs[row.ra].kind == PIPA_RULE_AT)
			continue;
		pipa_unwind_set(&s.regs, fixture.arch->link, 0);
		s.n_frames = 1;
		CHECK(is_chain(add_framed(&s, false, true), s.frames, 1));
		tried++;
	}
	CHECK(tried);
	stop();
}

TEST(a_leafs_caller_is_in_the_link_register_on_aarch64)
{
	size_t i, leaves = 0, others = 0;
	struct pipa_row row;

	start(&pipa_unwind_aarch64, (struct pipa_ingest_options){ 0 });
	for (i = 0; i < fixture.stops.n; i++) {
		const struct unwind_stop *s = &fixture.stops.items[i];
		bool leaf;

		if (strcmp(s->end, "complete") != 0 || s->n_frames < 3 || s->n_frames > 60 ||
		    pipa_unwind_table_row(fixture.table, s->regs.pc, &row) < 0)
			continue;
		leaf = row.regs[row.ra].kind != PIPA_RULE_AT;
		CHECK(is_chain(add_framed(s, leaf, true), s->frames, s->n_frames));
		CHECK(is_chain(add_framed(s, leaf, false), s->frames, s->n_frames) == !leaf);
		leaves += leaf;
		others += !leaf;
	}
	CHECK(leaves > 5 && others > 5);
	CHECK_EQ(profile.losses.unwound, 0);
	CHECK(profile.losses.unwound_truncated >
	      0); /* the program has functions without frame records */
	stop();
}
