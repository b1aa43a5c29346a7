/* The file that a measured process shares with pipa, complete and overwritten. */
#include <errno.h>

#include "base/auto.h"
#include "base/error.h"
#include "collect/heap/heap_file.h"
#include "lib/heap_image.h"
#include "lib/test.h"
#include "model/heaps.h"

#define ONE (UINT64_C(1) << PIPA_HEAP_FRACTION)

static struct pipa_heap_file_info info;

static int decode(const struct heap_image *image, struct pipa_heaps *heaps)
{
	const struct pipa_heap_file file = { .bytes = image->file };

	return pipa_heap_file_decode(&file, heaps, &info, NULL);
}

/* Decode what has to be a process, with that many corrupt entries. */
static const struct pipa_heaps_process *decode_process(const struct heap_image *image,
						       struct pipa_heaps *heaps, uint64_t corrupt)
{
	const struct pipa_heaps_process *p;

	CHECK_EQ(decode(image, heaps), 0);
	p = &heaps->processes.items[heaps->processes.n - 1];
	CHECK_EQ(p->losses.corrupt, corrupt);
	return p;
}

TEST(a_complete_file_is_decoded)
{
	const struct pipa_heaps_stack *stacks;
	const struct pipa_heaps_process *p;
	const struct pipa_heaps_module *m;
	struct pipa_heaps heaps = { 0 };
	struct heap_image image;

	heap_image_example(&image);
	p = decode_process(&image, &heaps, 0);
	CHECK_EQ(p->pid, 42);
	CHECK_EQ(p->parent, 1);
	CHECK_EQ(p->end, PIPA_HEAPS_EXITED);
	CHECK_EQ(p->end_ns - p->start_ns, 1000000000);
	CHECK_EQ(p->rate, 1);
	CHECK(pipa_heaps_is_complete(p));
	CHECK_STR(pipa_strings_get(&heaps.strings, p->comm), "worker");
	CHECK_STR(pipa_strings_get(&heaps.strings, p->exe), "/usr/bin/program");
	CHECK_STR(pipa_strings_get(&heaps.strings, p->command), "program --option");
	CHECK_EQ(p->n_stacks, 2);
	stacks = &heaps.stacks.items[p->stacks];
	CHECK_EQ(stacks[0].samples, 10);
	CHECK_EQ(stacks[0].alloc.objects, 10);
	CHECK_EQ(stacks[0].alloc.bytes, 1000);
	CHECK_EQ(stacks[0].inuse.objects, 3);
	CHECK_EQ(stacks[0].inuse.bytes, 300);
	CHECK_EQ(stacks[0].peak.bytes, 400);
	CHECK_EQ(stacks[0].temporary.objects, 5);
	CHECK_EQ(stacks[0].allocator_ns, 3000);
	CHECK_EQ(stacks[0].n_frames, 3);
	CHECK_EQ(heaps.frames.items[stacks[0].frames], 0x401010);
	CHECK_EQ(stacks[1].peak.bytes, 8192); /* unchanged since the peak */
	CHECK_EQ(p->peak.bytes, 400 + 8192);
	CHECK_EQ(p->peak.objects, 4 + 2);
	CHECK_EQ(p->sizes[6], 10);
	CHECK_EQ(p->sizes[12], 2);
	CHECK_EQ(p->lifetimes[1], 7);
	CHECK_EQ(p->n_blocks, 5);
	CHECK_EQ(heaps.blocks.items[4].address, 0x50000);
	CHECK_EQ(heaps.blocks.items[4].amount.bytes, 4096);
	CHECK_EQ(heaps.blocks.items[4].stack, p->stacks + 1);
	m = pipa_heaps_module_at(&heaps, p, 0, 0x7f0000001fff);
	CHECK(m);
	CHECK_STR(pipa_strings_get(&heaps.strings, m->path), "/usr/lib/libexample.so");
	CHECK_EQ(m->file.inode, 78);
	CHECK(!pipa_heaps_module_at(&heaps, p, 0, 0x7f0000002000));
	CHECK(!pipa_heaps_module_at(&heaps, p, 1, 0x401000));
	pipa_heaps_done(&heaps);
	heap_image_free(&image);
}

