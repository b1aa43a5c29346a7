#include "analyze/profile/lazy_calltree.h"

#include <stdio.h>
#include <stdlib.h>

#include "analyze/profile/calltree.h"
#include "lib/invent.h"
#include "lib/test.h"

static struct pipa_profile p;
static struct pipa_top top;

static void table(enum pipa_key one, enum pipa_key two)
{
	struct pipa_top_options options = { .keys = { one, two },
					    .n_keys = two == PIPA_KEY_NR ? 1 : 2,
					    .children = true };

	pipa_top_done(&top);
	CHECK_EQ(pipa_top_make(&p, &options, &top), 0);
}

static void finish(void)
{
	pipa_top_done(&top);
	pipa_profile_done(&p);
}

static const struct pipa_top_row *row(const char *name)
{
	char buf[64];
	size_t i;

	for (i = 0; i < top.n; i++)
		if (strcmp(pipa_top_text(&top, &top.items[i], top.o.n_keys - 1, buf), name) == 0)
			return &top.items[i];
	pipa_test_fail(__FILE__, __LINE__, "no row '%s'", name);
}

/* "name weight\n", indented by a space per level */
static size_t tell(struct pipa_lazy_calltree *b, uint32_t parent, int depth, char *out, size_t n)
{
	char buf[64];
	uint32_t i;

	CHECK_EQ(pipa_lazy_calltree_expand(b, parent), 0);
	CHECK_EQ(b->items[parent].n_steps > 0, b->items[parent].child != PIPA_NONE);
	for (i = b->items[parent].child; i != PIPA_NONE; i = b->items[i].next) {
		n += (size_t)snprintf(out + n, 4000 - n, "%*s%s%s %llu%s\n", depth, "",
				      pipa_frame_text(&p, b->items[i].name, buf),
				      pipa_frame_mark(b->items[i].name),
				      (unsigned long long)b->items[i].weight,
				      b->items[i].cut ? " cut" : "");
		n = tell(b, i, depth + 1, out, n);
	}
	return n;
}

static const char *tree(const struct pipa_lazy_calltree_of *of)
{
	static char text[4000];
	struct pipa_lazy_calltree b;

	CHECK_EQ(pipa_lazy_calltree_make(&top, of, &b), 0);
	text[0] = '\0';
	tell(&b, 0, 0, text, 0);
	pipa_lazy_calltree_done(&b);
	return text;
}

static const char *tree_of(const char *name, bool callees)
{
	return tree(&(struct pipa_lazy_calltree_of){ .row = row(name), .callees = callees });
}

TEST(callers_are_found_level_by_level_heaviest_first)
{
	invent(&p, "a", "main;f;h", 10);
	invent(&p, "a", "main;g;h", 30);
	invent(&p, "a", "main;g;h;i", 1);
	table(PIPA_KEY_SYMBOL, PIPA_KEY_NR);
	CHECK_STR(tree_of("h", false), "g 31\n main 31\nf 10\n main 10\n");
	CHECK_STR(tree_of("main", false), "");
	finish();
}

TEST(rows_expand_into_their_callees)
{
	invent(&p, "a", "main;f;h", 10);
	invent(&p, "a", "main;g;h", 30);
	invent(&p, "a", "main;g", 2);
	table(PIPA_KEY_SYMBOL, PIPA_KEY_NR);
	CHECK_STR(tree_of("main", true), "g 32\n h 30\nf 10\n h 10\n");
	CHECK_STR(tree_of("h", true), "");
	finish();
}

TEST(only_the_samples_of_the_row_count)
{
	invent(&p, "a", "main;f", 10);
	invent(&p, "b", "main;f", 5);
	table(PIPA_KEY_COMM, PIPA_KEY_SYMBOL);
	CHECK_STR(tree(&(struct pipa_lazy_calltree_of){ .row = row("f") }), "main 10\n");
	CHECK_STR(tree(&(struct pipa_lazy_calltree_of){ .symbol = row("f")->key[1],
							.object = PIPA_NONE }),
		  "main 15\n");
	finish();
}

