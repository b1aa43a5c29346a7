#include "export/graph/graph_layout.h"

#include <stdlib.h>

#include "lib/graph_checks.h"
#include "lib/test.h"

static struct pipa_graph_layout layout;

static void begin(size_t n_nodes, size_t n_edges)
{
	size_t i;

	layout = (struct pipa_graph_layout){
		.nodes = calloc(n_nodes + 1, sizeof(*layout.nodes)),
		.edges = calloc(n_edges + 1, sizeof(*layout.edges)),
		.n_nodes = n_nodes,
		.node_gap = 20,
		.rank_gap = 50,
	};
	CHECK(layout.nodes && layout.edges);
	for (i = 0; i < n_nodes; i++)
		layout.nodes[i] = (struct pipa_graph_layout_node){ .width = 100, .height = 40 };
}

static void edge(uint32_t from, uint32_t to)
{
	layout.edges[layout.n_edges++] =
		(struct pipa_graph_layout_edge){ .from = from, .to = to, .weight = 0.1 };
}

static void make(void)
{
	const char *wrong;

	CHECK_EQ(pipa_graph_layout_make(&layout), 0);
	wrong = graph_nodes_wrong(&layout);
	CHECK_STR(wrong ? wrong : "", "");
	wrong = graph_edges_wrong(&layout);
	CHECK_STR(wrong ? wrong : "", "");
}

static void finish(void)
{
	pipa_graph_layout_done(&layout);
	free(layout.nodes);
	free(layout.edges);
}

static unsigned int seed = 1;

static unsigned int roll(unsigned int n)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 8) % n;
}

TEST(an_empty_graph_has_no_size)
{
	begin(0, 0);
	make();
	CHECK_NEAR(layout.width, 0, 0);
	CHECK_NEAR(layout.height, 0, 0);
	finish();
}

TEST(callers_are_above_callees_and_a_chain_is_straight)
{
	begin(4, 3);
	edge(2, 0);
	edge(0, 3);
	edge(3, 1);
	make();
	CHECK_EQ(layout.nodes[2].rank, 0);
	CHECK_EQ(layout.nodes[0].rank, 1);
	CHECK_EQ(layout.nodes[3].rank, 2);
	CHECK_EQ(layout.nodes[1].rank, 3);
	CHECK_NEAR(layout.nodes[1].x, layout.nodes[2].x, 0);
	CHECK_NEAR(layout.width, 100, 0);
	CHECK_NEAR(layout.height, 4 * 40 + 3 * 50, 0);
	finish();
}

TEST(an_edge_past_others_is_straight_where_it_passes_them)
{
	uint32_t i;

	begin(6, 6);
	for (i = 0; i < 4; i++)
		edge(i, i + 1);
	edge(0, 4);
	edge(0, 5);
	make();
	CHECK_EQ(layout.edges[4].n, 10);
	for (i = 3; i < 8; i++)
		CHECK_NEAR(layout.points[layout.edges[4].first + i].x,
			   layout.points[layout.edges[4].first + 2].x, 0);
	finish();
}

TEST(a_cycle_has_one_upward_edge)
{
	size_t i, upwards = 0;

	begin(4, 5);
	edge(0, 1);
	edge(1, 2);
	edge(2, 3);
	edge(3, 1);
	edge(2, 2);
	make();
	for (i = 0; i < layout.n_edges; i++)
		upwards += layout.edges[i].upwards;
	CHECK_EQ(upwards, 1);
	CHECK(layout.edges[3].upwards);
	finish();
}

TEST(a_tree_has_no_crossings)
{
	uint32_t i, k;

	begin(31, 30);
	for (i = 30; i; i--) /* from the right, so that the first order is not the best */
		edge((i - 1) / 2, i);
	make();
	for (i = 1; i < 31; i++)
		for (k = 1; k < i; k++)
			if (layout.nodes[i].rank == layout.nodes[k].rank &&
			    (i - 1) / 2 != (k - 1) / 2)
				CHECK_EQ(layout.nodes[i].x < layout.nodes[k].x,
					 layout.nodes[(i - 1) / 2].x < layout.nodes[(k - 1) / 2].x);
	finish();
}

TEST(crossings_that_can_be_avoided_are)
{
	begin(6, 3);
	edge(0, 5);
	edge(1, 4);
	edge(2, 3);
	make();
	CHECK_EQ(layout.nodes[0].x < layout.nodes[1].x, layout.nodes[5].x < layout.nodes[4].x);
	CHECK_EQ(layout.nodes[1].x < layout.nodes[2].x, layout.nodes[4].x < layout.nodes[3].x);
	finish();
}

