#include "job/exchange/frame.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "base/vec.h"
#include "codec/frame.h"
#include "codec/parquet.h"
#include "codec/sqlite.h"
#include "export/frame/frame_text.h"
#include "export/frame/perf_tables.h"
#include "export/frame/profile_frame.h"
#include "export/frame/record_frame.h"
#include "export/frame/series_frame.h"
#include "job/exchange/series_input.h"
#include "job/view/choose_event.h"
#include "job/view/filter_notes.h"
#include "job/view/script_filter.h"
#include "load/perf_source.h"
#include "perf/file_read.h"
#include "store/input.h"

struct frame {
	struct pipa_record_sink sink; /* first member: callbacks cast it */
	const struct pipa_frame_job *job;
	enum pipa_frame_kind kind;
	struct pipa_loaded loaded;
	struct pipa_frame_writer *writer;
	struct pipa_outfile *out;
	struct pipa_sqlite *db; /* NULL: a file of one table */
	struct pipa_perf_threads threads;
	uint64_t sample_id; /* of the last sample */
	uint64_t n_samples; /* rows of the table of samples */
	const struct pipa_perf_events *events;
	struct {
		uint32_t *items;
		size_t n, cap;
	} profile_events; /* event of the profile for each one of the recording */
	struct pipa_buf text;
	struct pipa_error *err;
};

static const struct {
	const char *name;
	const struct pipa_frame_columns *columns;
	int (*put)(struct pipa_frame_writer *w,
		   const struct pipa_profile *p); /* NULL: by records */
} kinds[PIPA_FRAME_KIND_NR] = {
	[PIPA_FRAME_SAMPLES] = { "samples", &pipa_frame_sample_columns, NULL },
	[PIPA_FRAME_RECORDS] = { "records", &pipa_frame_record_columns, NULL },
	[PIPA_FRAME_STACKS] = { "stacks", &pipa_frame_stack_columns, pipa_frame_put_stacks },
	[PIPA_FRAME_LOCATIONS] = { "locations", &pipa_frame_location_columns,
				   pipa_frame_put_locations },
	[PIPA_FRAME_FUNCTIONS] = { "functions", &pipa_frame_function_columns,
				   pipa_frame_put_functions },
	[PIPA_FRAME_SERIES] = { "series", NULL, NULL },
};

static const struct {
	const char *name;
	struct pipa_frame_writer *(*open)(const struct pipa_frame_options *options);
} formats[PIPA_FRAME_FORMAT_NR] = {
	[PIPA_FRAME_PARQUET] = { "parquet", pipa_parquet_new },
	[PIPA_FRAME_CSV] = { "csv", pipa_frame_csv_new },
	[PIPA_FRAME_JSON] = { "json", pipa_frame_json_new },
	[PIPA_FRAME_SQLITE] = { "sqlite", NULL },
};

enum pipa_frame_kind pipa_frame_kind_find(const char *name)
{
	enum pipa_frame_kind i;

	for (i = 0; i < PIPA_FRAME_KIND_NR && strcmp(kinds[i].name, name) != 0; i++)
		;
	return i;
}

enum pipa_frame_format pipa_frame_format_find(const char *name)
{
	enum pipa_frame_format i;

	for (i = 0; i < PIPA_FRAME_FORMAT_NR && strcmp(formats[i].name, name) != 0; i++)
		;
	return i;
}

static int write_bytes(void *ctx, const char *bytes, size_t len)
{
	struct frame *f = ctx;

	return pipa_outfile_put(f->out, bytes, len, f->err);
}

/* Convert a time of the recording's clock, which must have recorded both clocks. */
static uint64_t to_utc(const struct pipa_recording *r, uint64_t time)
{
	if (!r->has_clock || time == PIPA_UNKNOWN)
		return PIPA_UNKNOWN;
	return time - r->clock_ns + r->clock_wall_ns;
}

/* ---- samples of a recording ------------------------------------------------------------------ */

