#include "analyze/profile/flame.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/test.h"

static struct pipa_profile one, two;
static struct pipa_flame flame;
static char text[8192];

/* "f", or "inner<outer" for what was inlined, in an object of that kind. */
static uint32_t place(struct pipa_profile *p, const char *path, enum pipa_object_kind kind,
		      const char *names)
{
	struct pipa_object object = { .path = pipa_profile_text(p, path), .kind = kind };
	uint32_t number = pipa_profile_object(p, &object);
	struct pipa_location location = { .object = number,
					  .offset = pipa_profile_text(p, names),
					  .mode = PIPA_MODE_USER };
	uint32_t at = pipa_profile_location(p, &location);
	char name[64];

	if (p->locations.items[at].n_lines)
		return at;
	while (*names) {
		size_t len = strcspn(names, "<");
		struct pipa_function f = { .object = number };

		snprintf(name, sizeof(name), "%.*s", (int)len, names);
		f.name = pipa_profile_text(p, name);
		CHECK_EQ(pipa_profile_name(p, at, pipa_profile_function(p, &f), 0), 0);
		names += len + (names[len] == '<');
	}
	return at;
}

/* An unnamed place is "?", the kernel's begin with k_, those of a JIT with j_. */
static uint32_t place_of(struct pipa_profile *p, const char *name)
{
	if (name[0] == '?')
		return place(p, "/lib/libx.so", PIPA_OBJECT_FILE, "");
	if (strncmp(name, "k_", 2) == 0)
		return place(p, "[kernel.kallsyms]", PIPA_OBJECT_KERNEL, name);
	if (strncmp(name, "j_", 2) == 0)
		return place(p, "/tmp/perf-1.map", PIPA_OBJECT_JIT, name);
	return place(p, "/lib/libx.so", PIPA_OBJECT_FILE, name);
}

/* "outer;inner" */
static uint32_t stack_of(struct pipa_profile *p, const char *frames)
{
	uint32_t stack = PIPA_NONE;
	char name[64];

	while (*frames) {
		size_t len = strcspn(frames, ";");

		snprintf(name, sizeof(name), "%.*s", (int)len, frames);
		stack = pipa_profile_stack(p, stack, place_of(p, name));
		frames += len + (frames[len] == ';');
	}
	return stack;
}

/* who: "comm pid tid", or "" for no thread */
static void add(struct pipa_profile *p, const char *who, const char *event, const char *frames,
		uint64_t weight)
{
	struct pipa_thread thread = { 0 };
	struct pipa_sample s = { .event = pipa_profile_event(p, event),
				 .thread = PIPA_NONE,
				 .cpu = PIPA_NONE,
				 .weight = weight,
				 .count = 1 };
	char comm[32], *rest;

	if (who[0]) {
		snprintf(comm, sizeof(comm), "%.*s", (int)strcspn(who, " "), who);
		thread.comm = pipa_profile_text(p, comm);
		thread.pid = (uint32_t)strtoul(who + strlen(comm), &rest, 10);
		thread.tid = (uint32_t)strtoul(rest, NULL, 10);
		s.thread = pipa_profile_thread(p, &thread);
	}
	s.stack = stack_of(p, frames);
	CHECK_EQ(pipa_profile_add(p, &s), 0);
}

/* "  name total/self" a node, two spaces each level; in a diff followed by the base's */
static const char *tree(void)
{
	size_t i, n = 0, depth;
	uint32_t up;

	text[0] = '\0';
	for (i = 0; i < flame.n_nodes; i++) {
		const struct pipa_flame_node *node = &flame.nodes[i];
		const struct pipa_flame_frame *frame = &flame.frames[node->frame];

		for (depth = 0, up = node->parent; up != PIPA_NONE; up = flame.nodes[up].parent)
			depth++;
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%*s%s%s %llu/%llu",
				      (int)(2 * depth), "", pipa_flame_text(&flame, frame->name),
				      frame->inlined ? "(i)" : "",
				      (unsigned long long)flame.costs[0][i].total,
				      (unsigned long long)flame.costs[0][i].self);
		if (flame.has_base)
			n += (size_t)snprintf(text + n, sizeof(text) - n, " %llu/%llu",
					      (unsigned long long)flame.costs[1][i].total,
					      (unsigned long long)flame.costs[1][i].self);
		n += (size_t)snprintf(text + n, sizeof(text) - n, "\n");
	}
	return text;
}

static const char *draw(struct pipa_flame_options options)
{
	pipa_flame_done(&flame);
	CHECK_EQ(pipa_flame_make(&one, &options, &flame), 0);
	return tree();
}

static const struct pipa_flame_options all = { .event = PIPA_NONE, .base_event = PIPA_NONE };

