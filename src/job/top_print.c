#include "job/top_print.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/loop.h"
#include "base/visible.h"
#include "export/table/report.h"
#include "kernel/event/host.h"

struct printing {
	const struct pipa_host *host;
	const struct pipa_live_print_options *o;
	struct pipa_loop *loop;
	struct pipa_live *live;
	uint64_t printed;
	int status;
};

static int print_table(struct printing *p, const struct pipa_profile *profile,
		       struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { .max = 1 << 30 };
	PIPA_AUTO(pipa_top_done) struct pipa_top top = { 0 };
	static const struct pipa_recording nothing;
	struct pipa_report report = { .profile = profile,
				      .recording = &nothing,
				      .top = &top,
				      .percent_limit = p->o->percent_limit };
	int rc = pipa_top_make(profile, &p->o->top, &top);

	if (rc < 0)
		return pipa_fail(err, rc, "make the table");
	pipa_report_fields_default(&report.fields, &top.o, false);
	pipa_buf_puts(&out, p->printed ? "\n# " : "# ");
	pipa_visible_put(&out, pipa_live_about(p->live));
	pipa_buf_putc(&out, '\n');
	pipa_report_write(&report, PIPA_REPORT_TEXT, &out);
	rc = out.status ? out.status : pipa_file_write(p->o->out_fd, out.data, out.len);
	return rc < 0 ? pipa_fail(err, rc, "write standard output") : 0;
}

static int on_full(void *ctx, struct pipa_error *err)
{
	struct printing *p = ctx;
	int rc = pipa_live_refresh(p->live, false, err);

	return rc < 0 ? rc : 0;
}

static int refresh_and_print(struct printing *p, struct pipa_error *err)
{
	int rc = pipa_live_refresh(p->live, false, err);

	if (rc >= 0)
		rc = print_table(p, pipa_live_profile(p->live, p->o->span), err);
	if (!rc && ++p->printed == p->o->count)
		pipa_loop_stop(p->loop);
	if (rc == -EPIPE) { /* the reader closed the pipe */
		p->status = 128 + SIGPIPE;
		pipa_loop_stop(p->loop);
		rc = 0;
	}
	return rc;
}

static int on_tick(void *ctx, uint64_t expirations PIPA_UNUSED, struct pipa_error *err)
{
	return refresh_and_print(ctx, err);
}

/* Print a last table with the samples since the previous one. */
static int on_ended(void *ctx, struct pipa_error *err)
{
	struct printing *p = ctx;

	pipa_loop_stop(p->loop);
	return refresh_and_print(p, err);
}

static int on_signal(void *ctx, const struct signalfd_siginfo *info,
		     struct pipa_error *err PIPA_UNUSED)
{
	struct printing *p = ctx;

	if (info->ssi_signo != SIGINT)
		p->status = 128 + (int)info->ssi_signo;
	pipa_loop_stop(p->loop);
	return 0;
}

static int run_tables(struct printing *p, struct pipa_error *err)
{
	struct pipa_live_options live = p->o->live;
	sigset_t set;
	int rc = pipa_loop_new(&p->loop, err);

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	live.full = on_full;
	live.ended = on_ended;
	live.ctx = p;
	if (!rc && p->host->owns_process)
		rc = pipa_loop_signals(p->loop, &set, on_signal, p, err);
	if (!rc)
		rc = pipa_live_open(p->host, p->loop, &live, &p->live, err);
	if (!rc)
		rc = pipa_loop_timer(p->loop, pipa_clock_ns() + p->o->interval_ns,
				     p->o->interval_ns, on_tick, p, err);
	return rc ? rc : pipa_loop_run(p->loop, err);
}

int pipa_live_print_run(const struct pipa_host *host, const struct pipa_live_print_options *options,
			struct pipa_error *err)
{
	struct printing p = { .host = host, .o = options };
	int rc = run_tables(&p, err);

	pipa_live_close(p.live);
	pipa_loop_free(p.loop);
	return rc ? rc : p.status;
}
