/*
 * The text of perf script: any bytes give a profile whose numbers point at what is there, the same
 * whether they come at once or in pieces, and it can be folded; what was folded reads back.
 */
#include "analyze/profile/flame.h"
#include "base/buf.h"
#include "export/exchange/folded.h"
#include "export/view/view_times.h"
#include "fuzz.h"
#include "import/kind.h"
#include "import/perf_script.h"
#include "model/profile.h"
#include "model/timeline.h"

static int put(void *ctx, const char *bytes, size_t len)
{
	pipa_buf_add(ctx, bytes, len);
	return 0;
}

static void load(struct pipa_profile *p, struct pipa_timeline *timeline, const uint8_t *data,
		 size_t size, size_t piece)
{
	struct pipa_perf_script *script = pipa_perf_script_new(p);
	size_t at;

	MUST(script);
	if (timeline)
		pipa_perf_script_keep_times(script, timeline);
	for (at = 0; at < size; at += piece)
		MUST(pipa_perf_script_put(script, (const char *)data + at,
					  size - at < piece ? size - at : piece) == 0);
	MUST(pipa_perf_script_end(script) == 0);
	pipa_perf_script_free(script);
}

static void check_numbers(const struct pipa_profile *p)
{
	size_t i;

	for (i = 0; i < p->samples.n; i++) {
		MUST(p->samples.items[i].event < p->events.n);
		MUST(p->samples.items[i].thread == PIPA_NONE ||
		     p->samples.items[i].thread < p->threads.n);
		MUST(p->samples.items[i].stack == PIPA_NONE ||
		     p->samples.items[i].stack < p->stacks.n);
		MUST(p->samples.items[i].count > 0);
	}
	for (i = 0; i < p->stacks.n; i++) {
		MUST(p->stacks.items[i].parent == PIPA_NONE || p->stacks.items[i].parent < i);
		MUST(p->stacks.items[i].location < p->locations.n);
	}
	for (i = 0; i < p->locations.n; i++) {
		MUST(p->locations.items[i].object < p->objects.n);
		MUST(p->locations.items[i].lines + p->locations.items[i].n_lines <= p->lines.n);
	}
}

/* Each sample has its moment, and a page can be made of them. */
static void check_times(const struct pipa_profile *p, struct pipa_timeline *timeline)
{
	const struct pipa_flame_options options = { .event = PIPA_NONE, .ends = true };
	struct pipa_buf json = { 0 };
	struct pipa_view_times times;
	struct pipa_flame flame;
	uint64_t count = 0;
	size_t i;

	for (i = 0; i < p->samples.n; i++)
		count += p->samples.items[i].count;
	MUST(timeline->n + timeline->untimed == count);
	MUST(pipa_timeline_sort(timeline) == 0);
	for (i = 0; i < timeline->n; i++) {
		MUST(timeline->items[i].sample < p->samples.n);
		MUST(!i || timeline->items[i - 1].time <= timeline->items[i].time);
	}
	MUST(pipa_flame_make(p, &options, &flame) == 0);
	MUST(pipa_view_times_make(p, timeline, &flame, PIPA_NONE, &times) == 0);
	MUST(times.entries == timeline->n);
	pipa_view_times_write(&times, p, "cpu", NULL, &json);
	MUST(json.status == 0);
	pipa_view_times_done(&times);
	pipa_flame_done(&flame);
	pipa_buf_done(&json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct pipa_folded_format looks[] = {
		{ .event = PIPA_NONE },
		{ .event = 0,
		  .tid = true,
		  .names = { .addrs = true, .kernel = true, .jit = true } },
		{ .event = PIPA_NONE, .names.raw_names = true },
	};
	struct pipa_buf whole = { 0 }, pieces = { 0 };
	struct pipa_profile a = { 0 }, b = { 0 };
	struct pipa_timeline timeline = { 0 };
	size_t i;

	pipa_kind_find(data, size);
	load(&a, &timeline, data, size, size + 1);
	load(&b, NULL, data, size, size % 7 + 1);
	check_numbers(&a);
	check_times(&a, &timeline);
	MUST(a.losses.damaged == b.losses.damaged && a.losses.cut_stacks == b.losses.cut_stacks);
	for (i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
		MUST(pipa_folded_write(&a, &looks[i], put, &whole) == 0);
		MUST(pipa_folded_write(&b, &looks[i], put, &pieces) == 0);
	}
	MUST(whole.len == pieces.len &&
	     (!whole.len || memcmp(whole.data, pieces.data, whole.len) == 0));
	pipa_buf_done(&whole);
	pipa_buf_done(&pieces);
	pipa_timeline_done(&timeline);
	pipa_profile_done(&a);
	pipa_profile_done(&b);
	return 0;
}
