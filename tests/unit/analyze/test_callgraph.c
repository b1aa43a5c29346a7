#include "analyze/profile/callgraph.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/profile/top.h"
#include "base/error.h"
#include "lib/test.h"

static struct pipa_profile p;
static struct pipa_callgraph graph;
static char text[4096];

/* "f", or "inner<outer" for what was inlined */
static uint32_t at(const char *object, const char *names)
{
	struct pipa_object o = { .path = pipa_profile_text(&p, object) };
	struct pipa_function f = { .object = pipa_profile_object(&p, &o) };
	struct pipa_location location = { .object = f.object, .mode = PIPA_MODE_USER };
	uint32_t number;
	char name[64];

	location.offset = pipa_profile_text(&p, names); /* one place for each name will do */
	number = pipa_profile_location(&p, &location);
	while (!p.locations.items[number].n_lines || *names != '\0') {
		size_t len = strcspn(names, "<");

		snprintf(name, sizeof(name), "%.*s", (int)len, names);
		f.name = pipa_profile_text(&p, name);
		if (p.locations.items[number].n_lines &&
		    f.name ==
			    p.functions
				    .items[p.lines.items[p.locations.items[number].lines].function]
				    .name)
			break; /* it was named before */
		CHECK_EQ(pipa_profile_name(&p, number, pipa_profile_function(&p, &f), 1), 0);
		names += len + (names[len] == '<');
	}
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

static const char *name_of(uint32_t node, char buf[static 64])
{
	return pipa_frame_text(&p, graph.nodes.items[node].symbol, buf);
}

/* "f self/total ..., f>g weight ...", ~ for > where it is not direct */
static const char *show(void)
{
	char a[64], b[64];
	size_t n = 0, i;

	text[0] = '\0';
	for (i = 0; i < graph.nodes.n; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s%s %llu/%llu", i ? " " : "",
				      name_of((uint32_t)i, a),
				      pipa_frame_mark(graph.nodes.items[i].symbol),
				      (unsigned long long)graph.nodes.items[i].self.weight,
				      (unsigned long long)graph.nodes.items[i].total.weight);
	for (i = 0; i < graph.edges.n; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s%s%s %llu", i ? " " : ", ",
				      name_of(graph.edges.items[i].from, a),
				      graph.edges.items[i].direct ? ">" : "~",
				      name_of(graph.edges.items[i].to, b),
				      (unsigned long long)graph.edges.items[i].weight.weight);
	return text;
}

static const char *made(struct pipa_callgraph_options options, struct pipa_callgraph_limits limits)
{
	struct pipa_error err = { 0 };

	pipa_callgraph_done(&graph);
	options.event = PIPA_NONE;
	CHECK_EQ(pipa_callgraph_make(&p, &options, &graph, &err), 0);
	CHECK_EQ(pipa_callgraph_prune(&graph, &limits), 0);
	return show();
}

static const struct pipa_callgraph_options all = { 0 };
static const struct pipa_callgraph_limits none = { 0 };

static void finish(void)
{
	pipa_callgraph_done(&graph);
	pipa_profile_done(&p);
}

TEST(edges_have_the_weight_of_the_samples_that_contain_the_call)
{
	sample("a", "main;f;g", 10);
	sample("a", "main;g", 5);
	sample("a", "main", 1);
	CHECK_STR(made(all, none), "main 1/16 g 15/15 f 0/10, main>f 10 f>g 10 main>g 5");
	CHECK_EQ(graph.all.weight, 16);
	finish();
}

TEST(recursion_counts_a_function_and_a_call_once_per_stack)
{
	sample("a", "main;f;f;f", 10);
	CHECK_STR(made(all, none), "f 10/10 main 0/10, f>f 10 main>f 10");
	finish();
	sample("a", "main;f;g;f;g", 7);
	sample("a", "main;f", 1);
	CHECK_STR(made(all, none), "f 1/8 main 0/8 g 7/7, main>f 8 f>g 7 g>f 7");
	finish();
}

TEST(self_weight_is_that_of_the_innermost_inlined_function)
{
	sample("a", "main;i<f;g", 10);
	sample("a", "main;i<f", 5);
	CHECK_STR(made(all, none),
		  "i (inlined) 5/15 f 0/15 main 0/15 g 10/10, f>i 15 main>f 15 i>g 10");
	finish();
}

TEST(samples_without_a_stack_have_a_node_of_their_own)
{
	sample("a", "main;f", 10);
	sample("a", "", 3);
	CHECK_STR(made(all, none), "f 10/10 main 0/10 [unknown] 3/3, main>f 10");
	finish();
}

TEST(functions_that_are_not_shown_leave_an_edge_that_is_not_direct)
{
	sample("a", "main;small1;malloc", 3);
	sample("a", "main;small2;malloc", 3);
	sample("a", "main;work", 94);
	CHECK_STR(made(all, (struct pipa_callgraph_limits){ .min_node = 5 }),
		  "main 0/100 work 94/94 malloc 6/6, main>work 94 main~malloc 6");
	CHECK_EQ(graph.n_functions, 5);
	CHECK_EQ(graph.n_calls, 5);
	finish();
	sample("a", "main;f;small;main;f;g", 10);
	sample("a", "main;g", 90);
	CHECK_STR(made(all, (struct pipa_callgraph_limits){ .max_nodes = 2 }),
		  "g 100/100 main 0/100, main>g 100 main~main 10");
	finish();
}

TEST(the_heaviest_call_of_a_function_stays_however_light_it_is)
{
	sample("a", "main;f;h", 2);
	sample("a", "main;g;h", 1);
	sample("a", "main;f", 500);
	sample("a", "main;g", 497);
	CHECK_STR(made(all, (struct pipa_callgraph_limits){ .min_edge = 1 }),
		  "main 0/1000 f 500/502 g 497/498 h 3/3, main>f 502 main>g 498 f>h 2");
	finish();
}

TEST(of_too_many_functions_the_hot_ones_stay)
{
	sample("a", "main;a;b;hot", 40);
	sample("a", "main;a;b", 20);
	sample("a", "main;a", 30);
	sample("a", "main", 10);
	CHECK_STR(made(all, (struct pipa_callgraph_limits){ .max_nodes = 3 }),
		  "main 10/100 a 30/90 hot 40/40, main>a 90 a~hot 40");
	finish();
}

TEST(a_focus_leaves_the_stacks_that_have_it)
{
	struct pipa_callgraph_options focus = { .focus = "^g" };

	sample("a", "main;f;g1;h", 10);
	sample("a", "main;f", 5);
	sample("a", "main;g2", 1);
	CHECK_STR(made(focus, none), "main 0/11 h 10/10 f 0/10 g1 0/10 g2 1/1, "
				     "main>f 10 f>g1 10 g1>h 10 main>g2 1");
	CHECK_EQ(graph.all.weight, 16);
	CHECK_EQ(graph.chosen.weight, 11);
	finish();
}

TEST(commands_can_be_chosen)
{
	sample("a", "main;f", 10);
	sample("b", "main;g", 5);
	CHECK_STR(made((struct pipa_callgraph_options){ .comms = "b,c" }, none),
		  "g 5/5 main 0/5, main>g 5");
	finish();
}

TEST(callers_of_shows_only_the_stacks_above_a_function)
{
	struct pipa_callgraph_options callers = { .callers_of = "f" };

	sample("a", "main;u;f(int);g", 10);
	sample("a", "main;u;v", 5);
	sample("a", "main;f(int)", 2);
	sample("a", "main;f(int);u", 1);
	CHECK_STR(made(callers, none), "f(int) 2/13 main 0/13 u 0/10, main>u 10 u>f(int) 10 "
				       "main>f(int) 3");
	finish();
	sample("a", "main;i<u;f", 4); /* through what was inlined, and in it */
	sample("a", "main;f<w;g", 2);
	CHECK_STR(made(callers, none),
		  "main 0/6 f 4/4 i (inlined) 0/4 u 0/4 f (inlined) 0/2 w 0/2, "
		  "main>u 4 i>f 4 u>i 4 main>w 2 w>f 2");
	finish();
}

TEST(callees_of_shows_only_the_stacks_below_a_function)
{
	struct pipa_callgraph_options callees = { .callees_of = "f" };

	sample("a", "main;u;f;g", 10);
	sample("a", "main;u;g", 5);
	sample("a", "main;f;u;f", 2);
	CHECK_STR(made(callees, none), "f 2/12 g 10/10 u 0/2, f>g 10 f>u 2 u>f 2");
	callees.callers_of = "f";
	CHECK_STR(made(callees, none),
		  "f 2/12 main 0/12 u 0/12 g 10/10, u>f 12 f>g 10 main>u 10 f>u 2 main>f 2");
	finish();
}

TEST(names_that_nothing_has_are_refused)
{
	struct pipa_callgraph_options options = { .event = PIPA_NONE, .focus = "(" };
	struct pipa_error err = { 0 };

	sample("a", "main;function", 1);
	CHECK_EQ(pipa_callgraph_make(&p, &options, &graph, &err), -EINVAL);
	CHECK_HAS(err.what, "'('");
	options.focus = "nothing";
	CHECK_EQ(pipa_callgraph_make(&p, &options, &graph, &err), -EINVAL);
	CHECK_STR(err.what, "no function matches 'nothing'");
	options = (struct pipa_callgraph_options){ .event = PIPA_NONE, .callees_of = "funktion" };
	CHECK_EQ(pipa_callgraph_make(&p, &options, &graph, &err), -EINVAL);
	CHECK_STR(err.what, "no function 'funktion'");
	CHECK_STR(err.hint, "did you mean function?");
	finish();
}

TEST(an_empty_profile_is_an_empty_graph)
{
	CHECK_STR(made(all, none), "");
	CHECK_EQ(graph.n_functions, 0);
	finish();
}

/* ---- against slow and simple sums ------------------------------------------------------------------- */

enum { NAMES = 7, STACKS = 300, DEEPEST = 12 };

static unsigned int seed = 1;

static unsigned int roll(unsigned int n)
{
	seed = seed * 1103515245u + 12345u;
	return seed >> 16 & 0x7fff ? (seed >> 16 & 0x7fff) % n : 0;
}

TEST(edges_and_nodes_are_those_that_counting_stack_by_stack_finds)
{
	static uint64_t edges[NAMES][NAMES], self[NAMES], total[NAMES];
	char stack[DEEPEST * 2 + 1], buf[64];
	size_t i, a, b;

	for (i = 0; i < STACKS; i++) {
		bool met[NAMES] = { 0 }, called[NAMES][NAMES] = { 0 };
		size_t depth = 1 + roll(DEEPEST), k;
		uint64_t weight = 1 + roll(1000);

		for (k = 0; k < depth; k++) {
			size_t name = roll(NAMES), last = k ? (size_t)(stack[2 * k - 2] - 'a') : 0;

			stack[2 * k] = (char)('a' + name);
			stack[2 * k + 1] = ';';
			total[name] += met[name] ? 0 : weight;
			met[name] = true;
			if (!k)
				continue;
			edges[last][name] += called[last][name] ? 0 : weight;
			called[last][name] = true;
		}
		self[stack[2 * depth - 2] - 'a'] += weight;
		stack[2 * depth - 1] = '\0';
		sample("x", stack, weight);
	}
	made(all, none);
	CHECK_EQ(graph.nodes.n, NAMES);
	for (i = 0; i < graph.nodes.n; i++) {
		a = (size_t)(name_of((uint32_t)i, buf)[0] - 'a');
		CHECK_EQ(graph.nodes.items[i].self.weight, self[a]);
		CHECK_EQ(graph.nodes.items[i].total.weight, total[a]);
	}
	for (i = 0; i < graph.edges.n; i++) {
		a = (size_t)(name_of(graph.edges.items[i].from, buf)[0] - 'a');
		b = (size_t)(name_of(graph.edges.items[i].to, buf)[0] - 'a');
		CHECK_EQ(graph.edges.items[i].weight.weight, edges[a][b]);
		edges[a][b] = 0;
	}
	for (a = 0; a < NAMES; a++)
		for (b = 0; b < NAMES; b++)
			CHECK_EQ(edges[a][b], 0);
	finish();
}

TEST(nodes_have_the_numbers_of_the_table)
{
	struct pipa_top_options options = { .keys = { PIPA_KEY_OBJECT, PIPA_KEY_SYMBOL },
					    .n_keys = 2,
					    .children = true };
	struct pipa_top top = { 0 };
	size_t i, k;

	sample("a", "main;i<f;f;g", 10);
	sample("b", "main;g;i<f", 5);
	sample("b", "", 2);
	made(all, none);
	CHECK_EQ(pipa_top_make(&p, &options, &top), 0);
	CHECK_EQ(top.n, graph.nodes.n);
	for (i = 0; i < top.n; i++) {
		for (k = 0; k < graph.nodes.n; k++)
			if (graph.nodes.items[k].object == top.items[i].key[0] &&
			    graph.nodes.items[k].symbol == top.items[i].key[1])
				break;
		CHECK(k < graph.nodes.n);
		CHECK_EQ(graph.nodes.items[k].self.weight, top.self[i].weight);
		CHECK_EQ(graph.nodes.items[k].total.weight, top.total[i].weight);
		CHECK_EQ(graph.nodes.items[k].total.count, top.total[i].count);
	}
	pipa_top_done(&top);
	finish();
}
