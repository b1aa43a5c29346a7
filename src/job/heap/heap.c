#include "job/heap/heap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/heap/heap_profile.h"
#include "analyze/heap/heap_sites.h"
#include "analyze/profile/frames.h"
#include "analyze/profile/top.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "collect/heap/heap_file.h"
#include "export/table/heap.h"
#include "job/exchange/export.h"
#include "job/heap/heap_chart.h"
#include "load/load.h"
#include "locate/mapped_files.h"
#include "measure/follow.h"
#include "measure/heap/heap_control.h"
#include "measure/session.h"

enum { FRAMES = 8, OPEN_MAX_MAPPED = 256 };

/* A recording, with its profile and sites. */
struct result {
	const struct pipa_heap_options *o;
	struct pipa_heap_recording recording;
	struct pipa_loaded loaded; /* its profile */
	uint32_t *stacks;	   /* [stack of the heaps] that of the profile */
	struct pipa_frames frames;
	struct pipa_heap_sites sites;
	struct pipa_top functions;
};

static void result_done(struct result *r)
{
	pipa_top_done(&r->functions);
	pipa_heap_sites_done(&r->sites);
	pipa_frames_done(&r->frames);
	pipa_loaded_done(&r->loaded);
	free(r->stacks);
	pipa_heap_recording_done(&r->recording);
}

/* ---- profile -------------------------------------------------------------------------------------- */

/* Make the profile with symbols, and `with_lines` with source lines from debug information. */
static int make_profile(struct result *r, const struct pipa_mapped_files *mapped, bool with_lines,
			struct pipa_error *err)
{
	const struct pipa_heaps *heaps = &r->recording.heaps;
	struct pipa_symbolize_options symbols = r->o->symbols;
	int rc;

	if (!with_lines)
		symbols.lines = PIPA_LINES_NONE;
	else if (symbols.lines == PIPA_LINES_NONE)
		symbols.lines = PIPA_LINES_PLAIN;
	r->loaded.kind = PIPA_KIND_PPROF;
	r->stacks = calloc(heaps->stacks.n + 1, sizeof(*r->stacks));
	rc = r->stacks ? pipa_heap_profile_make(heaps, &r->loaded.profile, r->stacks) : -ENOMEM;
	if (rc)
		return pipa_fail(err, rc, "make the profile");
	r->loaded.symbolizer = pipa_symbolizer_new(&symbols, &r->loaded.profile, NULL);
	if (!r->loaded.symbolizer)
		return pipa_fail(err, -ENOMEM, "make the profile");
	pipa_symbolizer_set_mapped(r->loaded.symbolizer, mapped);
	if (with_lines)
		pipa_symbolizer_use_debuginfod(r->loaded.symbolizer, &r->o->log);
	return pipa_symbolize(r->loaded.symbolizer, err);
}

static int write_profile(const struct result *r, const char *path, struct pipa_error *err)
{
	struct pipa_export_options export = { .output = path, .log = r->o->log };

	export.format = pipa_export_format_of_file(path);
	if (export.format == PIPA_EXPORT_FORMAT_NR)
		export.format = PIPA_EXPORT_PPROF;
	return pipa_export_write(&export, &r->loaded, err);
}

/* ---- snapshots ------------------------------------------------------------------------------------ */

/* Return "heap.0003.pb.gz" for the third snapshot of "heap.pb.gz"; free() it. NULL on allocation failure. */
static char *snapshot_path(const char *path, size_t number)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strchr(name + (name[0] != '\0'), '.');
	int stem = dot ? (int)(dot - path) : (int)strlen(path);
	char *text;

	return asprintf(&text, "%.*s.%04zu%s", stem, path, number, dot ? dot : "") < 0 ? NULL :
											 text;
}

/*
 * Write the profile of a snapshot when it is taken, so that it exists even if pipa or the machine fails before the
 * end. It is then written again with source lines, which take longer to find.
 */
static int write_early(void *ctx, struct pipa_heaps *heaps, const struct pipa_mapped_files *mapped,
		       size_t number, uint64_t start_ns, uint64_t time_ns, struct pipa_error *err)
{
	const struct pipa_heap_options *o = ctx;
	PIPA_AUTO(free) char *path = snapshot_path(o->output, number);
	struct result r = { .o = o, .recording = { .heaps = *heaps } };
	int rc = path ? make_profile(&r, mapped, false, err) :
			pipa_fail(err, -ENOMEM, "write a snapshot");

	if (!rc) {
		r.loaded.profile.duration_ns = time_ns - start_ns;
		rc = write_profile(&r, path, err);
	}
	r.recording.heaps = (struct pipa_heaps){ 0 }; /* the caller's */
	result_done(&r);
	return rc;
}

