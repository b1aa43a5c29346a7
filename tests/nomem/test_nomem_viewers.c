/*
 * Writers of formats for viewers without memory and without a place to write to: every allocation fails once, and
 * every piece of the output. The failure is returned, and nothing is written after it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "codec/doc.h"
#include "export/exchange/callgrind.h"
#include "export/exchange/chrome_trace.h"
#include "export/exchange/firefox.h"
#include "export/exchange/flame_csv.h"
#include "export/exchange/folded.h"
#include "export/exchange/graph_json.h"
#include "export/exchange/tracks.h"
#include "export/report/report_words.h"
#include "lib/nomem.h"
#include "lib/test.h"
#include "model/profile.h"
#include "model/recording.h"

enum { STACKS = 3000, FUNCTIONS = 1500, MOST_ALLOCATIONS = 400 };

static struct pipa_profile profile;
static struct pipa_timeline timeline;
static size_t pieces, failing_piece; /* the piece that cannot be written, from 1 on; 0: none */

static int put_piece(void *ctx, const char *bytes, size_t len)
{
	CHECK(ctx == &pieces && bytes && len);
	CHECK(!failing_piece || pieces < failing_piece);
	return ++pieces == failing_piece ? -ENOSPC : 0;
}

static uint32_t add_frame(uint32_t parent, unsigned int number)
{
	struct pipa_object object = { .path = pipa_profile_text(&profile, "/bin/a") };
	struct pipa_location at = { .object = pipa_profile_object(&profile, &object),
				    .offset = number };
	struct pipa_function function = { .object = at.object };
	uint32_t location = pipa_profile_location(&profile, &at);
	char name[40];

	snprintf(name, sizeof(name), "function_%u", number);
	function.name = pipa_profile_text(&profile, name);
	if (!profile.locations.items[location].n_lines)
		CHECK_EQ(pipa_profile_name(&profile, location,
					   pipa_profile_function(&profile, &function), number),
			 0);
	return parent == PIPA_NONE ? pipa_profile_root(&profile, location, false) :
				     pipa_profile_stack(&profile, parent, location);
}

/* Two events of one thread on stacks of five frames, with recursion and a loss. */
static void make_profile(void)
{
	struct pipa_thread thread = { .pid = 5,
				      .tid = 6,
				      .comm = pipa_profile_text(&profile, "a") };
	unsigned int i, k;

	for (i = 0; i < STACKS; i++) {
		struct pipa_sample sample = {
			.event = pipa_profile_event(&profile, i % 2 ? "cycles" : "instructions"),
			.thread = pipa_profile_thread(&profile, &thread),
			.stack = PIPA_NONE,
			.cpu = PIPA_NONE,
		};
		uint32_t number;

		for (k = 0; k < 5; k++)
			sample.stack = add_frame(sample.stack, i * (k / 2) % FUNCTIONS);
		number = pipa_profile_sample(&profile, &sample);
		pipa_profile_add_weight(&profile, number, 3, 1);
		CHECK_EQ(pipa_timeline_add(&timeline,
					   &(struct pipa_timed_sample){ 1000 + 7 * i, 3, number,
									(uint16_t)(i % 3), 0 }),
			 0);
	}
	CHECK_EQ(pipa_timeline_mark(&timeline, &(struct pipa_timed_mark){ .time = 2000,
									  .lost = 4,
									  .kind = PIPA_MARK_LOST,
									  .cpu = 1,
									  .pid = 5,
									  .tid = 6 }),
		 0);
	CHECK_EQ(pipa_timeline_sort(&timeline), 0);
}

static int write_callgrind(void)
{
	return pipa_callgrind_write(&profile, &(struct pipa_callgrind_format){ .version = "0" },
				    put_piece, &pieces);
}

static int write_graph_json(void)
{
	return pipa_graph_json_write(&profile, put_piece, &pieces);
}

static int write_flame_csv(void)
{
	return pipa_flame_csv_write(&profile, &(struct pipa_folded_format){ .event = PIPA_NONE },
				    put_piece, &pieces);
}

static int write_firefox(void)
{
	const struct pipa_recording recording = { 0 };
	struct pipa_tracks tracks;
	int rc = pipa_tracks_make(&profile, &timeline, PIPA_NONE, &tracks);

	if (rc < 0)
		return rc;
	rc = pipa_firefox_write(&tracks, &(struct pipa_firefox_format){ &recording, "0" },
				put_piece, &pieces);
	pipa_tracks_done(&tracks);
	return rc;
}

static int write_chrome_trace(void)
{
	struct pipa_tracks tracks;
	int rc = pipa_tracks_make(&profile, &timeline, PIPA_NONE, &tracks);

	if (rc < 0)
		return rc;
	rc = pipa_chrome_trace_write(&tracks, "0", put_piece, &pieces);
	pipa_tracks_done(&tracks);
	return rc;
}

/* Write with each allocation failing once, then with each piece. */
static void check_writer(int (*write)(void))
{
	size_t n, all;
	bool happened = true;
	int rc;

	make_profile();
	for (n = 0; happened && n < MOST_ALLOCATIONS; n++) {
		pieces = 0;
		pipa_nomem_after(n);
		rc = write();
		happened = pipa_nomem_happened();
		CHECK_EQ(rc, happened ? -ENOMEM : 0);
	}
	CHECK(!happened && n > 4);
	all = pieces;
	CHECK(all > 1);
	for (failing_piece = 1; failing_piece <= all; failing_piece++) {
		pieces = 0;
		CHECK_EQ(write(), -ENOSPC);
		CHECK_EQ(pieces, failing_piece);
	}
	pipa_timeline_done(&timeline);
	pipa_profile_done(&profile);
}

TEST(callgrind_without_memory_or_space)
{
	check_writer(write_callgrind);
}

TEST(call_graph_as_json_without_memory_or_space)
{
	check_writer(write_graph_json);
}

TEST(stacks_as_csv_without_memory_or_space)
{
	check_writer(write_flame_csv);
}

TEST(firefox_profile_without_memory_or_space)
{
	check_writer(write_firefox);
}

TEST(chrome_trace_without_memory_or_space)
{
	check_writer(write_chrome_trace);
}

TEST(a_message_on_allocation_failure_makes_the_document_fail)
{
	size_t n;
	bool failed;

	for (n = 0;; n++) {
		struct pipa_buf out = { .data = NULL };
		struct pipa_doc doc;

		CHECK(n < MOST_ALLOCATIONS);
		CHECK(pipa_buf_room(&out, 4096)); /* the document has memory, the message has not */
		pipa_doc_begin(&doc, PIPA_DOC_JSON_LINE, &out);
		pipa_nomem_after(n);
		pipa_report_put_message(&doc, "text", "1 malformed line skipped");
		failed = pipa_nomem_happened();
		pipa_doc_finish(&doc);
		CHECK_EQ(out.status, failed ? -ENOMEM : 0);
		if (!failed)
			CHECK_HAS(pipa_buf_str(&out),
				  "{\"en\":\"1 malformed line skipped\",\"zh\":");
		pipa_buf_done(&out);
		if (!failed)
			break;
	}
	CHECK(n > 1);
}
