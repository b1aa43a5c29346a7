#include "job/collect/collect_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "job/collect/collect.h"
#include "lib/test.h"

static char run_dir[512], pid_file[600], lock_path[600];

static void name_files(void)
{
	snprintf(run_dir, sizeof(run_dir), "%s/data/run", pipa_test_dir());
	snprintf(pid_file, sizeof(pid_file), "%s/pipa-tree.pid", run_dir);
	snprintf(lock_path, sizeof(lock_path), "%s/pipa-tree.lock", run_dir);
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

/* Fork a process that ends with the test, also if a check fails. */
static pid_t fork_bound(void)
{
	pid_t test = getpid(), pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != test)
			_exit(1);
	}
	return pid;
}

static long noted_pid(void)
{
	char text[32] = "";
	int fd = open(pid_file, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	return n > 0 ? strtol(text, NULL, 10) : 0;
}

/* A process that holds the lock, until it is asked to end or killed. */
static pid_t start_holder(void)
{
	struct pipa_collect_lock lock = { .fd = -1 };
	int ready[2];
	sigset_t set;
	pid_t pid;
	char byte;
	int sig;

	CHECK_EQ(pipe(ready), 0);
	pid = fork_bound();
	if (pid == 0) {
		sigemptyset(&set);
		sigaddset(&set, SIGTERM);
		sigprocmask(SIG_BLOCK, &set, NULL);
		if (pipa_collect_lock_take(run_dir, &lock, NULL) < 0)
			_exit(1);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		sigwait(&set, &sig);
		pipa_collect_lock_drop(&lock);
		_exit(0);
	}
	close(ready[1]);
	CHECK_EQ(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

TEST(a_lock_makes_its_directory_and_stores_the_pid_of_its_holder)
{
	struct pipa_collect_lock lock = { .fd = -1 };

	name_files();
	CHECK_EQ(pipa_collect_lock_take(run_dir, &lock, NULL), 0);
	CHECK_EQ(noted_pid(), getpid());
	pipa_collect_lock_drop(&lock);
	CHECK(!exists(pid_file));
	CHECK(exists(lock_path));
	CHECK_EQ(lock.fd, -1);
	pipa_collect_lock_drop(&lock); /* harmless */
	CHECK_EQ(pipa_collect_lock_take(run_dir, &lock, NULL), 0);
	pipa_collect_lock_drop(&lock);
}

TEST(a_rival_is_refused_and_deletes_nothing)
{
	struct pipa_collect_lock lock = { .fd = -1 };
	struct pipa_error err = { 0 };
	pid_t holder;

	name_files();
	holder = start_holder();
	CHECK_EQ(pipa_collect_lock_take(run_dir, &lock, &err), -EBUSY);
	CHECK_HAS(err.what, "another collection is running in");
	CHECK_HAS(err.hint, "pipa collect stop");
	pipa_collect_lock_drop(&lock);
	CHECK_EQ(noted_pid(), holder);
	kill(holder, SIGTERM);
	CHECK_EQ(waitpid(holder, NULL, 0), holder);
}

TEST(a_shared_lock_of_a_reader_only_delays_the_lock)
{
	struct pipa_collect_lock lock = { .fd = -1 };
	int fd;
	pid_t looker;

	name_files();
	CHECK_EQ(pipa_collect_lock_take(run_dir, &lock, NULL), 0);
	pipa_collect_lock_drop(&lock);
	fd = open(lock_path, O_RDONLY | O_CLOEXEC);
	CHECK_EQ(flock(fd, LOCK_SH | LOCK_NB), 0);
	looker = fork();
	if (looker == 0) { /* the lock is of both, and goes with the last */
		usleep(1000);
		_exit(0);
	}
	close(fd);
	CHECK_EQ(pipa_collect_lock_take(run_dir, &lock, NULL), 0);
	pipa_collect_lock_drop(&lock);
	CHECK_EQ(waitpid(looker, NULL, 0), looker);
}

TEST(stop_ends_the_one_that_holds_the_lock)
{
	pid_t holder, told = -1;
	int status;

	name_files();
	CHECK_EQ(pipa_collect_stop(run_dir, &told, NULL), 0);
	CHECK_EQ(told, 0);
	CHECK(!exists(run_dir)); /* it makes nothing */
	holder = start_holder();
	CHECK_EQ(pipa_collect_stop(run_dir, &told, NULL), 0);
	CHECK_EQ(told, holder);
	CHECK_EQ(waitpid(holder, &status, 0), holder);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	CHECK(!exists(pid_file));
}

TEST(the_stale_pid_of_a_killed_holder_is_ignored)
{
	struct pipa_collect_lock lock = { .fd = -1 };
	pid_t holder, bystander, told = -1;
	char text[32];

	name_files();
	holder = start_holder();
	kill(holder, SIGKILL);
	CHECK_EQ(waitpid(holder, NULL, 0), holder);
	CHECK_EQ(noted_pid(), holder);
	bystander = fork_bound();
	if (bystander == 0) {
		pause();
		_exit(0);
	}
	snprintf(text, sizeof(text), "%d\n", (int)bystander); /* numbers come again */
	pipa_test_file(run_dir, "pipa-tree.pid", text);
	CHECK_EQ(pipa_collect_stop(run_dir, &told, NULL), 0);
	CHECK_EQ(told, 0);
	CHECK_EQ(waitpid(bystander, NULL, WNOHANG), 0);
	kill(bystander, SIGKILL);
	waitpid(bystander, NULL, 0);
	CHECK_EQ(pipa_collect_lock_take(run_dir, &lock, NULL), 0);
	CHECK_EQ(noted_pid(), getpid());
	pipa_collect_lock_drop(&lock);
}

/* The kernel knows who holds it, whatever the file contains. */
TEST(a_wrong_pid_in_the_file_does_not_end_another_process)
{
	static const char *const texts[] = { "", "x\n", "-1\n", "0\n", "1\n", "99999999999999\n" };
	pid_t holder, told;
	size_t i;
	int fd;

	name_files();
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		holder = start_holder();
		fd = open(pid_file, O_WRONLY | O_TRUNC | O_CLOEXEC);
		CHECK_EQ(write(fd, texts[i], strlen(texts[i])), strlen(texts[i]));
		close(fd);
		told = -1;
		CHECK_EQ(pipa_collect_stop(run_dir, &told, NULL), 0);
		CHECK_EQ(told, holder);
		CHECK_EQ(waitpid(holder, NULL, 0), holder);
	}
}

/* Between the lock and the number of who holds it: the number there is of one who was killed. */
TEST(a_stale_pid_is_not_signalled_before_the_new_holder_stores_its_own)
{
	struct pipa_error err = { 0 };
	pid_t bystander, told = -1;
	char text[32];
	int fd;

	name_files();
	CHECK_EQ(pipa_collect_make_dir(run_dir, NULL), 0);
	bystander = fork_bound();
	if (bystander == 0) {
		pause();
		_exit(0);
	}
	snprintf(text, sizeof(text), "%d\n", (int)bystander);
	pipa_test_file(run_dir, "pipa-tree.pid", text);
	fd = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	CHECK_EQ(flock(fd, LOCK_EX | LOCK_NB), 0);
	CHECK_EQ(pipa_collect_stop(run_dir, &told, &err), -ESRCH);
	CHECK_EQ(told, 0);
	CHECK_HAS(err.what, "but its PID is unknown");
	CHECK_EQ(waitpid(bystander, NULL, WNOHANG), 0);
	close(fd);
	CHECK_EQ(pipa_collect_stop(run_dir, &told, NULL), 0);
	CHECK_EQ(told, 0);
	kill(bystander, SIGKILL);
	waitpid(bystander, NULL, 0);
}

TEST(a_failure_is_kept_until_it_is_forgotten)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };

	name_files();
	CHECK(!pipa_collect_failure(run_dir, &text));
	CHECK_EQ(pipa_collect_make_dir(run_dir, NULL), 0);
	CHECK(!pipa_collect_failure(run_dir, &text));
	pipa_collect_failure_keep(run_dir, "write a\tb: no");
	CHECK(pipa_collect_failure(run_dir, &text));
	CHECK_HAS(pipa_buf_str(&text), " UTC: write a\\x09b: no");
	CHECK(!strchr(pipa_buf_str(&text), '\n'));
	pipa_collect_failure_forget(run_dir);
	CHECK(!pipa_collect_failure(run_dir, &text));
}

TEST(directories_are_made_with_their_parents)
{
	char path[600];
	struct pipa_error err = { 0 };
	struct stat st;

	snprintf(path, sizeof(path), "%s//a/b//c/", pipa_test_dir());
	CHECK_EQ(pipa_collect_make_dir(path, NULL), 0);
	CHECK_EQ(pipa_collect_make_dir(path, NULL), 0);
	CHECK_EQ(stat(path, &st), 0);
	CHECK(S_ISDIR(st.st_mode));
	pipa_test_file(pipa_test_dir(), "file", "");
	snprintf(path, sizeof(path), "%s/file/d", pipa_test_dir());
	CHECK_EQ(pipa_collect_make_dir(path, &err), -ENOTDIR);
	CHECK_HAS(err.what, "file/d");
}
