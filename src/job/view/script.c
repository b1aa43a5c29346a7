#include "job/view/script.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "base/vec.h"
#include "export/table/report.h"
#include "ingest/sample_unwind.h"
#include "job/view/filter_notes.h"
#include "load/perf_source.h"
#include "perf/file_read.h"
#include "perf/tracing.h"
#include "store/input.h"

enum {
	PIECE = 256 << 10, /* bytes per write */
	MAX_FRAMES = 8192, /* the maximum in a record */
};

/* Output of the samples of an event. */
struct shown {
	char name[128];
	uint32_t fields;
	bool chain;
	const struct pipa_trace_event *trace; /* of a tracepoint whose fields are known */
};

struct script {
	struct pipa_record_sink sink; /* first member: callbacks cast it to the script */
	const struct pipa_script_options *o;
	struct pipa_loaded loaded;
	const struct pipa_perf_reader *reader;
	const struct pipa_perf_events *events;
	struct pipa_tracing tracing;
	struct pipa_buf trace;
	struct {
		struct shown *items;
		size_t n, cap;
	} shown;
	int name_len; /* 0: no sample yet */
	uint32_t missing;
	struct pipa_script_frame *frames;
	struct pipa_outfile *out;
	struct pipa_buf text;
	struct pipa_error *err;
	uint64_t n_written; /* samples */
};

/* ---- fields ------------------------------------------------------------------------------------------ */

/* Return perf's default fields for a kind of event; JSON has all that are known. */
static uint32_t default_fields(const struct perf_event_attr *attr, bool json)
{
	const uint32_t places = PIPA_SCRIPT_BIT(IP) | PIPA_SCRIPT_BIT(SYM) |
				PIPA_SCRIPT_BIT(SYMOFF) | PIPA_SCRIPT_BIT(DSO);
	uint32_t fields = PIPA_SCRIPT_BIT(COMM) | PIPA_SCRIPT_BIT(TID) | PIPA_SCRIPT_BIT(CPU) |
			  PIPA_SCRIPT_BIT(TIME) | PIPA_SCRIPT_BIT(EVENT);

	if (json)
		return fields | places | PIPA_SCRIPT_BIT(PID) | PIPA_SCRIPT_BIT(PERIOD) |
		       PIPA_SCRIPT_BIT(ADDR) | PIPA_SCRIPT_BIT(TRACE) | PIPA_SCRIPT_BIT(BRSTACK);
	if (attr->type == PERF_TYPE_TRACEPOINT)
		return fields | PIPA_SCRIPT_BIT(TRACE) |
		       (attr->sample_type & PERF_SAMPLE_CALLCHAIN ? places : 0);
	if (attr->type == PERF_TYPE_RAW)
		fields |= PIPA_SCRIPT_BIT(ADDR);
	return fields | places | PIPA_SCRIPT_BIT(PERIOD);
}

/* Return the fields that samples of the event do not have. */
static uint32_t missing_fields(const struct perf_event_attr *attr)
{
	uint32_t fields = PIPA_SCRIPT_BIT(SRCLINE);

	if (!(attr->sample_type & PERF_SAMPLE_TID))
		fields |= PIPA_SCRIPT_BIT(PID) | PIPA_SCRIPT_BIT(TID);
	if (!(attr->sample_type & PERF_SAMPLE_TIME))
		fields |= PIPA_SCRIPT_BIT(TIME);
	if (!(attr->sample_type & PERF_SAMPLE_CPU))
		fields |= PIPA_SCRIPT_BIT(CPU);
	if (!(attr->sample_type & PERF_SAMPLE_ADDR))
		fields |= PIPA_SCRIPT_BIT(ADDR);
	if (attr->type != PERF_TYPE_TRACEPOINT || !(attr->sample_type & PERF_SAMPLE_RAW))
		fields |= PIPA_SCRIPT_BIT(TRACE);
	if (!(attr->sample_type & PERF_SAMPLE_BRANCH_STACK))
		fields |= PIPA_SCRIPT_BIT(BRSTACK);
	if (!(attr->sample_type & (PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN)))
		fields |= PIPA_SCRIPT_BIT(IP) | PIPA_SCRIPT_OF_IP;
	return fields;
}

