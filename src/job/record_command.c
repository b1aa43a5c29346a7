/* Run `pipa record`: one recording from start to end. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "base/error.h"
#include "base/log.h"
#include "base/loop.h"
#include "job/record_summary.h"
#include "kernel/event/host.h"
#include "measure/follow.h"
#include "measure/sample/record_file.h"
#include "measure/sample/record_job.h"

/*
 * Report a reader of the output that has gone before the end: a command's own failure stays the status,
 * everything else ends as if by SIGPIPE.
 */
static int check_listeners(const struct pipa_record_job *job, struct pipa_record_outcome *outcome)
{
	bool gone = job->file && pipa_record_file_ended(job->file) == PIPA_RECORD_GONE;

	if (job->file && pipa_record_file_ended(job->file) == PIPA_RECORD_LIMIT)
		pipa_log_note(&job->o->log, "%s has reached its limit (--max-size)",
			      job->o->output);
	if (job->print_status < 0 && job->print_status != -EPIPE)
		return pipa_fail(job->err, job->print_status, "write standard output");
	if (!gone && job->print_status != -EPIPE)
		return 0;
	pipa_log_note(&job->o->log, "the reader of %s closed it: later samples were not written",
		      job->print_status == -EPIPE || strcmp(job->o->output, "-") == 0 ?
			      "standard output" :
			      job->o->output);
	if (!outcome->status)
		outcome->status = 128 + SIGPIPE;
	return 0;
}

/*
 * Read the rings before others compute: on a busy machine the reader waits its turn for longer than a
 * ring takes to fill. Where that is not permitted, rings have to do; a command that is held already
 * keeps the priority it was started with.
 */
static void raise_priority(void)
{
	enum { READER_NICE = -10 };
	int now;

	errno = 0;
	now = getpriority(PRIO_PROCESS, 0);
	if (!errno && now > READER_NICE)
		setpriority(PRIO_PROCESS, 0, READER_NICE);
}

/* Plan, hold the command, open everything, let it go. */
static int start(struct pipa_record_job *job, struct pipa_record_outcome *outcome)
{
	int rc = pipa_record_plan_make(job->o, job->perf, job->root, &job->plan, job->err);

	if (!rc)
		rc = pipa_follow_begin(job->follow);
	if (!rc)
		raise_priority();
	if (!rc)
		rc = pipa_record_open(job);
	if (!rc)
		rc = pipa_record_begin(job);
	if (!rc && job->o->target.command)
		rc = pipa_follow_release(job->follow, &outcome->exec_failed);
	if (!rc &&
	    job->file) /* a command that cannot be started leaves earlier files as they were */
		rc = pipa_record_file_keep(job->file, job->err);
	return rc;
}

int pipa_record_run(const struct pipa_host *host, const struct pipa_record_options *options,
		    struct pipa_record_outcome *ret, struct pipa_error *err)
{
	struct pipa_follow follow = {
		.command = options->target.command,
		.command_mask = options->command_mask,
		.limited = options->duration_ns > 0,
		.root = host->root,
		.err = err,
		.child = { .go = -1, .failed = -1 },
	};
	struct pipa_record_job job = {
		.o = options,
		.err = err,
		.perf = host->perf,
		.root = host->root,
		.follow = &follow,
	};
	int rc;

	follow.targets = &job.plan.targets;
	rc = start(&job, ret);
	if (!rc) { /* whatever goes wrong from here on, what was recorded is kept */
		int failed = pipa_loop_run(follow.loop, err);

		pipa_follow_finish(&follow);
		rc = pipa_record_finish(&job, ret);
		pipa_record_summarize(&job);
		rc = failed ? failed : rc;
	}
	ret->status = follow.status;
	if (!rc)
		rc = check_listeners(&job, ret);
	pipa_follow_end(&follow);
	pipa_record_done(&job);
	return rc;
}