TEST(a_row_that_names_no_function_begins_with_its_functions)
{
	invent(&p, "a", "main;f;y:g", 10);
	invent(&p, "a", "main;h", 3);
	invent(&p, "b", "main;h", 7);
	table(PIPA_KEY_COMM, PIPA_KEY_NR);
	CHECK_STR(tree_of("a", false), "g 10\n f 10\n  main 10\nh 3\n main 3\n");
	CHECK_STR(tree_of("a", true), "main 13\n f 10\n  g 10\n h 3\n");
	table(PIPA_KEY_OBJECT, PIPA_KEY_NR);
	CHECK_STR(tree_of("y", false), "g 10\n f 10\n  main 10\n");
	CHECK_STR(tree_of("y", true), "g 10\n");
	finish();
}

TEST(a_function_of_another_object_is_another_one)
{
	invent(&p, "a", "main;f", 10);
	invent(&p, "a", "start;y:f", 3);
	table(PIPA_KEY_SYMBOL, PIPA_KEY_NR);
	CHECK_STR(tree(&(struct pipa_lazy_calltree_of){
			  .symbol = row("f")->key[0],
			  .object = top.frames.items[p.lines.n - 1].object }),
		  "start 3\n");
	finish();
}

TEST(inlined_frames_are_nodes_and_count_for_their_function)
{
	invent(&p, "a", "main;i<f", 10);
	invent(&p, "a", "other;i", 4);
	table(PIPA_KEY_SYMBOL, PIPA_KEY_NR);
	CHECK_STR(tree_of("main", true), "f 10\n i (inlined) 10\n");
	CHECK_STR(tree(&(struct pipa_lazy_calltree_of){ .symbol = row("i")->key[0],
							.object = PIPA_NONE }),
		  "f 10\n main 10\nother 4\n");
	finish();
}

TEST(a_truncated_stack_is_marked_at_its_end)
{
	struct pipa_sample s = { .cpu = PIPA_NONE, .weight = 5, .count = 1 };

	invent(&p, "a", "main;f", 10);
	s.stack = pipa_profile_root(&p, p.stacks.items[0].location, true);
	s.stack = pipa_profile_stack(&p, s.stack, p.stacks.items[1].location);
	CHECK_EQ(pipa_profile_add(&p, &s), 0);
	table(PIPA_KEY_SYMBOL, PIPA_KEY_NR);
	CHECK_STR(tree_of("f", false), "main 15 cut\n");
	finish();
}

/* ---- the same as the whole tree ------------------------------------------------------------------- */

static char paths[2][1 << 16];

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static const char *sorted(char *text)
{
	static char out[1 << 16];
	char *lines[4096];
	size_t n = 0, i, len = 0;
	char *line;

	for (line = strtok(text, "\n"); line && n < 4096; line = strtok(NULL, "\n"))
		lines[n++] = line;
	qsort(lines, n, sizeof(*lines), by_text);
	out[0] = '\0';
	for (i = 0; i < n; i++)
		len += (size_t)snprintf(out + len, sizeof(out) - len, "%s\n", lines[i]);
	return out;
}

static size_t add_path(char *out, size_t n, const char *path, uint64_t weight)
{
	return n + (size_t)snprintf(out + n, sizeof(paths[0]) - n, "%s %llu\n", path,
				    (unsigned long long)weight);
}

static size_t walk_twigs(struct pipa_lazy_calltree *b, uint32_t parent, const char *before,
			 size_t n)
{
	char path[256];
	uint32_t i;

	CHECK_EQ(pipa_lazy_calltree_expand(b, parent), 0);
	for (i = b->items[parent].child; i != PIPA_NONE; i = b->items[i].next) {
		snprintf(path, sizeof(path), "%.200s/%x", before, b->items[i].name);
		n = add_path(paths[0], n, path, b->items[i].weight);
		n = walk_twigs(b, i, path, n);
	}
	return n;
}