/* Find the format of a tracepoint in the recording. */
static int find_trace(struct script *s, const struct perf_event_attr *attr,
		      const struct pipa_trace_event **ret)
{
	struct pipa_span bytes = pipa_perf_reader_tracing(s->reader);
	int rc = 0;

	*ret = NULL;
	if (attr->type != PERF_TYPE_TRACEPOINT || !bytes.size)
		return 0;
	if (!s->tracing.events.n)
		rc = pipa_tracing_decode(bytes, &s->tracing);
	if (!rc)
		*ret = pipa_tracing_find(&s->tracing, (uint32_t)attr->config);
	return rc == -ENOMEM ? rc : 0;
}

/*
 * Find the output of an event; in a pipe, events become known while it is read. NULL on allocation
 * failure.
 */
static const struct shown *find_shown(struct script *s, uint32_t event)
{
	while (s->shown.n <= event) {
		const struct pipa_perf_event *e = &s->events->items[s->shown.n];
		struct shown *shown = PIPA_VEC_ADD(&s->shown);
		const struct pipa_script_fields *f = &s->o->fields;
		uint32_t fields = pipa_script_fields_of(f, default_fields(&e->attr, s->o->json));
		char name[64];

		if (!shown)
			return NULL;
		*shown = (struct shown){
			.fields = fields & ~missing_fields(&e->attr),
			.chain = e->attr.sample_type & PERF_SAMPLE_CALLCHAIN,
		};
		s->missing |= (f->these | f->more) & fields & missing_fields(&e->attr);
		snprintf(shown->name, sizeof(shown->name), "%s", pipa_perf_event_name(e, name));
		if (shown->fields & PIPA_SCRIPT_BIT(TRACE) &&
		    find_trace(s, &e->attr, &shown->trace) < 0)
			return NULL;
	}
	return &s->shown.items[event];
}

static int longest_name(const struct pipa_perf_events *events)
{
	char name[64];
	size_t i, len, most = 1;

	for (i = 0; i < events->n; i++) {
		len = strlen(pipa_perf_event_name(&events->items[i], name));
		most = len > most ? len : most;
	}
	return (int)(most < 128 ? most : 127);
}

/* ---- samples ----------------------------------------------------------------------------------------- */

/*
 * Pair the frames of the stack with their addresses. As in perf, recorded callers have their return
 * address, unwound callers the byte before: in the call instruction.
 */
static size_t pair_frames(struct script *s, const struct pipa_rec_sample *sample,
			  const struct pipa_ingest_found *found, bool chain)
{
	const struct pipa_profile *p = &s->loaded.profile;
	const uint64_t *words = found->chain_len ? found->chain : &sample->ip;
	size_t len = found->chain_len ? found->chain_len : !chain, n = 0, i;
	uint32_t stack = found->stack;
	bool caller = false; /* as in ingest/: the interrupted function did not call */
	enum pipa_mode mode = sample->mode;
	bool inside, fp_fallback = false;

	for (i = 0; i < len && stack != PIPA_NONE && n < MAX_FRAMES; i++) {
		if (words[i] >= PIPA_CHAIN_CONTEXT) {
			mode = pipa_chain_mode(words[i], mode);
			caller = pipa_chain_calls(words, i, caller);
			fp_fallback ^= caller;
			continue;
		}
		inside = caller && found->unwound && mode == PIPA_MODE_USER;
		s->frames[n] = (struct pipa_script_frame){ words[i] - inside,
							   p->stacks.items[stack].location,
							   caller && !inside, fp_fallback };
		caller = true;
		stack = p->stacks.items[stack].parent;
		n++;
	}
	return n;
}

static int flush(struct script *s)
{
	return pipa_outfile_put_buf(s->out, &s->text, "write the samples", s->err);
}

