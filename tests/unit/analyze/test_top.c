#include "analyze/profile/top.h"

#include <math.h>
#include <stdio.h>

#include "analyze/profile/calltree.h"
#include "lib/invent.h"
#include "lib/test.h"

static struct pipa_profile p;

/* "f", or "inner<outer" for what was inlined; the n-th has line n of its own file. */
static void name_place(uint32_t location, const char *text, uint32_t object)
{
	char name[64], file[80];
	uint32_t line = 1;

	for (; *text; line++) {
		size_t len = strcspn(text, "<");
		struct pipa_function f = { .object = object };

		snprintf(name, sizeof(name), "%.*s", (int)len, text);
		snprintf(file, sizeof(file), "/src/%s.c", name);
		f.name = pipa_profile_text(&p, name);
		f.file = pipa_profile_text(&p, file);
		CHECK_EQ(pipa_profile_name(&p, location, pipa_profile_function(&p, &f), line), 0);
		text += len + (text[len] == '<');
	}
}

/* A location of a function of an object; the same names give the same location. */
static uint32_t at(const char *object, const char *function)
{
	struct pipa_object o = { .path = pipa_profile_text(&p, object) };
	uint32_t object_number = pipa_profile_object(&p, &o);
	struct pipa_location location = { .object = object_number, .mode = PIPA_MODE_USER };
	struct pipa_function f = { .name = pipa_profile_text(&p, function),
				   .object = object_number };
	uint32_t number;

	location.offset = f.name; /* one place for each name will do */
	number = pipa_profile_location(&p, &location);
	if (!p.locations.items[number].n_lines)
		name_place(number, function, object_number);
	return number;
}

/* "outer;inner" of object "x" by a thread of that name */
static void sample(const char *comm, const char *stack, uint64_t weight)
{
	struct pipa_thread thread = { .pid = 1, .tid = 1, .comm = pipa_profile_text(&p, comm) };
	struct pipa_sample s = { .event = pipa_profile_event(&p, "cycles"),
				 .thread = pipa_profile_thread(&p, &thread),
				 .stack = PIPA_NONE,
				 .cpu = PIPA_NONE,
				 .weight = weight,
				 .count = 1 };
	char name[64];

	while (*stack) {
		size_t len = strcspn(stack, ";");

		snprintf(name, sizeof(name), "%.*s", (int)len, stack);
		s.stack = pipa_profile_stack(&p, s.stack, at("/lib/x", name));
		stack += len + (stack[len] == ';');
	}
	CHECK_EQ(pipa_profile_add(&p, &s), 0);
}

static struct pipa_top top;
static char text[2048];

/* "comm symbol total self\n" for every row */
static const char *table(struct pipa_top_options options)
{
	size_t i, k, n = 0;
	char buf[64];

	pipa_top_done(&top);
	CHECK_EQ(pipa_top_make(&p, &options, &top), 0);
	text[0] = '\0';
	for (i = 0; i < top.n; i++) {
		for (k = 0; k < options.n_keys; k++)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s ",
					      pipa_top_text(&top, &top.items[i], k, buf),
					      options.keys[k] == PIPA_KEY_SYMBOL ?
						      pipa_frame_mark(top.items[i].key[k]) :
						      "");
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%llu %llu\n",
				      (unsigned long long)top.total[i * top.n_events].weight,
				      (unsigned long long)top.self[i * top.n_events].weight);
	}
	return text;
}

static const struct pipa_top_options by_symbol = { .keys = { PIPA_KEY_SYMBOL },
						   .n_keys = 1,
						   .children = true };

static void finish(void)
{
	pipa_top_done(&top);
	pipa_profile_done(&p);
}

TEST(callers_have_the_inclusive_weight_of_their_callees)
{
	sample("a", "main;f;g", 10);
	sample("a", "main;f", 5);
	sample("a", "main;h", 1);
	CHECK_STR(table(by_symbol), "main 16 0\nf 15 5\ng 10 10\nh 1 1\n");
	finish();
}

