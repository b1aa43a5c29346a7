#include "job/collect/collect.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file/file.h"
#include "base/file/outfile.h"
#include "base/visible.h"
#include "codec/doc.h"
#include "collect/spec/spec.h"
#include "export/table/facts.h"
#include "job/collect/collect_own.h"
#include "kernel/event/host.h"
#include "kernel/event/perf_event.h"
#include "model/facts.h"
#include "store/archive_write.h"

enum { GZIP_LEVEL = 6 };

char *pipa_collect_path(const char *dir, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

/* ---- the log ------------------------------------------------------------------------------------ */

void pipa_collect_log(struct pipa_collect_job *c, enum pipa_log_level level, const char *fmt, ...)
{
	static const char *const levels[] = { "INFO", "WARN", "ERROR" };
	char raw[1024], text[1024], line[1200], when[40];
	time_t now = time(NULL);
	struct tm tm;
	va_list args;
	int n;

	va_start(args, fmt);
	vsnprintf(raw, sizeof(raw), fmt, args);
	va_end(args);
	pipa_visible_copy(text, sizeof(text), raw);
	gmtime_r(&now, &tm);
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S+0000", &tm);
	n = snprintf(line, sizeof(line), "[%s][%s] %s\n", when, levels[level], text);
	if (c->log) /* a failure to write the log is ignored */
		pipa_outfile_put(c->log, line, (size_t)n, NULL);
	pipa_log_put(&c->o->log, level, "%s", text);
}

/* ---- what it says of itself --------------------------------------------------------------------- */

static int name_archive(struct pipa_collect_job *c)
{
	char stamp[32];
	time_t now = (time_t)c->self.epoch_s;
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d_%H%M%S", &tm);
	if (c->o->output)
		c->archive = strdup(c->o->output);
	else if (asprintf(&c->archive, "%s/pipa-collection-%s.tar.gz",
			  c->o->output_dir ? c->o->output_dir : ".", stamp) < 0)
		c->archive = NULL;
	return c->archive ? 0 : pipa_fail(c->err, -ENOMEM, "collect");
}

static int write_file(const struct pipa_collect_job *c, const char *name, const char *text)
{
	PIPA_AUTO(free) char *path = pipa_collect_path(c->session, name);
	PIPA_AUTO(pipa_outfile_free) struct pipa_outfile *out = NULL;
	int rc = path ? pipa_outfile_open(path, PIPA_OUTFILE_STREAM, &out, c->err) :
			pipa_fail(c->err, -ENOMEM, "write %s", name);

	return rc ? rc : pipa_outfile_put(out, text, strlen(text), c->err);
}

static int write_about(const struct pipa_collect_job *c, bool failed)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	const char *complete = c->interrupted ? "no, interrupted" : "yes";
	int rc;

	pipa_buf_printf(&text, "%s\n", c->self.id);
	rc = write_file(c, "collection_id.txt", pipa_buf_str(&text));
	pipa_buf_reset(&text);
	pipa_collection_info(&c->self, "pipa", c->o->version, c->archive, &text);
	pipa_buf_printf(&text, "complete: %s\n",
			failed ? "no, failed: see pipa-tree.log" : complete);
	return rc ? rc : write_file(c, "pipa-collection-info.txt", pipa_buf_str(&text));
}

/* ---- the machine -------------------------------------------------------------------------------- */

static int write_spec_to(const struct pipa_collect_job *c, const char *path,
			 const struct pipa_buf *text)
{
	PIPA_AUTO(pipa_outfile_free) struct pipa_outfile *out = NULL;
	int rc = pipa_outfile_open(path, PIPA_OUTFILE_REPLACE, &out, c->err);

	if (!rc)
		rc = pipa_outfile_put(out, pipa_buf_str(text), text->len, c->err);
	return rc ? rc : pipa_outfile_commit(out, c->err);
}

/* Include the previous description of the machine, so that changes can be seen. */
static int keep_original(const struct pipa_collect_job *c, const char *kept)
{
	PIPA_AUTO(free) char *dir = pipa_collect_path(c->work, "spec_original");
	PIPA_AUTO(free) char *path = dir ? pipa_collect_path(dir, "spec_info.yaml") : NULL;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	int rc;

	if (!path)
		return pipa_fail(c->err, -ENOMEM, "keep %s", kept);
	if (c->o->fresh_spec || pipa_file_read(kept, &text, NULL) < 0)
		return 0;
	rc = pipa_collect_make_dir(dir, c->err);
	return rc ? rc : write_spec_to(c, path, &text);
}

/*
 * Write the description of the machine. It is read each time, because a stored one could be
 * outdated.
 */
