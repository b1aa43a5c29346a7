#include "kernel/process/child.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/cpus.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/vec.h"

enum { STACK_ALIGN = 16, SPAWN_STACK = 32 << 10 };

__attribute__((noreturn)) static void child_side(char *const argv[],
						 const struct pipa_child_signals *signals,
						 const int *streams, char *const *environment,
						 int go, int failed)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct rusage before;
	char byte;
	int code, fd;

	if (signals->ignore_sigchld)
		sigaction(SIGCHLD, &ignore, NULL);
	pipa_interrupt_reset();
	sigprocmask(SIG_SETMASK, &signals->mask, NULL);
	for (fd = 0; streams && fd < 3; fd++)
		if (streams[fd] >= 0 && dup2(streams[fd], fd) < 0)
			_exit(125);
	if (read(go, &byte, 1) != 1)
		_exit(125);
	getrusage(RUSAGE_SELF, &before);
	if (write(failed, &before, sizeof(before)) < 0)
		_exit(125);
	execvpe(argv[0], argv, environment ? environment : environ);
	code = errno;
	if (write(failed, &code, sizeof(code)) < 0)
		_exit(125);
	_exit(127);
}

int pipa_child_start(char *const argv[], const struct pipa_child_signals *signals,
		     const int *streams, char *const *environment, struct pipa_child *ret,
		     struct pipa_error *err)
{
	int go[2], failed[2];
	pid_t pid;

	if (pipe2(go, O_CLOEXEC) < 0)
		return pipa_fail(err, -errno, "start %s", argv[0]);
	if (pipe2(failed, O_CLOEXEC) < 0) {
		int code = -errno;

		close(go[0]);
		close(go[1]);
		return pipa_fail(err, code, "start %s", argv[0]);
	}
	pid = fork();
	if (pid == 0) {
		close(go[1]); /* so that our death reads as end of file */
		child_side(argv, signals, streams, environment, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	if (pid < 0) {
		int code = -errno;

		close(go[1]);
		close(failed[0]);
		return pipa_fail(err, code, "start %s", argv[0]);
	}
	*ret = (struct pipa_child){ .pid = pid, .go = go[1], .failed = failed[0] };
	return 0;
}

int pipa_child_pin(const struct pipa_child *child, const struct pipa_cpus *cpus,
		   struct pipa_error *err)
{
	int most = cpus->n ? cpus->items[cpus->n - 1] + 1 : 1;
	size_t i, size = CPU_ALLOC_SIZE((size_t)most);
	cpu_set_t *set = CPU_ALLOC((size_t)most);
	int rc = set ? 0 : -ENOMEM;

	if (set) {
		CPU_ZERO_S(size, set);
		for (i = 0; i < cpus->n; i++)
			CPU_SET_S((size_t)cpus->items[i], size, set);
		rc = sched_setaffinity(child->pid, size, set) < 0 ? -errno : 0;
		CPU_FREE(set);
	}
	return rc < 0 ? pipa_fail(err, rc, "keep the command to its CPUs") : 0;
}

/* Read what the child wrote in one write(2); false at the end of file. */
static bool read_record(int fd, void *ret, size_t size)
{
	ssize_t n;

	do {
		n = read(fd, ret, size);
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)size;
}

static int fail_exec(int code, const char *command, struct pipa_error *err)
{
	struct stat st;

	pipa_fail(err, -code, "run %s", command);
	if (code == ENOENT && strchr(command, '/') && access(command, F_OK) == 0)
		pipa_hint(err, "the file exists, but its interpreter or dynamic loader does not");
	else if (code == ENOENT)
		pipa_hint(err,
			  "check that it is installed and in PATH; options of pipa go before the "
			  "command");
	else if (code == EACCES && stat(command, &st) == 0 && S_ISDIR(st.st_mode))
		pipa_hint(err, "it is a directory");
	else if (code == EACCES)
		pipa_hint(err, "make it executable with chmod +x");
	return -code;
}

int pipa_child_release(struct pipa_child *child, const char *command, struct pipa_error *err)
{
	bool refused;
	int code = 0;

	/* if a signal has ended it meanwhile, the pipe is broken, and its status has the signal */
	if (write(child->go, "", 1) != 1 && errno != EPIPE)
		return pipa_fail(err, -errno, "start %s", command);
	close(child->go);
	child->go = -1;
	refused = read_record(child->failed, &child->before, sizeof(child->before)) &&
		  read_record(child->failed, &code, sizeof(code));
	close(child->failed);
	child->failed = -1;
	return refused ? fail_exec(code, command, err) : 0; /* end of file: exec closed the pipe */
}

/* ---- without a hold ------------------------------------------------------------------------------ */

/* Arguments and results of spawned_side(), in memory that both processes share until the exec. */
struct spawn {
	char *const *argv;
	const struct pipa_child_signals *signals;
	const int *streams;
	char *const *environment;
	struct rusage before;
	int code; /* errno of the call that failed */
};

/*
 * The child of pipa_child_spawn(), on a stack of its own. It shares our memory until its exec, and so changes
 * only its stack and *spawn. All signals are blocked until their dispositions are no longer ours.
 */
__attribute__((no_sanitize("address", "thread"))) static int spawned_side(void *ctx)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct spawn *spawn = ctx;
	int fd;

	if (spawn->signals->ignore_sigchld)
		sigaction(SIGCHLD, &ignore, NULL);
	pipa_interrupt_restore();
	sigprocmask(SIG_SETMASK, &spawn->signals->mask, NULL);
	for (fd = 0; spawn->streams && fd < 3; fd++)
		if (spawn->streams[fd] >= 0 && dup2(spawn->streams[fd], fd) < 0) {
			spawn->code = errno;
			return 125;
		}
	getrusage(RUSAGE_SELF, &spawn->before);
	execvpe(spawn->argv[0], spawn->argv, spawn->environment);
	spawn->code = errno;
	return 127;
}

/* Return what execvpe(3) may need: the longest path, the arguments of sh for a script without #!, and calls. */
static size_t spawn_stack_bytes(char *const argv[])
{
	size_t n = 0;

	while (argv[n])
		n++;
	return (n + 8) * sizeof(*argv) + PATH_MAX + NAME_MAX + SPAWN_STACK;
}

int pipa_child_spawn(char *const argv[], const struct pipa_child_signals *signals,
		     const int *streams, char *const *environment, struct pipa_child *ret,
		     struct pipa_error *err)
{
	struct spawn spawn = { .argv = argv,
			       .signals = signals,
			       .streams = streams,
			       .environment = environment ? environment : environ };
	size_t bytes = spawn_stack_bytes(argv) & ~(size_t)(STACK_ALIGN - 1);
	PIPA_AUTO(free) char *stack = aligned_alloc(STACK_ALIGN, bytes);
	sigset_t all, old;
	pid_t pid;
	int code;

