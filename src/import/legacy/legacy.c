#include "import/legacy/legacy.h"

#include <errno.h>

#include "base/auto.h"
#include "base/error.h"
#include "import/folded.h"
#include "import/legacy/contention.h"
#include "import/legacy/counts.h"
#include "import/legacy/cpu.h"
#include "import/legacy/draft.h"
#include "import/legacy/heap.h"
#include "import/legacy/java.h"

/* Forms of text, known by their first line that is not a comment. */
static const struct {
	bool (*is)(struct pipa_text line);
	int (*read)(struct pipa_draft *draft, struct pipa_line_reader *lines);
} forms[] = {
	{ pipa_legacy_heap_is, pipa_legacy_heap_read },
	{ pipa_legacy_count_is, pipa_legacy_count_read },
	{ pipa_legacy_threadz_is, pipa_legacy_threadz_read },
	{ pipa_legacy_contention_is, pipa_legacy_contention_read },
	{ pipa_legacy_java_is, pipa_legacy_java_read },
};

/* Is the line after the header of a count profile a folded stack? Then the header is one, too. */
static bool is_folded(struct pipa_line_reader lines)
{
	struct pipa_folded_count count;
	size_t stack;

	return pipa_legacy_count_is(lines.line) && pipa_line_reader_next_content(&lines) &&
	       pipa_folded_line(lines.line.at, pipa_text_len(lines.line), &stack, &count);
}

bool pipa_legacy_is(struct pipa_span start)
{
	struct pipa_line_reader lines = pipa_line_reader_of(start);
	size_t i;

	if (pipa_legacy_cpu_is(start))
		return true;
	if (!pipa_line_reader_next_content(&lines))
		return false;
	for (i = 0; i < PIPA_COUNT(forms); i++)
		if (forms[i].is(lines.line))
			return !is_folded(lines);
	return false;
}

static int read_text(struct pipa_draft *draft, struct pipa_span file)
{
	struct pipa_line_reader lines = pipa_line_reader_of(file), start;
	size_t i;
	int rc;

	pipa_line_reader_next_content(&lines);
	for (i = 0; i < PIPA_COUNT(forms); i++)
		if (forms[i].is(lines.line))
			break;
	if (i == PIPA_COUNT(forms))
		return pipa_draft_refuse_line(draft, &lines, "not the header of a known form");
	start = lines;
	rc = forms[i].read(draft, &lines);
	if (rc <= 0)
		return rc;
	/* contentions of Java */
	pipa_draft_reset(draft);
	return pipa_legacy_java_read(draft, &start);
}

int pipa_legacy_read(struct pipa_profile *profile, struct pipa_span file, struct pipa_error *err)
{
	PIPA_AUTO(pipa_draft_done) struct pipa_draft draft = { .err = err };
	int rc = pipa_legacy_cpu_is(file) ? pipa_legacy_cpu_read(&draft, file) :
					    read_text(&draft, file);

	return rc ? rc : pipa_draft_finish(&draft, profile);
}