static int write_spec(const struct pipa_collect_job *c)
{
	PIPA_AUTO(pipa_facts_done) struct pipa_facts facts = { 0 };
	PIPA_AUTO(free) char *kept = pipa_collect_path(c->o->data_dir, "spec_info.yaml");
	PIPA_AUTO(free) char *path = pipa_collect_path(c->work, "spec_info.yaml");
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	int rc = kept && path ? keep_original(c, kept) : pipa_fail(c->err, -ENOMEM, "describe");

	if (!rc)
		rc = pipa_spec_collect(c->host->root, &pipa_spec_host, &facts, c->err);
	if (rc)
		return rc;
	pipa_facts_export(&facts, PIPA_DOC_YAML, &text);
	if (text.status)
		return pipa_fail(c->err, text.status, "describe the machine");
	rc = write_spec_to(c, path, &text);
	return rc ? rc : write_spec_to(c, kept, &text);
}

/* ---- the archive -------------------------------------------------------------------------------- */

static int write_archive(struct pipa_collect_job *c)
{
	PIPA_AUTO(pipa_outfile_free) struct pipa_outfile *out = NULL;
	PIPA_AUTO(pipa_archive_writer_free) struct pipa_archive_writer *writer = NULL;
	int rc = pipa_outfile_open(c->archive, PIPA_OUTFILE_REPLACE, &out, c->err);
	if (!rc)
		rc = pipa_archive_writer_new(out, PIPA_ARCHIVE_GZIP, GZIP_LEVEL, &writer, c->err);
	if (!rc)
		rc = pipa_archive_put_directory(writer, c->work, c->err);
	if (!rc)
		rc = pipa_archive_end(writer, c->err);
	return rc ? rc : pipa_outfile_commit(out, c->err);
}

/* Remove the samples, the largest part, so that the rest fits on the disk. */
static bool drop_samples(const struct pipa_collect_job *c)
{
	PIPA_AUTO(free) char *path = pipa_collect_path(c->session, "perf.data");

	return path && unlink(path) == 0;
}

/* ---- all of it ---------------------------------------------------------------------------------- */

/* Make the directory of the archive before the measurement starts. */
static int make_target_dir(const struct pipa_collect_job *c)
{
	PIPA_AUTO(free) char *dir = strdup(c->archive);
	char *slash = dir ? strrchr(dir, '/') : NULL;

	if (!slash || slash == dir)
		return 0;
	*slash = '\0';
	return pipa_collect_make_dir(dir, c->err);
}

/* Check before the measurement that the archive can be written. */
static int check_target(const struct pipa_collect_job *c)
{
	PIPA_AUTO(pipa_outfile_free) struct pipa_outfile *out = NULL;
	struct stat st;
	int rc = 0;

	if (lstat(c->archive, &st) <
	    0) /* opened as a test: freed without a commit, it leaves no file */
		return pipa_outfile_open(c->archive, PIPA_OUTFILE_REPLACE, &out, c->err);
	if (stat(c->archive, &st) == 0 && S_ISDIR(st.st_mode))
		rc = -EISDIR;
	else if (faccessat(AT_FDCWD, c->archive, W_OK, AT_EACCESS) < 0 && errno != ENOENT)
		rc = -errno;
	return rc ? pipa_fail(c->err, rc, "write %s", c->archive) : 0;
}

static int move_archive(struct pipa_collect_job *c)
{
	int rc;

	gethostname(c->hostname, sizeof(c->hostname) - 1);
	pipa_collection_init(&c->self, c->host->root, pipa_clock_wall_ns());
	rc = name_archive(c);
	if (!rc)
		rc = make_target_dir(c);
	if (!rc)
		rc = check_target(c);
	return rc ? rc : pipa_collect_make_work(c);
}

/* Store the failure of a background collection for the next one to report. */
static void store_failure(struct pipa_collect_job *c)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };

	if (!pipa_collect_failure(c->o->run_dir, &text))
		return;
	pipa_collect_log(c, PIPA_LOG_WARN, "an earlier collection in the background failed: %s",
			 pipa_buf_str(&text));
	pipa_collect_failure_forget(c->o->run_dir);
}

static int prepare(struct pipa_collect_job *c)
{
	size_t i;
	int rc = 0;

	if (c->o->events && !c->o->no_stat)
		rc = pipa_collect_check_events(c, c->o->events);
	if (!rc && c->o->record_events && !c->o->no_record)
		rc = pipa_collect_check_events(c, c->o->record_events);
	if (!rc)
		rc = pipa_collect_lock_take(c->o->run_dir, &c->lock, c->err);
	if (!rc)
		rc = move_archive(c);
	if (rc < 0)
		return rc;
	pipa_collect_log(c, PIPA_LOG_INFO, "collection %s on %s", c->self.id, c->hostname);
	store_failure(c);
	for (i = 0; i < c->o->n_remarks; i++)
		pipa_collect_log(c, PIPA_LOG_WARN, "%s", c->o->remarks[i]);
	pipa_collect_note_permissions(c);
	if (!c->o->no_spec)
		rc = write_spec(c);
	if (!rc && !c->o->no_stat)
		rc = pipa_collect_choose_events(c);
	if (rc)
		return rc;
	if (c->o->begun)
		c->o->begun(c->o->ctx);
	c->begun = true;
	return 0;
}

