#include "kernel/process/browser.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/vec.h"
#include "kernel/process/child.h"

enum {
	WAIT_MS = 2000, /* a browser that runs for longer has started */
	STEP_MS = 10,
};

struct words {
	char **items;
	size_t n, cap;
};

static void words_done(struct words *words)
{
	size_t i;

	for (i = 0; i < words->n; i++)
		free(words->items[i]);
	free(words->items);
	*words = (struct words){ 0 };
}

/* Append a file: URL: bytes other than letters, digits and /-._~ are percent-encoded. */
static void put_url(struct pipa_buf *out, const char *path)
{
	static const char digits[] = "0123456789ABCDEF";
	const unsigned char *p;

	pipa_buf_puts(out, "file://");
	for (p = (const unsigned char *)path; *p; p++) {
		bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
			     (*p >= '0' && *p <= '9') || strchr("/-._~", *p);

		if (!plain) {
			pipa_buf_putc(out, '%');
			pipa_buf_putc(out, digits[*p >> 4]);
			pipa_buf_putc(out, digits[*p & 15]);
		} else {
			pipa_buf_putc(out, (char)*p);
		}
	}
}

static int add_word(struct words *words, struct pipa_buf *word)
{
	char **slot = PIPA_VEC_ADD(words);

	if (!slot)
		return -ENOMEM;
	*slot = pipa_buf_take(word);
	if (!*slot)
		words->n--;
	return *slot ? 0 : -ENOMEM;
}

/* Split a command into words and put the URL in. 0 or -ENOMEM. */
static int split_command(const char *text, size_t len, const char *url, struct words *ret)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf word = { 0 };
	const char *p, *end = text + len;
	bool inside = false, has_url = false;
	char quote = '\0';
	int rc = 0;

	for (p = text; p < end && !rc; p++) {
		if (!quote && (*p == ' ' || *p == '\t')) {
			rc = inside ? add_word(ret, &word) : 0;
			inside = false;
			continue;
		}
		inside = true;
		if (!quote && (*p == '"' || *p == '\'')) {
			quote = *p;
		} else if (quote && *p == quote) {
			quote = '\0';
		} else if (*p == '%' && p + 1 < end && p[1] == 's') {
			pipa_buf_puts(&word, url);
			has_url = true;
			p++;
		} else {
			/* %% is %, and a backslash quotes as in a shell */
			if (p + 1 < end &&
			    ((*p == '%' && p[1] == '%') || (*p == '\\' && quote != '\'')))
				p++;
			pipa_buf_putc(&word, *p);
		}
	}
	if (!rc && inside)
		rc = add_word(ret, &word);
	/* Python: a command that ends with & runs in the background, as all do here */
	if (!rc && ret->n && strcmp(ret->items[ret->n - 1], "&") == 0)
		free(ret->items[--ret->n]);
	if (!rc && ret->n && !has_url) {
		pipa_buf_puts(&word, url);
		rc = add_word(ret, &word);
	}
	if (!rc && !PIPA_VEC_ADD(ret)) /* execvp() needs a NULL at the end */
		rc = -ENOMEM;
	if (!rc)
		ret->items[--ret->n] = NULL;
	return rc;
}

/* Run the browser in the child process; does not return. */
static void run_browser(char *const *argv, const struct pipa_child_signals *signals, int report)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), code, i;

	setsid();
	for (i = 0; null >= 0 && i <= 2; i++)
		dup2(null, i);
	if (signals->ignore_sigchld)
		signal(SIGCHLD, SIG_IGN);
	sigprocmask(SIG_SETMASK, &signals->mask, NULL);
	execvp(argv[0], argv);
	code = errno;
	if (write(report, &code, sizeof(code)) < 0)
		_exit(126);
	_exit(127);
}

/* Wait a while for the end of a child. Returns its status, 0 if it still runs. */
static int wait_briefly(pid_t pid)
{
	const struct timespec step = { .tv_nsec = STEP_MS * 1000000L };
	int i, status = 0;

	for (i = 0; i < WAIT_MS / STEP_MS; i++) {
		if (waitpid(pid, &status, WNOHANG) != 0)
			return status;
		nanosleep(&step, NULL);
	}
	return 0;
}

/* Start a command. 0, or a negative errno: -ECHILD if it ended with a failure. */
static int start_command(char *const *argv, const struct pipa_child_signals *signals)
{
	int report[2], code = 0;
	ssize_t n;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		run_browser(argv, signals, report[1]);
	close(report[1]);
	if (pid < 0) {
		code = errno;
		close(report[0]);
		return -code;
	}
	do
		n = read(report[0], &code, sizeof(code));
	while (n < 0 && errno == EINTR);
	close(report[0]);
	if (n == sizeof(code)) {
		waitpid(pid, NULL, 0);
		return -code;
	}
	return wait_briefly(pid) ? -ECHILD : 0;
}

/* Return the commands to try: $BROWSER, or xdg-open with a display; NULL: none. */
static const char *browser_commands(void)
{
	const char *browser = getenv("BROWSER"), *display = getenv("DISPLAY");
	const char *wayland = getenv("WAYLAND_DISPLAY");

	if (browser && browser[0])
		return browser;
	return (display && display[0]) || (wayland && wayland[0]) ? "xdg-open" : NULL;
}

int pipa_browser_open(const char *path, const struct pipa_child_signals *signals,
		      struct pipa_error *err)
{
	const char *commands = browser_commands(), *end;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf url = { 0 };
	char full[PATH_MAX];
	int rc = -ENOENT;

	if (!commands)
		return -ENOENT;
	if (!realpath(path, full))
		return pipa_fail(err, -errno, "open '%s'", path);
	put_url(&url, full);
	if (url.status)
		return url.status;
	for (; rc < 0 && *commands; commands = *end ? end + 1 : end) {
		struct words words = { 0 };

		end = strchrnul(commands, ':');
		rc = split_command(commands, (size_t)(end - commands), pipa_buf_str(&url), &words);
		if (!rc)
			rc = words.n ? start_command(words.items, signals) : -ENOENT;
		words_done(&words);
	}
	if (rc == 0 || rc == -ENOENT)
		return rc;
	return rc == -ECHILD ? pipa_refuse(err, rc, "the browser failed") :
			       pipa_fail(err, rc, "start the browser");
}