TEST(places_of_one_function_are_one_frame_below_each_caller)
{
	struct pipa_location other = { .mode = PIPA_MODE_USER, .offset = 99 };
	struct pipa_sample s = { .thread = PIPA_NONE, .cpu = PIPA_NONE, .weight = 5, .count = 2 };
	uint32_t main_again;

	add(&one, "", "cycles", "main;b;c", 10);
	add(&one, "", "cycles", "main;a;c", 3);
	add(&one, "", "cycles", "main;b", 1);
	other.object = one.locations.items[0].object;
	main_again = pipa_profile_location(&one, &other);
	CHECK_EQ(pipa_profile_name(&one, main_again, one.lines.items[0].function, 7), 0);
	s.stack = pipa_profile_stack(&one, PIPA_NONE, main_again);
	s.stack = pipa_profile_stack(&one, s.stack, place_of(&one, "b"));
	CHECK_EQ(pipa_profile_add(&one, &s), 0);
	CHECK_STR(draw(all), "main 19/0\n"
			     "  a 3/0\n"
			     "    c 3/3\n"
			     "  b 16/6\n"
			     "    c 10/10\n");
	CHECK_EQ(flame.total[0], 19);
	CHECK_EQ(flame.samples[0], 5);
	CHECK_EQ(flame.depth, 3);
	CHECK_EQ(flame.n_frames, 4);
	CHECK_EQ(flame.costs[0][3].count, 3); /* main;b */
}

TEST(inlined_calls_are_frames_inside_their_callers)
{
	add(&one, "", "cycles", "main;deep<mid<outer", 4);
	add(&one, "", "cycles", "main;outer", 1);
	add(&one, "", "cycles", "main;mid", 2);
	CHECK_STR(draw(all), "main 7/0\n"
			     "  mid 2/2\n"
			     "  outer 5/1\n"
			     "    mid(i) 4/0\n"
			     "      deep(i) 4/4\n");
}

TEST(frame_kind_follows_from_the_object_and_unresolved_symbols)
{
	static const enum pipa_flame_kind kinds[] = { PIPA_FLAME_UNRESOLVED, PIPA_FLAME_UNRESOLVED,
						      PIPA_FLAME_JIT, PIPA_FLAME_KERNEL,
						      PIPA_FLAME_USER };
	size_t i;

	add(&one, "", "cycles", "main;?", 1);
	add(&one, "", "cycles", "main;k_read", 1);
	add(&one, "", "cycles", "main;j_loop", 1);
	add(&one, "", "cycles", "", 8);
	CHECK_STR(draw(all), "[no stack] 8/8\n"
			     "main 3/0\n"
			     "  [libx.so] 1/1\n"
			     "  j_loop 1/1\n"
			     "  k_read 1/1\n");
	CHECK_EQ(flame.total[0], 11);
	for (i = 0; i < flame.n_frames; i++)
		CHECK_EQ(flame.frames[i].kind, kinds[i]);
	CHECK_STR(pipa_flame_text(&flame, flame.frames[0].object), "libx.so");
	CHECK_STR(pipa_flame_text(&flame, flame.frames[1].object), "");
	CHECK_STR(pipa_flame_text(&flame, flame.frames[3].object), "[kernel.kallsyms]");
}

TEST(suffixes_of_folded_names_give_the_frame_kind)
{
	static const char *const names[] = { "sys_read_[k]", "run_[j]", "get_[i]", "k]" };
	static const enum pipa_flame_kind kinds[] = { PIPA_FLAME_USER, PIPA_FLAME_USER,
						      PIPA_FLAME_JIT, PIPA_FLAME_KERNEL };
	struct pipa_sample s = { .thread = PIPA_NONE, .cpu = PIPA_NONE, .weight = 1, .count = 1 };
	size_t i;

	s.stack = PIPA_NONE;
	for (i = 0; i < 4; i++)
		s.stack = pipa_profile_stack(&one, s.stack,
					     place(&one, "", PIPA_OBJECT_UNKNOWN, names[i]));
	CHECK_EQ(pipa_profile_add(&one, &s), 0);
	CHECK_STR(draw(all), "sys_read_[k] 1/0\n"
			     "  run_[j] 1/0\n"
			     "    get_[i](i) 1/0\n"
			     "      k] 1/1\n");
	for (i = 0; i < 4; i++)
		CHECK_EQ(flame.frames[i].kind, kinds[i]);
	CHECK_STR(pipa_flame_text(&flame, flame.frames[0].object), "");
}