static size_t walk_tree(const struct pipa_calltree *t, uint32_t parent, const char *before,
			size_t n)
{
	char path[256];
	uint32_t i;

	for (i = t->items[parent].child; i != PIPA_NONE; i = t->items[i].next) {
		snprintf(path, sizeof(path), "%.200s/%x", before, t->items[i].name);
		n = add_path(paths[1], n, path, t->items[i].weight);
		n = walk_tree(t, i, path, n);
	}
	return n;
}

static void compare(bool callees)
{
	struct pipa_calltree_options options = { .callees = callees, .max_rows = SIZE_MAX };
	struct pipa_calltree all;
	size_t i;

	CHECK_EQ(pipa_calltree_make(&top, &options, &all), 0);
	for (i = 0; i < top.n; i++) {
		struct pipa_lazy_calltree_of of = { .row = &top.items[i], .callees = callees };
		struct pipa_lazy_calltree b;
		char *want;

		CHECK_EQ(pipa_lazy_calltree_make(&top, &of, &b), 0);
		paths[0][0] = paths[1][0] = '\0';
		walk_twigs(&b, 0, "", 0);
		CHECK(all.rows[i] != PIPA_NONE);
		walk_tree(&all, all.rows[i], "", 0);
		CHECK_EQ(b.items[0].weight, top.total[i].weight);
		want = strdup(sorted(paths[1]));
		CHECK_STR(sorted(paths[0]), want);
		free(want);
		pipa_lazy_calltree_done(&b);
	}
	pipa_calltree_done(&all);
}

TEST(lazy_tree_of_random_stacks_equals_the_full_tree)
{
	static const char *const names[] = { "a", "b", "c", "i<a", "i<j<d", "y:b" };
	unsigned int seed = 7, i, k;
	char stack[128];

	for (i = 0; i < 150; i++) {
		size_t n = 0;

		stack[0] = '\0';
		for (k = 0; k < 1 + i % 7; k++) {
			seed = seed * 1103515245 + 12345;
			n += (size_t)snprintf(stack + n, sizeof(stack) - n, "%s%s", k ? ";" : "",
					      names[seed / 65536 % 6]);
		}
		invent(&p, i % 3 ? "u" : "v", stack, i + 1);
	}
	table(PIPA_KEY_SYMBOL, PIPA_KEY_NR);
	compare(false);
	compare(true);
	table(PIPA_KEY_COMM, PIPA_KEY_SYMBOL);
	compare(false);
	compare(true);
	finish();
}

TEST(a_stack_of_10000_frames_is_walked_one_level_at_a_time)
{
	struct pipa_lazy_calltree b;
	uint32_t at = 0, depth = 0;
	char name[16];
	struct pipa_lazy_calltree_of of = { .callees = false };
	struct pipa_sample s = { .stack = PIPA_NONE, .weight = 1, .count = 1 };

	invent(&p, "a", "f0", 1);
	for (; depth < 10000; depth++) {
		struct pipa_location location = { .offset = depth };
		struct pipa_function f = { .file = 0 };
		uint32_t place = pipa_profile_location(&p, &location);

		snprintf(name, sizeof(name), "g%u", depth);
		f.name = pipa_profile_text(&p, name);
		if (!p.locations.items[place].n_lines)
			CHECK_EQ(pipa_profile_name(&p, place, pipa_profile_function(&p, &f), 0), 0);
		s.stack = pipa_profile_stack(&p, s.stack, place);
	}
	CHECK_EQ(pipa_profile_add(&p, &s), 0);
	table(PIPA_KEY_SYMBOL, PIPA_KEY_NR);
	of.row = row(name);
	CHECK_EQ(pipa_lazy_calltree_make(&top, &of, &b), 0);
	CHECK_EQ(pipa_lazy_calltree_expand(&b, 0), 0);
	CHECK_EQ(b.n, 2); /* only one level */
	for (depth = 0; b.items[at].n_steps; depth++) {
		CHECK_EQ(pipa_lazy_calltree_expand(&b, at), 0);
		at = b.items[at].child;
	}
	CHECK_EQ(depth, 9999);
	pipa_lazy_calltree_done(&b);
	finish();
}