static bool is_wanted(const struct script *s, const struct pipa_rec_id *id)
{
	const struct pipa_ingest_options *o = &s->o->load.ingest;

	if (id->time != PIPA_UNKNOWN &&
	    (id->time < o->from_ns || (o->until_ns && id->time > o->until_ns)))
		return false;
	return id->event < s->events->n && pipa_script_filter_id(&s->o->filter, id);
}

/* Return the formatted fields of the tracepoint, NULL if unknown. Valid until the next sample. */
static const char *trace_text(struct script *s, const struct shown *shown,
			      const struct pipa_rec_sample *sample)
{
	if (!shown->trace || !sample->raw_len)
		return NULL;
	pipa_buf_reset(&s->trace);
	pipa_trace_text(&s->tracing, shown->trace,
			(struct pipa_span){ sample->raw, sample->raw_len }, &s->trace);
	return pipa_buf_str(&s->trace);
}

static int write_sample(struct script *s, const struct pipa_rec_id *id,
			const struct pipa_rec_sample *sample, const struct pipa_ingest_found *found)
{
	const struct pipa_profile *p = &s->loaded.profile;
	const struct shown *shown = find_shown(s, id->event);
	struct pipa_script_sample line = {
		.comm = pipa_profile_string(p, p->threads.items[found->thread].comm),
		.pid = id->pid,
		.tid = id->tid,
		.cpu = id->cpu,
		.time_ns = id->time,
		.period = sample->period,
		.addr = sample->addr,
		.frames = s->frames,
		.branches = sample->branches,
		.n_branches = sample->n_branches,
	};
	struct pipa_chain_tail tail;

	if (!shown)
		return -ENOMEM;
	if (!s->name_len)
		s->name_len = longest_name(s->events);
	line.fields = shown->fields;
	line.chain = shown->chain;
	line.event = shown->name;
	line.trace = trace_text(s, shown, sample);
	if (s->trace.status)
		return s->trace.status;
	line.name_len = s->name_len;
	line.n_frames = pair_frames(s, sample, found, shown->chain);
	tail = pipa_chain_tail(found->chain, found->chain_len);
	line.end = tail.end;
	line.joined = tail.joined;
	s->n_written++;
	if (s->o->json)
		pipa_script_json(p, &line, &s->text);
	else
		pipa_script_text(p, &line, &s->text);
	return s->text.len < PIECE && !s->text.status ? 0 : flush(s);
}

static int on_sample(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		     const struct pipa_rec_sample *sample)
{
	struct script *s = (struct script *)(void *)self;
	const struct pipa_profile *p = &s->loaded.profile;
	struct pipa_ingest_found found;
	int rc;

	if (!is_wanted(s, id))
		return 0;
	rc = pipa_ingest_find(s->loaded.ingest, id, sample, &found);
	if (rc < 0)
		return rc;
	if (!pipa_script_filter_comm(&s->o->filter,
				     pipa_profile_string(p, p->threads.items[found.thread].comm)))
		return 0;
	return write_sample(s, id, sample, &found);
}

/* ---- notes ------------------------------------------------------------------------------------------- */

static void note_missing(const struct script *s)
{
	char list[100] = "";
	size_t used = 0;
	uint32_t i;

	for (i = 0; i < PIPA_SCRIPT_SRCLINE; i++)
		if (s->missing >> i & 1)
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
						 used ? ", " : "", pipa_script_field_name(i));
	if (used)
		pipa_log_note(&s->o->load.log, "fields not recorded with all samples: %s", list);
	if (s->missing & PIPA_SCRIPT_BIT(SRCLINE))
		pipa_log_note(&s->o->load.log, "field srcline skipped: source lines are disabled");
}

static void note_losses(const struct script *s)
{
	const struct pipa_losses *losses = &s->loaded.profile.losses;
	const struct pipa_damage *damage = &s->loaded.recording.damage;

	if (losses->lost_samples || losses->lost_records)
		pipa_log_note(&s->o->load.log, "lost: %" PRIu64 " samples, %" PRIu64 " records",
			      losses->lost_samples, losses->lost_records);
	if (damage->count)
		pipa_log_note(&s->o->load.log,
			      "corrupt records: %" PRIu64 ", first at offset %" PRIu64 ": %s%s",
			      damage->count, damage->at, damage->what,
			      damage->incomplete ? "; the rest of the file is not read" : "");
}