static bool is_in_range(const struct pipa_ingest_options *o, uint64_t time)
{
	return time == PIPA_UNKNOWN ||
	       (time >= o->from_ns && (!o->until_ns || time <= o->until_ns));
}

/* Return the profile's event for one of the recording; PIPA_NONE on allocation failure. */
static uint32_t find_event(struct frame *f, uint32_t event)
{
	char name[64];

	while (f->profile_events.n <= event) {
		uint32_t *slot = PIPA_VEC_ADD(&f->profile_events);

		if (!slot)
			return PIPA_NONE;
		*slot = pipa_profile_event(
			&f->loaded.profile,
			pipa_perf_event_name(&f->events->items[f->profile_events.n - 1], name));
	}
	return f->profile_events.items[event];
}

/* Is the row selected by process, thread, CPU, command and event? */
static bool is_selected(const struct frame *f, const struct pipa_frame_sample *row)
{
	const struct pipa_profile *p = &f->loaded.profile;
	const struct pipa_thread *thread = row->thread != PIPA_NONE ?
						   &p->threads.items[row->thread] :
						   NULL;
	const struct pipa_rec_id id = { .pid = thread ? thread->pid : PIPA_UNKNOWN32,
					.tid = thread ? thread->tid : PIPA_UNKNOWN32,
					.cpu = row->cpu };
	const char *comm = thread ? pipa_profile_string(p, thread->comm) : "";

	if (f->job->filter && (!pipa_script_filter_id(f->job->filter, &id) ||
			       !pipa_script_filter_comm(f->job->filter, comm)))
		return false;
	return !f->job->event ||
	       strcmp(pipa_profile_string(p, p->events.items[row->event].name), f->job->event) == 0;
}

/* Write a sample, in a database with the columns of perf's. */
static int put_sample(struct frame *f, struct pipa_frame_sample *row,
		      struct pipa_frame_perf_sample *perf)
{
	if (!is_selected(f, row))
		return 0;
	f->n_samples++;
	if (f->db) {
		perf->id = ++f->sample_id;
		perf->thread_id = row->thread < f->threads.n ? f->threads.ids[row->thread] : 0;
		row->perf = perf;
	}
	return pipa_frame_put_sample(f->writer, &f->loaded.profile, row, &f->text);
}

static int on_sample(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		     const struct pipa_rec_sample *sample)
{
	struct frame *f = (struct frame *)(void *)self;
	struct pipa_frame_perf_sample perf = { .ip = sample->ip,
					       .addr = sample->addr,
					       .weight = sample->weight,
					       .transaction = sample->transaction,
					       .data_source = sample->data_source };
	struct pipa_ingest_found found;
	struct pipa_frame_sample row;
	int rc;

	if (id->event >= f->events->n || !is_in_range(&f->job->load.ingest, id->time))
		return 0;
	rc = pipa_ingest_find(f->loaded.ingest, id, sample, &found);
	if (rc < 0)
		return rc;
	row = (struct pipa_frame_sample){
		.time_ns = id->time,
		.utc_ns = to_utc(&f->loaded.recording, id->time),
		.cpu = id->cpu,
		.thread = found.thread,
		.event = find_event(f, id->event),
		.stack = found.stack,
		.weight = sample->period,
		.count = sample->count ? sample->count : 1,
	};
	if (row.event == PIPA_NONE)
		return -ENOMEM;
	return put_sample(f, &row, &perf);
}

static const char *event_name(void *ctx, uint32_t event)
{
	struct frame *f = ctx;
	uint32_t own = event < f->events->n ? find_event(f, event) : PIPA_NONE;

	return own == PIPA_NONE ? NULL :
				  pipa_profile_string(&f->loaded.profile,
						      f->loaded.profile.events.items[own].name);
}

static uint64_t record_utc(void *ctx, uint64_t time)
{
	return to_utc(&((struct frame *)ctx)->loaded.recording, time);
}

