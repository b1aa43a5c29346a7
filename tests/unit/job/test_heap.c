/* From the file of a process to profile, sites and report. */
#include <errno.h>
#include <stdio.h>

#include "analyze/heap/heap_profile.h"
#include "analyze/heap/heap_sites.h"
#include "analyze/profile/frames.h"
#include "analyze/profile/top.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/file.h"
#include "collect/heap/heap_file.h"
#include "export/exchange/pprof.h"
#include "export/table/heap.h"
#include "import/pprof.h"
#include "job/heap/heap_chart.h"
#include "lib/heap_image.h"
#include "lib/test.h"
#include "model/heaps.h"
#include "model/profile.h"
#include "model/value_columns.h"

struct fixture {
	struct pipa_heaps heaps;
	struct pipa_profile profile;
	uint32_t stacks[HEAP_IMAGE_STACKS];
	struct pipa_frames frames;
	struct pipa_heap_sites sites;
	struct pipa_top functions;
	struct pipa_heap_report report;
};

/* Decode an image and make all of it; the image is freed. */
static void make(struct fixture *f, struct heap_image *image)
{
	const struct pipa_top_options top = { .keys = { PIPA_KEY_SYMBOL, PIPA_KEY_OBJECT },
					      .n_keys = 2,
					      .children = true };
	struct pipa_heap_file file = { 0 };
	struct pipa_heap_file_info info;

	*f = (struct fixture){ 0 };
	file.bytes = image->file;
	CHECK_EQ(pipa_heap_file_decode(&file, &f->heaps, &info, NULL), 0);
	heap_image_free(image);
	CHECK_EQ(pipa_heap_profile_make(&f->heaps, &f->profile, f->stacks), 0);
	CHECK_EQ(pipa_frames_make(&f->profile, true, &f->frames), 0);
	CHECK_EQ(pipa_heap_profile_extend(&f->heaps, f->stacks, &f->profile), 0);
	CHECK_EQ(pipa_heap_sites_make(&f->heaps, f->stacks, &f->frames, false, &f->sites), 0);
	CHECK_EQ(pipa_top_make(&f->profile, &top, &f->functions), 0);
	f->report = (struct pipa_heap_report){
		.heaps = &f->heaps,
		.frames = &f->frames,
		.sites = &f->sites,
		.functions = &f->functions,
		.start_ns = 1000000000,
		.end_ns = 2000000000,
		.max_rows = 10,
		.max_frames = 8,
	};
}

static void done(struct fixture *f)
{
	pipa_top_done(&f->functions);
	pipa_heap_sites_done(&f->sites);
	pipa_frames_done(&f->frames);
	pipa_profile_done(&f->profile);
	pipa_heaps_done(&f->heaps);
}

static uint64_t column_sum(const struct pipa_profile *p, const char *name)
{
	struct pipa_value_column column;

	CHECK(pipa_value_column_find(p, name, &column));
	return p->events.items[column.event].weight;
}

static int append(void *ctx, const char *bytes, size_t len)
{
	pipa_buf_add(ctx, bytes, len);
	return 0;
}

TEST(the_profile_has_pprofs_columns_after_a_round_trip)
{
	const struct pipa_pprof_format format = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
	struct pipa_profile again = { 0 }, profile = { 0 };
	uint32_t stacks[HEAP_IMAGE_STACKS];
	struct pipa_value_column column;
	struct pipa_heap_file file = { 0 };
	struct pipa_heap_file_info info;
	struct pipa_heaps heaps = { 0 };
	struct heap_image image;
	char buf[PIPA_VALUE_NAME_MAX];

	heap_image_example(&image);
	file.bytes = image.file;
	CHECK_EQ(pipa_heap_file_decode(&file, &heaps, &info, NULL), 0);
	heap_image_free(&image);
	CHECK_EQ(pipa_heap_profile_make(&heaps, &profile, stacks), 0);
	CHECK_EQ(pipa_pprof_write(&profile, &format, append, &bytes), 0);
	CHECK_EQ(pipa_pprof_read(&again,
				 (struct pipa_span){ (const uint8_t *)bytes.data, bytes.len },
				 NULL),
		 0);
	CHECK_EQ(again.events.n, 4);
	CHECK_EQ(column_sum(&again, "alloc_objects"), 12);
	CHECK_EQ(column_sum(&again, "alloc_space"), 1000 + 8192);
	CHECK_EQ(column_sum(&again, "inuse_objects"), 5);
	CHECK_EQ(column_sum(&again, "inuse_space"), 300 + 8192);
	CHECK(pipa_value_column_default(&again, &column));
	CHECK_STR(pipa_value_column_name(&again, &column, buf), "inuse_space");
	CHECK_STR(pipa_value_column_unit(&again, &column), "bytes");
	CHECK_EQ(again.events.items[0].period, 1);
	CHECK_STR(pipa_profile_string(&again, again.events.items[0].period_name), "space");
	CHECK_EQ(again.duration_ns, 1000000000);
	CHECK_EQ(again.locations.n, 4);
	pipa_profile_done(&again);
	pipa_profile_done(&profile);
	pipa_heaps_done(&heaps);
}

