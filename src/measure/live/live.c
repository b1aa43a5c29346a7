#include "measure/live/live.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/str.h"
#include "kernel/event/host.h"
#include "kernel/process/task.h"
#include "measure/follow.h"
#include "measure/instrument.h"
#include "measure/live/live_command.h"
#include "measure/live/live_own.h"
#include "measure/sample/record_job.h"
#include "measure/sample/rings.h"
#include "measure/session.h"

enum {
	KEPT_MOST = 32 << 20, /* bytes of records between refreshes */
	DRAIN_MS = 50,	    /* short, so that files of short-lived processes can still be opened */
	SUM_MOST = 3000000, /* entries: 60 to 70 bytes each */
};

struct pipa_live {
	struct pipa_live_options o;
	struct pipa_loop *loop;	      /* borrowed */
	const struct pipa_host *host; /* borrowed */
	struct pipa_record_job job;
	struct pipa_live_profile sum;
	struct pipa_buf kept; /* records since the last refresh */
	struct pipa_rings rings;
	char *own_pids;
	char about[96];
	uint64_t looked_ns;
	struct pipa_follow follow; /* of a command, on the caller's loop */
	struct pipa_session session;
	struct pipa_instrument instrument, *instruments[1];
	int dev_null; /* streams of the command, because the caller uses the terminal */
	bool timed;
	bool over; /* the end of the command was reported */
};

/* ---- from the rings -------------------------------------------------------------------------------- */

static int on_record(void *ctx, const struct pipa_perf_raw *recorded)
{
	struct pipa_live *live = ctx;
	struct pipa_perf_raw raw = pipa_record_maps_put(live->job.maps, recorded);

	pipa_buf_add(&live->kept, raw.body - 8, raw.len + 8);
	return live->kept.status;
}

static int on_piece(void *ctx, int cpu, const uint8_t *bytes, size_t len)
{
	return pipa_perf_splitter_add(((struct pipa_live *)ctx)->job.tally, cpu, bytes, len);
}

static int drain(struct pipa_live *live, struct pipa_error *err)
{
	int rc = pipa_sampler_drain(live->job.sampler, on_piece, live);

	return rc < 0 ? pipa_fail(err, rc, "read the rings") : 0;
}

static int drain_or_refresh(void *ctx, struct pipa_error *err)
{
	struct pipa_live *live = ctx;
	int rc = drain(live, err);

	return rc || live->kept.len < KEPT_MOST || !live->o.full ? rc :
								   live->o.full(live->o.ctx, err);
}

/* Report the end of the command, once. */
static int check_end(struct pipa_live *live, struct pipa_error *err)
{
	if (live->over || live->follow.child.pid <= 0 || !pipa_child_ended(&live->follow.child))
		return 0;
	live->over = true;
	if (live->o.status)
		*live->o.status = pipa_live_command_status(&live->follow.child);
	return live->o.ended ? live->o.ended(live->o.ctx, err) : 0;
}

static int on_drain(void *ctx, uint64_t expirations PIPA_UNUSED, struct pipa_error *err)
{
	int rc = drain_or_refresh(ctx, err);

	return rc ? rc : check_end(ctx, err);
}

static int watch_rings(struct pipa_live *live, struct pipa_error *err)
{
	int rc = pipa_rings_watch(&live->rings, live->loop, live->job.sampler, drain_or_refresh,
				  live, err);

	if (!rc)
		rc = pipa_loop_timer(live->loop, pipa_clock_ns() + DRAIN_MS * PIPA_NS_PER_MS,
				     DRAIN_MS * PIPA_NS_PER_MS, on_drain, live, err);
	live->timed = !rc;
	return rc;
}

/* ---- start and end --------------------------------------------------------------------------------- */

static int on_synthesized(void *ctx, const void *bytes, size_t len)
{
	return pipa_live_profile_put(&((struct pipa_live *)ctx)->sum, bytes, len, false);
}

/* Is the process a zombie? A zombie leader with more than one thread still runs. */
static bool has_ended(struct pipa_root *root, int proc, pid_t pid)
{
	enum { ONE_THREAD = 3 }; /* links of a task directory: two, and one per thread */
	char name[32];
	struct stat st;

	snprintf(name, sizeof(name), "%d/task", (int)pid);
	return pipa_task_is_zombie(root, pid) &&
	       (fstatat(proc, name, &st, 0) < 0 || st.st_nlink <= ONE_THREAD);
}

/* List the processes of a user as PIDs; NULL on allocation failure. */
static char *list_processes_of(struct pipa_root *root, uid_t uid)
{
	struct pipa_buf list = { .max = 1 << 20 };
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	struct stat st;
	uint64_t pid;

	while (dir && (entry = readdir(dir)))
		if (pipa_str_u64(entry->d_name, &pid) == 0 && pid != (uint64_t)getpid() &&
		    fstatat(dirfd(dir), entry->d_name, &st, 0) == 0 && st.st_uid == uid &&
		    !has_ended(root, dirfd(dir), (pid_t)pid))
			pipa_buf_printf(&list, "%s%" PRIu64, list.len ? "," : "", pid);
	if (dir)
		closedir(dir);
	return pipa_buf_take(&list);
}