TEST(self_weight_of_a_row_is_that_of_the_innermost_inlined_function)
{
	struct pipa_top_options self = by_symbol;

	self.children = false;
	sample("a", "main;i<j<f;g", 10);
	sample("a", "main;i<j<f", 5);
	sample("a", "main;j<f", 2);
	CHECK_STR(table(by_symbol), "main 17 0\nf 17 0\nj (inlined) 17 2\ni (inlined) 15 5\n"
				    "g 10 10\n");
	CHECK_STR(table(self), "g 10 10\ni (inlined) 5 5\nj (inlined) 2 2\n");
	finish();
	/* a function of the same name that was not inlined is another row */
	sample("a", "i<i;main;i", 3);
	sample("a", "main;i<i", 1);
	CHECK_STR(table(by_symbol), "i 4 3\ni (inlined) 4 1\nmain 4 0\n");
	finish();
}

TEST(rows_by_source_line_are_distinct)
{
	struct pipa_top_options options = { .keys = { PIPA_KEY_SRCLINE }, .n_keys = 1 };

	sample("a", "main;i<f", 10);
	sample("a", "main;k<f", 5);
	CHECK_STR(table(options), "i.c:1 10 10\nk.c:1 5 5\n");
	options.children = true;
	CHECK_STR(table(options), "main.c:1 15 0\nf.c:2 15 0\ni.c:1 10 10\nk.c:1 5 5\n");
	options.keys[1] = PIPA_KEY_SYMBOL;
	options.n_keys = 2;
	CHECK_STR(table(options), "main.c:1 main 15 0\nf.c:2 f 15 0\n"
				  "i.c:1 i (inlined) 10 10\nk.c:1 k (inlined) 5 5\n");
	finish();
}

TEST(the_tree_of_a_line_leads_by_each_function_that_it_was_inlined_into)
{
	struct pipa_top_options options = { .keys = { PIPA_KEY_SRCLINE }, .n_keys = 1 };
	struct pipa_calltree_options o = { .max_rows = 10 };
	struct pipa_calltree tree;
	const struct pipa_call *first, *second;

	sample("a", "main;i<f", 10);
	sample("a", "main;i<g", 5);
	CHECK_STR(table(options), "i.c:1 15 15\n");
	CHECK_EQ(pipa_calltree_make(&top, &o, &tree), 0);
	first = &tree.items[tree.items[tree.rows[0]].child];
	CHECK_EQ(first->weight, 10);
	CHECK(first->next != PIPA_NONE);
	second = &tree.items[first->next];
	CHECK_EQ(second->weight, 5);
	CHECK_EQ(second->next, PIPA_NONE);
	pipa_calltree_done(&tree);
	finish();
}

TEST(recursion_counts_once)
{
	sample("a", "main;f;f;g;f", 10);
	CHECK_STR(table(by_symbol), "main 10 0\nf 10 10\ng 10 0\n");
	finish();
}

TEST(without_children_only_the_innermost_frame_has_a_row)
{
	struct pipa_top_options options = by_symbol;

	sample("a", "main;f;g", 10);
	sample("a", "main;f", 15);
	options.children = false;
	CHECK_STR(table(options), "f 15 15\ng 10 10\n");
	finish();
}

TEST(rows_are_distinct_by_the_requested_keys)
{
	struct pipa_top_options options = {
		.keys = { PIPA_KEY_COMM, PIPA_KEY_OBJECT, PIPA_KEY_SYMBOL }, .n_keys = 3
	};

	sample("a", "f", 10);
	sample("b", "f", 20);
	CHECK_STR(table(options), "b x f 20 20\na x f 10 10\n");
	options.keys[0] = PIPA_KEY_EVENT;
	options.n_keys = 1;
	CHECK_STR(table(options), "cycles 30 30\n");
	finish();
}

