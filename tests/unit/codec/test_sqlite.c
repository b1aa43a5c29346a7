#include "codec/sqlite.h"

#include <errno.h>

#include "base/buf.h"
#include "base/error.h"
#include "lib/test.h"

static int append(void *ctx, const char *bytes, size_t len)
{
	pipa_buf_add(ctx, bytes, len);
	return 0;
}

static int refuse(void *ctx, const char *bytes PIPA_UNUSED, size_t len PIPA_UNUSED)
{
	++*(int *)ctx;
	return -ENOSPC;
}

static const struct pipa_frame_column columns[] = {
	{ "id", PIPA_FRAME_U64, false, NULL },
	{ "a\"b\xff", PIPA_FRAME_TEXT, true, "ns" },
	{ "x", PIPA_FRAME_F64, false, NULL },
};
static const struct pipa_frame_options options = { .columns = columns, .n_columns = 3 };

TEST(databases_start_with_the_magic_and_hold_the_texts)
{
	PIPA_AUTO(pipa_sqlite_free) struct pipa_sqlite *db = NULL;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { .max = 1 << 20 };
	struct pipa_frame_writer *w;
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_sqlite_open("test", &db, &err), 0);
	w = pipa_sqlite_table(db, "t\"; DROP TABLE t", &options);
	CHECK(w != NULL);
	w->put(w, 0, 1);
	w->put_text(w, 1, "some\0text", 9);
	w->put_f64(w, 2, 0.5);
	CHECK_EQ(w->end_row(w), 0);
	CHECK_EQ(w->finish(w, &(struct pipa_frame_fact){ "key", "value" }, 1), 0);
	w->free(w);
	CHECK(!pipa_sqlite_has_row(db, "SELECT 1 WHERE 0"));
	CHECK(pipa_sqlite_has_row(db, "SELECT 1 FROM metadata WHERE value = 'ns'"));
	CHECK(pipa_sqlite_has_row(db, "SELECT 1 FROM metadata WHERE key = 'key'"));
	CHECK_EQ(pipa_sqlite_finish(db, append, &out, &err), 0);
	CHECK(out.len > 4096 && memcmp(out.data, "SQLite format 3", 16) == 0);
	CHECK(memmem(out.data, out.len, "some\xef\xbf\xbdtext", 11) != NULL);
}

TEST(a_missing_required_value_is_a_failure)
{
	PIPA_AUTO(pipa_sqlite_free) struct pipa_sqlite *db = NULL;
	struct pipa_frame_writer *w;
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_sqlite_open("test", &db, &err), 0);
	w = pipa_sqlite_table(db, "t", &options);
	CHECK(w != NULL);
	w->put(w, 0, 1);
	CHECK_EQ(w->end_row(w), -EINVAL);
	CHECK_EQ(w->finish(w, NULL, 0), -EINVAL);
	w->free(w);
	CHECK_EQ(pipa_sqlite_check(db, &err), -EINVAL);
}

TEST(the_failure_of_the_output_is_returned)
{
	PIPA_AUTO(pipa_sqlite_free) struct pipa_sqlite *db = NULL;
	struct pipa_error err = { 0 };
	int calls = 0;

	CHECK_EQ(pipa_sqlite_open("test", &db, &err), 0);
	CHECK_EQ(pipa_sqlite_finish(db, refuse, &calls, &err), -ENOSPC);
	CHECK_EQ(calls, 1);
}

TEST(invalid_sql_is_reported_with_its_reason)
{
	PIPA_AUTO(pipa_sqlite_free) struct pipa_sqlite *db = NULL;
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_sqlite_open("test", &db, &err), 0);
	CHECK(pipa_sqlite_run(db, "CREATE VIEW", &err) < 0);
	CHECK(strstr(err.what, "cannot write the database") != NULL);
}
