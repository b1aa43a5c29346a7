#include "store/history_dir.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file/file.h"
#include "import/history.h"
#include "kernel/machine/root.h"
#include "lib/test.h"
#include "model/sections.h"

enum { MIDNIGHT = 1794787200 }; /* 2026-11-16 00:00:00 UTC */

/* With one column. */
static const struct pipa_section *const sections[] = { &pipa_sections[PIPA_SECTION_FREQ] };

static char notes[1000];

/* The running machine. */
static struct pipa_root *machine(void)
{
	static struct pipa_root *root;

	if (!root)
		CHECK_EQ(pipa_root_open(NULL, &root, NULL), 0);
	return root;
}

static void note(void *ctx PIPA_UNUSED, enum pipa_log_level level PIPA_UNUSED, const char *text)
{
	size_t n = strlen(notes);

	snprintf(notes + n, sizeof(notes) - n, "%s\n", text);
}

static struct pipa_history_dir *open_folder(const char *dir, uint64_t max_size, uint64_t seconds)
{
	struct pipa_history_dir *folder = NULL;
	struct pipa_error err = { 0 };

	setenv("TZ", "UTC0", 1);
	tzset();
	CHECK_EQ(pipa_history_dir_open(
			 &(struct pipa_history_dir_options){ .dir = dir,
							     .sections = sections,
							     .n_sections = 1,
							     .interval_ns = PIPA_NS_PER_SEC,
							     .keep_days = 28,
							     .max_size = max_size,
							     .host = "box",
							     .root = machine(),
							     .log.write = note },
			 seconds * PIPA_NS_PER_SEC, &folder, &err),
		 0);
	return folder;
}

/* A tick whose only value is the low part of its time. */
static void tick(struct pipa_history_dir *folder, uint64_t seconds)
{
	struct pipa_series_sink *sink = pipa_history_dir_sink(folder);
	struct pipa_tick t = { .wall_ns = seconds * PIPA_NS_PER_SEC, .interval_s = 1 };
	double value = (double)(seconds % 1000);

	CHECK_EQ(sink->row(sink, sections[0], &t, "", &value), 0);
	CHECK_EQ(sink->end(sink, &t), 0);
}

static char said[2000];

static int say(struct pipa_series_sink *self PIPA_UNUSED, const struct pipa_section *s PIPA_UNUSED,
	       const struct pipa_tick *t, const char *instance PIPA_UNUSED, const double *values)
{
	size_t n = strlen(said);

	snprintf(said + n, sizeof(said) - n, "%s%g ", t->restart ? "restart " : "", values[0]);
	return 0;
}

/* The values that a file holds. */
static const char *values_of(const char *dir, const char *name)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
	struct pipa_series_sink sink = { .row = say };
	struct pipa_history_reader *r = pipa_history_reader_new(
		&(struct pipa_history_read){ .sink = &sink });
	char path[4200];

	said[0] = '\0';
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	CHECK_EQ(pipa_file_read(path, &bytes, NULL), 0);
	CHECK_EQ(pipa_history_reader_feed(r, bytes.data, bytes.len), 0);
	CHECK_EQ(pipa_history_reader_finish(r), 0);
	CHECK_EQ(pipa_history_reader_result(r)->damaged, 0);
	pipa_history_reader_free(r);
	return said;
}

static bool has_file(const char *dir, const char *name)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return access(path, F_OK) == 0;
}

static uint64_t size_of(const char *dir)
{
	struct dirent *entry;
	DIR *d = opendir(dir);
	uint64_t size = 0;
	struct stat st;

	CHECK(d);
	while ((entry = readdir(d)))
		if (strstr(entry->d_name, ".pmh") && fstatat(dirfd(d), entry->d_name, &st, 0) == 0)
			size += (uint64_t)st.st_size;
	closedir(d);
	return size;
}

TEST(a_new_file_at_midnight_is_not_a_restart)
{
	const char *dir = pipa_test_dir();
	struct pipa_history_dir *folder = open_folder(dir, 0, MIDNIGHT - 2);

	tick(folder, MIDNIGHT - 2);
	tick(folder, MIDNIGHT - 1);
	tick(folder, MIDNIGHT);
	tick(folder, MIDNIGHT + 1);
	pipa_history_dir_close(folder);
	CHECK_STR(values_of(dir, "pipa-2026-11-15.pmh"), "198 199 ");
	CHECK_STR(values_of(dir, "pipa-2026-11-16.pmh"), "200 201 ");
}