/* Pass all records of the input to the samples' or the records' sink. */
static int put_records(struct frame *f, const struct pipa_input *input)
{
	PIPA_AUTO(pipa_perf_source_close) struct pipa_perf_source *source = NULL;
	struct pipa_record_frame records = {
		.writer = f->writer, .event_name = event_name, .utc = record_utc, .ctx = f
	};
	int rc = pipa_perf_source_open(input, true, &source, f->err);

	if (rc < 0)
		return rc;
	f->events = pipa_perf_reader_events(pipa_perf_source_reader(source));
	f->sink = (struct pipa_record_sink){ .sample = on_sample };
	pipa_record_frame_init(&records);
	rc = pipa_perf_reader_run(pipa_perf_source_reader(source),
				  f->kind == PIPA_FRAME_SAMPLES ? &f->sink : &records.sink, f->err);
	pipa_record_frame_done(&records);
	return rc;
}

/* ---- samples of other files ------------------------------------------------------------------- */

/* Write the samples with their times, if the file has a time for each; else the sums. */
static int put_profile_samples(struct frame *f)
{
	const struct pipa_profile *p = &f->loaded.profile;
	const struct pipa_timeline *t = &f->loaded.timeline;
	const bool timed = t->n && !t->untimed && !t->resolution_ns;
	size_t i, n = timed ? t->n : p->samples.n;
	int rc = 0;

	for (i = 0; i < n && rc >= 0; i++) {
		const struct pipa_timed_sample *m = timed ? &t->items[i] : NULL;
		const struct pipa_sample *s = &p->samples.items[m ? m->sample : i];
		struct pipa_frame_perf_sample perf = { .ip = PIPA_UNKNOWN,
						       .addr = PIPA_UNKNOWN,
						       .weight = PIPA_UNKNOWN,
						       .transaction = PIPA_UNKNOWN,
						       .data_source = PIPA_UNKNOWN };
		struct pipa_frame_sample row = {
			.time_ns = PIPA_UNKNOWN,
			.utc_ns = PIPA_UNKNOWN,
			.cpu = s->cpu,
			.thread = s->thread,
			.event = s->event,
			.stack = s->stack,
			.labels = s->labels,
			.weight = s->weight,
			.count = s->count,
		};

		if (m) {
			row.time_ns = m->time;
			row.cpu = m->cpu == PIPA_TIMED_NO_CPU ? PIPA_NONE : m->cpu;
			row.weight = m->weight;
			row.count = (uint64_t)m->more + 1;
		}
		rc = put_sample(f, &row, &perf);
	}
	return rc;
}

/* ---- the table --------------------------------------------------------------------------------- */

static int finish(struct frame *f)
{
	const struct pipa_losses *losses = &f->loaded.profile.losses;
	char lost_samples[24], lost_records[24], clock[24];
	struct pipa_frame_fact facts[4];
	size_t n = 0;

	snprintf(lost_samples, sizeof(lost_samples), "%" PRIu64, losses->lost_samples);
	snprintf(lost_records, sizeof(lost_records), "%" PRIu64, losses->lost_records);
	snprintf(clock, sizeof(clock), "%" PRIu32, f->loaded.recording.clock_id);
	facts[n++] = (struct pipa_frame_fact){ "frame", kinds[f->kind].name };
	facts[n++] = (struct pipa_frame_fact){ "lost_samples", lost_samples };
	facts[n++] = (struct pipa_frame_fact){ "lost_records", lost_records };
	if (f->loaded.recording.has_clock)
		facts[n++] = (struct pipa_frame_fact){ "clock_id", clock };
	return f->writer->finish(f->writer, facts, n);
}

