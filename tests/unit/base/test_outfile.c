#include "base/file/outfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "lib/test.h"

/* Path of a name in the test's directory; two can be in use at a time. */
static const char *in_dir(const char *name)
{
	static char paths[2][300];
	static int turn;

	turn = !turn;
	snprintf(paths[turn], sizeof(paths[turn]), "%s/%s", pipa_test_dir(), name);
	return paths[turn];
}

static const char *content(const char *name)
{
	static char text[1000];
	FILE *file = fopen(in_dir(name), "re");
	size_t n = 0;

	if (!file)
		return NULL;
	n = fread(text, 1, sizeof(text) - 1, file);
	text[n] = '\0';
	fclose(file);
	return text;
}

static int count_files(void)
{
	DIR *dir = opendir(pipa_test_dir());
	struct dirent *entry;
	int n = 0;

	while ((entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n;
}

static mode_t mode_of(const char *name)
{
	struct stat st;

	CHECK_EQ(stat(in_dir(name), &st), 0);
	return st.st_mode & 07777;
}

static struct pipa_outfile *open_out(const char *name, enum pipa_outfile_mode mode)
{
	struct pipa_outfile *out = NULL;
	struct pipa_error err = { 0 };

	if (pipa_outfile_open(in_dir(name), mode, &out, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", err.what);
	return out;
}

static void put(struct pipa_outfile *out, const char *text)
{
	struct pipa_error err = { 0 };

	if (pipa_outfile_put(out, text, strlen(text), &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", err.what);
	CHECK_STR(err.what, "");
}

/* Write the report in two pieces and commit it. */
static void write_report(const char *name, enum pipa_outfile_mode mode)
{
	PIPA_AUTO(pipa_outfile_free) struct pipa_outfile *out = open_out(name, mode);

	put(out, "new ");
	put(out, "report\n");
	CHECK_EQ(pipa_outfile_commit(out, NULL), 0);
}

/* Files may grow to so many bytes and no further: a disk that fills up half-way. */
static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = bytes;
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

TEST(replacing_makes_a_new_file)
{
	umask(022);
	write_report("report", PIPA_OUTFILE_REPLACE);
	CHECK_STR(content("report"), "new report\n");
	CHECK_EQ(mode_of("report"), 0644);
	CHECK_EQ(count_files(), 1);
}

TEST(new_file_obeys_the_umask)
{
	umask(077);
	write_report("report", PIPA_OUTFILE_REPLACE);
	CHECK_EQ(mode_of("report"), 0600);
	CHECK_EQ(umask(022), 077); /* and leaves it as it was */
}

TEST(a_private_file_is_accessible_only_to_its_owner)
{
	umask(022);
	write_report("report", PIPA_OUTFILE_PRIVATE);
	CHECK_STR(content("report"), "new report\n");
	CHECK_EQ(mode_of("report"), 0600);
	CHECK_EQ(count_files(), 1);
}

TEST(replaced_file_keeps_its_permissions)
{
	pipa_test_file(pipa_test_dir(), "report", "old and longer report\n");
	CHECK_EQ(chmod(in_dir("report"), 0640), 0);
	write_report("report", PIPA_OUTFILE_REPLACE);
	CHECK_STR(content("report"), "new report\n");
	CHECK_EQ(mode_of("report"), 0640);
}

TEST(replacement_appears_only_when_committed)
{
	struct pipa_outfile *out;

	pipa_test_file(pipa_test_dir(), "report", "old");
	out = open_out("report", PIPA_OUTFILE_REPLACE);
	put(out, "new");
	CHECK_STR(content("report"), "old");
	CHECK_EQ(pipa_outfile_commit(out, NULL), 0);
	CHECK_STR(content("report"), "new");
	pipa_outfile_free(out);
	CHECK_STR(content("report"), "new");
}

TEST(replacement_given_up_leaves_no_trace)
{
	struct pipa_outfile *out;
	int before = dup(STDIN_FILENO), after;

	close(before);
	pipa_test_file(pipa_test_dir(), "report", "old");
	out = open_out("report", PIPA_OUTFILE_REPLACE);
	put(out, "new");
	CHECK(count_files() <= 2);
	pipa_outfile_free(out);
	CHECK_STR(content("report"), "old");
	CHECK_EQ(count_files(), 1);
	after = dup(STDIN_FILENO);
	CHECK_EQ(after, before); /* nor an open descriptor */
	close(after);
	pipa_outfile_free(NULL);
}

/* As one who is killed leaves it: neither committed nor freed. */
TEST(a_report_under_way_has_no_name_yet)
{
	PIPA_AUTO(pipa_outfile_free) struct pipa_outfile *out = NULL;
	int fd = open(pipa_test_dir(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	if (fd < 0)
		SKIP("this file system has no files without a name");
	close(fd);
	out = open_out("report", PIPA_OUTFILE_REPLACE);
	put(out, "new");
	CHECK_EQ(count_files(), 0);
	CHECK_EQ(pipa_outfile_commit(out, NULL), 0);
	CHECK_STR(content("report"), "new");
	CHECK_EQ(count_files(), 1);
}

TEST(a_name_that_cannot_be_given_is_refused_at_once)
{
	struct pipa_outfile *out = NULL;
	char name[400] = { 0 };

	memset(name, 'x', 300);
	CHECK_EQ(pipa_outfile_open(in_dir(name), PIPA_OUTFILE_REPLACE, &out, NULL), -ENAMETOOLONG);
	CHECK(!out);
}

/* Somebody else has made it meanwhile, and a name beside it that we might take. */
TEST(a_file_that_appears_meanwhile_is_replaced)
{
	struct pipa_outfile *out = open_out("report", PIPA_OUTFILE_REPLACE);
	char taken[100];

	put(out, "new");
	snprintf(taken, sizeof(taken), "report.%d-0", (int)getpid());
	pipa_test_file(pipa_test_dir(), "report", "old");
	pipa_test_file(pipa_test_dir(), taken, "theirs");
	CHECK_EQ(pipa_outfile_commit(out, NULL), 0);
	pipa_outfile_free(out);
	CHECK_STR(content("report"), "new");
	CHECK_STR(content(taken), "theirs");
	CHECK_EQ(count_files(), 2);
}

TEST(full_disk_leaves_the_old_report)
{
	struct pipa_outfile *out;
	struct pipa_error err = { 0 };
	char big[5000] = { 0 };

	pipa_test_file(pipa_test_dir(), "report", "old");
	out = open_out("report", PIPA_OUTFILE_REPLACE);
	limit_files(4096);
	CHECK_EQ(pipa_outfile_put(out, big, sizeof(big), &err), -EFBIG);
	CHECK_HAS(err.what, "report: File too large");
	pipa_outfile_free(out);
	CHECK_STR(content("report"), "old");
	CHECK_EQ(count_files(), 1);
}

TEST(link_to_nothing_yet_is_kept_and_its_target_made)
{
	struct stat st;

	CHECK_EQ(symlink("later", in_dir("link")), 0);
	write_report("link", PIPA_OUTFILE_REPLACE);
	CHECK_EQ(lstat(in_dir("link"), &st), 0);
	CHECK(S_ISLNK(st.st_mode));
	CHECK_EQ(lstat(in_dir("later"), &st), 0);
	CHECK(S_ISREG(st.st_mode));
}

TEST(link_is_kept_and_its_target_replaced)
{
	struct stat st;

	pipa_test_file(pipa_test_dir(), "target", "old");
	CHECK_EQ(symlink("target", in_dir("link")), 0);
	write_report("link", PIPA_OUTFILE_REPLACE);
	CHECK_EQ(lstat(in_dir("link"), &st), 0);
	CHECK(S_ISLNK(st.st_mode));
	CHECK_STR(content("target"), "new report\n");
	CHECK_EQ(count_files(), 2);
}

TEST(streaming_empties_the_file_and_grows)
{
	struct pipa_outfile *out;

	pipa_test_file(pipa_test_dir(), "report", "old and longer report\n");
	out = open_out("report", PIPA_OUTFILE_STREAM);
	CHECK_STR(content("report"), "");
	put(out, "one\n");
	CHECK_STR(content("report"), "one\n");
	put(out, "two\n");
	CHECK_STR(content("report"), "one\ntwo\n");
	pipa_outfile_free(out); /* a stream needs no commit */
	CHECK_STR(content("report"), "one\ntwo\n");
	CHECK_EQ(count_files(), 1);
}

TEST(text_of_a_buffer_is_written_and_the_buffer_emptied)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = 10 };
	struct pipa_outfile *out = open_out("report", PIPA_OUTFILE_STREAM);
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_outfile_put_buf(out, &text, "write the report", &err), 0);
	pipa_buf_puts(&text, "one\n");
	CHECK_EQ(pipa_outfile_put_buf(out, &text, "write the report", &err), 0);
	CHECK_EQ(text.len, 0);
	CHECK_STR(content("report"), "one\n");
	pipa_buf_puts(&text, "a text that is too long");
	CHECK_EQ(pipa_outfile_put_buf(out, &text, "write the report", &err), -EFBIG);
	CHECK_STR(err.what, "cannot write the report: File too large");
	CHECK_STR(content("report"), "one\n");
	CHECK_EQ(text.status, 0);
	pipa_outfile_free(out);
}

TEST(appending_keeps_existing_contents)
{
	pipa_test_file(pipa_test_dir(), "report", "old\n");
	write_report("report", PIPA_OUTFILE_APPEND);
	CHECK_STR(content("report"), "old\nnew report\n");
	write_report("other", PIPA_OUTFILE_APPEND); /* or begins a file */
	CHECK_STR(content("other"), "new report\n");
}

TEST(partial_write_that_fails_is_truncated_away)
{
	static const enum pipa_outfile_mode modes[] = { PIPA_OUTFILE_STREAM, PIPA_OUTFILE_APPEND };
	char big[5000] = { 0 };
	size_t i;

	limit_files(4096);
	for (i = 0; i < PIPA_COUNT(modes); i++) {
		struct pipa_outfile *out = open_out("report", modes[i]);

		put(out, "whole\n");
		CHECK_EQ(pipa_outfile_put(out, big, sizeof(big), NULL), -EFBIG);
		put(out, "next\n"); /* and the next one follows the last complete one */
		pipa_outfile_free(out);
	}
	CHECK_STR(content("report"), "whole\nnext\nwhole\nnext\n");
}

TEST(device_is_written_in_place)
{
	struct pipa_outfile *out = NULL;
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_outfile_open("/dev/full", PIPA_OUTFILE_REPLACE, &out, NULL), 0);
	CHECK_EQ(pipa_outfile_put(out, "x", 1, &err), -ENOSPC);
	CHECK_STR(err.what, "cannot write /dev/full: No space left on device");
	pipa_outfile_free(out);
	CHECK_EQ(pipa_outfile_open("/dev/null", PIPA_OUTFILE_REPLACE, &out, NULL), 0);
	CHECK_EQ(pipa_outfile_put(out, "x", 1, NULL), 0);
	CHECK_EQ(pipa_outfile_commit(out, NULL), 0);
	pipa_outfile_free(out);
	CHECK_EQ(access("/dev/null", F_OK), 0);
}

TEST(fifo_is_written_in_place)
{
	struct pipa_outfile *out;
	char text[16] = "";
	int reader;

	CHECK_EQ(mkfifo(in_dir("fifo"), 0600), 0);
	reader = open(in_dir("fifo"), O_RDONLY | O_NONBLOCK);
	out = open_out("fifo", PIPA_OUTFILE_REPLACE);
	put(out, "line");
	CHECK_EQ(pipa_outfile_commit(out, NULL), 0);
	pipa_outfile_free(out);
	CHECK_EQ(read(reader, text, sizeof(text) - 1), 4);
	CHECK_STR(text, "line");
	close(reader);
}

TEST(wrapped_descriptor_stays_the_callers)
{
	struct pipa_outfile *out = NULL;
	char text[16] = "";
	int ends[2];

	CHECK_EQ(pipe(ends), 0);
	CHECK_EQ(pipa_outfile_wrap(ends[1], "the pipe", &out, NULL), 0);
	put(out, "one");
	CHECK_EQ(pipa_outfile_commit(out, NULL), 0);
	put(out, "two"); /* a commit ends nothing */
	pipa_outfile_free(out);
	CHECK_EQ(write(ends[1], "!", 1), 1);
	CHECK_EQ(read(ends[0], text, sizeof(text) - 1), 7);
	CHECK_STR(text, "onetwo!");
	close(ends[0]);
	close(ends[1]);
}

TEST(closed_descriptor_is_a_failed_write_with_its_name)
{
	struct pipa_outfile *out = NULL;
	struct pipa_error err = { 0 };
	int ends[2];

	CHECK_EQ(pipe(ends), 0);
	close(ends[0]);
	close(ends[1]);
	CHECK_EQ(pipa_outfile_wrap(ends[1], "standard error", &out, NULL), 0);
	CHECK_EQ(pipa_outfile_put(out, "x", 1, &err), -EBADF);
	CHECK_STR(err.what, "cannot write standard error: Bad file descriptor");
	pipa_outfile_free(out);
}

TEST(reader_that_left_is_a_failed_write)
{
	struct pipa_outfile *out = NULL;
	int ends[2];

	signal(SIGPIPE, SIG_IGN);
	CHECK_EQ(pipe(ends), 0);
	close(ends[0]);
	CHECK_EQ(pipa_outfile_wrap(ends[1], "pipe", &out, NULL), 0);
	CHECK_EQ(pipa_outfile_put(out, "x", 1, NULL), -EPIPE);
	pipa_outfile_free(out);
	close(ends[1]);
}

TEST(directories_and_paths_in_missing_directories_are_refused)
{
	struct pipa_outfile *out = NULL;
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_outfile_open(pipa_test_dir(), PIPA_OUTFILE_REPLACE, &out, &err), -EISDIR);
	CHECK_HAS(err.what, "for writing: Is a directory");
	CHECK_EQ(pipa_outfile_open(pipa_test_dir(), PIPA_OUTFILE_APPEND, &out, &err), -EISDIR);
	CHECK_EQ(pipa_outfile_open(in_dir("no/report"), PIPA_OUTFILE_REPLACE, &out, &err), -ENOENT);
	CHECK_EQ(pipa_outfile_open(in_dir("no/report"), PIPA_OUTFILE_STREAM, &out, &err), -ENOENT);
	CHECK(!out);
	CHECK_EQ(count_files(), 0);
}

TEST(file_one_may_not_write_is_refused)
{
	static const enum pipa_outfile_mode modes[] = { PIPA_OUTFILE_REPLACE, PIPA_OUTFILE_STREAM,
							PIPA_OUTFILE_APPEND };
	struct pipa_outfile *out = NULL;
	struct pipa_error err = { 0 };
	int codes[PIPA_COUNT(modes)];
	bool root = geteuid() == 0; /* may write anything: check as user nobody for a while */
	size_t i;

	pipa_test_file(pipa_test_dir(), "report", "old");
	CHECK_EQ(chmod(in_dir("report"), 0444) || chmod(pipa_test_dir(), 0755), 0);
	CHECK_EQ(root ? setreuid(65534, 0) : 0, 0);
	for (i = 0; i < PIPA_COUNT(modes); i++)
		codes[i] = pipa_outfile_open(in_dir("report"), modes[i], &out, &err);
	CHECK_EQ(root ? setreuid(0, 0) : 0, 0);
	for (i = 0; i < PIPA_COUNT(modes); i++)
		CHECK_EQ(codes[i], -EACCES);
	CHECK_HAS(err.what, "report for writing: Permission denied");
	CHECK_HAS(err.hint, "check the permissions");
	CHECK_STR(content("report"), "old");
}

TEST(commit_into_a_renamed_directory_fails_with_the_path)
{
	PIPA_AUTO(pipa_outfile_free) struct pipa_outfile *out = NULL;
	struct pipa_error err = { 0 };

	pipa_test_file(pipa_test_dir(), "sub/old", "");
	out = open_out("sub/report", PIPA_OUTFILE_REPLACE);
	CHECK_EQ(rename(in_dir("sub"), in_dir("moved")), 0);
	CHECK_EQ(pipa_outfile_commit(out, &err), -ENOENT);
	CHECK_HAS(err.what, "sub/report: No such file");
}

TEST(check_reports_unwritable_paths_without_opening_them)
{
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_outfile_check(in_dir("no/report"), &err), -ENOENT);
	CHECK_HAS(err.what, "no/report for writing: No such file");
	CHECK_EQ(pipa_outfile_check(pipa_test_dir(), &err), -EISDIR);
	CHECK_EQ(pipa_outfile_check("/dev/null", &err), 0);
	CHECK_EQ(pipa_outfile_check(in_dir("new"), &err), 0);
	CHECK_EQ(count_files(), 0);
	pipa_test_file(pipa_test_dir(), "report", "old");
	CHECK_EQ(pipa_outfile_check(in_dir("report"), &err), 0);
	CHECK_STR(content("report"), "old");
	CHECK_EQ(mkfifo(in_dir("fifo"), 0600), 0); /* which would wait for its reader */
	CHECK_EQ(pipa_outfile_check(in_dir("fifo"), &err), 0);
}

/* Return all that can be read up to a 'Z'. */
static const char *seen(int master)
{
	static char text[400];
	size_t n = 0;

	while (n + 1 < sizeof(text) && (!n || text[n - 1] != 'Z')) {
		ssize_t len = read(master, text + n, 1);

		if (len <= 0)
			break;
		n += (size_t)len;
	}
	text[n] = '\0';
	return text;
}

TEST(documents_on_a_terminal_are_escaped_across_writes)
{
	PIPA_AUTO(pipa_outfile_free) struct pipa_outfile *out = NULL;
	PIPA_AUTO(pipa_fd_close) int master = posix_openpt(O_RDWR | O_NOCTTY);
	PIPA_AUTO(pipa_fd_close) int slave = -1;
	struct pipa_error err = { 0 };
	struct termios mode;

	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0)
		SKIP("no pseudo terminal is available");
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	CHECK(slave >= 0);
	CHECK_EQ(tcgetattr(slave, &mode), 0);
	cfmakeraw(&mode);
	CHECK_EQ(tcsetattr(slave, TCSANOW, &mode), 0);
	CHECK_EQ(pipa_outfile_open_or_wrap(NULL, slave, &out, &err), 0);
	put(out, "a\tb\x1b[31m\r\n\xc3\xa4\xc2\x9b\rc\r");
	put(out, "\n\xe2\x80");
	put(out, "\xae \xe2");
	put(out, "\x82");
	put(out, "\xac\x7f\xff\xc3");
	CHECK_EQ(pipa_outfile_commit(out, &err), 0);
	CHECK_EQ(write(slave, "Z", 1), 1);
	CHECK_STR(seen(master), "a\tb\\x1b[31m\r\n\xc3\xa4\\u009b\\x0dc\r\n\\u202e \xe2\x82\xac"
				"\\x7f\\xff\\xc3Z");
}

TEST(documents_in_a_pipe_keep_their_bytes)
{
	PIPA_AUTO(pipa_outfile_free) struct pipa_outfile *out = NULL;
	struct pipa_error err = { 0 };
	int ends[2];

	CHECK_EQ(pipe(ends), 0);
	CHECK_EQ(pipa_outfile_open_or_wrap(NULL, ends[1], &out, &err), 0);
	put(out, "\x1b\xe2");
	put(out, "\x80\xae\xffZ");
	CHECK_EQ(pipa_outfile_commit(out, &err), 0);
	CHECK_STR(seen(ends[0]), "\x1b\xe2\x80\xae\xffZ");
	close(ends[0]);
	close(ends[1]);
}