TEST(filters_leave_the_whole_as_it_is)
{
	struct pipa_top_options options = by_symbol;

	sample("a", "main;f", 10);
	sample("b", "main;g", 30);
	options.comms = "a,c";
	CHECK_STR(table(options), "main 10 0\nf 10 10\n");
	CHECK_EQ(top.all[0].weight, 40);
	options.comms = NULL;
	options.symbols = "g";
	CHECK_STR(table(options), "g 30 30\n");
	options.symbols = NULL;
	options.objects = "y";
	CHECK_STR(table(options), "");
	options.objects = "/lib/x";
	CHECK_STR(table(options), "main 40 0\ng 30 30\nf 10 10\n");
	finish();
}

TEST(a_parent_is_the_outermost_caller_that_matches)
{
	struct pipa_top_options options = { .keys = { PIPA_KEY_PARENT }, .n_keys = 1 };
	regex_t re;

	CHECK_EQ(regcomp(&re, "^handle", REG_EXTENDED | REG_NOSUB), 0);
	options.parent = &re;
	sample("a", "main;handle_a;handle_b;f", 10);
	sample("a", "main;g", 1);
	CHECK_STR(table(options), "handle_a 10 10\n[other] 1 1\n");
	regfree(&re);
	finish();
}

TEST(samples_without_a_stack_and_unresolved_frames_have_rows)
{
	struct pipa_object o = { .path = pipa_profile_text(&p, "/lib/y") };
	struct pipa_location nameless = { .object = pipa_profile_object(&p, &o), .offset = 0x1234 };
	struct pipa_sample s = { .stack = PIPA_NONE, .weight = 3, .count = 1 };

	sample("a", "", 7);
	s.stack = pipa_profile_stack(&p, PIPA_NONE, pipa_profile_location(&p, &nameless));
	CHECK_EQ(pipa_profile_add(&p, &s), 0);
	CHECK_STR(table(by_symbol), "[unknown] 7 7\n0x0000000000001234 3 3\n");
	finish();
}

/* "name weight" of the calls below one, depth by indentation */
static size_t tell(const struct pipa_calltree *tree, uint32_t parent, int depth, size_t n)
{
	char buf[64];
	uint32_t i;

	for (i = tree->items[parent].child; i != PIPA_NONE; i = tree->items[i].next) {
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%*s%s %llu\n", depth, "",
				      pipa_frame_text(&p, tree->items[i].name, buf),
				      (unsigned long long)tree->items[i].weight);
		n = tell(tree, i, depth + 1, n);
	}
	return n;
}

static const char *tree_with(struct pipa_top_options by, const char *symbol,
			     struct pipa_calltree_options options)
{
	struct pipa_calltree tree;
	char buf[64];
	size_t i;

	table(by);
	CHECK_EQ(pipa_calltree_make(&top, &options, &tree), 0);
	text[0] = '\0';
	for (i = 0; i < top.n; i++)
		if (strcmp(pipa_top_text(&top, &top.items[i], 0, buf), symbol) == 0)
			tell(&tree, tree.rows[i], 0, 0);
	pipa_calltree_done(&tree);
	return text;
}

static const char *tree_by(struct pipa_top_options by, const char *symbol, bool callees)
{
	return tree_with(by, symbol,
			 (struct pipa_calltree_options){ .callees = callees,
							 .max_rows = SIZE_MAX });
}

static const char *tree_of(const char *symbol, bool callees)
{
	return tree_by(by_symbol, symbol, callees);
}

TEST(below_a_row_stand_its_callers_heaviest_first)
{
	sample("a", "main;f;h", 10);
	sample("a", "main;g;h", 30);
	sample("a", "main;g;h;i", 1);
	CHECK_STR(tree_of("h", false), "g 31\n main 31\nf 10\n main 10\n");
	CHECK_STR(tree_of("i", false), "h 1\n g 1\n  main 1\n");
	finish();
}

TEST(rows_expand_into_their_callees_if_requested)
{
	sample("a", "main;f;h", 10);
	sample("a", "main;g;h", 30);
	CHECK_STR(tree_of("main", true), "g 30\n h 30\nf 10\n h 10\n");
	finish();
}

