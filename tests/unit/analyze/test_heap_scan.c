/* Which blocks a search for pointers finds reachable, and which are lost. */
#include "analyze/heap/heap_scan.h"
#include "base/auto.h"
#include "lib/test.h"
#include "model/heaps.h"

enum { BLOCKS = 8, WORDS = 8 };

/* A heap of blocks with 64 bytes at 0x10000, 0x10100, ... */
struct heap {
	struct pipa_heaps_block blocks[BLOCKS];
	uint64_t words[BLOCKS][WORDS];
	uint64_t roots[WORDS];
	bool interior_roots;
};

static uint64_t at(size_t block)
{
	return 0x10000 + block * 0x100;
}

static void init(struct heap *h)
{
	size_t i;

	*h = (struct heap){ .interior_roots = true };
	for (i = 0; i < BLOCKS; i++)
		h->blocks[i] = (struct pipa_heaps_block){ .address = at(i), .size = 64 };
}

static void search(struct heap *h, struct pipa_heap_scan *scan)
{
	const struct pipa_heaps_block *block;

	while (pipa_heap_scan_next(scan, &block))
		pipa_heap_scan_words(
			scan,
			(struct pipa_span){ (const uint8_t *)h->words[block - h->blocks],
					    sizeof(h->words[0]) },
			true);
}

static void scan_all(struct heap *h)
{
	struct pipa_heap_scan *scan = pipa_heap_scan_new(h->blocks, BLOCKS);

	CHECK(scan);
	pipa_heap_scan_words(scan,
			     (struct pipa_span){ (const uint8_t *)h->roots, sizeof(h->roots) },
			     h->interior_roots);
	search(h, scan);
	while (pipa_heap_scan_lost(scan))
		search(h, scan);
	pipa_heap_scan_free(scan);
}

TEST(a_block_without_a_pointer_is_lost)
{
	struct heap h;
	size_t i;

	init(&h);
	h.roots[3] = at(2);
	scan_all(&h);
	for (i = 0; i < BLOCKS; i++)
		CHECK_EQ(h.blocks[i].reach, i == 2 ? PIPA_HEAPS_REACHABLE : PIPA_HEAPS_LOST);
}

TEST(blocks_are_reached_through_blocks)
{
	struct heap h;

	init(&h);
	h.roots[0] = at(0);
	h.words[0][7] = at(1);
	h.words[1][0] = at(2);
	h.words[2][0] = at(0);
	scan_all(&h);
	CHECK_EQ(h.blocks[1].reach, PIPA_HEAPS_REACHABLE);
	CHECK_EQ(h.blocks[2].reach, PIPA_HEAPS_REACHABLE);
	CHECK_EQ(h.blocks[3].reach, PIPA_HEAPS_LOST);
}

TEST(a_pointer_into_a_block_leaves_it_possibly_lost)
{
	struct heap h;

	init(&h);
	h.roots[0] = at(0) + 8;
	h.words[0][0] = at(1);
	h.roots[1] = at(2) + 64; /* after its end */
	scan_all(&h);
	CHECK_EQ(h.blocks[0].reach, PIPA_HEAPS_INTERIOR);
	CHECK_EQ(h.blocks[1].reach, PIPA_HEAPS_INTERIOR);
	CHECK_EQ(h.blocks[2].reach, PIPA_HEAPS_LOST);
}

TEST(a_later_pointer_to_the_start_makes_referenced_blocks_reachable)
{
	struct heap h;

	init(&h);
	h.roots[0] = at(0) + 8;
	h.roots[1] = at(3);
	h.words[0][0] = at(1);
	h.words[3][0] = at(0);
	scan_all(&h);
	CHECK_EQ(h.blocks[0].reach, PIPA_HEAPS_REACHABLE);
	CHECK_EQ(h.blocks[1].reach, PIPA_HEAPS_REACHABLE);
}

TEST(interior_pointers_of_some_roots_do_not_count)
{
	struct heap h;

	init(&h);
	h.interior_roots = false;
	h.roots[0] = at(0) + 8;
	h.roots[1] = at(1);
	scan_all(&h);
	CHECK_EQ(h.blocks[0].reach, PIPA_HEAPS_LOST);
	CHECK_EQ(h.blocks[1].reach, PIPA_HEAPS_REACHABLE);
}

TEST(blocks_in_lost_blocks_are_lost_indirectly)
{
	struct heap h;
	size_t i, lost = 0;

	init(&h);
	h.words[0][0] = at(1);
	h.words[1][0] = at(2) + 16;
	h.words[2][0] = at(0); /* a cycle has one block that the others are lost with */
	h.words[4][0] = at(3); /* the one found later takes over the one found first */
	scan_all(&h);
	for (i = 0; i < 3; i++)
		lost += h.blocks[i].reach == PIPA_HEAPS_LOST;
	CHECK_EQ(lost, 1);
	CHECK_EQ(h.blocks[3].reach, PIPA_HEAPS_LOST_INDIRECT);
	CHECK_EQ(h.blocks[4].reach, PIPA_HEAPS_LOST);
	CHECK_EQ(h.blocks[5].reach, PIPA_HEAPS_LOST);
}

TEST(memory_between_blocks_is_divided_into_gaps)
{
	struct pipa_heap_scan *scan;
	uint64_t start = at(0) - 16, end;
	struct heap h;

	init(&h);
	scan = pipa_heap_scan_new(h.blocks, 2);
	CHECK(scan);
	CHECK(pipa_heap_scan_gap(scan, &start, at(2), &end));
	CHECK_EQ(start, at(0) - 16);
	CHECK_EQ(end, at(0));
	start = end;
	CHECK(pipa_heap_scan_gap(scan, &start, at(2), &end));
	CHECK_EQ(start, at(0) + 64);
	CHECK_EQ(end, at(1));
	start = end;
	CHECK(pipa_heap_scan_gap(scan, &start, at(2), &end));
	CHECK_EQ(start, at(1) + 64);
	CHECK_EQ(end, at(2));
	start = end;
	CHECK(!pipa_heap_scan_gap(scan, &start, at(2), &end));
	pipa_heap_scan_free(scan);
}

TEST(a_scan_without_blocks_finds_nothing)
{
	struct pipa_heap_scan *scan = pipa_heap_scan_new(NULL, 0);
	uint64_t words[2] = { 0, UINT64_MAX }, start = 8, end;
	const struct pipa_heaps_block *block;

	CHECK(scan);
	pipa_heap_scan_words(scan, (struct pipa_span){ (const uint8_t *)words, sizeof(words) },
			     true);
	CHECK(!pipa_heap_scan_next(scan, &block));
	CHECK(!pipa_heap_scan_lost(scan));
	CHECK(pipa_heap_scan_gap(scan, &start, 64, &end));
	CHECK_EQ(end, 64);
	pipa_heap_scan_free(scan);
}
