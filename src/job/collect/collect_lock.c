#include "job/collect/collect_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/visible.h"
#include "job/collect/collect.h"
#include "kernel/process/task.h"

enum {
	WAIT_MS = 60000, /* compressing long recordings takes time */
	TRIES = 50,	 /* pipa collect stop holds the lock briefly */
	TRY_NS = 10000000,
};

#define LOCK_NAME "pipa-tree.lock"
#define PID_NAME "pipa-tree.pid"
#define FAILURE_NAME "pipa-tree.failed"

int pipa_collect_make_dir(const char *path, struct pipa_error *err)
{
	PIPA_AUTO(free) char *copy = strdup(path);
	char *slash;

	if (!copy)
		return pipa_fail(err, -ENOMEM, "make %s", path);
	for (slash = copy + 1; *copy && (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (mkdir(copy, 0777) < 0 && errno != EEXIST)
			return pipa_fail(err, -errno, "make %s", copy);
		*slash = '/';
	}
	if (mkdir(path, 0777) < 0 && errno != EEXIST)
		return pipa_fail(err, -errno, "make %s", path);
	return 0;
}

static char *path_in(const char *dir, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

/*
 * Write the PID for people, and take a record lock on the file: a PID in a file can be that of a
 * dead process or reused, but the kernel knows the holder of the lock, which pipa_collect_stop()
 * queries.
 */
static int write_pid(struct pipa_collect_lock *lock, struct pipa_error *err)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char text[24];
	int n = snprintf(text, sizeof(text), "%d\n", (int)getpid()), rc;

	lock->pid_fd = open(lock->pid_file, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (lock->pid_fd < 0 || fcntl(lock->pid_fd, F_SETLK, &whole) < 0 ||
	    ftruncate(lock->pid_fd, 0) < 0)
		rc = -errno;
	else
		rc = pipa_file_write(lock->pid_fd, text, (size_t)n);
	return rc < 0 ? pipa_fail(err, rc, "write %s", lock->pid_file) : 0;
}

/* Take the lock. -EBUSY if another process holds it. */
static int lock_file(int fd)
{
	int tries, rc;

	for (tries = 0; (rc = flock(fd, LOCK_EX | LOCK_NB)) < 0 && errno == EWOULDBLOCK; tries++) {
		if (tries == TRIES)
			return -EBUSY;
		nanosleep(&(struct timespec){ .tv_nsec = TRY_NS }, NULL);
	}
	return rc < 0 ? -errno : 0;
}

int pipa_collect_lock_take(const char *run_dir, struct pipa_collect_lock *lock,
			   struct pipa_error *err)
{
	PIPA_AUTO(free) char *path = path_in(run_dir, LOCK_NAME);
	int rc = path ? pipa_collect_make_dir(run_dir, err) : pipa_fail(err, -ENOMEM, "lock");

	lock->pid_fd = -1;
	if (rc < 0)
		return rc;
	lock->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (lock->fd < 0)
		return pipa_fail(err, -errno, "open %s", path);
	rc = lock_file(lock->fd);
	if (rc < 0) {
		close(lock->fd);
		lock->fd = -1;
		if (rc != -EBUSY)
			return pipa_fail(err, rc, "lock %s", path);
		pipa_refuse(err, -EBUSY, "another collection is running in %s", run_dir);
		return pipa_hint(err, "stop it with: pipa collect stop");
	}
	lock->pid_file = path_in(run_dir, PID_NAME);
	return lock->pid_file ? write_pid(lock, err) : pipa_fail(err, -ENOMEM, "lock %s", path);
}

void pipa_collect_lock_drop(struct pipa_collect_lock *lock)
{
	if (lock->fd >= 0 && lock->pid_file)
		unlink(lock->pid_file);
	if (lock->fd >= 0)
		pipa_fd_close(lock->pid_fd);
	pipa_fd_close(lock->fd); /* releases the lock */
	free(lock->pid_file);
	*lock = (struct pipa_collect_lock){ .fd = -1, .pid_fd = -1 };
}

/* ---- ending another's ---------------------------------------------------------------------------- */

/* Is the lock held? A killed process leaves only its PID file. */
static bool is_held(const char *run_dir)
{
	PIPA_AUTO(free) char *path = path_in(run_dir, LOCK_NAME);
	PIPA_AUTO(pipa_fd_close) int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;

	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

/*
 * Return the PID of the lock's holder from the kernel; 0 if it has not written it yet or is in
 * another PID namespace.
 */
static pid_t find_holder(const char *run_dir)
{
	PIPA_AUTO(free) char *path = path_in(run_dir, PID_NAME);
	PIPA_AUTO(pipa_fd_close) int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (fd < 0 || fcntl(fd, F_GETLK, &whole) < 0 || whole.l_type == F_UNLCK)
		return 0;
	return whole.l_pid > 1 ? whole.l_pid : 0;
}

/* Wait until the process that took the lock has written its PID. */
static int await_holder(const char *run_dir, pid_t *ret_pid, struct pipa_error *err)
{
	int tries;

	for (tries = 0; tries < TRIES; tries++) {
		if (!is_held(run_dir))
			return 0;
		*ret_pid = find_holder(run_dir);
		if (*ret_pid)
			return 0;
		nanosleep(&(struct timespec){ .tv_nsec = TRY_NS }, NULL);
	}
	pipa_refuse(err, -ESRCH, "a collection is running in %s but its PID is unknown", run_dir);
	return pipa_hint(err, "it may run in another container, or %s was deleted", PID_NAME);
}

/* Send SIGTERM, not SIGINT, which shells let background jobs ignore. */
int pipa_collect_stop(const char *run_dir, pid_t *ret_pid, struct pipa_error *err)
{
	PIPA_AUTO(pipa_fd_close) int pidfd = -1;
	pid_t pid = 0;
	int rc = await_holder(run_dir, &pid, err);

	*ret_pid = 0;
	if (rc < 0 || !pid)
		return rc;
	pidfd = pipa_task_pidfd(pid);
	if (pidfd == -ESRCH || find_holder(run_dir) != pid) /* it has just ended */
		return 0;
	if (pidfd < 0)
		return pipa_fail(err, pidfd, "watch process %d", (int)pid);
	rc = pipa_task_signal(pidfd, SIGTERM);
	if (rc < 0)
		return rc == -ESRCH ? 0 : pipa_fail(err, rc, "end process %d", (int)pid);
	*ret_pid = pid;
	if (poll(&(struct pollfd){ .fd = pidfd, .events = POLLIN }, 1, WAIT_MS) > 0)
		return 0;
	return pipa_refuse(err, -ETIMEDOUT, "process %d was asked to stop but is still running",
			   (int)pid);
}

/* ---- failures of background collections --------------------------------------------------------- */

void pipa_collect_failure_keep(const char *run_dir, const char *why)
{
	PIPA_AUTO(free) char *path = path_in(run_dir, FAILURE_NAME);
	PIPA_AUTO(pipa_fd_close)
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) : -1;
	char text[640], when[40];
	time_t now = time(NULL);
	struct tm tm;
	int n;

	gmtime_r(&now, &tm);
	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC", &tm);
	n = snprintf(text, sizeof(text), "%s: %s\n", when, why);
	if (fd >= 0)
		pipa_file_write(fd, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

bool pipa_collect_failure(const char *run_dir, struct pipa_buf *text)
{
	PIPA_AUTO(free) char *path = path_in(run_dir, FAILURE_NAME);
	PIPA_AUTO(pipa_buf_done) struct pipa_buf line = { .max = 4096 };

	if (!path || pipa_file_read(path, &line, NULL) < 0 || !line.len)
		return false;
	pipa_visible_add(text, pipa_buf_str(&line), strcspn(pipa_buf_str(&line), "\n"));
	return true;
}

void pipa_collect_failure_forget(const char *run_dir)
{
	PIPA_AUTO(free) char *path = path_in(run_dir, FAILURE_NAME);

	if (path)
		unlink(path);
}