TEST(sums_of_threads_are_added_to_those_of_the_stack)
{
	struct pipa_heaps heaps = { 0 };
	struct pipa_heap_slot *slot;
	struct heap_image image;

	heap_image_example(&image);
	slot = &image.shards[1].slots[5]; /* freed by another thread: in use is negative here */
	slot->stack = 1;
	heap_image_alloc(&slot->sums, 0, 100, 2);
	slot->sums.peak_epoch = 1;
	slot->sums.peak_count_scaled = -(int64_t)ONE;
	slot->sums.peak_bytes_scaled = -100;
	slot = &image.shards[0].slots[127];
	slot->stack = 2;
	heap_image_alloc(&slot->sums, 1, 4096, 0);
	decode_process(&image, &heaps, 0);
	CHECK_EQ(heaps.stacks.items[0].inuse.objects, 1);
	CHECK_EQ(heaps.stacks.items[0].inuse.bytes, 100);
	CHECK_EQ(heaps.stacks.items[0].peak.bytes, 300);
	CHECK_EQ(heaps.stacks.items[1].alloc.bytes, 3 * 4096);
	pipa_heaps_done(&heaps);
	heap_image_free(&image);
}

TEST(a_slot_that_is_being_moved_is_reported)
{
	struct pipa_heaps heaps = { 0 };
	struct heap_image image;

	heap_image_example(&image);
	image.shards[0].slots[0].stack = 1;
	image.shards[0].slots[0].moving = 1;
	heap_image_alloc(&image.shards[0].slots[0].sums, 5, 100, 0);
	decode_process(&image, &heaps, 0);
	CHECK_EQ(info.moving, 1);
	CHECK_EQ(heaps.stacks.items[0].alloc.objects, 10);
	pipa_heaps_done(&heaps);
	heap_image_free(&image);
}

TEST(scaled_counts_are_rounded)
{
	static const uint64_t frames[] = { 0x401010 };
	struct pipa_heaps heaps = { 0 };
	struct pipa_heap_sums *sums;
	struct heap_image image;

	heap_image_init(&image);
	sums = heap_image_stack(&image, frames, 1);
	sums->allocs = 1;
	sums->alloc_count_scaled = 2 * ONE + ONE / 2;
	sums->alloc_bytes_scaled = 777;
	heap_image_block(&image, 0, 0x10000, 100, 0, 1100000000);
	image.blocks[0].weight = 2 * ONE + ONE / 2;
	decode_process(&image, &heaps, 0);
	CHECK_EQ(heaps.stacks.items[0].alloc.objects, 3);
	CHECK_EQ(heaps.blocks.items[0].amount.objects, 3);
	CHECK_EQ(heaps.blocks.items[0].amount.bytes, 250);
	pipa_heaps_done(&heaps);
	heap_image_free(&image);
}

TEST(the_mappings_of_each_generation_are_found)
{
	const struct pipa_heaps_process *p;
	struct pipa_heaps heaps = { 0 };
	struct heap_image image;

	heap_image_init(&image);
	heap_image_maps(&image, 0,
			"1000-2000 r-xp 0 08:01 1 /a\n3000-4000 r-xp 0 08:01 2 /plugin-one\n"
			"5000-6000 rw-p 0 08:01 1 /a\n");
	heap_image_maps(&image, 1,
			"1000-2000 r-xp 0 08:01 1 /a\n3000-4000 r-xp 0 08:01 3 /plugin-two\n");
	p = decode_process(&image, &heaps, 0);
	CHECK_EQ(p->n_modules, 3);
	CHECK_EQ(pipa_heaps_module_at(&heaps, p, 0, 0x3000)->file.inode, 2);
	CHECK_EQ(pipa_heaps_module_at(&heaps, p, 1, 0x3000)->file.inode, 3);
	CHECK_EQ(pipa_heaps_module_at(&heaps, p, 0, 0x1000)->file.inode, 1);
	CHECK_EQ(pipa_heaps_module_at(&heaps, p, 1, 0x1000)->file.inode, 1);
	CHECK(!pipa_heaps_module_at(&heaps, p, 0, 0x5000));
	pipa_heaps_done(&heaps);
	heap_image_free(&image);
}

TEST(losses_make_a_process_incomplete)
{
	static const enum pipa_heap_loss losses[] = {
		PIPA_HEAP_LOST_STACKS,	 PIPA_HEAP_LOST_FRAMES,	 PIPA_HEAP_LOST_BLOCKS,
		PIPA_HEAP_LOST_MAPS,	 PIPA_HEAP_LOST_STORAGE, PIPA_HEAP_LOST_REENTRY,
		PIPA_HEAP_LOST_CHILDREN,
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(losses); i++) {
		struct pipa_heaps heaps = { 0 };
		struct heap_image image;

		heap_image_example(&image);
		image.status->lost[losses[i]] = 3;
		CHECK(!pipa_heaps_is_complete(decode_process(&image, &heaps, 0)));
		pipa_heaps_done(&heaps);
		heap_image_free(&image);
	}
}