static void drop_job(struct pipa_live *live)
{
	pipa_record_done(&live->job);
	live->job = (struct pipa_record_job){
		.o = &live->o.record,
		.host = live->host,
		.learn = on_synthesized,
		.learn_ctx = live,
	};
}

static int open_sampler(struct pipa_live *live, struct pipa_error *err)
{
	int rc;

	drop_job(live);
	rc = pipa_record_plan_make(&live->o.record, live->host, &live->job.plan, err);
	if (!rc)
		rc = pipa_follow_aim(&live->follow, &live->job.plan.targets, err);
	return rc ? rc : pipa_record_open_sampler(&live->job, err);
}

/* Open all processes of a user. If one ends before it is opened, list them again. */
static int open_processes_of(struct pipa_live *live, uid_t uid, struct pipa_error *err)
{
	enum { TRIES = 50 };
	int rc = -ESRCH, i;

	for (i = 0; rc == -ESRCH && i < TRIES; i++) {
		free(live->own_pids);
		live->own_pids = list_processes_of(live->host->root, uid);
		if (!live->own_pids)
			return pipa_fail(err, -ENOMEM, "list processes");
		*err = (struct pipa_error){ 0 };
		if (!live->own_pids[0])
			return pipa_refuse(err, -ESRCH, "no process of user %u", uid);
		live->o.record.target.pids = live->own_pids;
		rc = open_sampler(live, err);
	}
	return rc;
}

/* Sample all processes if permitted, else those of the user. */
static int open_permitted(struct pipa_live *live, struct pipa_error *err)
{
	struct pipa_target_spec *target = &live->o.record.target;
	bool anybody = !target->pids && !target->tids && !target->cpus && !target->cgroups &&
		       !target->command;
	int rc;

	if (live->o.uid)
		return open_processes_of(live, *live->o.uid, err);
	if (anybody)
		target->system_wide = true;
	rc = open_sampler(live, err);
	if (!anybody || (rc != -EACCES && rc != -EPERM))
		return rc;
	target->system_wide = false;
	rc = open_processes_of(live, getuid(), err);
	if (!rc)
		pipa_log_note(&live->job.o->log,
			      "no permission to sample all users: sampling only your processes and "
			      "their children. See kernel.perf_event_paranoid.");
	return rc;
}

/* Describe the target, "pid 12", in two parts. */
static const char *describe_target(const struct pipa_live *live, const char **ret_which)
{
	const struct pipa_target_spec *target = &live->o.record.target;
	const struct {
		const char *what, *which;
	} kinds[] = { { "pid ", target->pids },
		      { "tid ", target->tids },
		      { "CPUs ", target->cpus },
		      { "cgroup ", target->cgroups },
		      { "", live->job.plan.targets.by_command ? target->command[0] : NULL } };
	size_t i;

	*ret_which = "";
	if (live->own_pids)
		return "own processes";
	for (i = 0; i < PIPA_COUNT(kinds); i++)
		if (kinds[i].which) {
			*ret_which = kinds[i].which;
			return kinds[i].what;
		}
	return "all CPUs";
}

static void describe_rate(struct pipa_live *live)
{
	const char *which, *what = describe_target(live, &which);
	char rate[40], user[32];

	if (live->o.uid) {
		snprintf(user, sizeof(user), "user %u", *live->o.uid);
		what = user;
	}

	if (live->job.plan.hz)
		snprintf(rate, sizeof(rate), "%" PRIu64 " Hz", live->job.plan.hz);
	else
		snprintf(rate, sizeof(rate), "every %" PRIu64, live->o.record.period);
	snprintf(live->about, sizeof(live->about), "%s, %s%.40s", rate, what, which);
}

/* ---- the instrument -------------------------------------------------------------------------------- */

static int open_live(void *ctx, struct pipa_error *err)
{
	struct pipa_live *live = ctx;
	int rc = open_permitted(live, err);

	if (!rc) {
		const struct pipa_live_profile_options options = {
			.events = &live->job.events,
			.symbols = &live->o.symbols,
			.mapped = pipa_record_maps_files(live->job.maps),
			.root = live->host->root,
			.by_cpu = true,
		};

		if (pipa_live_profile_init(&live->sum, &options) < 0)
			rc = pipa_fail(err, -ENOMEM, "keep samples");
	}
	if (rc < 0)
		return rc;
	live->job.tally->fn = on_record;
	live->job.tally->ctx = live;
	describe_rate(live);
	pipa_record_note_start(&live->job);
	rc = watch_rings(live, err);
	live->looked_ns = pipa_clock_ns();
	return rc;
}

/* Enable the events; those of a command start with its exec. */
static int begin_live(void *ctx, struct pipa_error *err)
{
	struct pipa_live *live = ctx;
	bool by_command = live->job.plan.targets.by_command;
	int rc = by_command ? 0 : pipa_sampler_enable_sideband(live->job.sampler, err);

	if (!rc)
		rc = pipa_record_synthesize(&live->job, err);
	if (!rc && !by_command)
		rc = pipa_sampler_enable(live->job.sampler, err);
	return rc;
}

