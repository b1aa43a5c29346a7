/*
 * Expressions on labels and regular expressions: any text is parsed or refused with a reason, and
 * what is parsed matches without a mishap.
 */
#include <errno.h>

#include "analyze/profile/filter.h"
#include "analyze/profile/label_match.h"
#include "base/error.h"
#include "base/regex.h"
#include "fuzz.h"
#include "model/profile.h"

static void check_regex(const char *text)
{
	struct pipa_error err = { 0 };
	regex_t regex;
	int rc = pipa_regex_compile("--focus", text, &regex, &err);

	if (rc < 0) {
		MUST(err.code == rc && err.what[0]);
		return;
	}
	pipa_regex_matches(&regex, "main.(*T).func1");
	regfree(&regex);
}

static void check_label(const char *text)
{
	struct pipa_profile p = { 0 };
	struct pipa_label labels[2] = { { .kind = PIPA_LABEL_TEXT },
					{ .kind = PIPA_LABEL_NUMBER } };
	struct pipa_sample sample = { .thread = PIPA_NONE, .cpu = 1 };
	struct pipa_label_match *match = NULL;
	struct pipa_error err = { 0 };
	int rc = pipa_label_match_new(text, &match, &err);

	if (rc < 0) {
		MUST(!match && err.code == rc && err.what[0]);
		return;
	}
	labels[0].key = pipa_profile_text(&p, "tenant");
	labels[0].text = pipa_profile_text(&p, "blue");
	labels[1].key = pipa_profile_text(&p, "bytes");
	labels[1].number = 4096;
	sample.labels = pipa_profile_label_set(&p, labels, 2);
	pipa_label_match(match, &p, &sample);
	pipa_label_match_free(match);
	pipa_profile_done(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (size > 200) /* glibc compiles nested repetitions in exponential time and memory */
		return 0;
	text = fuzz_text(data, size);
	if (!strpbrk(text, "{*+"))
		check_regex(text);
	if (!strpbrk(text, "{*+"))
		check_label(text);
	pipa_filter_check(&(struct pipa_filter_options){ .pids = text, .trace_id = text }, NULL);
	free(text);
	return 0;
}
