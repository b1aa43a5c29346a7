#include "cli/progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/file/file.h"
#include "base/visible.h"
#include "cli/cmd.h"

enum { WAIT_MS = 1000, UPDATE_MS = 200 };

static struct {
	pthread_mutex_t lock; /* of all below */
	pthread_cond_t wake;
	pthread_t thread;
	bool running, ending;
	const char *command;
	char what[200]; /* "": no work at present */
	uint64_t done, total;
	uint64_t begun_ns; /* the work */
	size_t shown;	   /* columns of the line that is on the terminal */
} line = { .lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER };

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * PIPA_NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

/* Overwrite the line by spaces; no control sequence, so that any terminal understands it. */
static void erase(void)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };

	if (!line.shown)
		return;
	pipa_buf_putc(&out, '\r');
	pipa_buf_fill(&out, ' ', line.shown);
	pipa_buf_putc(&out, '\r');
	line.shown = 0;
	if (!out.status)
		pipa_file_write(STDERR_FILENO, out.data, out.len);
}

static void draw(uint64_t elapsed_ns)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 }, out = { 0 };
	size_t columns = pipa_cli_columns(STDERR_FILENO), width;

	pipa_buf_printf(&text, "pipa %s: %s", line.command, line.what);
	if (line.total)
		pipa_buf_printf(&text, ", %u %%", (unsigned int)(line.done * 100 / line.total));
	pipa_buf_printf(&text, ", %llu s", (unsigned long long)(elapsed_ns / PIPA_NS_PER_SEC));
	pipa_visible_since(&text, 0);
	width = text.len;
	if (columns > 1 && width >= columns) /* a wrapped line could not be erased */
		width = columns - 1;
	pipa_buf_putc(&out, '\r');
	pipa_buf_add(&out, pipa_buf_str(&text), width);
	pipa_buf_fill(&out, ' ', line.shown > width ? line.shown - width : 0);
	if (text.status || out.status)
		return;
	line.shown = line.shown > width ? line.shown : width;
	pipa_file_write(STDERR_FILENO, out.data, out.len);
}

static void *update_line(void *ctx PIPA_UNUSED)
{
	struct timespec until;
	uint64_t elapsed;

	pthread_mutex_lock(&line.lock);
	while (!line.ending) {
		elapsed = now_ns() - line.begun_ns;
		if (line.what[0] && elapsed >= WAIT_MS * PIPA_NS_PER_MS)
			draw(elapsed);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += UPDATE_MS * (long)PIPA_NS_PER_MS;
		until.tv_sec += until.tv_nsec / (long)PIPA_NS_PER_SEC;
		until.tv_nsec %= (long)PIPA_NS_PER_SEC;
		pthread_cond_timedwait(&line.wake, &line.lock, &until);
	}
	pthread_mutex_unlock(&line.lock);
	return NULL;
}

/* Start the thread with all signals blocked: they are for the main thread. */
static bool start_thread(void)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&line.thread, NULL, update_line, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc == 0;
}

void pipa_cli_progress(void *ctx, const char *what, uint64_t done, uint64_t total)
{
	const struct pipa_cmd *cmd = ctx;

	if (!isatty(STDERR_FILENO))
		return;
	pthread_mutex_lock(&line.lock);
	if (!what)
		erase();
	if (what && !line.what[0])
		line.begun_ns = now_ns();
	line.command = cmd->name;
	snprintf(line.what, sizeof(line.what), "%s", what ? what : "");
	line.done = done < total ? done : total;
	line.total = total;
	if (what && !line.running)
		line.running = start_thread();
	pthread_mutex_unlock(&line.lock);
}

void pipa_cli_progress_clear(void)
{
	pthread_mutex_lock(&line.lock);
	erase();
	pthread_mutex_unlock(&line.lock);
}

void pipa_cli_progress_end(void)
{
	bool running;

	pthread_mutex_lock(&line.lock);
	erase();
	line.what[0] = '\0';
	running = line.running;
	line.ending = true;
	pthread_cond_signal(&line.wake);
	pthread_mutex_unlock(&line.lock);
	if (running)
		pthread_join(line.thread, NULL);
	line.running = false;
}