static void close_live(void *ctx)
{
	struct pipa_live *live = ctx;

	pipa_rings_unwatch(&live->rings);
	if (live->timed)
		pipa_loop_drop_timer(live->loop, on_drain, live);
	pipa_live_profile_done(&live->sum);
	pipa_record_done(&live->job);
}

static const struct pipa_instrument_ops live_instrument = {
	.open = open_live,
	.begin = begin_live,
	.close = close_live,
};

/* ---- start and end --------------------------------------------------------------------------------- */

static int start_session(struct pipa_live *live, struct pipa_error *err)
{
	int streams[3];
	int rc = 0;

	live->instrument = (struct pipa_instrument){ .ops = &live_instrument, .ctx = live };
	live->instruments[0] = &live->instrument;
	live->session = (struct pipa_session){ .follow = &live->follow,
					       .instruments = live->instruments,
					       .n = 1 };
	if (live->follow.command) {
		live->dev_null = open("/dev/null", O_RDWR | O_CLOEXEC);
		if (live->dev_null < 0)
			return pipa_fail(err, -errno, "open /dev/null");
		streams[0] = streams[1] = streams[2] = live->dev_null;
		live->follow.streams = streams;
	}
	rc = pipa_session_open(&live->session, err);
	live->follow.streams = NULL; /* the command has duplicates */
	if (!rc)
		rc = pipa_session_begin(&live->session, err);
	if (live->session.exec_failed && live->o.status)
		*live->o.status = rc == -ENOENT ? 127 : 126;
	return rc;
}

int pipa_live_open(const struct pipa_host *host, struct pipa_loop *loop,
		   const struct pipa_live_options *options, struct pipa_live **ret,
		   struct pipa_error *err)
{
	struct pipa_live *live = calloc(1, sizeof(*live));
	int rc;

	if (!live)
		return pipa_fail(err, -ENOMEM, "sample");
	live->o = *options;
	live->host = host;
	live->loop = loop;
	live->kept.max = 1 << 30;
	live->dev_null = -1;
	live->follow = (struct pipa_follow){
		.command = live->o.record.target.command,
		.command_signals = live->o.record.command_signals,
		.limited = true,
		.host = host,
		.shared_loop = loop,
		.child = { .go = -1, .failed = -1 },
	};
	rc = start_session(live, err);
	if (rc < 0)
		pipa_live_close(live);
	else
		*ret = live;
	return rc;
}

void pipa_live_close(struct pipa_live *live)
{
	if (!live)
		return;
	pipa_live_command_end(&live->follow.child, live->host->owns_process);
	pipa_session_close(&live->session);
	pipa_fd_close(live->dev_null);
	pipa_buf_done(&live->kept);
	pipa_rings_done(&live->rings);
	free(live->own_pids);
	free(live);
}

/* ---- looking --------------------------------------------------------------------------------------- */

/*
 * Start again with an empty profile: synthesize the existing processes again, which the new profile
 * does not know.
 */
static int restart_profile(struct pipa_live *live, struct pipa_error *err)
{
	struct pipa_target_list *targets = &live->job.plan.targets;
	const bool by_task = targets->by_task, by_command = targets->by_command;
	int rc = pipa_live_profile_restart(&live->sum);

	if (rc < 0)
		return pipa_fail(err, rc, "keep samples");
	targets->by_task = targets->by_command = false;
	rc = pipa_record_synthesize(&live->job, err);
	targets->by_task = by_task;
	targets->by_command = by_command;
	return rc;
}

int pipa_live_refresh(struct pipa_live *live, bool drop, struct pipa_error *err)
{
	size_t most = live->o.most ? live->o.most : SUM_MOST;
	bool anew = pipa_live_profile_size(&live->sum) > most;
	uint64_t now = pipa_clock_ns(), passed = now - live->looked_ns;
	int rc;

	rc = drain(live, err);
	if (!rc && anew)
		rc = restart_profile(live, err);
	pipa_live_profile_read_dumps(&live->sum);
	/* samples taken before the processes were synthesized have no address space */
	if (!rc &&
	    pipa_live_profile_put(&live->sum, live->kept.data, live->kept.len, drop || anew) < 0)
		rc = pipa_fail(err, -ENOMEM, "keep samples");
	pipa_buf_reset(&live->kept);
	if (!rc && pipa_live_profile_end_round(&live->sum) < 0)
		rc = pipa_fail(err, -ENOMEM, "keep samples");
	if (!rc)
		rc = pipa_live_profile_flush(&live->sum, passed, drop, err);
	live->looked_ns = now;
	return rc ? rc : anew;
}

const struct pipa_profile *pipa_live_profile(const struct pipa_live *live, enum pipa_live_span span)
{
	return span == PIPA_LIVE_NOW  ? &live->sum.spans.faded :
	       span == PIPA_LIVE_LAST ? &live->sum.spans.last :
					&live->sum.profile;
}

struct pipa_symbolizer *pipa_live_symbolizer(const struct pipa_live *live)
{
	return live->sum.symbolizer;
}

const char *pipa_live_about(const struct pipa_live *live)
{
	return live->about;
}