TEST(groups_have_trees_of_their_own)
{
	struct pipa_flame_options o = all;

	add(&one, "web 10 11", "cycles", "main;a", 1);
	add(&one, "db 20 20", "cycles", "main;a", 2);
	add(&one, "srv 10 10", "cycles", "main;a", 4);
	add(&one, "web 10 11", "cycles", "main", 8);
	add(&one, "web 30 30", "cycles", "", 16);
	o.by = PIPA_FLAME_BY_THREAD;
	CHECK_STR(draw(o), "db-20/20 2/0\n"
			   "  main 2/0\n"
			   "    a 2/2\n"
			   "srv-10/10 4/0\n"
			   "  main 4/0\n"
			   "    a 4/4\n"
			   "web-10/11 9/0\n"
			   "  main 9/8\n"
			   "    a 1/1\n"
			   "web-30/30 16/0\n"
			   "  [no stack] 16/16\n");
	CHECK_EQ(flame.frames[flame.nodes[0].frame].kind, PIPA_FLAME_GROUP);
	o.by = PIPA_FLAME_BY_PROCESS; /* thread 11 has another name than its process */
	CHECK_STR(draw(o), "db-20 2/0\n"
			   "  main 2/0\n"
			   "    a 2/2\n"
			   "srv-10 13/0\n"
			   "  main 13/8\n"
			   "    a 5/5\n"
			   "web-30 16/0\n"
			   "  [no stack] 16/16\n");
	o.by = PIPA_FLAME_BY_COMM;
	CHECK_STR(draw(o), "db 2/0\n"
			   "  main 2/0\n"
			   "    a 2/2\n"
			   "srv 4/0\n"
			   "  main 4/0\n"
			   "    a 4/4\n"
			   "web 25/0\n"
			   "  [no stack] 16/16\n"
			   "  main 9/8\n"
			   "    a 1/1\n");
}

TEST(samples_of_no_thread_stand_in_no_group)
{
	struct pipa_flame_options o = all;

	add(&one, "web 10 11", "cycles", "main", 1);
	add(&one, "", "cycles", "main", 2);
	o.by = PIPA_FLAME_BY_COMM;
	CHECK_STR(draw(o), "main 2/2\n"
			   "web 1/0\n"
			   "  main 1/1\n");
}

TEST(one_event_is_drawn_of_several)
{
	struct pipa_flame_options o = all;

	add(&one, "", "cycles", "main;a", 1);
	add(&one, "", "faults", "main;b", 2);
	o.event = pipa_profile_event(&one, "faults");
	CHECK_STR(draw(o), "main 2/0\n"
			   "  b 2/2\n");
	CHECK_EQ(flame.n_frames, 2);
}

TEST(callers_stand_on_callees_when_it_is_reversed)
{
	struct pipa_flame_options o = all;

	add(&one, "", "cycles", "main;a;leaf", 1);
	add(&one, "", "cycles", "main;in<b;leaf", 2);
	add(&one, "", "cycles", "main;in<b", 4);
	o.reverse = true;
	CHECK_STR(draw(o), "in(i) 4/0\n"
			   "  b 4/0\n"
			   "    main 4/4\n"
			   "leaf 3/0\n"
			   "  a 1/0\n"
			   "    main 1/1\n"
			   "  in(i) 2/0\n"
			   "    b 2/0\n"
			   "      main 2/2\n");
}

static const char *draw_diff(struct pipa_flame_options options)
{
	pipa_flame_done(&flame);
	CHECK_EQ(pipa_flame_make_diff(&one, &two, &options, &flame), 0);
	return tree();
}

TEST(a_diff_has_frames_of_only_one_profile)
{
	struct pipa_flame_options o = all;

	add(&one, "sh 1 1", "cycles", "main;gone;leaf", 5);
	add(&one, "sh 1 1", "cycles", "main;kept", 7);
	add(&two, "sh 2 2", "cycles", "main;kept", 3);
	add(&two, "sh 2 2", "cycles", "main;new", 1);
	CHECK_STR(draw_diff(o), "main 4/0 12/0\n"
				"  gone 0/0 5/0\n"
				"    leaf 0/0 5/5\n"
				"  kept 3/3 7/7\n"
				"  new 1/1 0/0\n");
	CHECK_EQ(flame.total[0], 4);
	CHECK_EQ(flame.total[1], 12);
	CHECK_EQ(flame.samples[0], 2);
	CHECK_EQ(flame.costs[1][3].count, 1);
	o.by = PIPA_FLAME_BY_THREAD; /* whose numbers are others */
	CHECK_HAS(draw_diff(o), "sh 4/0 12/0\n  main 4/0 12/0\n");
}

TEST(a_diff_matches_frames_only_by_name_and_object)
{
	add(&one, "", "cycles", "main;f<g", 5);
	add(&two, "", "cycles", "main;g;f", 3);
	CHECK_STR(draw_diff(all), "main 3/0 5/0\n"
				  "  g 3/0 5/0\n"
				  "    f 3/3 5/5\n");
}

TEST(a_profile_of_nothing_has_an_empty_tree)
{
	CHECK_STR(draw(all), "");
	CHECK_EQ(flame.n_nodes, 0);
	CHECK_EQ(flame.depth, 0);
	CHECK_EQ(flame.total[0], 0);
	CHECK_EQ(pipa_flame_find(&flame, 0, 0), PIPA_NONE);
}