TEST(locations_are_offsets_of_the_call_before_a_return_address)
{
	static const uint64_t frames[] = { 0x401010, 0x401020 | PIPA_HEAP_EXACT, 0x999999 };
	struct heap_image image;
	struct fixture f;

	heap_image_init(&image);
	heap_image_maps(&image, 0, "00401000-00402000 r-xp 00003000 08:01 77 /usr/bin/program\n");
	heap_image_alloc(heap_image_stack(&image, frames, 3), 1, 8, 0);
	image.stacks[0].end = PIPA_STACK_NO_CFI;
	make(&f, &image);
	CHECK_EQ(f.profile.locations.n, 3);
	CHECK_EQ(f.profile.locations.items[0].unresolved, PIPA_UNRESOLVED_NO_MAPPING);
	CHECK_EQ(f.profile.locations.items[1].offset, 0x3020);
	CHECK_EQ(f.profile.locations.items[2].offset, 0x300f);
	CHECK(f.profile.stacks.items[0].cut);
	done(&f);
}

TEST(samples_of_snapshots_replace_those_of_the_end)
{
	struct heap_image image;
	struct fixture f;

	heap_image_example(&image);
	make(&f, &image);
	f.heaps.stacks.items[0].inuse.bytes = 77;
	f.heaps.stacks.items[1].inuse.bytes = 0;
	CHECK_EQ(pipa_heap_profile_refill(&f.heaps, f.stacks, &f.profile), 0);
	CHECK_EQ(column_sum(&f.profile, "inuse_space"), 77);
	CHECK_EQ(column_sum(&f.profile, "alloc_objects"), 12);
	done(&f);
}

/* Make sites of blocks allocated at these times of a run of a second, and return the verdict. */
static enum pipa_heap_growth judge(const uint64_t *ms, uint32_t n)
{
	static const uint64_t frames[] = { 0x401010 };
	enum pipa_heap_growth growth;
	struct heap_image image;
	struct fixture f;
	uint32_t i;

	heap_image_init(&image);
	heap_image_alloc(heap_image_stack(&image, frames, 1), n, 64, 0);
	for (i = 0; i < n; i++)
		heap_image_block(&image, i, 0x10000 + i * 64, 64, 0, 1000000000 + ms[i] * 1000000);
	make(&f, &image);
	CHECK_EQ(f.sites.n, 1);
	CHECK_EQ(f.sites.items[0].blocks, n);
	growth = f.sites.items[0].growth;
	done(&f);
	return growth;
}

TEST(growth_is_judged_by_the_ages_of_blocks)
{
	CHECK_EQ(judge((const uint64_t[]){ 1, 2, 3, 4, 5, 6, 7 }, 7), PIPA_HEAP_GROWTH_UNKNOWN);
	CHECK_EQ(judge((const uint64_t[]){ 1, 2, 3, 4, 5, 6, 7, 8 }, 8), PIPA_HEAP_GROWTH_START);
	CHECK_EQ(judge((const uint64_t[]){ 100, 200, 300, 400, 500, 600, 700, 800, 900 }, 9),
		 PIPA_HEAP_GROWTH_STEADY);
	CHECK_EQ(judge((const uint64_t[]){ 900, 910, 920, 930, 940, 950, 960, 970 }, 8),
		 PIPA_HEAP_GROWTH_END);
	CHECK_EQ(judge((const uint64_t[]){ 10, 20, 30, 40, 410, 420, 430, 440 }, 8),
		 PIPA_HEAP_GROWTH_IRREGULAR);
	/* times outside of the run, of a recording that was overwritten */
	CHECK_EQ(judge((const uint64_t[]){ 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000 }, 8),
		 PIPA_HEAP_GROWTH_END);
}