TEST(a_second_start_on_a_day_continues_its_file)
{
	const char *dir = pipa_test_dir();
	struct pipa_history_dir *folder = open_folder(dir, 0, MIDNIGHT);

	tick(folder, MIDNIGHT);
	pipa_history_dir_close(folder);
	folder = open_folder(dir, 0, MIDNIGHT + 5);
	tick(folder, MIDNIGHT + 6);
	tick(folder, MIDNIGHT + 7);
	pipa_history_dir_close(folder);
	CHECK_STR(values_of(dir, "pipa-2026-11-16.pmh"), "200 restart 206 207 ");
}

TEST(a_removed_file_is_created_again_after_a_reopen)
{
	const char *dir = pipa_test_dir();
	struct pipa_history_dir *folder = open_folder(dir, 0, MIDNIGHT);
	char from[4200], to[4200];

	tick(folder, MIDNIGHT);
	snprintf(from, sizeof(from), "%s/pipa-2026-11-16.pmh", dir);
	snprintf(to, sizeof(to), "%s/taken", dir);
	CHECK_EQ(rename(from, to), 0);
	pipa_history_dir_reopen(folder);
	tick(folder, MIDNIGHT + 1);
	pipa_history_dir_close(folder);
	CHECK_STR(values_of(dir, "taken"), "200 ");
	CHECK_STR(values_of(dir, "pipa-2026-11-16.pmh"), "201 ");
}

TEST(a_directory_has_at_most_one_collector)
{
	const char *dir = pipa_test_dir();
	struct pipa_history_dir *folder = open_folder(dir, 0, MIDNIGHT), *second = NULL;
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_history_dir_open(&(struct pipa_history_dir_options){ .dir = dir,
									   .sections = sections,
									   .n_sections = 1,
									   .host = "box",
									   .root = machine() },
				       0, &second, &err),
		 -EBUSY);
	CHECK_HAS(err.what, "another pipa monitor is recording into");
	pipa_history_dir_close(folder);
	pipa_history_dir_close(open_folder(dir, 0, MIDNIGHT));
}

TEST(only_old_files_are_removed_when_a_day_begins)
{
	const char *dir = pipa_test_dir();
	struct pipa_history_dir *folder;

	pipa_test_file(dir, "pipa-2026-10-17.pmh", "old");
	pipa_test_file(dir, "pipa-2026-10-18.pmh", "not yet");
	pipa_test_file(dir, "pipa-2026-10-01.txt", "not ours");
	folder = open_folder(dir, 0, MIDNIGHT - 1);
	CHECK(has_file(dir, "pipa-2026-10-18.pmh"));
	CHECK(!has_file(dir, "pipa-2026-10-17.pmh"));
	tick(folder, MIDNIGHT);
	CHECK(has_file(dir, "pipa-2026-10-19.pmh") == false);
	tick(folder, MIDNIGHT + 86400);
	CHECK(!has_file(dir, "pipa-2026-10-18.pmh"));
	CHECK(has_file(dir, "pipa-2026-10-01.txt"));
	pipa_history_dir_close(folder);
}

TEST(all_files_together_never_exceed_the_size_allowed)
{
	const char *dir = pipa_test_dir();
	struct pipa_history_dir *folder = open_folder(dir, 1000, MIDNIGHT);
	size_t i;

	notes[0] = '\0';
	for (i = 0; i < 100; i++) { /* some 20 bytes a tick: a file does not fit for a day */
		tick(folder, MIDNIGHT + i);
		CHECK(size_of(dir) <= 1000);
	}
	CHECK_HAS(notes, "has reached --max-size; intervals are lost until there is space\n");
	CHECK(strchr(notes, '\n') == strrchr(notes, '\n'));
	CHECK(size_of(dir) > 900);
	tick(folder, MIDNIGHT + 86400); /* the next day the older file makes room */
	CHECK(!has_file(dir, "pipa-2026-11-16.pmh"));
	CHECK_HAS(notes, "recording continues; ");
	pipa_history_dir_close(folder);
	CHECK_STR(values_of(dir, "pipa-2026-11-17.pmh"), "600 ");
}

TEST(a_directory_that_cannot_be_made_is_reported)
{
	struct pipa_history_dir *folder = NULL;
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_history_dir_open(&(struct pipa_history_dir_options){ .dir = "/nowhere/below",
									   .sections = sections,
									   .n_sections = 1 },
				       0, &folder, &err),
		 -ENOENT);
	CHECK_STR(err.what, "cannot create directory /nowhere/below: No such file or directory");
}
