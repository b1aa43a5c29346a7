#include "lib/test.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_SKIPPED = 77 };

static struct pipa_test *tests;
static char own_dir[64];

void pipa_test_add(struct pipa_test *test)
{
	struct pipa_test **at = &tests;

	while (*at)
		at = &(*at)->next;
	*at = test;
}

void pipa_test_fail(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	printf("%s:%d: ", file, line);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
	exit(1);
}

/* The reason goes to the parent through a file beside the log, and to the log of all skips. */
void pipa_test_skip(const char *fmt, ...)
{
	va_list ap;

	printf("skipped: ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
	exit(EXIT_SKIPPED);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void remove_own_dir(void)
{
	nftw(own_dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

const char *pipa_test_dir(void)
{
	if (!own_dir[0]) {
		snprintf(own_dir, sizeof(own_dir), "/tmp/pipa-test-XXXXXX");
		if (!mkdtemp(own_dir))
			pipa_test_fail(__FILE__, __LINE__, "mkdtemp: %s", strerror(errno));
		atexit(remove_own_dir);
	}
	return own_dir;
}

void pipa_test_file(const char *dir, const char *path, const char *text)
{
	char full[PATH_MAX], *slash;
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", dir, path);
	for (slash = strchr(full + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(full, 0755) < 0 && errno != EEXIST)
			pipa_test_fail(__FILE__, __LINE__, "mkdir %s: %s", full, strerror(errno));
		*slash = '/';
	}
	file = fopen(full, "we");
	if (!file || fputs(text, file) < 0 || fclose(file) != 0)
		pipa_test_fail(__FILE__, __LINE__, "write %s: %s", full, strerror(errno));
}

/* Of LeakSanitizer, where the program was built with it. */
extern int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

/* Is it the first test of its file? The list has the tests in the order of their files. */
static bool is_first_of_file(const struct pipa_test *test)
{
	const struct pipa_test *other;

	for (other = tests; other != test; other = other->next)
		if (strcmp(other->file, test->file) == 0)
			return false;
	return true;
}

/*
 * Fail if memory was leaked, where checks at each exit are switched off because they take long
 * (PIPA_LEAK_CHECKS, tests/CMakeLists.txt): in the first test of each file.
 */
static void check_leaks(const struct pipa_test *test)
{
	if (getenv("PIPA_LEAK_CHECKS") && &__lsan_do_recoverable_leak_check &&
	    is_first_of_file(test) && __lsan_do_recoverable_leak_check())
		pipa_test_fail(test->file, 0, "memory was leaked");
}

/* Return the seconds of a test, for what hangs: a busy machine is slow, one that it emulates slower. */
static unsigned int time_limit(void)
{
	const char *seconds = getenv("PIPA_TEST_SECONDS");

	if (seconds)
		return (unsigned int)strtoul(seconds, NULL, 10);
	return getenv("PIPA_EMULATED") ? 600 : 200;
}

static void run_child(const struct pipa_test *test, int out)
{
	dup2(out, STDOUT_FILENO);
	alarm(time_limit());
	test->run();
	check_leaks(test);
	fflush(stdout);
	exit(0);
}

static void log_skip(const struct pipa_test *test, const char *why)
{
	const char *path = getenv("PIPA_SKIP_LOG");
	FILE *file = path ? fopen(path, "ae") : NULL;

	if (file) {
		fprintf(file, "%s: %s\n", test->name, why);
		fclose(file);
	}
}

/*
 * Read the output of a test until it ends. A process that it left running may hold the pipe: then the output
 * ends when the test has. A test that blocks SIGALRM is killed after its time, too.
 */
static size_t read_output(int fd, pid_t pid, char *said, size_t size, int *ret_status)
{
	enum { QUIET_MS = 100 };
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	time_t limit = time(NULL) + time_limit() + 10;
	bool ended = false;
	size_t len = 0;
	ssize_t n;

	while (len < size) {
		if (time(NULL) > limit)
			kill(pid, SIGKILL);
		if (poll(&poll_fd, 1, QUIET_MS) == 0) {
			if (ended)
				break;
			ended = waitpid(pid, ret_status, WNOHANG) == pid;
			continue;
		}
		n = read(fd, said + len, size - len);
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	close(fd);
	if (!ended)
		waitpid(pid, ret_status, 0);
	return len;
}

/* 0 passed, 1 failed, EXIT_SKIPPED */
static int run_test(const struct pipa_test *test)
{
	char said[8192];
	int out[2], status = 0;
	size_t len;
	pid_t pid;

	fflush(stdout);
	if (pipe(out) < 0 || (pid = fork()) < 0)
		return 1;
	if (pid == 0) {
		close(out[0]);
		run_child(test, out[1]);
	}
	close(out[1]);
	len = read_output(out[0], pid, said, sizeof(said) - 1, &status);
	said[len] = '\0';
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
		printf("ok %s\n", test->name);
		return 0;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SKIPPED) {
		said[strcspn(said, "\n")] = '\0';
		printf("skip %s: %s\n", test->name, said + (strncmp(said, "skipped: ", 9) ? 0 : 9));
		log_skip(test, said + (strncmp(said, "skipped: ", 9) ? 0 : 9));
		return EXIT_SKIPPED;
	}
	printf("not ok %s (%s)\n%s", test->name, test->file, said);
	if (WIFSIGNALED(status))
		printf("ended by signal %d\n", WTERMSIG(status));
	return 1;
}

static bool is_chosen(const struct pipa_test *test, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (strstr(test->name, argv[i]))
			return true;
	return argc < 2;
}

int main(int argc, char **argv)
{
	unsigned int passed = 0, failed = 0, skipped = 0;
	const struct pipa_test *test;

	for (test = tests; test; test = test->next) {
		int verdict = is_chosen(test, argc, argv) ? run_test(test) : -1;

		passed += verdict == 0;
		failed += verdict == 1;
		skipped += verdict == EXIT_SKIPPED;
	}
	printf("%u passed, %u failed, %u skipped\n", passed, failed, skipped);
	if (failed || !(passed + skipped))
		return 1;
	return passed ? 0 : EXIT_SKIPPED;
}