TEST(many_callees_of_one_function_are_in_two_rows)
{
	uint32_t i;

	begin(101, 100);
	for (i = 1; i <= 100; i++)
		edge(0, i);
	make();
	CHECK(layout.width < 8000); /* in one row it would be 12000 */
	CHECK_EQ(layout.nodes[1].rank, 1);
	CHECK_EQ(layout.nodes[2].rank, 2);
	finish();
}

TEST(nodes_without_edges_are_in_rows_below)
{
	uint32_t i;

	begin(102, 1);
	edge(100, 101);
	make();
	CHECK(layout.width < 3000);
	for (i = 0; i < 100; i++)
		CHECK(layout.nodes[i].rank > layout.nodes[101].rank);
	finish();
}

TEST(graphs_of_all_sorts_keep_the_rules)
{
	unsigned int n, m, i, round;

	for (round = 0; round < 60; round++) {
		n = 1 + roll(60);
		m = roll(3 * n);
		begin(n, m);
		for (i = 0; i < n; i++) {
			layout.nodes[i].width = 20 + roll(300);
			layout.nodes[i].height = 20 + roll(60);
		}
		for (i = 0; i < m; i++)
			edge(roll(n), roll(n));
		make();
		finish();
	}
}

TEST(a_large_graph_is_laid_out_and_twice_the_same)
{
	struct pipa_graph_layout first;
	/* half a minute under emulation and 9 s under sanitizers, of arithmetic that is the same everywhere */
#ifdef __SANITIZE_ADDRESS__
	const unsigned int most = 1500;
#else
	const unsigned int most = 5000;
#endif
	unsigned int i, n = getenv("PIPA_EMULATED") ? 500 : most;

	begin(n, 4 * n);
	for (i = 0; i < 4 * n; i++)
		edge(roll(n), roll(n));
	CHECK_EQ(pipa_graph_layout_make(&layout), 0);
	CHECK(!graph_edges_wrong(&layout));
	first = layout;
	first.points = malloc(layout.n_points * sizeof(*layout.points));
	CHECK(first.points);
	memcpy(first.points, layout.points, layout.n_points * sizeof(*layout.points));
	pipa_graph_layout_done(&layout);
	CHECK_EQ(pipa_graph_layout_make(&layout), 0);
	CHECK_EQ(first.n_points, layout.n_points);
	for (i = 0; i < layout.n_points; i++)
		CHECK(first.points[i].x == layout.points[i].x &&
		      first.points[i].y == layout.points[i].y);
	free(first.points);
	finish();
}

TEST(a_chain_of_thousands_with_edges_along_all_of_it_has_an_end)
{
	uint32_t i;

	begin(3000, 6000);
	for (i = 0; i + 1 < 3000; i++)
		edge(i, i + 1);
	for (i = 0; i < 1500; i++)
		edge(i, 2999 - i);
	CHECK_EQ(pipa_graph_layout_make(&layout), 0);
	CHECK(!graph_edges_wrong(&layout));
	CHECK_EQ(layout.nodes[2999].rank, 2999);
	finish();
}

/* From the left: the groups of the nodes of a layer, each once if its nodes are adjacent. */
static size_t runs_of_groups(uint32_t rank)
{
	size_t runs = 0, i;
	uint32_t last = UINT32_MAX;
	double x = -1;

	for (;;) {
		const struct pipa_graph_layout_node *next = NULL;

		for (i = 0; i < layout.n_nodes; i++)
			if (layout.nodes[i].rank == rank && layout.nodes[i].x > x &&
			    (!next || layout.nodes[i].x < next->x))
				next = &layout.nodes[i];
		if (!next)
			return runs;
		runs += next->group != last;
		last = next->group;
		x = next->x;
	}
}

TEST(nodes_of_a_group_are_adjacent_in_a_layer)
{
	uint32_t i;

	begin(20, 40);
	for (i = 0; i < 20; i++)
		layout.nodes[i].group = 1 + i % 3;
	for (i = 0; i < 10; i++) { /* without groups each would be below its caller */
		edge(i, 10 + i);
		edge(i, 10 + roll(10));
	}
	make();
	CHECK_EQ(layout.nodes[0].rank, 0);
	CHECK_EQ(runs_of_groups(0), 3);
	CHECK_EQ(runs_of_groups(1), 3);
	finish();
}

TEST(groups_change_nothing_where_there_is_only_one)
{
	double x[12];
	uint32_t i, k;

	for (k = 0; k < 2; k++) {
		seed = 7;
		begin(12, 30);
		for (i = 0; i < 12; i++)
			layout.nodes[i].group = k;
		for (i = 0; i < 30; i++)
			edge(roll(11), 1 + roll(11));
		make();
		for (i = 0; i < 12; i++) {
			if (k)
				CHECK_NEAR(layout.nodes[i].x, x[i], 0);
			x[i] = layout.nodes[i].x;
		}
		finish();
	}
}