/* Note which filter has excluded all samples. */
static void note_filters(const struct script *s)
{
	const struct pipa_script_filter *f = &s->o->filter;
	const struct pipa_ingest_options *ingest = &s->o->load.ingest;

	pipa_note_filters(&s->loaded.profile,
			  &(struct pipa_filter_names){ .comms = f->comms,
						       .time = ingest->from_ns || ingest->until_ns,
						       .pids = f->pids.n,
						       .tids = f->tids.n,
						       .cpus = f->cpus.n },
			  &s->o->load.log);
}

/* ---- both passes --------------------------------------------------------------------------------------- */

static int load_locations(struct script *s, const struct pipa_input *input)
{
	struct pipa_load_options load = s->o->load;
	const struct pipa_script_fields *f = &s->o->fields;

	load.keep_ingest = true;
	load.no_names |= !(pipa_script_fields_of(f, ~0u) & PIPA_SCRIPT_BIT(SYM));
	return pipa_load_input(&load, input, &s->loaded, s->err);
}

static int write_samples(struct script *s, const struct pipa_input *input)
{
	PIPA_AUTO(pipa_perf_source_close) struct pipa_perf_source *source = NULL;
	int rc = pipa_perf_source_open(input, true, &source, s->err);

	if (rc < 0)
		return rc;
	s->reader = pipa_perf_source_reader(source);
	s->events = pipa_perf_reader_events(s->reader);
	s->sink = (struct pipa_record_sink){ .sample = on_sample };
	rc = pipa_perf_reader_run(pipa_perf_source_reader(source), &s->sink, s->err);
	if (!rc)
		rc = flush(s);
	return rc ? rc : pipa_outfile_commit(s->out, s->err);
}

static int run_script(struct script *s)
{
	PIPA_AUTO(pipa_input_close) struct pipa_input *input = NULL;
	int rc = pipa_input_open(s->o->load.path, true, &input, s->err);

	if (rc < 0)
		return rc;
	if (input->kind != PIPA_KIND_PERF_DATA) {
		if (pipa_load_has_only_sums(input->kind))
			pipa_refuse(s->err, -EINVAL,
				    "cannot print samples: %s has only sums, it is %s", input->name,
				    pipa_kind_name(input->kind));
		else
			pipa_refuse(s->err, -EINVAL, "%s is %s", input->name,
				    pipa_kind_name(input->kind));
		return pipa_hint(s->err, "pipa script reads perf.data recordings");
	}
	s->frames = calloc(MAX_FRAMES, sizeof(*s->frames));
	rc = s->frames ? pipa_outfile_wrap(s->o->out_fd, "standard output", &s->out, s->err) :
			 -ENOMEM;
	if (!rc)
		rc = load_locations(s, input);
	if (!rc && !s->o->json && (s->o->header || s->o->header_only))
		pipa_report_header(&s->loaded.recording, &s->text);
	if (!rc && s->o->header_only) {
		if (s->loaded.recording.damage.count)
			note_losses(s);
		rc = flush(s);
		return rc ? rc : pipa_outfile_commit(s->out, s->err);
	}
	if (!rc)
		rc = write_samples(s, input);
	if (!rc && !s->n_written)
		note_filters(s);
	if (!rc) {
		note_missing(s);
		note_losses(s);
	}
	return rc < 0 && !s->err->code ? pipa_fail(s->err, rc, "read %s", input->name) : rc;
}

int pipa_script_run(const struct pipa_script_options *o, struct pipa_error *err)
{
	struct pipa_error own = { 0 };
	struct script s = { .o = o, .err = err ? err : &own };
	int rc = run_script(&s);

	pipa_loaded_done(&s.loaded);
	pipa_outfile_free(s.out);
	pipa_buf_done(&s.text);
	pipa_buf_done(&s.trace);
	pipa_tracing_done(&s.tracing);
	free(s.shown.items);
	free(s.frames);
	return rc;
}