TEST(mapped_memory_is_marked_in_its_address)
{
	struct pipa_heaps heaps = { 0 };
	struct heap_image image;

	heap_image_example(&image);
	image.buckets[0].address[0] |= PIPA_HEAP_MAPPED;
	decode_process(&image, &heaps, 0);
	CHECK_EQ(heaps.blocks.items[0].address, 0x10000);
	CHECK(heaps.blocks.items[0].is_mapping);
	CHECK(!heaps.blocks.items[1].is_mapping);
	pipa_heaps_done(&heaps);
	heap_image_free(&image);
}

TEST(a_program_with_its_own_malloc_is_incomplete)
{
	struct pipa_heaps heaps = { 0 };
	struct heap_image image;

	heap_image_example(&image);
	image.header->flags |= PIPA_HEAP_BYPASSED | PIPA_HEAP_FORKED;
	CHECK(!pipa_heaps_is_complete(decode_process(&image, &heaps, 0)));
	CHECK(heaps.processes.items[0].bypassed);
	CHECK(heaps.processes.items[0].forked);
	pipa_heaps_done(&heaps);
	heap_image_free(&image);
}

TEST(any_gap_is_reported)
{
	static const uint32_t gaps[] = { 0, PIPA_HEAP_GAP_OFF, UINT32_MAX };
	size_t i;

	for (i = 0; i < PIPA_COUNT(gaps); i++) {
		struct pipa_heaps heaps = { 0 };
		struct heap_image image;

		heap_image_example(&image);
		image.status->gaps = gaps[i];
		CHECK_EQ(decode_process(&image, &heaps, 0)->has_gaps, gaps[i] != 0);
		CHECK(pipa_heaps_is_complete(heaps.processes.items));
		pipa_heaps_done(&heaps);
		heap_image_free(&image);
	}
}

TEST(a_file_that_is_not_complete_yet_is_left_out)
{
	struct pipa_heaps heaps = { 0 };
	struct heap_image image;
	const struct pipa_heap_file empty = { 0 };

	heap_image_example(&image);
	image.header->ready = 0;
	CHECK_EQ(decode(&image, &heaps), -EAGAIN);
	CHECK_EQ(pipa_heap_file_decode(&empty, &heaps, &info, NULL), -EAGAIN);
	CHECK_EQ(heaps.processes.n, 0);
	pipa_heaps_done(&heaps);
	heap_image_free(&image);
}

TEST(other_headers_are_refused)
{
	struct pipa_heaps heaps = { 0 };
	struct pipa_heap_file file = { 0 };
	struct pipa_error err = { 0 };
	struct heap_image image;
	size_t i;

	heap_image_example(&image);
	file.bytes = image.file;
	image.header->version = PIPA_HEAP_VERSION + 1;
	CHECK_EQ(pipa_heap_file_decode(&file, &heaps, &info, &err), -EBADMSG);
	CHECK_HAS(err.what, "version");
	image.header->version = PIPA_HEAP_VERSION;
	image.header->order = 0x04030201;
	CHECK_EQ(decode(&image, &heaps), -EBADMSG);
	image.header->order = PIPA_HEAP_ORDER;
	for (i = 0; i < PIPA_HEAP_REGION_NR; i++) {
		struct pipa_heap_extent *extent = &image.header->regions[i], kept = *extent;

		extent->size++;
		CHECK_EQ(decode(&image, &heaps), -EBADMSG);
		*extent = kept;
		extent->offset = UINT64_MAX - PIPA_HEAP_PAGE + 1;
		CHECK_EQ(decode(&image, &heaps), -EBADMSG);
		*extent = kept;
		extent->count = UINT64_MAX / extent->size;
		CHECK_EQ(decode(&image, &heaps), -EBADMSG);
		*extent = kept;
		extent->count = image.file.size / extent->size + 1;
		CHECK_EQ(decode(&image, &heaps), -EBADMSG);
		*extent = kept;
	}
	CHECK_EQ(heaps.stacks.n, 0);
	CHECK_EQ(decode(&image, &heaps), 0);
	pipa_heaps_done(&heaps);
	heap_image_free(&image);
}

