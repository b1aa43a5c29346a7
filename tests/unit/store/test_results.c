#include "store/results/results_sqlite.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "lib/test.h"
#include "store/results/recording_files.h"

static uint64_t now = UINT64_C(1790000000123456);

static uint64_t fixed_clock(void *ctx)
{
	(void)ctx;
	return now;
}

static const char *path_of(const char *name)
{
	static char path[2][512];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", pipa_test_dir(), name);
	return path[turn];
}

static struct pipa_results *open_table(const char *name, const char *table)
{
	struct pipa_results_sqlite_options options = { .path = path_of(name),
						       .table = table,
						       .now_us = fixed_clock };
	struct pipa_results *store = NULL;
	struct pipa_error err;

	setenv("TZ", "UTC-8", 1);
	if (pipa_results_sqlite_open(&options, &store, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", err.what);
	return store;
}

static struct pipa_results *open_store(void)
{
	return open_table("r.db", "example");
}

static void close_store(struct pipa_results *store)
{
	struct pipa_error err;

	if (pipa_results_close(store, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", err.what);
}

static struct pipa_span span(const char *text)
{
	return (struct pipa_span){ (const uint8_t *)text, strlen(text) };
}

static void fill(struct pipa_result *result, const char *workload, uint64_t cycles)
{
	static const uint32_t cpus[] = { 36, 37 };

	*result = (struct pipa_result){ 0 };
	pipa_result_set_string(result, PIPA_RESULT_WORKLOAD, workload);
	pipa_result_set_number(result, PIPA_RESULT_CYCLES, cycles);
	pipa_result_set_list(result, cpus, 2);
	pipa_result_set_real(result, PIPA_RESULT_CPU_USR, 0);
	pipa_result_set_real(result, PIPA_RESULT_CPI, 0.1);
	pipa_result_set_string(result, PIPA_RESULT_USERNAME, "ann");
}

static struct pipa_results_answer upload_labels(struct pipa_results *store, const char *workload,
						uint64_t cycles,
						const struct pipa_results_label *labels, size_t n)
{
	struct pipa_results_answer answer = { 0 };
	struct pipa_result result;
	struct pipa_results_upload upload = { .result = &result, .labels = labels, .n_labels = n };
	struct pipa_error err;

	fill(&result, workload, cycles);
	now += 1000000;
	if (pipa_results_upload_wait(store, &upload, &answer, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", err.what);
	return answer;
}

static struct pipa_results_answer upload(struct pipa_results *store, const char *workload,
					 uint64_t cycles)
{
	return upload_labels(store, workload, cycles, NULL, 0);
}

/* Count the rows, and keep the cycles of the first and of the last. */
static size_t count(struct pipa_results *store, const struct pipa_results_filter *filter,
		    uint64_t *first, uint64_t *last)
{
	const struct pipa_results_run *run;
	struct pipa_results_scan *scan;
	struct pipa_error err;
	size_t n = 0;
	int rc;

	if (pipa_results_scan(store, filter, &scan, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", err.what);
	while ((rc = pipa_results_next(store, scan, &run, &err)) > 0) {
		if (n++ == 0 && first)
			*first = run->result.values[PIPA_RESULT_CYCLES].number;
		if (last)
			*last = run->result.values[PIPA_RESULT_CYCLES].number;
	}
	CHECK_EQ(rc, 0);
	pipa_results_end(store, scan);
	return n;
}

/* Run SQL as another program; returns the first column of the first row. */
static const char *sql(const char *file, const char *text)
{
	static char answer[1024];
	sqlite3_stmt *query = NULL;
	sqlite3 *db;

	CHECK_EQ(sqlite3_open(path_of(file), &db), SQLITE_OK);
	sqlite3_busy_timeout(db, 5000);
	answer[0] = '\0';
	while (*text) {
		if (sqlite3_prepare_v2(db, text, -1, &query, &text) != SQLITE_OK)
			pipa_test_fail(__FILE__, __LINE__, "%s", sqlite3_errmsg(db));
		if (query && sqlite3_step(query) == SQLITE_ROW)
			snprintf(answer, sizeof(answer), "%s",
				 (const char *)sqlite3_column_text(query, 0));
		sqlite3_finalize(query);
	}
	sqlite3_close(db);
	return answer;
}

TEST(row_has_all_columns_in_order_and_exact_values)
{
	struct pipa_results *store = open_store();
	struct pipa_results_answer answer = upload(store, "say \"hi\"\n", INT64_MAX);
	const char *columns;

	CHECK(!answer.existed);
	CHECK_EQ(strlen(answer.hash), 64);
	CHECK_EQ(answer.upload_time_us, now);
	CHECK_STR(answer.upload_datetime, "2026-09-21 22:13:21.123456");
	CHECK(strncmp(answer.record, "say 'hi'  2026-09-21 22:13:21.123456 ", 37) == 0);
	CHECK_EQ(strlen(answer.record), 37 + 36);
	CHECK_STR(sql("r.db", "SELECT cycles FROM example"), "9223372036854775807");
	CHECK_STR(sql("r.db", "SELECT typeof(cycles) FROM example"), "integer");
	CHECK_STR(sql("r.db", "SELECT typeof(upload_time) FROM example"), "real");
	CHECK_STR(sql("r.db", "SELECT used_threads FROM example"), "[36, 37]");
	CHECK_STR(sql("r.db", "SELECT cpu_usr FROM example"), "0.0");
	CHECK_STR(sql("r.db", "SELECT CPI = 0.1 FROM example"), "1");
	CHECK_STR(sql("r.db", "SELECT workload = 'say \"hi\"' || char(10) FROM example"), "1");
	CHECK_STR(sql("r.db", "SELECT transactions IS NULL AND cpu_sys IS NULL AND comment IS NULL "
			      "AND platform = '' FROM example"),
		  "1");
	columns = sql("r.db", "SELECT group_concat(name || ' ' || type, ',') FROM "
			      "pragma_table_info('example')");
	CHECK(strncmp(columns,
		      "hash TEXT,upload_time INTEGER,record TEXT,workload TEXT,transactions "
		      "INTEGER,throughput REAL,used_threads TEXT,run_time REAL,cycles INTEGER",
		      130) == 0);
	CHECK_HAS(columns, ",comment TEXT,username TEXT");
	CHECK_STR(sql("r.db", "SELECT count(*) FROM pragma_table_info('example')"), "58");
	CHECK_STR(sql("r.db", "SELECT group_concat(name) FROM sqlite_master WHERE type = 'table'"),
		  "example");
	CHECK_STR(sql("r.db", "PRAGMA user_version"), "1");
	close_store(store);
}

TEST(same_result_is_one_row_with_the_time_of_the_first_upload)
{
	struct pipa_results *store = open_store();
	struct pipa_results_answer first = upload(store, "w", 1), second, other;

	second = upload(store, "w", 1);
	CHECK(second.existed);
	CHECK_STR(second.hash, first.hash);
	CHECK_STR(second.record, first.record);
	CHECK_STR(second.upload_datetime, first.upload_datetime);
	CHECK_EQ(second.upload_time_us, first.upload_time_us);
	other = upload(store, "w", 2);
	CHECK(!other.existed && strcmp(other.hash, first.hash) != 0);
	CHECK(strcmp(other.record, first.record) != 0);
	close_store(store);
	store = open_store(); /* also after a restart */
	second = upload(store, "w", 1);
	CHECK(second.existed);
	CHECK_EQ(second.upload_time_us, first.upload_time_us);
	CHECK_STR(sql("r.db", "SELECT count(*) FROM example"), "2");
	close_store(store);
}

TEST(rows_read_back_are_the_results_that_were_uploaded)
{
	struct pipa_results_filter filter = { .with_labels = true };
	const struct pipa_results_label labels[] = { { span("branch"), span("main") },
						     { span("ci"), span("") } };
	struct pipa_results *store = open_store();
	const struct pipa_results_run *run;
	struct pipa_results_answer answer;
	struct pipa_results_scan *scan;
	struct pipa_result result;
	int i;

	answer = upload_labels(store, "w", 5, labels, 2);
	fill(&result, "w", 5);
	CHECK_EQ(pipa_results_scan(store, &filter, &scan, NULL), 0);
	CHECK_EQ(pipa_results_next(store, scan, &run, NULL), 1);
	CHECK_EQ(run->result.set, result.set);
	CHECK(memcmp(run->hash.data, answer.hash, 64) == 0);
	CHECK_EQ(run->upload_time_us, now);
	for (i = 1; i <= PIPA_RESULT_FIELDS; i++)
		if (pipa_result_has(&result, (enum pipa_result_field)i) &&
		    pipa_result_fields[i].type == PIPA_RESULT_DOUBLE)
			CHECK_EQ(run->result.values[i].number, result.values[i].number);
	CHECK_EQ(run->result.values[PIPA_RESULT_USED_THREADS].list.items[1], 37);
	CHECK_EQ(run->n_labels, 2);
	CHECK_EQ(run->labels[0].value.size, 4);
	CHECK_EQ(run->n_recordings, 0);
	CHECK_EQ(pipa_results_next(store, scan, &run, NULL), 0);
	pipa_results_end(store, scan);
	close_store(store);
}

TEST(values_that_sqlite_would_change_are_refused_by_name)
{
	struct pipa_results *store = open_store();
	struct pipa_result result;
	struct pipa_results_upload bad = { .result = &result };
	struct pipa_error err;

	fill(&result, "w", (uint64_t)INT64_MAX + 1);
	CHECK_EQ(pipa_results_upload_wait(store, &bad, NULL, &err), -EINVAL);
	CHECK_HAS(err.what, "cycles is above 9223372036854775807");
	result = (struct pipa_result){ 0 };
	CHECK_EQ(pipa_results_upload_wait(store, &bad, NULL, &err), -EINVAL);
	CHECK_HAS(err.what, "no values");
	fill(&result, "w", 1);
	bad.table = span("other");
	CHECK_EQ(pipa_results_upload_wait(store, &bad, NULL, &err), -ENOENT);
	CHECK_STR(err.what, "cannot find table 'other'");
	bad.table = span("example\"; DROP TABLE example; --");
	CHECK_EQ(pipa_results_upload_wait(store, &bad, NULL, &err), -ENOENT);
	CHECK_STR(sql("r.db", "SELECT count(*) FROM example"), "0");
	close_store(store);
}

TEST(filters_select_rows_and_never_become_sql)
{
	const struct pipa_results_label a[] = { { span("branch"), span("main") } };
	const struct pipa_results_label b[] = { { span("branch"), span("dev") },
						{ span("host"), span("h1") } };
	const struct pipa_results_label any[] = { { span("branch"), { 0 } } };
	const struct pipa_results_label empty[] = { { span("branch"), span("") } };
	struct pipa_results *store = open_store();
	struct pipa_results_filter filter = { 0 };
	struct pipa_results_answer second;
	uint64_t first = 0, last = 0;

	upload_labels(store, "one", 1, a, 1);
	second = upload_labels(store, "two", 2, b, 2);
	upload(store, "two", 3);
	upload(store, "x' OR '1'='1", 4);
	CHECK_EQ(count(store, &filter, &first, &last), 4);
	CHECK_EQ(first, 1);
	CHECK_EQ(last, 4);
	filter.newest_first = true;
	CHECK_EQ(count(store, &filter, &first, &last), 4);
	CHECK_EQ(first, 4);
	filter = (struct pipa_results_filter){ .workload = span("two") };
	CHECK_EQ(count(store, &filter, &first, &last), 2);
	filter = (struct pipa_results_filter){ .workload = span("x' OR '1'='1") };
	CHECK_EQ(count(store, &filter, &first, NULL), 1);
	CHECK_EQ(first, 4);
	filter = (struct pipa_results_filter){ .username = span("ann"), .hash = span(second.hash) };
	CHECK_EQ(count(store, &filter, &first, NULL), 1);
	CHECK_EQ(first, 2);
	filter = (struct pipa_results_filter){ .labels = any, .n_labels = 1 };
	CHECK_EQ(count(store, &filter, NULL, NULL), 2);
	filter = (struct pipa_results_filter){ .labels = empty, .n_labels = 1 };
	CHECK_EQ(count(store, &filter, NULL, NULL), 0);
	upload_labels(store, "x' OR '1'='1", 4, empty, 1);
	CHECK_EQ(count(store, &filter, &first, NULL), 1);
	CHECK_EQ(first, 4);
	filter = (struct pipa_results_filter){ .labels = b, .n_labels = 2 };
	CHECK_EQ(count(store, &filter, &first, NULL), 1);
	CHECK_EQ(first, 2);
	filter = (struct pipa_results_filter){ .since_us = second.upload_time_us,
					       .until_us = second.upload_time_us + 1 };
	CHECK_EQ(count(store, &filter, &first, NULL), 1);
	CHECK_EQ(first, 2);
	filter = (struct pipa_results_filter){ .until_us = second.upload_time_us };
	CHECK_EQ(count(store, &filter, &first, NULL), 1);
	CHECK_EQ(first, 1);
	close_store(store);
}

struct burst {
	pthread_mutex_t lock;
	pthread_cond_t all;
	size_t n, failed;
};

static void note(void *ctx, const struct pipa_results_outcome *outcome)
{
	struct burst *burst = ctx;

	pthread_mutex_lock(&burst->lock);
	burst->n++;
	burst->failed += outcome->status != 0;
	pthread_cond_signal(&burst->all);
	pthread_mutex_unlock(&burst->lock);
}

static void upload_many(struct pipa_results *store, uint64_t from, size_t n)
{
	static struct burst burst = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0 };
	struct pipa_result result;
	struct pipa_results_upload one = { .result = &result };
	size_t i;

	burst.n = 0;
	for (i = 0; i < n; i++) {
		fill(&result, "many", from + i);
		CHECK_EQ(pipa_results_upload(store, &one, note, &burst, NULL), 0);
	}
	pthread_mutex_lock(&burst.lock);
	while (burst.n < n)
		pthread_cond_wait(&burst.all, &burst.lock);
	pthread_mutex_unlock(&burst.lock);
	CHECK_EQ(burst.failed, 0);
}

TEST(scan_of_many_pages_returns_every_row_once_in_order)
{
	struct pipa_results *store = open_store();
	struct pipa_results_filter filter = { 0 };
	const struct pipa_results_run *run;
	struct pipa_results_scan *scan;
	uint64_t expected = 1;
	int rc;

	upload_many(store, 1, 3000);
	CHECK_EQ(pipa_results_scan(store, &filter, &scan, NULL), 0);
	upload_many(store, 3001, 10); /* later ones are not of this scan */
	while ((rc = pipa_results_next(store, scan, &run, NULL)) > 0)
		CHECK_EQ(run->result.values[PIPA_RESULT_CYCLES].number, expected++);
	CHECK_EQ(rc, 0);
	CHECK_EQ(expected, 3001);
	pipa_results_end(store, scan);
	filter.after = 2995;
	CHECK_EQ(count(store, &filter, &expected, NULL), 15);
	CHECK_EQ(expected, 2996);
	filter.newest_first = true;
	CHECK_EQ(count(store, &filter, &expected, NULL), 2994);
	CHECK_EQ(expected, 2994);
	close_store(store);
}

static void *uploader(void *ctx)
{
	struct pipa_results *store = ctx;
	static _Atomic uint64_t next = 1;
	struct pipa_result result;
	struct pipa_results_upload one = { .result = &result };
	int i;

	for (i = 0; i < 200; i++) {
		fill(&result, "thread", next++);
		CHECK_EQ(pipa_results_upload_wait(store, &one, NULL, NULL), 0);
	}
	return NULL;
}

static void *reader(void *ctx)
{
	struct pipa_results_filter filter = { .with_labels = true };
	int i;

	for (i = 0; i < 10; i++)
		count(ctx, &filter, NULL, NULL);
	return NULL;
}

TEST(many_threads_upload_and_read_at_the_same_time)
{
	struct pipa_results *store = open_store();
	struct pipa_results_filter filter = { 0 };
	pthread_t threads[8];
	size_t i;

	for (i = 0; i < PIPA_COUNT(threads); i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, i % 4 == 3 ? reader : uploader, store),
			 0);
	for (i = 0; i < PIPA_COUNT(threads); i++)
		pthread_join(threads[i], NULL);
	CHECK_EQ(count(store, &filter, NULL, NULL), 6 * 200);
	CHECK_EQ(pipa_results_ready(store, NULL), 0);
	close_store(store);
}

TEST(closing_completes_queued_changes)
{
	struct pipa_results *store = open_store();
	struct burst burst = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0 };
	struct pipa_result result;
	struct pipa_results_upload one = { .result = &result };
	size_t i;

	for (i = 0; i < 5000; i++) {
		fill(&result, "queued", i + 1);
		CHECK_EQ(pipa_results_upload(store, &one, note, &burst, NULL), 0);
	}
	close_store(store);
	CHECK_EQ(burst.n, 5000);
	CHECK_STR(sql("r.db", "SELECT count(*) FROM example"), "5000");
}

TEST(closed_store_is_one_file_without_wal)
{
	struct pipa_results *store = open_store();

	upload(store, "w", 1);
	CHECK_EQ(access(path_of("r.db-wal"), F_OK), 0);
	close_store(store);
	CHECK(access(path_of("r.db-wal"), F_OK) < 0);
	CHECK(access(path_of("r.db-shm"), F_OK) < 0);
	CHECK_STR(sql("r.db", "PRAGMA journal_mode"), "delete");
	CHECK_STR(sql("r.db", "PRAGMA integrity_check"), "ok");
}

TEST(store_that_another_process_reads_keeps_its_wal)
{
	struct pipa_results *store = open_store();
	sqlite3 *db;

	upload(store, "w", 1);
	CHECK_EQ(sqlite3_open(path_of("r.db"), &db), SQLITE_OK);
	CHECK_EQ(sqlite3_exec(db, "SELECT * FROM example", NULL, NULL, NULL), SQLITE_OK);
	close_store(store);
	CHECK_EQ(access(path_of("r.db-wal"), F_OK), 0);
	CHECK_EQ(access(path_of("r.db-shm"), F_OK), 0);
	sqlite3_close(db);
	store = open_store();
	CHECK_EQ(count(store, &(struct pipa_results_filter){ 0 }, NULL, NULL), 1);
	close_store(store);
}

TEST(database_of_pipas_server_gets_the_missing_columns)
{
	struct pipa_results *store;
	struct pipa_results_filter filter = { 0 };
	const struct pipa_results_run *run;
	struct pipa_results_scan *scan;

	sql("r.db", "CREATE TABLE bench (hash TEXT PRIMARY KEY, upload_time INTEGER, record TEXT,"
		    "workload TEXT, transactions INTEGER, used_threads TEXT, CPI REAL);"
		    "INSERT INTO bench VALUES ('-4611686018427387904', 1720000000.25,"
		    "'w 2024-07-03 09:46:40.250000 x', 'w', 18446744073709551615, '[36, 37]', 1.5);"
		    "CREATE TABLE notes (text TEXT)");
	store = open_table("r.db", "bench");
	CHECK_STR(sql("r.db", "SELECT count(*) FROM pragma_table_info('bench')"), "58");
	CHECK_STR(sql("r.db", "SELECT count(*) FROM pragma_table_info('notes')"), "1");
	CHECK_EQ(pipa_results_scan(store, &filter, &scan, NULL), 0);
	CHECK_EQ(pipa_results_next(store, scan, &run, NULL), 1);
	CHECK_EQ(run->upload_time_us, UINT64_C(1720000000250000));
	CHECK_EQ(run->hash.size, 20);
	CHECK(run->result.values[PIPA_RESULT_TRANSACTIONS].number == UINT64_MAX);
	CHECK_EQ(run->result.values[PIPA_RESULT_USED_THREADS].list.n, 2);
	CHECK_EQ(run->result.set, 1 << PIPA_RESULT_WORKLOAD | 1 << PIPA_RESULT_TRANSACTIONS |
					  1 << PIPA_RESULT_USED_THREADS | 1 << PIPA_RESULT_CPI);
	pipa_results_end(store, scan);
	upload(store, "new", 7);
	CHECK_STR(sql("r.db", "SELECT cycles FROM bench WHERE workload = 'new'"), "7");
	close_store(store);
	store = open_table("r.db", "example"); /* a second table beside it */
	upload(store, "w", 1);
	CHECK_EQ(count(store, &(struct pipa_results_filter){ .table = span("bench") }, NULL, NULL),
		 2);
	CHECK_EQ(count(store, &filter, NULL, NULL), 1);
	close_store(store);
}

static int add_name(void *ctx, const struct pipa_results_table *table)
{
	char *text = ctx;

	snprintf(text + strlen(text), 200 - strlen(text), "%s %llu %d %llu;", table->name,
		 (unsigned long long)table->rows, table->is_default,
		 (unsigned long long)(table->last_us - table->first_us));
	return 0;
}

TEST(tables_are_listed_with_their_rows)
{
	struct pipa_results *store = open_table("r.db", "b");
	char text[200] = "";

	upload(store, "w", 1);
	upload(store, "w", 2);
	close_store(store);
	store = open_table("r.db", "a");
	CHECK_EQ(pipa_results_tables(store, add_name, text, NULL), 0);
	CHECK_STR(text, "a 0 1 0;b 2 0 1000000;");
	close_store(store);
}

static int try_open(const char *file, const char *table, struct pipa_error *err)
{
	struct pipa_results_sqlite_options options = { .path = path_of(file), .table = table };
	struct pipa_results *store;
	int rc = pipa_results_sqlite_open(&options, &store, err);

	if (!rc)
		close_store(store);
	return rc;
}

TEST(files_and_names_that_are_not_of_results_are_refused)
{
	static const char *const names[] = {
		"",	    "a b",
		"1a",	    "select",
		"Table",    "sqlite_x",
		"a\"b",	    "a;b",
		"\xc3\xa4", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	};
	struct pipa_error err;
	size_t i;

	for (i = 0; i < PIPA_COUNT(names); i++)
		CHECK_EQ(try_open("n.db", names[i], &err), -EINVAL);
	CHECK_EQ(try_open("no/such/dir.db", "example", &err), -ENOENT);
	sql("foreign.db", "CREATE TABLE notes (text TEXT)");
	CHECK_EQ(try_open("foreign.db", "example", &err), -EPROTO);
	CHECK_HAS(err.what, "not of results");
	CHECK_STR(sql("foreign.db", "SELECT group_concat(name) FROM sqlite_master"), "notes");
	sql("same.db",
	    "CREATE TABLE example (hash TEXT, upload_time INTEGER, record TEXT);"
	    "CREATE TABLE good (hash TEXT PRIMARY KEY, upload_time INTEGER, record TEXT)");
	CHECK_EQ(try_open("same.db", "example", &err), -EPROTO);
	CHECK_EQ(try_open("same.db", "good", &err), 0);
	sql("later.db", "PRAGMA user_version = 2");
	CHECK_EQ(try_open("later.db", "example", &err), -EPROTO);
	CHECK_HAS(err.what, "later version");
	pipa_test_file(pipa_test_dir(), "text.db",
		       "this is no database, but a text of some length");
	CHECK_EQ(try_open("text.db", "example", &err), -EPROTO);
}

TEST(database_belongs_to_one_process)
{
	struct pipa_results *store = open_store();
	struct pipa_error err;

	CHECK_EQ(try_open("r.db", "example", &err), -EBUSY);
	CHECK_HAS(err.what, "another process uses it");
	close_store(store);
	CHECK_EQ(try_open("r.db", "example", &err), 0);
}

static size_t n_files(void)
{
	DIR *dir = opendir(path_of("r.db.recordings"));
	const struct dirent *entry;
	size_t n = 0;

	CHECK(dir);
	while ((entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n;
}

static int record(struct pipa_results *store, const char *hash, const char *bytes,
		  const char *expected, struct pipa_recording_info *ret, struct pipa_error *err)
{
	struct pipa_recording_upload *upload;
	size_t i;
	int rc = pipa_recording_begin(store, (struct pipa_span){ 0 }, span(hash), span("perf.data"),
				      &upload, err);

	if (rc < 0)
		return rc;
	for (i = 0; i < strlen(bytes); i++)
		CHECK_EQ(pipa_recording_add(
				 upload, (struct pipa_span){ (const uint8_t *)bytes + i, 1 }, err),
			 0);
	rc = pipa_recording_commit(upload, span(expected), 0, ret, err);
	pipa_recording_end(upload);
	return rc;
}

#define SHA_ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

TEST(recordings_are_stored_once_and_removed_with_their_last_run)
{
	struct pipa_results *store = open_store();
	struct pipa_results_answer one = upload(store, "w", 1), two = upload(store, "w", 2), answer;
	struct pipa_span hashes[2] = { span(one.hash), span("no such run") };
	struct pipa_recording_info info;
	struct pipa_error err;
	char bytes[8] = "";
	int fd;

	CHECK_EQ(record(store, one.hash, "abc", SHA_ABC, &info, &err), 0);
	CHECK_STR(info.id, SHA_ABC);
	CHECK_STR(info.name, "perf.data");
	CHECK_EQ(info.size, 3);
	CHECK(!info.existed);
	CHECK_EQ(record(store, one.hash, "abc", "", &info, &err), 0);
	CHECK(info.existed);
	CHECK_EQ(record(store, two.hash, "abc", "", &info, &err), 0);
	CHECK(!info.existed);
	CHECK_EQ(n_files(), 1);
	CHECK_EQ(record(store, one.hash, "abd", SHA_ABC, &info, &err), -EBADMSG);
	CHECK_EQ(record(store, "none", "abc", "", &info, &err), -ENOENT);
	CHECK_EQ(n_files(), 1);
	fd = pipa_recording_open(store, (struct pipa_span){ 0 }, span(two.hash), span(SHA_ABC),
				 &info, &err);
	CHECK(fd >= 0);
	CHECK_EQ(info.size, 3);
	CHECK_EQ(pipa_results_remove_wait(store, (struct pipa_span){ 0 }, hashes, 2, &answer, &err),
		 0);
	CHECK_EQ(answer.runs, 1);
	CHECK_EQ(answer.recordings, 1);
	CHECK_EQ(n_files(), 1); /* of the other run */
	hashes[0] = span(two.hash);
	CHECK_EQ(pipa_results_remove_wait(store, (struct pipa_span){ 0 }, hashes, 1, &answer, &err),
		 0);
	CHECK_EQ(n_files(), 0);
	CHECK_EQ(read(fd, bytes, sizeof(bytes)), 3); /* stays readable for who has it open */
	CHECK_STR(bytes, "abc");
	close(fd);
	CHECK_EQ(pipa_recording_open(store, (struct pipa_span){ 0 }, span(two.hash), span(SHA_ABC),
				     &info, &err),
		 -ENOENT);
	CHECK_STR(sql("r.db", "SELECT count(*) FROM example"), "0");
	CHECK_STR(sql("r.db.meta", "SELECT count(*) FROM recordings"), "0");
	close_store(store);
}

TEST(names_of_recordings_are_file_names)
{
	struct pipa_results *store = open_store();
	struct pipa_results_answer one = upload(store, "w", 1);
	static const char *const names[] = { "", ".", "..", "a/b", "/etc/passwd", "\xff" };
	struct pipa_recording_upload *upload;
	size_t i;

	for (i = 0; i < PIPA_COUNT(names); i++)
		CHECK_EQ(pipa_recording_begin(store, (struct pipa_span){ 0 }, span(one.hash),
					      span(names[i]), &upload, NULL),
			 -EINVAL);
	close_store(store);
}

TEST(old_recordings_expire_and_orphans_are_collected_at_start)
{
	struct pipa_results *store = open_store();
	struct pipa_results_answer one = upload(store, "w", 1), answer;
	struct pipa_recording_upload *unfinished;
	struct pipa_recording_info info;

	CHECK_EQ(record(store, one.hash, "old", "", &info, NULL), 0);
	now += 5000000;
	CHECK_EQ(record(store, one.hash, "new", "", &info, NULL), 0);
	CHECK_EQ(pipa_results_expire_wait(store, now, &answer, NULL), 0);
	CHECK_EQ(answer.recordings, 1);
	CHECK_EQ(n_files(), 1);
	CHECK_EQ(pipa_recording_begin(store, (struct pipa_span){ 0 }, span(one.hash), span("x"),
				      &unfinished, NULL),
		 0);
	pipa_test_file(pipa_test_dir(), "r.db.recordings/" SHA_ABC, "without a row");
	pipa_test_file(pipa_test_dir(), "r.db.recordings/README", "of the administrator");
	CHECK_EQ(n_files(), 4);
	close_store(store);
	sql("r.db.meta", "INSERT INTO labels VALUES ('example', 'gone', 'k', 'v')");
	store = open_store();
	CHECK_EQ(n_files(), 2); /* the recording and README */
	CHECK_STR(sql("r.db.meta", "SELECT count(*) FROM labels"), "0");
	close_store(store);
	pipa_recording_end(unfinished);
}

TEST(full_queue_refuses_and_the_others_are_stored)
{
	struct pipa_results_sqlite_options options = { .path = path_of("r.db"),
						       .table = "example",
						       .queue_max = 4 };
	struct burst burst = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0 };
	struct pipa_results *store;
	struct pipa_result result;
	struct pipa_results_upload one = { .result = &result };
	size_t queued = 0, refused = 0;
	uint64_t i;

	CHECK_EQ(pipa_results_sqlite_open(&options, &store, NULL), 0);
	for (i = 1; i <= 2000; i++) {
		int rc;

		fill(&result, "w", i);
		rc = pipa_results_upload(store, &one, note, &burst, NULL);
		CHECK(rc == 0 || rc == -EAGAIN);
		queued += rc == 0;
		refused += rc == -EAGAIN;
	}
	close_store(store);
	CHECK(refused > 0);
	CHECK_EQ(burst.n, queued);
	CHECK_EQ(burst.failed, 0);
}

static const struct pipa_results_label many_labels[PIPA_RESULTS_LABELS_MAX + 1];

TEST(invalid_labels_are_refused)
{
	struct pipa_results *store = open_store();
	struct pipa_results_label label = { span("k"), span("\xff") };
	struct pipa_result result;
	struct pipa_results_upload one = { .result = &result, .labels = &label, .n_labels = 1 };

	fill(&result, "w", 1);
	CHECK_EQ(pipa_results_upload_wait(store, &one, NULL, NULL), -EINVAL);
	label = (struct pipa_results_label){ span(""), span("v") };
	CHECK_EQ(pipa_results_upload_wait(store, &one, NULL, NULL), -EINVAL);
	one.labels = many_labels;
	one.n_labels = PIPA_COUNT(many_labels);
	CHECK_EQ(pipa_results_upload_wait(store, &one, NULL, NULL), -EINVAL);
	close_store(store);
}

TEST(a_file_other_than_a_database_is_reported_with_its_path)
{
	struct pipa_results_sqlite_options options = { .path = path_of("none.db"),
						       .table = "example" };
	struct pipa_results *store;
	struct pipa_error err;

	pipa_test_file(
		pipa_test_dir(), "none.db",
		"This file has more bytes than the head of a database, and is none. This file "
		"has more bytes than the head of a database, and is none.");
	CHECK_EQ(pipa_results_sqlite_open(&options, &store, &err), -EPROTO);
	CHECK_HAS(err.what, "none.db: file is not a database");
}

TEST(a_store_is_ready_again_when_the_lock_of_another_process_has_ended)
{
	struct pipa_results *store = open_store();
	struct pipa_results_answer answer;
	struct pipa_result result;
	struct pipa_results_upload request = { .result = &result };
	struct pipa_error err;
	sqlite3 *other;

	upload(store, "w", 1);
	CHECK_EQ(pipa_results_ready(store, &err), 0);
	CHECK_EQ(sqlite3_open(path_of("r.db"), &other), SQLITE_OK);
	CHECK_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	fill(&result, "w", 2);
	CHECK_EQ(pipa_results_upload_wait(store, &request, &answer, &err), -EBUSY);
	CHECK_EQ(pipa_results_ready(store, &err), -EBUSY);
	CHECK_EQ(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
	CHECK_EQ(pipa_results_ready(store, &err), 0); /* without an upload in between */
	CHECK_EQ(pipa_results_upload_wait(store, &request, &answer, &err), 0);
	sqlite3_close(other);
	close_store(store);
}

TEST(retention_of_a_recording_starts_again_with_each_upload)
{
	struct pipa_results *store = open_store();
	struct pipa_results_answer one = upload(store, "w", 1), answer;
	struct pipa_recording_info info;

	CHECK_EQ(record(store, one.hash, "abc", "", &info, NULL), 0);
	now += 5000000;
	CHECK_EQ(record(store, one.hash, "abc", "", &info, NULL), 0);
	CHECK(info.existed);
	CHECK_EQ(info.upload_time_us, now);
	CHECK_EQ(pipa_results_expire_wait(store, now, &answer, NULL), 0);
	CHECK_EQ(answer.recordings, 0);
	CHECK_EQ(n_files(), 1);
	CHECK_EQ(pipa_results_expire_wait(store, now + 1, &answer, NULL), 0);
	CHECK_EQ(answer.recordings, 1);
	CHECK_EQ(n_files(), 0);
	close_store(store);
}

static void move_file(const char *from, const char *to)
{
	CHECK_EQ(rename(path_of(from), path_of(to)), 0);
}

TEST(a_store_without_one_of_its_files_is_refused_and_keeps_recordings)
{
	struct pipa_results *store = open_store();
	struct pipa_results_answer one = upload(store, "w", 1);
	struct pipa_recording_info info;
	struct pipa_error err;
	int i;

	CHECK_EQ(record(store, one.hash, "abc", "", &info, NULL), 0);
	close_store(store);
	move_file("r.db.meta", "kept");
	for (i = 0; i < 2; i++) {
		CHECK_EQ(try_open("r.db", "example", &err), -ENODATA);
		CHECK_HAS(err.what, "has 1 recordings");
		CHECK_EQ(n_files(), 1);
	}
	move_file("kept", "r.db.meta");
	move_file("r.db", "kept");
	for (i = 0; i < 2; i++) {
		CHECK_EQ(try_open("r.db", "example", &err), -ENODATA);
		CHECK_HAS(err.what, "it is missing or empty");
		CHECK_EQ(n_files(), 1);
	}
	move_file("kept", "r.db");
	store = open_store();
	CHECK_EQ(n_files(), 1);
	CHECK_STR(sql("r.db.meta", "SELECT count(*) FROM recordings"), "1");
	close_store(store);
}

TEST(recordings_of_runs_that_an_older_copy_lacks_are_kept)
{
	struct pipa_results_filter filter = { .with_labels = true };
	struct pipa_results *store = open_store();
	struct pipa_results_answer one = upload(store, "w", 1);
	const struct pipa_results_run *run;
	struct pipa_results_scan *scan;
	struct pipa_recording_info info;

	CHECK_EQ(record(store, one.hash, "abc", "", &info, NULL), 0);
	close_store(store);
	sql("r.db", "DELETE FROM example"); /* as a copy from before the upload */
	store = open_store();
	CHECK_EQ(n_files(), 1);
	upload(store, "w", 1);
	CHECK_EQ(pipa_results_scan(store, &filter, &scan, NULL), 0);
	CHECK_EQ(pipa_results_next(store, scan, &run, NULL), 1);
	CHECK_EQ(run->n_recordings, 1);
	pipa_results_end(store, scan);
	close_store(store);
}

/* Let no file become longer than the file `name` is now, plus some bytes; NULL: let them again. */
static void limit_files(const char *name, size_t more)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
	struct stat st;

	CHECK_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = limit.rlim_max;
	if (name) {
		CHECK_EQ(stat(path_of(name), &st), 0);
		limit.rlim_cur = (rlim_t)st.st_size + more;
	}
	signal(SIGXFSZ, SIG_IGN);
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* As many labels as a row can have, each as long as it can be. */
static void fill_labels(struct pipa_results_label labels[static PIPA_RESULTS_LABELS_MAX])
{
	static char values[PIPA_RESULTS_LABELS_MAX][PIPA_RESULTS_LABEL_MAX + 1];
	static char keys[PIPA_RESULTS_LABELS_MAX][8];
	size_t i;

	for (i = 0; i < PIPA_RESULTS_LABELS_MAX; i++) {
		memset(values[i], 'x', PIPA_RESULTS_LABEL_MAX);
		snprintf(keys[i], sizeof(keys[i]), "k%zu", i);
		labels[i] = (struct pipa_results_label){ span(keys[i]), span(values[i]) };
	}
}

TEST(a_commit_that_fails_for_labels_stores_no_row)
{
	struct pipa_results_label labels[PIPA_RESULTS_LABELS_MAX];
	struct pipa_results *store = open_store();
	struct pipa_result result;
	struct pipa_results_upload big = { .result = &result,
					   .labels = labels,
					   .n_labels = PIPA_COUNT(labels) };
	struct pipa_error err;

	fill_labels(labels);
	upload(store, "w", 1);
	fill(&result, "w", 2);
	limit_files("r.db-wal", 40 << 10); /* the row fits, the labels do not */
	CHECK_EQ(pipa_results_upload_wait(store, &big, NULL, &err), -EFBIG);
	CHECK_STR(sql("r.db", "SELECT count(*) FROM example WHERE cycles = 2"), "0");
	limit_files(NULL, 0);
	CHECK(!upload(store, "w", 2).existed);
	CHECK_STR(sql("r.db.meta", "SELECT count(*) FROM labels"), "0");
	close_store(store);
}

TEST(labels_of_a_row_whose_commit_failed_are_removed)
{
	static char comment[300000];
	const struct pipa_results_label label = { span("branch"), span("main") };
	struct pipa_results *store = open_store();
	struct pipa_result result;
	struct pipa_results_upload big = { .result = &result, .labels = &label, .n_labels = 1 };
	struct pipa_error err;

	memset(comment, 'x', sizeof(comment) - 1);
	upload_labels(store, "w", 1, &label, 1);
	fill(&result, "w", 2);
	pipa_result_set_string(&result, PIPA_RESULT_COMMENT, comment);
	limit_files("r.db-wal", 100 << 10); /* the label fits, the row does not */
	CHECK_EQ(pipa_results_upload_wait(store, &big, NULL, &err), -EFBIG);
	CHECK_STR(sql("r.db", "SELECT count(*) FROM example"), "1");
	limit_files(NULL, 0);
	big.n_labels = 0;
	CHECK_EQ(pipa_results_upload_wait(store, &big, NULL, &err), 0);
	CHECK_STR(sql("r.db", "SELECT count(*) FROM example"), "2");
	CHECK_STR(sql("r.db.meta", "SELECT count(*) FROM labels"), "1"); /* of the first row */
	close_store(store);
}

/*
 * Transactions larger than SQLite's cache of pages whose labels do not fit on the disk. Their pages must not reach the log
 * after they were rolled back, when check() has written there by another connection.
 */
TEST(pages_of_a_transaction_that_failed_are_never_written)
{
	enum { CACHE = 2000 << 10, STEP = 40 << 10 };
	static char comment[CACHE + 2 * STEP];
	struct pipa_results_label labels[PIPA_RESULTS_LABELS_MAX];
	struct pipa_results *store = open_store();
	struct pipa_result result;
	struct pipa_results_upload big = { .result = &result,
					   .labels = labels,
					   .n_labels = PIPA_COUNT(labels) };
	struct pipa_error err;
	size_t i, size;

	fill_labels(labels);
	memset(comment, 'x', sizeof(comment));
	for (i = 1, size = CACHE - 20 * STEP; size < sizeof(comment); size += STEP, i++) {
		upload(store, "small", i);
		fill(&result, "big", i);
		pipa_result_set_text(&result, PIPA_RESULT_COMMENT,
				     (struct pipa_span){ (uint8_t *)comment, size });
		limit_files("r.db.meta-wal", 10 << 10);
		CHECK_EQ(pipa_results_upload_wait(store, &big, NULL, &err), -EFBIG);
		limit_files(NULL, 0);
		CHECK_EQ(pipa_results_ready(store, &err), 0);
		CHECK(!upload(store, "small", 100 + i).existed);
		CHECK_STR(sql("r.db", "PRAGMA integrity_check"), "ok");
	}
	CHECK_STR(sql("r.db", "SELECT count(*) FROM example WHERE workload = 'big'"), "0");
	close_store(store);
}

TEST(a_store_is_ready_again_when_a_failure_of_the_disk_has_ended)
{
	struct pipa_results *store = open_store();
	struct pipa_result result;
	struct pipa_results_upload one = { .result = &result };
	struct pipa_error err;

	upload(store, "w", 1);
	fill(&result, "w", 2);
	limit_files("r.db-wal", 0);
	CHECK_EQ(pipa_results_upload_wait(store, &one, NULL, &err), -EFBIG);
	CHECK_EQ(pipa_results_ready(store, &err), -EFBIG);
	limit_files(NULL, 0);
	CHECK_EQ(pipa_results_ready(store, &err), 0); /* without an upload in between */
	CHECK_EQ(pipa_results_ready(store, &err), 0);
	CHECK_STR(sql("r.db", "PRAGMA user_version"), "1");
	CHECK_STR(sql("r.db", "SELECT count(*) FROM example"), "1");
	CHECK_EQ(pipa_results_upload_wait(store, &one, NULL, &err), 0);
	close_store(store);
}