/* Note the event or the filters that left nothing in the table of samples. */
static void note_empty(const struct frame *f)
{
	const struct pipa_script_filter *filter = f->job->filter;
	const struct pipa_load_options *load = &f->job->load;
	struct pipa_filter_names names = { .time = load->ingest.from_ns || load->ingest.until_ns };
	char line[PIPA_ERROR_LINE_MAX];
	struct pipa_error why = { 0 };
	uint32_t event;

	if (f->job->event &&
	    pipa_choose_event(&f->loaded.profile, f->job->event, NULL, &event, &why) < 0) {
		pipa_log_note(&load->log, "%s", pipa_error_line(&why, line));
		return;
	}
	if (filter) {
		names.comms = filter->comms;
		names.pids = filter->pids.n;
		names.tids = filter->tids.n;
		names.cpus = filter->cpus.n;
	}
	pipa_note_filters(&f->loaded.profile, &names, &load->log);
}

static int put_table(struct frame *f, const struct pipa_input *input)
{
	bool recording = input->kind == PIPA_KIND_PERF_DATA;
	int rc;

	if (kinds[f->kind].put)
		return kinds[f->kind].put(f->writer, &f->loaded.profile);
	rc = recording ? put_records(f, input) : put_profile_samples(f);
	if (rc >= 0 && f->kind == PIPA_FRAME_SAMPLES && !f->n_samples)
		note_empty(f);
	return rc;
}

/* Open the writer of a table: of the output, or of a table in the database. */
static int begin_table(struct frame *f, const char *name, const struct pipa_frame_column *columns,
		       size_t n)
{
	const struct pipa_frame_options options = {
		.columns = columns,
		.n_columns = n,
		.created_by = f->job->created_by,
		.put = write_bytes,
		.ctx = f,
	};

	f->writer = f->db ? pipa_sqlite_table(f->db, name, &options) :
			    formats[f->job->format].open(&options);
	if (f->writer)
		return 0;
	return f->db ? pipa_sqlite_check(f->db, f->err) : -ENOMEM;
}

static void end_table(struct frame *f)
{
	if (f->writer)
		f->writer->free(f->writer);
	f->writer = NULL;
}

/* ---- series ------------------------------------------------------------------------------------ */

static int find_counts(void *ctx, const struct pipa_counts *counts)
{
	return pipa_series_frame_find_counts(ctx, counts);
}

static int put_counts(void *ctx, const struct pipa_counts *counts)
{
	return pipa_series_frame_put_counts(ctx, counts);
}

static void set_utc(void *ctx, bool utc)
{
	pipa_series_frame_set_utc(ctx, utc);
}

/* Write the rows of an open source after its columns were found. */
static int put_series(struct frame *f, struct pipa_series_input *source,
		      struct pipa_series_frame *series)
{
	const struct pipa_series_receiver find = { .rows = pipa_series_frame_finder(series),
						   .counts = find_counts,
						   .ctx = series };
	struct pipa_series_receiver put = { .counts = put_counts, .clock = set_utc, .ctx = series };
	const char *host = pipa_series_input_host(source);
	struct pipa_frame_fact facts[4];
	struct pipa_frame_columns columns;
	size_t n = 0;
	int rc = pipa_series_input_read(source, &find, &(struct pipa_log){ 0 }, f->err);

	if (rc >= 0 && pipa_series_frame_is_empty(series)) {
		pipa_refuse(f->err, -ENODATA, "%s holds no series", f->job->load.path);
		return pipa_hint(f->err,
				 "supported: output of pipa monitor -o, pipa stat -I as CSV or "
				 "JSON, archives, and output of sadf -d and sar");
	}
	if (rc >= 0)
		rc = pipa_series_frame_columns(series, &columns);
	if (rc >= 0)
		rc = begin_table(f, kinds[PIPA_FRAME_SERIES].name, columns.items, columns.n);
	if (rc < 0)
		return rc;
	put.rows = pipa_series_frame_rows(series, f->writer);
	rc = pipa_series_input_read(source, &put, &f->job->load.log, f->err);
	if (rc < 0)
		return rc;
	facts[n++] = (struct pipa_frame_fact){ "frame", kinds[PIPA_FRAME_SERIES].name };
	facts[n++] = (struct pipa_frame_fact){ "clock_of_time",
					       "counters: since the start of the measurement; sar "
					       "text: local time of the machine" };
	facts[n++] = (struct pipa_frame_fact){ "clock_of_time_utc", "UTC, since 1970" };
	if (*host)
		facts[n++] = (struct pipa_frame_fact){ "host", host };
	rc = f->writer->finish(f->writer, facts, n);
	end_table(f);
	if (rc >= 0 && f->db)
		rc = pipa_sqlite_run(
			f->db, "CREATE INDEX series_section ON series (section, instance)", f->err);
	return rc;
}