TEST(the_text_has_sums_peak_and_sites)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct heap_image image;
	struct fixture f;

	heap_image_example(&image);
	make(&f, &image);
	f.report.leaks = true;
	CHECK_EQ(pipa_heap_report_text(&f.report, &text), 0);
	CHECK_HAS(text.data, "# Command:   program --option\n");
	CHECK_HAS(text.data, "# Samples:   12, every allocation\n");
	CHECK_HAS(text.data, "# Allocated: 9.0 KiB in 12 blocks\n");
	CHECK_HAS(text.data, "# Peak:      8.4 KiB in 6 blocks, 500.00 ms after the start\n");
	CHECK_HAS(text.data, "# In use:    8.3 KiB in 5 blocks at the end\n");
	CHECK_HAS(text.data, "     8.0 KiB   95.3%             2  ");
	CHECK_HAS(text.data, "Temporary");
	CHECK_HAS(text.data, "Time in the allocator");
	CHECK_HAS(text.data, "  alive, unsearched:    8.3 KiB in 5 blocks\n");
	CHECK_HAS(text.data, "too few samples");
	CHECK(!strstr(text.data, "Incomplete"));
	done(&f);
}

TEST(losses_are_in_the_text_and_the_document)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 }, json = { 0 };
	struct heap_image image;
	struct fixture f;

	heap_image_example(&image);
	image.status->lost[PIPA_HEAP_LOST_STACKS] = 5;
	image.status->lost[PIPA_HEAP_LOST_BYTES] = 1 << 20;
	image.status->lost[PIPA_HEAP_LOST_STORAGE] = 1;
	image.status->lost[PIPA_HEAP_LOST_REENTRY] = 7;
	image.status->truncated_stacks = 2;
	make(&f, &image);
	f.report.skipped = 2;
	CHECK_EQ(pipa_heap_report_text(&f.report, &text), 0);
	CHECK_HAS(text.data, "# Incomplete:\n#   5 samples were not recorded");
	CHECK_HAS(text.data, "#   1.0 MiB are missing in all sums\n");
	CHECK_HAS(text.data, "#   7 allocations of signal handlers were not recorded: they ");
	CHECK_HAS(text.data, "#   1 time the recording could not be enlarged\n");
	CHECK_HAS(text.data, "#   2 processes were left out: there were too many\n");
	CHECK_HAS(text.data, "# Truncated stacks: 2 of 12 samples\n");
	CHECK_EQ(pipa_heap_report_json(&f.report, &json), 0);
	CHECK_HAS(json.data, "\"complete\": false");
	CHECK_HAS(json.data, "\"samples\": 5");
	CHECK_HAS(json.data, "\"reentries\": 7");
	CHECK_HAS(json.data, "\"skipped_recordings\": 2");
	done(&f);
}

TEST(sites_are_merged_across_processes_unless_they_are_separate)
{
	struct pipa_heap_sites sites;
	struct heap_image image;
	struct fixture f;

	heap_image_example(&image);
	make(&f, &image);
	CHECK_EQ(f.sites.n, 2);
	CHECK_EQ(pipa_heap_sites_make(&f.heaps, f.stacks, &f.frames, true, &sites), 0);
	CHECK_EQ(sites.n, 2);
	CHECK_EQ(sites.items[0].process, 0);
	CHECK_EQ(f.sites.items[0].process, PIPA_NONE);
	pipa_heap_sites_done(&sites);
	done(&f);
}

TEST(a_chart_of_growth_has_the_largest_sites_and_the_others)
{
	PIPA_AUTO(pipa_heap_chart_done) struct pipa_heap_chart chart = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct pipa_error err = { 0 };
	struct heap_image image;
	char path[4096];
	struct fixture f;
	size_t i;

	heap_image_init(&image);
	heap_image_maps(&image, 0, "00401000-00402000 r-xp 00001000 08:01 77 /usr/bin/program\n");
	for (i = 0; i < 12; i++) {
		const uint64_t frame = 0x401011 + i * 16;

		heap_image_alloc(heap_image_stack(&image, &frame, 1), 1, (i + 1) << 20, 0);
	}
	make(&f, &image);
	snprintf(path, sizeof(path), "%s/growth.svg", pipa_test_dir());
	CHECK_EQ(pipa_heap_chart_write(&chart, path, &err), -ENODATA);
	for (i = 0; i < 24; i++) {
		if (i % 12 == 0)
			CHECK_EQ(pipa_heap_chart_time(&chart, (double)i), 0);
		CHECK_EQ(pipa_heap_chart_add(&chart, &f.frames, f.stacks[i % 12],
					     (i % 12 + 1) << 20),
			 0);
	}
	CHECK_EQ(chart.sites.n, 12);
	CHECK_EQ(pipa_heap_chart_write(&chart, path, &err), 0);
	CHECK_EQ(pipa_file_read(path, &text, NULL), 0);
	CHECK_HAS(text.data, "all others");
	CHECK_HAS(text.data, "Memory in use by call site");
	CHECK_EQ(pipa_heap_chart_check("-o", "x.gif", &err), -EINVAL);
	done(&f);
}
