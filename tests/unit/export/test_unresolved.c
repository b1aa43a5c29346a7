/* The share of frames without a name, with every reason there is. */
#include "export/text/unresolved.h"

#include "base/buf.h"
#include "codec/doc.h"
#include "lib/test.h"

static struct pipa_profile profile;

static void add(uint32_t event, enum pipa_unresolved why, uint64_t weight)
{
	struct pipa_location at = { .offset = (uint64_t)why, .unresolved = why };
	struct pipa_sample sample = {
		.event = event, .cpu = PIPA_NONE, .weight = weight, .count = 1
	};

	sample.stack = pipa_profile_stack(&profile, PIPA_NONE,
					  pipa_profile_location(&profile, &at));
	CHECK_EQ(pipa_profile_add(&profile, &sample), 0);
}

TEST(every_reason_is_printed_with_its_percentage)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	struct pipa_unresolved_shares shares;
	struct pipa_doc doc;

	pipa_profile_event(&profile, "idle");
	pipa_profile_event(&profile, "cycles");
	pipa_profile_event(&profile, "faults");
	add(1, PIPA_RESOLVED, 72);
	add(1, PIPA_UNRESOLVED_NO_MAPPING, 1);
	add(1, PIPA_UNRESOLVED_NO_FILE, 2);
	add(1, PIPA_UNRESOLVED_BUILD_ID_MISMATCH, 3);
	add(1, PIPA_UNRESOLVED_NO_SYMBOL, 4);
	add(1, PIPA_UNRESOLVED_JIT_NO_MAP, 5);
	add(1, PIPA_UNRESOLVED_KPTR_RESTRICT, 6);
	add(1, PIPA_UNRESOLVED_OTHER_KERNEL, 7);
	add(2, PIPA_UNRESOLVED_JIT_NO_MAP, 1000000); /* of another event: other units */
	pipa_unresolved_find(&profile, &shares);
	pipa_unresolved_text(&shares, &out);
	CHECK_STR(
		pipa_buf_str(&out),
		"# unresolved: 28.00%: no mapping 1.00%, file not found "
		"2.00%, build ID mismatch 3.00%, no symbol 4.00%, JIT "
		"code without a perf map 5.00%, kernel symbols hidden (kptr_restrict) 6.00%, no symbols of "
		"the recorded kernel 7.00%\n");
	pipa_buf_reset(&out);
	pipa_doc_begin(&doc, PIPA_DOC_JSON, &out);
	pipa_unresolved_doc(&shares, &doc);
	pipa_doc_finish(&doc);
	CHECK_HAS(pipa_buf_str(&out), "\"percent\": 28");
	CHECK_HAS(pipa_buf_str(&out), "\"no_mapping\": 1");
	CHECK_HAS(pipa_buf_str(&out), "\"build_id_mismatch\": 3");
	CHECK_HAS(pipa_buf_str(&out), "\"other_kernel\": 7");
	pipa_profile_done(&profile);
}

TEST(resolved_profiles_have_no_note_on_unresolved_samples)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	struct pipa_unresolved_shares shares;

	pipa_unresolved_find(&profile, &shares);
	CHECK(shares.all == 0);
	pipa_profile_event(&profile, "cycles");
	add(0, PIPA_RESOLVED, 10);
	pipa_unresolved_find(&profile, &shares);
	pipa_unresolved_text(&shares, &out);
	CHECK_EQ(out.len, 0);
	pipa_profile_done(&profile);
}
