/* The pages of a store with hostile names, and requests of any kind. */
#include "serve/pages.h"

#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "lib/test.h"
#include "store/results/recording_files.h"
#include "store/results/results.h"
#include "store/results/results_sqlite.h"

static struct pipa_results *store;
static char last_hash[PIPA_RESULTS_HASH_CHARS + 1];

static void open_store(void)
{
	static char path[300];
	const struct pipa_results_sqlite_options options = { .path = path, .table = "example" };
	struct pipa_error err;

	snprintf(path, sizeof(path), "%s/r.db", pipa_test_dir());
	if (pipa_results_sqlite_open(&options, &store, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", err.what);
}

static void close_store(void)
{
	CHECK_EQ(pipa_results_close(store, NULL), 0);
}

static void upload(const char *workload, uint64_t cycles, const struct pipa_results_label *label)
{
	struct pipa_results_answer answer;
	struct pipa_result result = { 0 };
	const struct pipa_results_upload request = { .result = &result,
						     .labels = label,
						     .n_labels = label ? 1 : 0 };

	pipa_result_set_string(&result, PIPA_RESULT_WORKLOAD, workload);
	pipa_result_set_string(&result, PIPA_RESULT_PLATFORM, "here");
	pipa_result_set_number(&result, PIPA_RESULT_CYCLES, cycles);
	CHECK_EQ(pipa_results_upload_wait(store, &request, &answer, NULL), 0);
	memcpy(last_hash, answer.hash, sizeof(last_hash));
}

/* Returns the body, valid until the next call. */
static const char *get(const char *path, const char *query, int status)
{
	static struct pipa_web_reply reply;
	const struct pipa_web_request request = { path, query, "", "" };

	pipa_buf_done(&reply.body);
	reply = (struct pipa_web_reply){ .status = 200, .body = { .max = 16 << 20 } };
	pipa_pages_write(store, &request, &reply);
	CHECK_EQ(reply.body.status, 0);
	CHECK_EQ(reply.status, status);
	return pipa_buf_str(&reply.body);
}

static size_t count(const char *text, const char *piece)
{
	size_t n = 0;

	for (; (text = strstr(text, piece)); text += strlen(piece))
		n++;
	return n;
}

TEST(the_list_has_pages_of_fifty_runs)
{
	const char *body, *next;
	char query[200];
	unsigned int i;

	open_store();
	for (i = 0; i < 120; i++)
		upload("w", i + 1, NULL);
	body = get("/", "", 200);
	CHECK_EQ(count(body, "<tr><td>"), 50);
	next = strstr(body, "/?after=");
	CHECK(next);
	CHECK(sscanf(next, "/?%199[^\"]", query) == 1);
	body = get("/", query, 200);
	CHECK_EQ(count(body, "<tr><td>"), 50);
	next = strstr(body, "/?after=");
	CHECK(next);
	CHECK(sscanf(next, "/?%199[^\"]", query) == 1);
	body = get("/", query, 200);
	CHECK_EQ(count(body, "<tr><td>"), 20);
	CHECK(!strstr(body, "/?after="));
	CHECK_HAS(get("/", "after=1", 200), "No older runs.");
	close_store();
}

TEST(filters_select_runs)
{
	const struct pipa_results_label label = { { (const uint8_t *)"host", 4 },
						  { (const uint8_t *)"a b", 3 } };

	open_store();
	upload("x y", 1, &label);
	upload("z", 2, NULL);
	CHECK_EQ(count(get("/", "workload=x+y", 200), "<tr><td>"), 1);
	CHECK_EQ(count(get("/", "workload=x%20y", 200), "<tr><td>"), 1);
	CHECK_EQ(count(get("/", "platform=here&days=1", 200), "<tr><td>"), 2);
	CHECK_EQ(count(get("/", "label=host", 200), "<tr><td>"), 1);
	CHECK_EQ(count(get("/", "label=host%3Da+b", 200), "<tr><td>"), 1);
	CHECK_EQ(count(get("/", "label=host%3Db", 200), "<tr><td>"), 0);
	CHECK_EQ(count(get("/", "label=host%3D", 200), "<tr><td>"), 0);
	CHECK_EQ(count(get("/", "label=%3D", 200), "<tr><td>"), 0);
	CHECK_EQ(count(get("/", "table=EXAMPLE", 200), "<tr><td>"), 2);
	CHECK_HAS(get("/", "workload=none", 200), "No runs match.");
	CHECK_HAS(get("/", "days=none", 404), "invalid number of days");
	CHECK_HAS(get("/", "days=36501", 404), "invalid number of days");
	CHECK_HAS(get("/", "after=x", 404), "invalid page");
	CHECK_HAS(get("/", "table=sqlite_master", 404), "cannot find table");
	CHECK_HAS(get("/", "table=example\"--", 404), "cannot find table");
	close_store();
}

TEST(names_of_any_bytes_are_escaped)
{
	static const char hostile[] = "<script>alert(1)</script>\"'&\xe2\x80\xae\x1b[31m";
	const struct pipa_results_label label = { { (const uint8_t *)"<i>", 3 },
						  { (const uint8_t *)"\">'", 3 } };
	struct pipa_recording_upload *file = NULL;
	struct pipa_recording_info info;
	const char *body;
	char query[200];

	open_store();
	upload(hostile, 1, &label);
	CHECK_EQ(pipa_recording_begin(store, (struct pipa_span){ 0 }, pipa_span_of(last_hash),
				      pipa_span_of("<b>.data"), &file, NULL),
		 0);
	CHECK_EQ(pipa_recording_commit(file, (struct pipa_span){ 0 }, 0, &info, NULL), 0);
	pipa_recording_end(file);
	body = get("/", "workload=%3Cscript%3E%22", 200);
	CHECK_HAS(body, "value=\"&#60;script&#62;&#34;\"");
	body = get("/", "", 200);
	CHECK(!strstr(body, "<script") && !strchr(body, '\x1b') && !strstr(body, "\xe2\x80\xae"));
	snprintf(query, sizeof(query), "hash=%s&table=example", last_hash);
	body = get("/run", query, 200);
	CHECK(!strstr(body, "<script") && !strstr(body, "<i>") && !strchr(body, '\x1b'));
	CHECK_HAS(body, "&#60;script&#62;");
	CHECK_HAS(body, "&#60;b&#62;.data");
	CHECK_HAS(body, "<td>cycles</td>");
	CHECK(!strstr(get("/", "table=%3Cscript%3E", 404), "<script"));
	close_store();
}

TEST(other_requests_get_a_page_with_the_error)
{
	char *large = malloc(100000);

	CHECK(large);
	open_store();
	upload("w", 1, NULL);
	CHECK_HAS(get("/run", "", 404), "unknown run");
	CHECK_HAS(get("/run", "hash=none", 404), "no such run");
	CHECK_HAS(get("/run", "hash=none&table=none", 404), "cannot find table");
	CHECK_HAS(get("/none", "", 404), "no such page");
	CHECK_HAS(get("/../etc/passwd", "", 404), "no such page");
	CHECK_HAS(get("/style.css", "", 200), "prefers-color-scheme");
	/* malformed parts are left out */
	CHECK_EQ(count(get("/", "&&=&=x&workload&workload=%zz&%00=1&a=b=c", 200), "<tr><td>"), 1);
	memset(large, 'x', 99999);
	large[99999] = '\0';
	CHECK_EQ(count(get("/", large, 200), "<tr><td>"), 1);
	free(large);
	close_store();
}
