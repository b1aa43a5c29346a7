#include "job/collect_lock.h"

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
#include "base/file.h"
#include "job/collect.h"
#include "kernel/task.h"

enum {
	WAIT_MS = 60000, /* long stacks take their time to pack */
	TRIES = 50,	 /* whoever only looks (stop) holds it for a moment */
	TRY_NS = 10000000,
};

#define LOCK_NAME "pipa-tree.lock"
#define PID_NAME "pipa-tree.pid"

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

static int write_pid(struct pipa_collect_lock *lock, struct pipa_error *err)
{
	char text[24];
	int n = snprintf(text, sizeof(text), "%d\n", (int)getpid()), rc;
	PIPA_AUTO(pipa_fd_close)
	int fd = open(lock->pid_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	rc = fd < 0 ? -errno : pipa_file_write(fd, text, (size_t)n);
	return rc < 0 ? pipa_fail(err, rc, "write %s", lock->pid_file) : 0;
}

/* -EBUSY when another holds it. */
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
		pipa_refuse(err, -EBUSY, "another collection runs with %s", run_dir);
		return pipa_hint(err, "pipa collect stop ends it");
	}
	lock->pid_file = path_in(run_dir, PID_NAME);
	return lock->pid_file ? write_pid(lock, err) : pipa_fail(err, -ENOMEM, "lock %s", path);
}

void pipa_collect_lock_drop(struct pipa_collect_lock *lock)
{
	if (lock->fd >= 0 && lock->pid_file)
		unlink(lock->pid_file);
	pipa_fd_close(lock->fd); /* and with it the lock */
	free(lock->pid_file);
	*lock = (struct pipa_collect_lock){ .fd = -1 };
}

/* ---- ending another's ---------------------------------------------------------------------------- */

/* Does somebody hold the lock? A process that died without a word left its number behind. */
static bool is_held(const char *run_dir)
{
	PIPA_AUTO(free) char *path = path_in(run_dir, LOCK_NAME);
	PIPA_AUTO(pipa_fd_close) int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;

	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

static pid_t read_pid(const char *run_dir)
{
	PIPA_AUTO(free) char *path = path_in(run_dir, PID_NAME);
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = 64 };
	long pid;

	if (!path || pipa_file_read(path, &text, NULL) < 0)
		return 0;
	pid = strtol(pipa_buf_str(&text), NULL, 10);
	return pid > 1 && pid <= 1 << 22 ? (pid_t)pid : 0;
}

/* SIGTERM, and not SIGINT, which a shell has its background jobs ignore. */
int pipa_collect_stop(const char *run_dir, pid_t *ret_pid, struct pipa_error *err)
{
	pid_t pid = is_held(run_dir) ? read_pid(run_dir) : 0;
	PIPA_AUTO(pipa_fd_close) int pidfd = pid ? pipa_task_pidfd(pid) : -ESRCH;

	*ret_pid = 0;
	if (!pid || pidfd == -ESRCH || !is_held(run_dir)) /* the number is of one who holds it */
		return 0;
	if (pidfd < 0)
		return pipa_fail(err, pidfd, "watch process %d", (int)pid);
	if (kill(pid, SIGTERM) < 0)
		return pipa_fail(err, -errno, "end process %d", (int)pid);
	*ret_pid = pid;
	if (poll(&(struct pollfd){ .fd = pidfd, .events = POLLIN }, 1, WAIT_MS) > 0)
		return 0;
	return pipa_refuse(err, -ETIMEDOUT, "process %d was asked to end and has not yet",
			   (int)pid);
}
