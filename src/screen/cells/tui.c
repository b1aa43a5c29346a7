#include "screen/cells/tui.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/loop.h"
#include "screen/cells/key.h"
#include "screen/cells/term.h"

int pipa_tui_paint(struct pipa_tui *tui, struct pipa_error *err)
{
	int rc = tui->paint(tui->ctx, &tui->canvas);

	if (rc < 0)
		return pipa_fail(err, rc, "paint the screen");
	rc = pipa_term_show(tui->term, &tui->canvas);
	/* a closed terminal is detected by on_key(), see count_empty_reads() */
	return rc == -PIPA_EGIVEN_UP ? pipa_fail(err, rc, "write to the terminal") : 0;
}

static int fit_canvas(struct pipa_tui *tui, struct pipa_error *err)
{
	int rc = pipa_term_fit(tui->term, &tui->canvas);

	return rc < 0 ? pipa_fail(err, rc, "paint the screen") : pipa_tui_paint(tui, err);
}

void pipa_tui_quit(struct pipa_tui *tui)
{
	pipa_loop_stop(tui->loop);
}

/* ---- keys -------------------------------------------------------------------------------------- */

/* Detect a closed terminal, which is always readable and returns no key. */
static void count_empty_reads(struct pipa_tui *tui)
{
	if (++tui->silent < 16)
		return;
	tui->status = 128 + SIGHUP;
	pipa_loop_stop(tui->loop);
}

static int on_key(void *ctx, struct pipa_error *err)
{
	struct pipa_tui *tui = ctx;
	int key = pipa_term_key(tui->term), rc = 0;

	if (key == PIPA_TYPED_NONE) {
		count_empty_reads(tui);
		return 0;
	}
	tui->silent = 0;
	for (; !rc && key != PIPA_TYPED_NONE; key = pipa_term_key(tui->term)) {
		pipa_term_mouse(tui->term, &tui->mouse_x, &tui->mouse_y);
		rc = tui->key(tui->ctx, key, err);
	}
	return rc ? rc : pipa_tui_paint(tui, err);
}

/* ---- signals ----------------------------------------------------------------------------------- */

/*
 * Stop as with the default action of the signal. If no shell could continue the process, the kernel
 * ignores the stop.
 */
static void stop_self(struct pipa_tui *tui)
{
	struct sigaction plain = { .sa_handler = SIG_DFL }, ours;
	sigset_t set;

	pipa_term_leave(tui->term);
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigaction(SIGTSTP, &plain, &ours);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigaction(SIGTSTP, &ours, NULL);
}

static int on_signal(void *ctx, const struct signalfd_siginfo *info, struct pipa_error *err)
{
	struct pipa_tui *tui = ctx;
	int sig = (int)info->ssi_signo;

	switch (sig) {
	case SIGTSTP: stop_self(tui);		  /* fall through */
	case SIGCONT: pipa_term_enter(tui->term); /* fall through */
	case SIGWINCH: return fit_canvas(tui, err);
	case SIGINT: break;
	default: tui->status = 128 + sig;
	}
	pipa_loop_stop(tui->loop);
	return 0;
}

static int watch_signals(struct pipa_tui *tui, struct pipa_error *err)
{
	static const int signals[] = {
		SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH
	};
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < PIPA_COUNT(signals); i++) {
		struct sigaction action;

		if (sigaction(signals[i], NULL, &action) < 0 || action.sa_handler != SIG_IGN)
			sigaddset(&set, signals[i]);
	}
	return pipa_loop_signals(tui->loop, &set, on_signal, tui, err);
}

/* ---- start and end ----------------------------------------------------------------------------- */

int pipa_tui_open(struct pipa_tui *tui, struct pipa_error *err)
{
	int rc = pipa_loop_new(&tui->loop, err);

	if (!rc) /* blocked from here on, so that none can end the process while the terminal is open */
		rc = watch_signals(tui, err);
	if (!rc)
		rc = pipa_term_open(&tui->term, err);
	if (!rc && tui->mouse)
		pipa_term_enable_mouse(tui->term);
	if (!rc)
		rc = pipa_loop_watch(tui->loop, STDIN_FILENO, on_key, tui, err);
	return rc;
}

int pipa_tui_run(struct pipa_tui *tui, struct pipa_error *err)
{
	int rc = fit_canvas(tui, err);

	if (!rc)
		rc = pipa_loop_run(tui->loop, err);
	return rc ? rc : tui->status;
}

void pipa_tui_close(struct pipa_tui *tui)
{
	pipa_term_close(tui->term);
	pipa_loop_free(tui->loop);
	pipa_canvas_done(&tui->canvas);
	tui->term = NULL;
	tui->loop = NULL;
}