/* Is a signal pending? An ignored one (nohup) is pending as well while it is blocked. */
static bool has_signal(const struct pipa_collect_job *c)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action;
	sigset_t set;
	size_t i;

	if (!c->host->owns_process)
		return false;
	sigpending(&set);
	for (i = 0; i < PIPA_COUNT(signals); i++)
		if (sigismember(&set, signals[i]) == 1 &&
		    sigaction(signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			return true;
	return false;
}

static int run_phase(struct pipa_collect_job *c, const char *what, bool count, bool sample)
{
	int rc;

	pipa_log_progress(&c->o->log, what, 0, 0);
	rc = pipa_collect_phase(c, count, sample);
	pipa_log_progress_end(&c->o->log);
	return rc;
}

static int run_phases(struct pipa_collect_job *c)
{
	const struct pipa_collect_options *o = c->o;
	bool count = !o->no_stat, sample = !o->no_record;
	int rc = 0;

	c->interrupted = has_signal(c);
	if (c->interrupted)
		return 0;
	if (o->until_stopped) {
		pipa_collect_log(c, PIPA_LOG_INFO, "collecting until SIGINT or SIGTERM");
		rc = run_phase(c, "collecting", count, sample);
		c->interrupted = false; /* the signal is the regular end */
		return rc;
	}
	if (count && sample && o->together) {
		pipa_collect_log(c, PIPA_LOG_INFO, "counting and sampling");
		return run_phase(c, "counting and sampling", true, true);
	}
	if (count) {
		pipa_collect_log(c, PIPA_LOG_INFO, "counting for %g s", (double)o->stat_ns / 1e9);
		rc = run_phase(c, "counting", true, false);
	}
	c->interrupted |= has_signal(c);
	if (!rc && sample && !c->interrupted) {
		pipa_collect_log(c, PIPA_LOG_INFO, "sampling for %g s", (double)o->record_ns / 1e9);
		rc = run_phase(c, "sampling", false, true);
	}
	return rc;
}

/* Write the archive with what was collected, even if a part failed. */
static int finish_archive(struct pipa_collect_job *c, int failed)
{
	struct pipa_error why = failed && c->err ? *c->err : (struct pipa_error){ 0 };
	int rc;

	pipa_collect_release_reserve(c);
	if (failed)
		pipa_collect_log(c, PIPA_LOG_ERROR, "%s", why.what);
	if (c->interrupted)
		pipa_collect_log(c, PIPA_LOG_WARN,
				 "interrupted: the archive holds the data collected so far");
	rc = write_about(c, failed);
	if (!rc) {
		pipa_collect_log(c, PIPA_LOG_INFO, "writing archive %s", c->archive);
		pipa_log_progress(&c->o->log, "writing the archive", 0, 0);
		rc = write_archive(c);
		pipa_log_progress_end(&c->o->log);
	}
	if (rc == -ENOSPC && drop_samples(c)) {
		if (!failed && c->err)
			why = *c->err;
		failed = failed ? failed : rc;
		pipa_collect_log(c, PIPA_LOG_WARN, "no space to archive perf.data: skipped");
		rc = write_about(c, true);
		rc = rc ? rc : write_archive(c);
	}
	if (!failed)
		return rc;
	if (!rc)
		pipa_collect_log(c, PIPA_LOG_WARN, "the data collected so far is in %s",
				 c->archive);
	why.hint[0] = '\0'; /* the hint can name a file in the directory that is removed */
	if (c->err)
		*c->err = why;
	return failed;
}

/*
 * Free the collection. `why` is stored if the failure cannot be printed; NULL: no failure, or it
 * was printed.
 */
static void collection_done(struct pipa_collect_job *c, const char *why)
{
	pipa_collect_remove_work(c);
	if (why)
		pipa_collect_failure_keep(c->o->run_dir, why);
	pipa_collect_lock_drop(&c->lock);
	free(c->archive);
	pipa_buf_done(&c->event_text);
}

int pipa_collect_run(const struct pipa_host *host, const struct pipa_collect_options *options,
		     struct pipa_collect_outcome *ret, struct pipa_error *err)
{
	struct pipa_collect_job c = {
		.o = options,
		.err = err,
		.host = host,
		.lock = { .fd = -1 },
		.reserve_fd = -1,
	};
	int rc;

	rc = prepare(&c);
	if (!rc)
		rc = finish_archive(&c, run_phases(&c));
	ret->interrupted = c.interrupted;
	if (!rc)
		ret->archive = PIPA_TAKE(c.archive);
	collection_done(&c, rc < 0 && c.begun && options->is_detached && err ? err->what : NULL);
	return rc;
}