static int write_series(struct frame *f)
{
	PIPA_AUTO(pipa_series_input_close) struct pipa_series_input *source = NULL;
	PIPA_AUTO(pipa_series_frame_free)
	struct pipa_series_frame *series = pipa_series_frame_new();
	int rc = series ? pipa_series_input_open(f->job->load.path, &source, f->err) : -ENOMEM;

	return rc < 0 ? rc : put_series(f, source, series);
}

bool pipa_frame_is_series(const char *path)
{
	PIPA_AUTO(pipa_input_close) struct pipa_input *input = NULL;
	struct pipa_error why = { 0 };
	struct stat st;

	if (!path || strcmp(path, "-") == 0 || stat(path, &st) < 0)
		return false;
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) /* a pipe can be read only once */
		return false;
	if (pipa_input_open(path, true, &input, &why) < 0)
		return S_ISDIR(st.st_mode) && why.code == -ENOENT;
	return input->kind == PIPA_KIND_UNKNOWN || input->kind == PIPA_KIND_TAR;
}

/* ---- recordings and profiles -------------------------------------------------------------------- */

static int write_table(struct frame *f, enum pipa_frame_kind kind, const struct pipa_input *input)
{
	const struct pipa_frame_columns *columns = kinds[kind].columns;
	int rc;

	if (kind == PIPA_FRAME_SAMPLES && f->db)
		columns = &pipa_frame_perf_sample_columns;
	f->kind = kind;
	rc = begin_table(f, kinds[kind].name, columns->items, columns->n);
	if (rc >= 0)
		rc = put_table(f, input);
	if (rc >= 0)
		rc = finish(f);
	end_table(f);
	return rc;
}

/* Write PIPA's tables and views, and the indexes of all tables. */
static int write_perf_tables(struct frame *f)
{
	size_t i;
	int rc = 0;

	for (i = 0; rc >= 0 && i < PIPA_PERF_TABLES; i++) {
		const struct pipa_perf_table *table = &pipa_perf_tables[i];

		rc = begin_table(f, table->name, table->columns, table->n_columns);
		if (rc >= 0)
			rc = table->put(f->writer, &f->loaded.profile, &f->threads);
		if (rc >= 0)
			rc = f->writer->finish(f->writer, NULL, 0);
		end_table(f);
	}
	if (rc >= 0)
		rc = pipa_sqlite_run(f->db, pipa_perf_views, f->err);
	if (rc >= 0)
		rc = pipa_sqlite_run(f->db, pipa_frame_indexes, f->err);
	return rc;
}

