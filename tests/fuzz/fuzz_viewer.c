/*
 * Files of viewers: any bytes can be read. A profile that was read is written as a speedscope file that can be read again
 * with the same sums, and as an evented one and a .cpuprofile that can be read.
 */
#include "base/buf.h"
#include "base/error.h"
#include "export/exchange/cpuprofile.h"
#include "export/exchange/speedscope.h"
#include "export/exchange/tracks.h"
#include "fuzz.h"
#include "import/kind.h"
#include "import/viewer/cpuprofile.h"
#include "import/viewer/speedscope.h"
#include "model/profile.h"
#include "model/timeline.h"

static int put(void *ctx, const char *bytes, size_t len)
{
	pipa_buf_add(ctx, bytes, len);
	return 0;
}

static uint64_t sum_of(const struct pipa_profile *profile)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < profile->events.n; i++)
		sum += profile->events.items[i].weight;
	return sum;
}

/* Read what was written; returns the sum of its weights. */
static uint64_t read_again(struct pipa_buf *text, bool is_speedscope)
{
	const struct pipa_span span = { (const uint8_t *)pipa_buf_str(text), text->len };
	struct pipa_timeline timeline = { 0 };
	struct pipa_profile profile = { 0 };
	struct pipa_error err = { 0 };
	uint64_t sum;

	MUST(!text->status);
	MUST(pipa_kind_find(span.data, span.size) ==
	     (is_speedscope ? PIPA_KIND_SPEEDSCOPE : PIPA_KIND_CPUPROFILE));
	if (is_speedscope)
		MUST(pipa_speedscope_read(&profile, &timeline, span, &err) == 0);
	else /* its times may exceed 63 bits */
		pipa_cpuprofile_read(&profile, &timeline, span, &err);
	sum = sum_of(&profile);
	pipa_profile_done(&profile);
	pipa_timeline_done(&timeline);
	pipa_buf_done(text);
	return sum;
}

static void write_all(const struct pipa_profile *profile, const struct pipa_timeline *timeline)
{
	struct pipa_speedscope_format format = { .name = "fuzz", .version = "1" };
	struct pipa_tracks tracks;
	struct pipa_buf text = { 0 };

	MUST(pipa_tracks_make(profile, NULL, PIPA_NONE, &tracks) == 0);
	MUST(pipa_speedscope_write(&tracks, &format, put, &text) == 0);
	MUST(read_again(&text, true) == sum_of(profile));
	pipa_tracks_done(&tracks);
	MUST(pipa_tracks_make(profile, timeline, PIPA_NONE, &tracks) == 0);
	format.evented = true;
	MUST(pipa_speedscope_write(&tracks, &format, put, &text) == 0);
	read_again(&text, true);
	pipa_tracks_done(&tracks);
	MUST(pipa_tracks_make(profile, timeline, 0, &tracks) == 0);
	MUST(pipa_cpuprofile_write(&tracks, put, &text) == 0);
	read_again(&text, false);
	pipa_tracks_done(&tracks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int (*const readers[])(struct pipa_profile *, struct pipa_timeline *, struct pipa_span,
			       struct pipa_error *) = { pipa_speedscope_read,
							pipa_cpuprofile_read };
	size_t i;

	pipa_kind_find(data, size);
	for (i = 0; i < 2; i++) {
		struct pipa_timeline timeline = { 0 };
		struct pipa_profile profile = { 0 };
		struct pipa_error err = { 0 };
		int rc = readers[i](&profile, &timeline, (struct pipa_span){ data, size }, &err);

		MUST(rc <= 0);
		if (!rc && profile.samples.n && !pipa_timeline_sort(&timeline))
			write_all(&profile, &timeline);
		pipa_profile_done(&profile);
		pipa_timeline_done(&timeline);
	}
	return 0;
}