/* Set the amounts of all stacks to those of a snapshot. */
static void apply_snapshot(struct result *r, const struct pipa_heap_snapshot *snapshot)
{
	struct pipa_heaps *heaps = &r->recording.heaps;
	size_t i, k, row;

	for (i = 0; i < heaps->stacks.n; i++) {
		heaps->stacks.items[i].samples = 0;
		heaps->stacks.items[i].alloc = heaps->stacks.items[i].inuse =
			(struct pipa_heaps_amount){ 0 };
	}
	for (i = 0; i < heaps->processes.n; i++) {
		const struct pipa_heaps_process *process = &heaps->processes.items[i];

		/* both are sorted by the number of the stack */
		for (k = process->stacks, row = 0;
		     k < process->stacks + process->n_stacks && row < snapshot->n; row++) {
			const struct pipa_heap_snapshot_row *from = &snapshot->items[row];

			if (from->process != r->recording.files.items[i])
				continue;
			while (k < process->stacks + process->n_stacks &&
			       heaps->stacks.items[k].number < from->stack)
				k++;
			if (k == process->stacks + process->n_stacks ||
			    heaps->stacks.items[k].number != from->stack)
				continue;
			heaps->stacks.items[k].samples = from->samples;
			heaps->stacks.items[k].alloc = from->alloc;
			heaps->stacks.items[k].inuse = from->inuse;
		}
	}
}

/* Add the memory in use of all stacks to the chart. */
static int add_to_chart(const struct result *r, struct pipa_heap_chart *chart, uint64_t time_ns)
{
	const struct pipa_heaps *heaps = &r->recording.heaps;
	int rc = pipa_heap_chart_time(chart, (double)(time_ns - r->recording.start_ns) / 1e9);
	size_t i;

	for (i = 0; !rc && i < heaps->stacks.n; i++)
		if (heaps->stacks.items[i].inuse.bytes)
			rc = pipa_heap_chart_add(chart, &r->frames, r->stacks[i],
						 heaps->stacks.items[i].inuse.bytes);
	return rc;
}

/* Write a profile of each snapshot, and the chart of all. */
static int write_snapshots(struct result *r, struct pipa_error *err)
{
	PIPA_AUTO(pipa_heap_chart_done) struct pipa_heap_chart chart = { 0 };
	struct pipa_heaps *heaps = &r->recording.heaps;
	struct pipa_heaps_stack *final = heaps->stacks.items;
	uint64_t duration = r->loaded.profile.duration_ns;
	size_t i;
	int rc = 0;

	if (!r->recording.snapshots.n)
		return r->o->chart ? pipa_heap_chart_write(&chart, r->o->chart, err) : 0;
	heaps->stacks.items = malloc(heaps->stacks.n * sizeof(*final) + 1);
	if (heaps->stacks.items)
		memcpy(heaps->stacks.items, final, heaps->stacks.n * sizeof(*final));
	else
		rc = -ENOMEM;
	for (i = 0; !rc && i < r->recording.snapshots.n; i++) {
		const struct pipa_heap_snapshot *snapshot = &r->recording.snapshots.items[i];
		PIPA_AUTO(free) char *path = NULL;

		apply_snapshot(r, snapshot);
		r->loaded.profile.duration_ns = snapshot->time_ns - r->recording.start_ns;
		if (r->o->chart)
			rc = add_to_chart(r, &chart, snapshot->time_ns);
		if (!rc && r->o->output) {
			rc = pipa_heap_profile_refill(heaps, r->stacks, &r->loaded.profile);
			path = rc ? NULL : snapshot_path(r->o->output, i + 1);
			rc = path ? write_profile(r, path, err) : -ENOMEM;
		}
	}
	free(heaps->stacks.items);
	heaps->stacks.items = final;
	r->loaded.profile.duration_ns = duration;
	if (!rc)
		rc = pipa_heap_profile_refill(heaps, r->stacks, &r->loaded.profile);
	if (rc)
		return err->code ? rc : pipa_fail(err, rc, "write the snapshots");
	return r->o->chart ? pipa_heap_chart_write(&chart, r->o->chart, err) : 0;
}

/* ---- report --------------------------------------------------------------------------------------- */