/* Write everything that the input has to the database. */
static int write_all(struct frame *f, const struct pipa_input *input)
{
	static const enum pipa_frame_kind of_profiles[] = { PIPA_FRAME_SAMPLES, PIPA_FRAME_STACKS,
							    PIPA_FRAME_LOCATIONS,
							    PIPA_FRAME_FUNCTIONS };
	bool recording = input->kind == PIPA_KIND_PERF_DATA;
	size_t i;
	int rc = 0;

	for (i = 0; rc >= 0 && i < PIPA_COUNT(of_profiles); i++)
		rc = write_table(f, of_profiles[i], input);
	if (rc >= 0)
		rc = write_perf_tables(f);
	if (rc >= 0 && recording)
		rc = write_table(f, PIPA_FRAME_RECORDS, input);
	if (rc >= 0 && recording)
		rc = pipa_sqlite_run(f->db, "CREATE INDEX records_type ON records (type)", f->err);
	if (rc >= 0 && recording &&
	    pipa_sqlite_has_row(f->db,
				"SELECT 1 FROM records WHERE switch_out IS NOT NULL LIMIT 1"))
		rc = pipa_sqlite_run(f->db, pipa_perf_context_switches, f->err);
	if (rc >= 0 && input->pack) { /* an archive may have statistics, too */
		struct pipa_error why = { 0 }, *err = f->err;

		f->err = &why;
		rc = write_series(f);
		f->err = err;
		if (why.code == -ENODATA)
			rc = 0;
		else if (rc < 0)
			*err = why;
	}
	return rc;
}

static int load_and_write(struct frame *f)
{
	PIPA_AUTO(pipa_input_close) struct pipa_input *input = NULL;
	struct pipa_load_options load = f->job->load;
	int rc = pipa_input_open(load.path, true, &input, f->err);

	if (rc < 0)
		return rc;
	if (f->kind == PIPA_FRAME_RECORDS && input->kind != PIPA_KIND_PERF_DATA) {
		pipa_refuse(f->err, -EINVAL, "cannot write the records of %s: it is %s",
			    input->name, pipa_kind_name(input->kind));
		return pipa_hint(f->err, "only perf.data recordings have records");
	}
	load.keep_ingest = input->kind == PIPA_KIND_PERF_DATA && f->kind == PIPA_FRAME_SAMPLES;
	load.timeline = input->kind != PIPA_KIND_PERF_DATA && f->kind == PIPA_FRAME_SAMPLES;
	load.no_names = f->kind == PIPA_FRAME_RECORDS;
	rc = pipa_load_input(&load, input, &f->loaded, f->err);
	if (rc < 0)
		return rc;
	pipa_note_losses(&f->loaded, NULL, &load.log);
	rc = pipa_perf_threads_init(&f->threads, &f->loaded.profile);
	if (rc < 0)
		return rc;
	return f->db && f->job->auto_kind ? write_all(f, input) : write_table(f, f->kind, input);
}

static int open_output(struct frame *f)
{
	const struct pipa_frame_job *job = f->job;
	int rc = pipa_outfile_open_or_wrap(job->output, job->out_fd, &f->out, f->err);

	if (rc >= 0 && job->format == PIPA_FRAME_SQLITE)
		rc = pipa_sqlite_open(job->created_by, &f->db, f->err);
	return rc;
}

int pipa_frame_run(const struct pipa_frame_job *job, struct pipa_error *err)
{
	struct pipa_error own = { 0 };
	struct frame f = { .job = job, .kind = job->kind, .err = err ? err : &own };
	int rc = open_output(&f);

	if (job->auto_kind)
		f.kind = pipa_frame_is_series(job->load.path) ? PIPA_FRAME_SERIES :
								PIPA_FRAME_SAMPLES;
	if (rc >= 0)
		rc = f.kind == PIPA_FRAME_SERIES ? write_series(&f) : load_and_write(&f);
	if (rc >= 0 && f.db)
		rc = pipa_sqlite_finish(f.db, write_bytes, &f, f.err);
	if (rc >= 0)
		rc = pipa_outfile_commit(f.out, f.err);
	if (rc < 0 && !f.err->code && f.db)
		pipa_sqlite_check(f.db, f.err);
	if (rc < 0 && !f.err->code)
		pipa_fail(f.err, rc, "write the table");
	end_table(&f);
	pipa_sqlite_free(f.db);
	pipa_outfile_free(f.out);
	pipa_perf_threads_done(&f.threads);
	pipa_loaded_done(&f.loaded);
	pipa_buf_done(&f.text);
	free(f.profile_events.items);
	return rc;
}