TEST(weights_may_be_zero)
{
	add(&one, "", "cycles", "main;a", 0);
	CHECK_STR(draw(all), "main 0/0\n  a 0/0\n");
	CHECK_EQ(flame.samples[0], 1);
}

TEST(a_stack_may_be_as_deep_as_it_likes)
{
	enum { DEPTH = 300000 };
	struct pipa_sample s = {
		.thread = PIPA_NONE, .cpu = PIPA_NONE, .stack = PIPA_NONE, .weight = 1, .count = 1
	};
	uint32_t i;

	for (i = 0; i < DEPTH; i++)
		s.stack = pipa_profile_stack(&one, s.stack, place_of(&one, i % 2 ? "a" : "b"));
	CHECK_EQ(pipa_profile_add(&one, &s), 0);
	pipa_flame_done(&flame);
	CHECK_EQ(pipa_flame_make(&one, &all, &flame), 0);
	CHECK_EQ(flame.n_nodes, DEPTH);
	CHECK_EQ(flame.depth, DEPTH);
	CHECK_EQ(flame.costs[0][0].total, 1);
	CHECK_EQ(flame.costs[0][DEPTH - 1].self, 1);
}

/* Where the profile's tree is copied; with places that share a frame it is not. */
TEST(callees_are_sorted_independently_of_the_order_of_stacks)
{
	static const char sorted[] = "a 6/1\n"
				     "  b 2/2\n"
				     "  c 3/1\n"
				     "    a 1/1\n"
				     "    b 1/1\n"
				     "b 1/1\n"
				     "c 2/0\n"
				     "  a 1/1\n"
				     "  c 1/1\n";
	static const char *const stacks[] = { "c;c",   "a;c;b", "a;c", "a;b", "b",
					      "a;c;a", "a",	"c;a", "a;b" };
	size_t i;

	for (i = 0; i < 9; i++)
		add(&one, "", "cycles", stacks[i], 1);
	CHECK_STR(draw(all), sorted);
	CHECK_EQ(flame.nodes[0].next, 5);
	CHECK_EQ(flame.nodes[2].child, 3);
	CHECK_EQ(flame.nodes[3].next, 4);
	CHECK_EQ(flame.nodes[4].next, PIPA_NONE);
	CHECK_EQ(flame.nodes[6].next, PIPA_NONE);
	CHECK(!flame.costs[1]);
	CHECK_STR(draw((struct pipa_flame_options){ .event = 0 }), sorted);
}

/* More callees than are kept in a list, met in no order. */
TEST(many_callees_are_found_again_and_sorted)
{
	char name[64];
	uint32_t i;

	for (i = 0; i < 400; i++) {
		snprintf(name, sizeof(name), "main;f%03u", i * 37 % 200);
		add(&one, "", "cycles", name, 1);
	}
	draw(all);
	CHECK_EQ(flame.n_nodes, 201);
	CHECK_EQ(flame.costs[0][0].total, 400);
	for (i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "f%03u", i);
		CHECK_STR(pipa_flame_text(&flame, flame.frames[flame.nodes[i + 1].frame].name),
			  name);
		CHECK_EQ(flame.costs[0][i + 1].self, 2);
		CHECK_EQ(flame.nodes[i + 1].parent, 0);
		CHECK_EQ(flame.nodes[i + 1].next, i < 199 ? i + 2 : PIPA_NONE);
	}
}

TEST(the_node_of_a_stack_is_found)
{
	struct pipa_flame_options o = all;
	uint32_t stack;

	add(&one, "web 10 11", "cycles", "main;b", 1);
	add(&one, "db 20 20", "cycles", "main;b", 2);
	add(&one, "db 20 20", "cycles", "", 4);
	add(&one, "db 20 20", "cycles", "main;a", 4);
	stack = one.samples.items[0].stack;
	o.ends = true;
	draw(o); /* [no stack], main, a, b */
	CHECK_EQ(pipa_flame_find(&flame, 0, stack), 3);
	CHECK_EQ(pipa_flame_find(&flame, 1, stack), 3);
	CHECK_EQ(pipa_flame_find(&flame, 1, PIPA_NONE), 0);
	o.by = PIPA_FLAME_BY_COMM;
	draw(o); /* db, [no stack], main, a, b, web, main, b */
	CHECK_EQ(pipa_flame_find(&flame, 0, stack), 7);
	CHECK_EQ(pipa_flame_find(&flame, 1, stack), 4);
	CHECK_EQ(pipa_flame_find(&flame, 1, PIPA_NONE), 1);
	CHECK_EQ(pipa_flame_find(&flame, 0, PIPA_NONE), PIPA_NONE);
}