	if (!stack)
		return pipa_fail(err, -ENOMEM, "start %s", argv[0]);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pid = clone(spawned_side, stack + bytes, CLONE_VM | CLONE_VFORK | SIGCHLD, &spawn);
	code = errno;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (pid < 0)
		return pipa_fail(err, -code, "start %s", argv[0]);
	*ret = (struct pipa_child){ .pid = pid, .go = -1, .failed = -1, .before = spawn.before };
	return spawn.code ? fail_exec(spawn.code, argv[0], err) : 0;
}

/* ---- its end ------------------------------------------------------------------------------------- */

bool pipa_child_ended(struct pipa_child *child)
{
	if (child->ended || child->pid <= 0)
		return child->ended;
	if (wait4(child->pid, &child->status, WNOHANG, &child->usage) == child->pid)
		child->ended = true;
	return child->ended;
}

void pipa_child_done(struct pipa_child *child)
{
	if (child->pid <= 0)
		return;
	pipa_fd_close(child->go);
	pipa_fd_close(child->failed);
	child->go = child->failed = -1;
	if (!child->ended) {
		kill(child->pid, SIGKILL);
		while (wait4(child->pid, &child->status, 0, &child->usage) < 0 && errno == EINTR)
			;
	}
	child->pid = 0;
}

void pipa_child_adopt_orphans(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

enum { SIGNAL_PASSES = 16 };

/* A process and whose child it is. */
struct kin {
	pid_t pid, parent;
};

struct kins {
	struct kin *items;
	size_t n, cap;
};

/* "4711 (any name) S 4242 ..." */
static bool read_kin(const char *name, struct kin *ret)
{
	char path[64], text[512], *paren;
	PIPA_AUTO(pipa_fd_close) int fd = -1;
	long parent;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return false;
	text[n] = '\0';
	paren = strrchr(text, ')');
	if (!paren || strlen(paren) < 5)
		return false;
	parent = strtol(paren + 4, NULL, 10);
	*ret = (struct kin){ .pid = (pid_t)strtol(name, NULL, 10), .parent = (pid_t)parent };
	return true;
}

static void list_kins(struct kins *ret)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	struct kin kin, *slot;

	while (dir && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]) && read_kin(entry->d_name, &kin) &&
		    (slot = PIPA_VEC_ADD(ret)))
			*slot = kin;
	if (dir)
		closedir(dir);
}

static bool is_below(const struct kins *kins, pid_t pid, pid_t top)
{
	size_t i, steps;

	for (steps = 0; pid > 1 && steps <= kins->n; steps++) {
		for (i = 0; i < kins->n && kins->items[i].pid != pid; i++)
			;
		if (i == kins->n)
			return false;
		pid = kins->items[i].parent;
		if (pid == top)
			return true;
	}
	return false;
}

static bool has_pid(const struct kins *kins, pid_t pid)
{
	size_t i;

	for (i = 0; i < kins->n; i++)
		if (kins->items[i].pid == pid)
			return true;
	return false;
}

/*
 * Send the signal to the descendants of `top` that are not in `signaled`, and add them to it. Returns false when
 * there is no such process.
 */
static bool signal_descendants(struct kins *signaled, pid_t top, int sig)
{
	struct kins kins = { 0 };
	struct kin *slot;
	bool found = false;
	size_t i;

	list_kins(&kins);
	for (i = 0; i < kins.n; i++) {
		if (!is_below(&kins, kins.items[i].pid, top) ||
		    has_pid(signaled, kins.items[i].pid))
			continue;
		kill(kins.items[i].pid, sig);
		slot = PIPA_VEC_ADD(signaled);
		if (slot) {
			*slot = kins.items[i];
			found = true;
		}
	}
	free(kins.items);
	return found;
}

/*
 * /proc is read again until it holds no new descendant: a process can fork after the list was read and before
 * the signal reaches it. fork(2) does not succeed while a signal is pending, so this ends unless processes handle
 * the signal and go on forking; SIGNAL_PASSES bounds that.
 */
void pipa_child_signal_all(const struct pipa_child *child, bool adopted, int sig)
{
	bool has_tree = child->pid > 0 && !child->ended; /* later the PID may be that of another */
	pid_t top = adopted ? getpid() : child->pid;
	struct kins signaled = { 0 };
	int pass;

	if (!adopted && !has_tree)
		return;
	for (pass = 0; pass < SIGNAL_PASSES && signal_descendants(&signaled, top, sig); pass++)
		;
	if (!adopted)
		kill(child->pid, sig);
	free(signaled.items);
}