static int write_report(struct result *r, struct pipa_buf *out, struct pipa_heap_outcome *outcome)
{
	const struct pipa_heaps *heaps = &r->recording.heaps;
	const struct pipa_top_options top = { .keys = { PIPA_KEY_SYMBOL, PIPA_KEY_OBJECT },
					      .n_keys = 2,
					      .children = true };
	struct pipa_heap_report report = {
		.heaps = heaps,
		.frames = &r->frames,
		.sites = &r->sites,
		.functions = &r->functions,
		.start_ns = r->recording.start_ns,
		.end_ns = r->recording.end_ns,
		.max_rows = r->o->max_rows,
		.max_frames = FRAMES,
		.leaks = r->o->record.leaks,
		.searched = r->recording.searched,
		.pages = r->o->record.pages,
		.by_process = r->o->by_process,
		.unreadable = r->recording.unreadable,
		.skipped = r->recording.skipped,
	};
	struct pipa_heap_totals all;
	int rc = pipa_heap_profile_extend(heaps, r->stacks, &r->loaded.profile);

	if (!rc)
		rc = pipa_heap_sites_make(heaps, r->stacks, &r->frames, r->o->by_process,
					  &r->sites);
	if (!rc)
		rc = pipa_top_make(&r->loaded.profile, &top, &r->functions);
	if (rc)
		return rc;
	pipa_heap_report_totals(&report, &all);
	outcome->complete = all.complete;
	outcome->processes = heaps->processes.n;
	outcome->samples = all.samples;
	outcome->lost_objects = all.lost_objects;
	outcome->lost_bytes = all.lost_bytes;
	outcome->unsearched = r->o->record.leaks && !r->recording.searched;
	outcome->snapshots = r->recording.snapshots.n;
	return r->o->json ? pipa_heap_report_json(&report, out) :
			    pipa_heap_report_text(&report, out);
}

/* Make profile, snapshots and report of the recording. A failure of an output does not prevent the report. */
static int finish(struct result *r, const struct pipa_mapped_files *mapped, struct pipa_buf *out,
		  struct pipa_heap_outcome *outcome, struct pipa_error *err)
{
	int rc = make_profile(r, mapped, true, err), failed = 0;

	if (!rc)
		rc = pipa_frames_make(&r->loaded.profile, true, &r->frames);
	if (rc)
		return err->code ? rc : pipa_fail(err, rc, "make the profile");
	failed = write_snapshots(r, err);
	if (!failed && r->o->output)
		failed = write_profile(r, r->o->output, err);
	rc = write_report(r, out, outcome);
	if (rc && !failed)
		return pipa_fail(err, rc, "report the heap");
	return failed;
}

/* ---- commands ------------------------------------------------------------------------------------- */

int pipa_heap_run(const struct pipa_host *host, const struct pipa_heap_options *o,
		  struct pipa_buf *report, struct pipa_heap_outcome *ret, struct pipa_error *err)
{
	struct pipa_follow follow = {
		.command = o->record.command,
		.command_signals = o->command_signals,
		.host = host,
		.child = { .go = -1, .failed = -1 },
	};
	struct pipa_heap_record_options record = o->record;
	struct pipa_instrument instrument = { .ops = &pipa_heap_instrument };
	struct pipa_instrument *const instruments[] = { &instrument };
	struct pipa_session session = { .follow = &follow, .instruments = instruments, .n = 1 };
	struct result r = { .o = o };
	int rc;

	*ret = (struct pipa_heap_outcome){ 0 };
	record.follow = &follow;
	if (o->output) {
		record.on_snapshot = write_early;
		record.ctx = (void *)o;
	}
	instrument.ctx = pipa_heap_recorder_new(&record);
	if (!instrument.ctx)
		return pipa_fail(err, -ENOMEM, "record the heap");
	rc = pipa_session_open(&session, err);
	if (!rc)
		rc = pipa_session_begin(&session, err);
	if (!rc)
		rc = pipa_session_wait(&session, err);
	ret->exec_failed = session.exec_failed;
	ret->status = follow.status;
	ret->ended = follow.child.ended;
	if (!rc) {
		pipa_heap_recorder_take(instrument.ctx, &r.recording);
		rc = finish(&r, pipa_heap_recorder_mapped(instrument.ctx), report, ret, err);
	}
	pipa_session_close(&session);
	result_done(&r);
	pipa_heap_recorder_free(instrument.ctx);
	return rc;
}

int pipa_heap_snapshot(uint32_t pid, const struct pipa_heap_options *o, struct pipa_buf *report,
		       struct pipa_error *err)
{
	PIPA_AUTO(pipa_fd_close) int fd = pipa_heap_control_open(pid, err);
	struct pipa_mapped_files *mapped;
	struct pipa_heap_outcome outcome = { 0 };
	struct pipa_heap_file_info info;
	struct result r = { .o = o };
	int rc;

	if (fd < 0)
		return fd;
	mapped = pipa_mapped_files_new(OPEN_MAX_MAPPED);
	rc = mapped ? pipa_heap_decode_fd(fd, &r.recording.heaps, &info, err) : -ENOMEM;
	if (!rc) {
		struct pipa_heaps_process *process = &r.recording.heaps.processes.items[0];

		process->end_ns = pipa_clock_ns();
		r.recording.start_ns = process->start_ns;
		r.recording.end_ns = process->end_ns;
		pipa_heap_identify_modules(mapped, pid, &r.recording.heaps, 0);
		rc = finish(&r, mapped, report, &outcome, err);
	}
	result_done(&r);
	pipa_mapped_files_free(mapped);
	return rc && !err->code ? pipa_fail(err, rc, "read the heap of process %u", pid) : rc;
}