TEST(a_tree_from_the_root_ends_at_the_row)
{
	struct pipa_calltree_options options = { .callees = true,
						 .from_root = true,
						 .max_rows = SIZE_MAX };
	struct pipa_top_options self = by_symbol;

	self.children = false;
	sample("a", "main;f;h", 10);
	sample("a", "main;g;h", 30);
	sample("a", "main;g;h;i", 1);
	CHECK_STR(tree_with(self, "h", options), "main 40\n g 30\n  h 30\n f 10\n  h 10\n");
	finish();
}

TEST(rows_have_the_part_in_the_kernel_and_relative_sums)
{
	struct pipa_top_options by = by_symbol;

	by.children = false;
	by.modes = by.relative = by.by_self = true;
	by.symbols = "h";
	sample("a", "main;f;h", 10);
	sample("a", "main;g", 30);
	p.locations.items[p.stacks.items[p.samples.items[0].stack].location].mode =
		PIPA_MODE_KERNEL;
	table(by);
	CHECK_EQ(top.n, 1u);
	CHECK_EQ(top.self[0].weight, 10u);
	CHECK_EQ(top.kernel[0].weight, 10u);
	CHECK_EQ(top.all[0].weight, 10u);
	finish();
}

TEST(a_tree_of_recursion_has_each_sample_once)
{
	sample("a", "main;f;f;g", 10);
	CHECK_STR(tree_of("f", false), "f 10\n main 10\n");
	CHECK_STR(tree_of("f", true), "f 10\n g 10\n");
	finish();
}

TEST(without_children_samples_with_the_same_callers_go_one_way)
{
	struct pipa_top_options self = by_symbol;

	self.children = false;
	sample("a", "main;f;h", 10);
	sample("b", "main;f;h", 5); /* another sample of the same row */
	sample("a", "main;g;h", 12);
	sample("a", "main;g;h;i", 1);
	sample("a", "h", 3); /* it has no caller */
	sample("a", "main;f;f", 7);
	sample("a", "main;k<f", 2);
	sample("a", "main;k<g", 1);
	CHECK_STR(tree_by(self, "h", false), "f 15\n main 15\ng 12\n main 12\n");
	CHECK_STR(tree_by(self, "k", false), "f 2\n main 2\ng 1\n main 1\n");
	CHECK_STR(tree_by(self, "f", false), "f 7\n main 7\n");
	CHECK_STR(tree_by(self, "h", true), "");
	finish();
}

TEST(rows_are_those_of_a_label)
{
	struct pipa_top_options o = { .n_keys = 0 };
	struct pipa_label label = { 0 };
	struct pipa_profile q = { 0 };
	struct pipa_top table;
	char buf[64];
	uint32_t set;

	invent(&q, "a", "main;f", 10);
	invent(&q, "a", "main;g", 5);
	label.key = pipa_profile_text(&q, "tenant");
	label.text = pipa_profile_text(&q, "blue");
	set = pipa_profile_label_set(&q, &label, 1);
	q.samples.items[1].labels = set;
	CHECK_EQ(pipa_top_label_key(&o, "label:pid,", 9), PIPA_KEY_PID);
	CHECK_EQ(pipa_top_label_key(&o, "label:", 6), PIPA_KEY_NR);
	CHECK_EQ(pipa_top_label_key(&o, "tenant", 6), PIPA_KEY_NR);
	o.keys[o.n_keys++] = pipa_top_label_key(&o, "label:tenant,x", 12);
	CHECK_EQ(pipa_top_label_key(&o, "label:tenant", 12), PIPA_KEY_LABEL);
	CHECK_EQ(pipa_top_label_key(&o, "label:b", 7), PIPA_KEY_LABEL + 1);
	CHECK_STR(pipa_key_name(&o, PIPA_KEY_LABEL), "label:tenant");
	CHECK_EQ(pipa_top_make(&q, &o, &table), 0);
	CHECK_EQ(table.n, 2);
	CHECK_STR(pipa_top_text(&table, &table.items[0], 0, buf), "-");
	CHECK_EQ(table.self[0].weight, 10);
	CHECK_STR(pipa_top_text(&table, &table.items[1], 0, buf), "blue");
	CHECK_EQ(table.self[1].weight, 5);
	pipa_top_done(&table);
	pipa_profile_done(&q);
}
