/* Run `pipa record`: one recording from start to end. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "job/record_summary.h"
#include "kernel/event/host.h"
#include "measure/follow.h"
#include "measure/instrument.h"
#include "measure/sample/record_file.h"
#include "measure/sample/record_job.h"
#include "measure/session.h"

/*
 * Report a closed pipe of the output: a failure of the command keeps its status, otherwise the
 * status is as if killed by SIGPIPE.
 */
static int check_output_pipe(const struct pipa_record_job *job, struct pipa_record_outcome *outcome,
			     struct pipa_error *err)
{
	bool gone = job->file && pipa_record_file_ended(job->file) == PIPA_RECORD_GONE;

	if (job->file && pipa_record_file_ended(job->file) == PIPA_RECORD_LIMIT)
		pipa_log_note(&job->o->log, "%s has reached its limit (--max-size)",
			      job->o->output);
	if (job->print_status < 0 && job->print_status != -EPIPE)
		return pipa_fail(err, job->print_status, "write standard output");
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

int pipa_record_run(const struct pipa_host *host, const struct pipa_record_options *options,
		    struct pipa_record_outcome *ret, struct pipa_error *err)
{
	struct pipa_follow follow = {
		.command = options->target.command,
		.command_signals = options->command_signals,
		.limited = options->duration_ns > 0,
		.host = host,
		.child = { .go = -1, .failed = -1 },
	};
	struct pipa_record_job job = { .o = options, .host = host, .follow = &follow };
	struct pipa_instrument instrument = { .ops = &pipa_record_instrument, .ctx = &job };
	struct pipa_instrument *const instruments[] = { &instrument };
	struct pipa_session session = {
		.follow = &follow,
		.instruments = instruments,
		.n = 1,
		.held = options->held,
	};
	int rc = pipa_session_open(&session, err);

	if (!rc)
		rc = pipa_session_begin(&session, err);
	if (!rc && job.file) /* earlier files are unchanged if the command cannot be started */
		rc = pipa_record_file_keep(job.file, err);
	if (!rc) {
		rc = pipa_session_wait(&session, err);
		pipa_record_summarize(&job);
	}
	*ret = job.outcome;
	ret->exec_failed = session.exec_failed;
	ret->status = follow.status;
	if (!rc)
		rc = check_output_pipe(&job, ret, err);
	pipa_session_close(&session);
	return rc;
}
