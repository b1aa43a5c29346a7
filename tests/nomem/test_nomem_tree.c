/*
 * The process tree of a recording: every allocation fails once. Records kept until then are passed
 * on completely, and the failure is reported.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "lib/nomem.h"
#include "lib/test.h"
#include "measure/sample/process_tree.h"

enum { COMMAND = 100, FORKS = 300, MARK = 0x6d61726b, MOST_WORDS = 16, MOST_ALLOCATIONS = 100 };

static size_t seen;

/* The mark ends each record: a truncated one has none. */
static int on_record(void *ctx, const struct pipa_perf_raw *raw)
{
	uint64_t last;

	CHECK(ctx == &seen);
	CHECK(raw->len >= sizeof(last));
	memcpy(&last, raw->body + raw->len - sizeof(last), sizeof(last));
	CHECK_EQ(last, MARK);
	seen++;
	return 0;
}

/* A fork, or something that concerns everybody. */
static int put(struct pipa_process_tree *tree, uint32_t type, uint32_t pid)
{
	const uint32_t pids[] = { pid, COMMAND, pid, COMMAND };
	uint64_t words[MOST_WORDS] = { 0, 0, pid };
	size_t n = MOST_WORDS - pid % 10; /* of all lengths: a buffer may be full at any place */
	struct pipa_perf_raw raw = { .type = type,
				     .body = (const uint8_t *)words,
				     .len = n * sizeof(*words) };

	memcpy(words, pids, sizeof(pids));
	words[n - 1] = MARK;
	return pipa_process_tree_put(tree, &raw);
}

/* As a recording does: what fails ends it, and its end hands on what there is. */
static int follow_tree(void)
{
	struct pipa_process_tree *tree = NULL;
	uint32_t i;
	int rc = pipa_process_tree_new(COMMAND, on_record, &seen, &tree), end;

	seen = 0;
	if (rc)
		return rc;
	for (i = 1; !rc && i <= FORKS; i++) {
		rc = put(tree, PERF_RECORD_FORK, COMMAND + i);
		if (!rc)
			rc = put(tree, PERF_RECORD_LOST, COMMAND + i);
	}
	end = pipa_process_tree_end(tree);
	pipa_process_tree_free(tree);
	return rc ? rc : end;
}

TEST(process_tree_reports_enomem_at_every_failed_allocation)
{
	size_t n;
	bool happened;
	int rc;

	for (n = 0; n < MOST_ALLOCATIONS; n++) {
		pipa_nomem_after(n);
		rc = follow_tree();
		happened = pipa_nomem_happened();
		CHECK_EQ(rc, happened ? -ENOMEM : 0);
		if (!happened)
			break;
	}
	CHECK(n > 4 && n < MOST_ALLOCATIONS);
	CHECK_EQ(seen, 2 * FORKS);
}