TEST(overwritten_entries_are_left_out_and_counted)
{
	struct pipa_heaps heaps = { 0 };
	struct heap_image image;

	heap_image_example(&image);
	image.stacks[0].n_frames = PIPA_HEAP_DEPTH_MAX +
				   1; /* and so three blocks without a stack */
	CHECK_EQ(decode_process(&image, &heaps, 4)->n_stacks, 1);
	CHECK_EQ(heaps.blocks.n, 2);
	heap_image_free(&image);

	heap_image_example(&image);
	image.stacks[1].frames_at = UINT64_MAX;
	image.stacks[1].end = PIPA_STACK_END_NR;
	image.shards[0].slots[0].stack = 2;
	image.blocks[0].stack = UINT32_MAX;
	image.blocks[8].size = UINT64_MAX;
	image.blocks[9].weight = UINT64_MAX;
	image.blocks[9].size = UINT64_MAX / 4;
	decode_process(&image, &heaps, 7);
	heap_image_free(&image);

	heap_image_example(&image);
	image.stacks[0].sums.free_bytes_scaled = 5000; /* more than was allocated */
	image.stacks[1].sums.alloc_bytes_scaled = UINT64_MAX / 2;
	decode_process(&image, &heaps, 2);
	CHECK_EQ(heaps.stacks.items[heaps.stacks.n - 2].inuse.bytes, 0);
	CHECK_EQ(heaps.stacks.items[heaps.stacks.n - 1].alloc.bytes, 0);
	heap_image_free(&image);

	heap_image_example(&image);
	((struct pipa_heap_maps *)image.maps)->text_size = UINT32_MAX;
	decode_process(&image, &heaps, 1);
	((struct pipa_heap_maps *)image.maps)->size = 0;
	decode_process(&image, &heaps, 1);
	heap_image_free(&image);
	pipa_heaps_done(&heaps);
}

TEST(counts_beyond_the_regions_are_limited)
{
	struct pipa_heaps heaps = { 0 };
	struct heap_image image;

	heap_image_example(&image);
	image.status->n_stacks = UINT64_MAX;
	image.status->n_frames = UINT64_MAX;
	image.status->n_threads = UINT64_MAX;
	image.status->maps_bytes = UINT64_MAX;
	memset(image.header->exe, 'x', sizeof(image.header->exe));
	memset(image.header->cmdline, 'y', sizeof(image.header->cmdline));
	CHECK_EQ(decode(&image, &heaps), 0);
	CHECK_EQ(heaps.stacks.n, 2);
	CHECK_EQ(strlen(pipa_strings_get(&heaps.strings, heaps.processes.items[0].exe)),
		 PIPA_HEAP_PATH);
	pipa_heaps_done(&heaps);
	heap_image_free(&image);
}

TEST(holes_of_the_file_are_not_searched)
{
	struct pipa_heap_file_part parts[4];
	struct pipa_heap_file file = { .parts = parts, .n_parts = PIPA_COUNT(parts) };
	struct pipa_heaps heaps = { 0 };
	struct heap_image image;

	heap_image_example(&image);
	file.bytes = image.file;
	parts[0] = (struct pipa_heap_file_part){ 0, PIPA_HEAP_REGIONS_AT };
	/* within a bucket, which is read as a whole, and with the last bucket */
	parts[1].start = (uint64_t)((uint8_t *)&image.buckets[1] - image.file.data) + 8;
	parts[1].end = parts[1].start + 8;
	parts[2].start = (uint64_t)((uint8_t *)&image.buckets[2] - image.file.data);
	parts[2].end = parts[2].start + sizeof(*image.buckets);
	parts[3] = (struct pipa_heap_file_part){ image.file.size - 1, image.file.size };
	CHECK_EQ(pipa_heap_file_decode(&file, &heaps, &info, NULL), 0);
	CHECK_EQ(heaps.blocks.n, 3); /* not the one in bucket 0, nor that in bucket 3 */
	CHECK_EQ(heaps.blocks.items[0].address, 0x20000);
	CHECK_EQ(heaps.blocks.items[2].address, 0x40000);
	pipa_heaps_done(&heaps);
	heap_image_free(&image);
}

TEST(several_processes_share_the_tables)
{
	struct pipa_heaps heaps = { 0 };
	const struct pipa_heaps_process *p;
	struct heap_image image;

	heap_image_example(&image);
	CHECK_EQ(decode(&image, &heaps), 0);
	image.header->pid = 43;
	CHECK_EQ(decode(&image, &heaps), 0);
	p = heaps.processes.items;
	CHECK_EQ(heaps.processes.n, 2);
	CHECK_EQ(p[1].stacks, p[0].n_stacks);
	CHECK_EQ(heaps.blocks.items[p[1].blocks].stack, p[1].stacks);
	CHECK_EQ(heaps.stacks.items[p[1].stacks].frames, 6);
	pipa_heaps_done(&heaps);
	heap_image_free(&image);
}
