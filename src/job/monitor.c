#include "job/monitor.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/cpus.h"
#include "base/error.h"
#include "base/loop.h"
#include "base/outfile.h"
#include "base/str.h"
#include "collect/meters.h"
#include "kernel/root.h"

struct job {
	struct pipa_series_sink filter; /* first, so that it can be cast back */
	const struct pipa_monitor_options *o;
	struct pipa_error *err;
	struct pipa_root *own_root;
	struct pipa_meters *meters;
	struct pipa_series_writer *writer;
	struct pipa_loop *loop;
	struct pipa_outfile *out;
	struct pipa_buf text;
	struct pipa_cpus cpus;
	uint64_t start_ns, last_ns;
	uint64_t ticks, late;
};

const struct pipa_section *const *pipa_monitor_sections(size_t *ret_n)
{
	return pipa_meter_sections(ret_n);
}

static void job_done(struct job *job)
{
	pipa_loop_free(job->loop);
	pipa_series_writer_free(job->writer);
	pipa_meters_close(job->meters);
	pipa_outfile_free(job->out);
	pipa_buf_done(&job->text);
	pipa_cpus_done(&job->cpus);
	pipa_root_close(job->own_root);
}

/* ---- which rows -------------------------------------------------------------------------------- */

/* Is the name in the list "sda,nvme*"? */
static bool is_listed(const char *list, const char *name)
{
	char glob[PATH_MAX];

	for (; *list; list += *list == ',') {
		size_t len = strcspn(list, ",");

		if (len < sizeof(glob)) {
			memcpy(glob, list, len);
			glob[len] = '\0';
			if (fnmatch(glob, name, 0) == 0)
				return true;
		}
		list += len;
	}
	return false;
}

static bool is_wanted_cpu(const struct job *job, const char *name)
{
	uint64_t cpu;

	if (!job->o->cpus)
		return strcmp(name, "all") == 0;
	if (strcmp(job->o->cpus, "ALL") == 0)
		return true;
	return pipa_str_u64(name, &cpu) == 0 && cpu < PIPA_CPU_MAX &&
	       pipa_cpus_has(&job->cpus, (int)cpu);
}

static bool is_wanted(const struct job *job, const struct pipa_section *section,
		      const char *instance)
{
	if (!section->label)
		return true;
	if (strcmp(section->label, "CPU") == 0)
		return is_wanted_cpu(job, instance);
	if (strcmp(section->label, "DEV") == 0)
		return !job->o->disks || is_listed(job->o->disks, instance);
	if (strcmp(section->label, "IFACE") == 0)
		return !job->o->ifaces || is_listed(job->o->ifaces, instance);
	return true;
}

static int filter_row(struct pipa_series_sink *self, const struct pipa_section *section,
		      const struct pipa_tick *tick, const char *instance, const double *values)
{
	struct job *job = (struct job *)(void *)self;
	struct pipa_series_sink *next = pipa_series_writer_sink(job->writer);

	return is_wanted(job, section, instance) ?
		       next->row(next, section, tick, instance, values) :
		       0;
}

static int filter_end(struct pipa_series_sink *self, const struct pipa_tick *tick)
{
	struct job *job = (struct job *)(void *)self;
	struct pipa_series_sink *next = pipa_series_writer_sink(job->writer);

	return next->end ? next->end(next, tick) : 0;
}

/* ---- ticks -------------------------------------------------------------------------------------- */

static int flush(struct job *job)
{
	int rc = job->text.status;

	if (rc < 0)
		return pipa_fail(job->err, rc, "write the statistics");
	if (job->text.len)
		rc = pipa_outfile_put(job->out, job->text.data, job->text.len, job->err);
	pipa_buf_reset(&job->text);
	return rc;
}

static int on_tick(void *ctx, uint64_t expirations)
{
	struct job *job = ctx;
	uint64_t now = pipa_clock_ns();
	struct pipa_tick tick = { .wall_ns = pipa_clock_wall_ns(),
				  .interval_s = (double)(now - job->last_ns) / 1e9,
				  .late = expirations - 1 };
	int rc = pipa_meters_read(job->meters, job->err);

	if (!rc)
		rc = pipa_meters_emit(job->meters, &tick, &job->filter);
	if (!rc)
		rc = flush(job);
	job->last_ns = now;
	job->late += expirations - 1;
	if (!rc && ++job->ticks == job->o->count)
		pipa_loop_stop(job->loop);
	return rc;
}

static int on_signal(void *ctx, const struct signalfd_siginfo *info PIPA_UNUSED)
{
	struct job *job = ctx;

	pipa_loop_stop(job->loop);
	return 0;
}

static int watch_signals(struct job *job)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	return pipa_loop_signals(job->loop, &set, on_signal, job, job->err);
}

static int set_up(struct job *job)
{
	const struct pipa_monitor_options *o = job->o;
	struct pipa_root *root = o->root;
	int rc = 0;

	if (o->cpus && strcmp(o->cpus, "ALL") != 0)
		rc = pipa_cpus_parse(o->cpus, &job->cpus, job->err);
	if (!rc && !root) {
		rc = pipa_root_open(NULL, &job->own_root, job->err);
		root = job->own_root;
	}
	if (!rc)
		rc = pipa_meters_open(root, o->sections, o->n_sections, &job->meters, job->err);
	if (!rc)
		rc = pipa_outfile_wrap(o->out_fd, "standard output", &job->out, job->err);
	if (!rc)
		rc = pipa_loop_new(&job->loop, job->err);
	if (!rc)
		rc = watch_signals(job);
	if (!rc && !(job->writer = pipa_series_writer_new(&o->look, &job->text)))
		rc = pipa_fail(job->err, -ENOMEM, "watch the machine");
	return rc;
}

/* Said once, at the start; where it goes is the caller's business. */
static void name_missing(struct job *job)
{
	const char *path;
	size_t i;

	for (i = 0; job->o->missing && (path = pipa_meters_missing(job->meters, i)); i++)
		job->o->missing(path);
}

static int average(struct job *job)
{
	struct pipa_tick whole = { .wall_ns = pipa_clock_wall_ns(),
				   .interval_s = (double)(job->last_ns - job->start_ns) / 1e9,
				   .late = job->late };
	int rc;

	if (!job->ticks)
		return 0;
	pipa_series_writer_average(job->writer);
	rc = pipa_meters_emit_average(job->meters, &whole, &job->filter);
	if (job->late && job->o->look.form == PIPA_SERIES_TEXT)
		pipa_buf_printf(&job->text,
				"\n# %llu ticks came too late and are part of the next\n",
				(unsigned long long)job->late);
	return rc ? rc : flush(job);
}

int pipa_monitor_run(const struct pipa_monitor_options *options, struct pipa_error *err)
{
	struct job job = { .filter = { filter_row, filter_end }, .o = options, .err = err };
	int rc = set_up(&job);

	if (!rc)
		rc = pipa_meters_read(job.meters, err);
	if (!rc)
		name_missing(&job);
	if (!rc) {
		job.start_ns = job.last_ns = pipa_clock_ns();
		rc = pipa_loop_timer(job.loop, job.start_ns + options->interval_ns,
				     options->interval_ns, on_tick, &job, err);
	}
	if (!rc)
		rc = pipa_loop_run(job.loop, err);
	if (!rc)
		rc = average(&job);
	job_done(&job);
	return rc;
}
