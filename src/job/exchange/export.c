#include "job/exchange/export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "codec/gzip.h"
#include "codec/proto_json.h"
#include "export/exchange/callgrind.h"
#include "export/exchange/chrome_trace.h"
#include "export/exchange/cpuprofile.h"
#include "export/exchange/firefox.h"
#include "export/exchange/flame_csv.h"
#include "export/exchange/folded.h"
#include "export/exchange/graph_json.h"
#include "export/exchange/otlp.h"
#include "export/exchange/pprof.h"
#include "export/exchange/profile_json.h"
#include "export/exchange/speedscope.h"
#include "export/exchange/tracks.h"
#include "job/exchange/otlp_resource.h"
#include "job/exchange/otlp_send.h"
#include "job/view/choose_event.h"
#include "job/view/filter_notes.h"
#include "load/load.h"
#include "model/profile.h"
#include "model/profile_compact.h"
#include "net/otlp/endpoint.h"

/* The file that is written, through gzip or not. */
struct sink {
	struct pipa_outfile *out;
	struct pipa_gzip *gzip; /* NULL: not compressed */
	struct pipa_buf packed;
	struct pipa_error *err;
};

static int write_packed(struct sink *sink)
{
	int rc = sink->packed.status;

	if (!rc && sink->packed.len)
		rc = pipa_outfile_put(sink->out, sink->packed.data, sink->packed.len, sink->err);
	pipa_buf_reset(&sink->packed);
	return rc;
}

static int write_bytes(void *ctx, const char *bytes, size_t len)
{
	struct sink *sink = ctx;
	int rc;

	if (!sink->gzip)
		return pipa_outfile_put(sink->out, bytes, len, sink->err);
	rc = pipa_gzip_put(sink->gzip, bytes, len, &sink->packed);
	return rc ? rc : write_packed(sink);
}

static int write_pprof(const struct pipa_export_options *o, const struct pipa_loaded *loaded,
		       struct sink *sink)
{
	const struct pipa_pprof_format format = { .no_threads = o->no_threads };
	int rc;

	if (!o->uncompressed) {
		sink->gzip = pipa_gzip_new(1); /* the level of Go's runtime/pprof */
		if (!sink->gzip)
			return -ENOMEM;
	}
	rc = pipa_pprof_write(&loaded->profile, &format, write_bytes, sink);
	if (!rc && sink->gzip)
		rc = pipa_gzip_end(sink->gzip, &sink->packed);
	return rc ? rc : write_packed(sink);
}

/* Fill the format of folded stacks; the event is chosen by the options. */
static int make_folded_format(const struct pipa_export_options *o, const struct pipa_loaded *loaded,
			      struct pipa_folded_format *ret, struct pipa_error *err)
{
	*ret = (struct pipa_folded_format){
		.names = { .raw_names = loaded->kind == PIPA_KIND_FOLDED,
			   .as_reported = loaded->kind != PIPA_KIND_FOLDED &&
					  loaded->kind != PIPA_KIND_PERF_SCRIPT },
		.has_labels = loaded->kind == PIPA_KIND_FOLDED,
	};
	return pipa_choose_event(&loaded->profile, o->event, &o->log, &ret->event, err);
}

static int write_folded(const struct pipa_export_options *o, const struct pipa_loaded *loaded,
			struct sink *sink)
{
	struct pipa_folded_format format;
	int rc = make_folded_format(o, loaded, &format, sink->err);

	return rc ? rc : pipa_folded_write(&loaded->profile, &format, write_bytes, sink);
}

static int write_flame_csv(const struct pipa_export_options *o, const struct pipa_loaded *loaded,
			   struct sink *sink)
{
	struct pipa_folded_format format;
	int rc = make_folded_format(o, loaded, &format, sink->err);

	return rc ? rc : pipa_flame_csv_write(&loaded->profile, &format, write_bytes, sink);
}

static int write_graph_json(const struct pipa_export_options *o PIPA_UNUSED,
			    const struct pipa_loaded *loaded, struct sink *sink)
{
	return pipa_graph_json_write(&loaded->profile, write_bytes, sink);
}

static int write_json(const struct pipa_export_options *o PIPA_UNUSED,
		      const struct pipa_loaded *loaded, struct sink *sink)
{
	return pipa_profile_json_write(&loaded->profile, write_bytes, sink);
}

static int write_callgrind(const struct pipa_export_options *o, const struct pipa_loaded *loaded,
			   struct sink *sink)
{
	const struct pipa_callgrind_format format = {
		.version = o->version,
		.command = pipa_recording_fact(&loaded->recording, "cmdline"),
	};

	return pipa_callgrind_write(&loaded->profile, &format, write_bytes, sink);
}

/* Collect the attributes of the machine of a recording. Returns their number. */
static size_t describe_host(const struct pipa_recording *recording,
			    struct pipa_otlp_resource_text ret[4])
{
	static const struct {
		const char *fact, *key;
	} facts[] = { { "hostname", "host.name" }, { "os release", "os.version" } };
	size_t n = 0, i, k;

	for (i = 0; i < PIPA_COUNT(facts); i++)
		for (k = 0; k < recording->facts.n; k++)
			if (strcmp(recording->facts.items[k].name, facts[i].fact) == 0 &&
			    *recording->facts.items[k].text) {
				ret[n].key = facts[i].key;
				ret[n++].text = recording->facts.items[k].text;
				break;
			}
	if (recording->arch) {
		ret[n].key = "host.arch";
		ret[n++].text = pipa_otlp_arch_name(recording->arch);
	}
	if (n)
		ret[n++] = (struct pipa_otlp_resource_text){ "os.type", "linux" };
	return n;
}

/* Fill the format of OTLP profiles; list->strings has to be freed. */
static int make_otlp_format(const struct pipa_export_options *o, const struct pipa_loaded *loaded,
			    struct pipa_otlp_resource_list *list, struct pipa_otlp_format *ret)
{
	struct pipa_otlp_resource_text host[4];
	size_t n = describe_host(&loaded->recording, host);
	int rc = pipa_otlp_resource_read(host, n, &o->log, list);

	*ret = (struct pipa_otlp_format){
		.layout = o->otlp_1_9 ? PIPA_OTLP_1_9 : PIPA_OTLP_1_10,
		.no_threads = o->no_threads,
		.version = o->version,
		.resource = list->items,
		.n_resource = list->n,
	};
	/* a selection renumbers the samples, or keeps only a part of their counts */
	if (o->otlp_times && loaded->recording.has_clock && !o->selection.value &&
	    !pipa_filter_is_set(&o->selection.filter)) {
		ret->times = &loaded->timeline;
		ret->utc_offset_ns = loaded->recording.clock_wall_ns - loaded->recording.clock_ns;
	}
	return rc;
}

static int write_otlp_to(const struct pipa_export_options *o, const struct pipa_loaded *loaded,
			 int (*put)(void *ctx, const char *bytes, size_t len), void *ctx)
{
	struct pipa_otlp_resource_list list;
	struct pipa_otlp_format format;
	int rc = make_otlp_format(o, loaded, &list, &format);

	if (!rc)
		rc = pipa_otlp_write(&loaded->profile, &format, put, ctx);
	free(list.strings);
	return rc;
}

static int write_otlp(const struct pipa_export_options *o, const struct pipa_loaded *loaded,
		      struct sink *sink)
{
	return write_otlp_to(o, loaded, write_bytes, sink);
}

static int convert_to_json(void *ctx, const char *bytes, size_t len)
{
	return pipa_proto_json_put(ctx, bytes, len);
}

/* Write OTLP profiles as one line of JSON, converted piece by piece from the protobuf bytes. */
static int write_otlp_json(const struct pipa_export_options *o, const struct pipa_loaded *loaded,
			   struct sink *sink)
{
	const struct pipa_proto_message *message =
		&pipa_otlp_data_messages[o->otlp_1_9 ? PIPA_OTLP_1_9 : PIPA_OTLP_1_10];
	PIPA_AUTO(pipa_proto_json_free)
	struct pipa_proto_json *json = pipa_proto_json_new(message, write_bytes, sink);
	int rc = json ? write_otlp_to(o, loaded, convert_to_json, json) : -ENOMEM;

	if (!rc)
		rc = pipa_proto_json_end(json);
	return rc ? rc : write_bytes(sink, "\n", 1);
}

static int send_otlp(const struct pipa_export_options *o, const struct pipa_loaded *loaded,
		     struct pipa_error *err)
{
	struct pipa_otlp_options endpoint = *o->otlp;
	struct pipa_otlp_resource_list list;
	struct pipa_otlp_format format;
	const struct pipa_otlp_send_options options = {
		.endpoint = &endpoint,
		.format = &format,
		.retry_ns = o->otlp_retry_ns,
		.owns_process = o->owns_process,
		.log = &o->log,
	};
	int rc = make_otlp_format(o, loaded, &list, &format);

	endpoint.layout_1_9 = o->otlp_1_9;
	rc = rc < 0 ? pipa_fail(err, rc, "read the attributes of the resource") :
		      pipa_otlp_send_profile(&options, &loaded->profile, err);
	free(list.strings);
	return rc;
}

/* Note times that are missing or less exact than those of the recording. */
static void note_times(const struct pipa_export_options *o, const struct pipa_loaded *loaded,
		       const struct pipa_tracks *tracks)
{
	if (!tracks->timed && loaded->timeline.n)
		pipa_log_note(&o->log, "%" PRIu64 " samples have no time: writing sums instead",
			      loaded->timeline.untimed);
	else if (!tracks->timed && o->evented)
		pipa_log_note(&o->log, "the input has no times: writing sums instead of events");
	else if (tracks->timed && loaded->timeline.resolution_ns)
		pipa_log_note(&o->log,
			      "samples of a stack within %" PRIu64 " ms are written as one",
			      loaded->timeline.resolution_ns >> 20);
	if (tracks->timed && loaded->timeline.marks_dropped)
		pipa_log_note(&o->log, "%" PRIu64 " losses have no time and are not shown",
			      loaded->timeline.marks_dropped);
}

/* Compress the output if its name ends with ".gz". */
static int compress_by_name(const struct pipa_export_options *o, struct sink *sink)
{
	size_t len = o->output ? strlen(o->output) : 0;

	if (len < 4 || strcmp(o->output + len - 3, ".gz") != 0)
		return 0;
	sink->gzip = pipa_gzip_new(1);
	return sink->gzip ? 0 : -ENOMEM;
}

static int end_gzip(struct sink *sink)
{
	int rc = sink->gzip ? pipa_gzip_end(sink->gzip, &sink->packed) : 0;

	return rc ? rc : write_packed(sink);
}

/*
 * Make the tracks of one event if the format has only one, otherwise of all events or that of the options, and compress
 * the output if its name ends with ".gz".
 */
static int make_tracks(const struct pipa_export_options *o, const struct pipa_loaded *loaded,
		       struct sink *sink, struct pipa_tracks *tracks, bool one_event)
{
	uint32_t event = PIPA_NONE;
	int rc = 0;

	if (one_event || o->event)
		rc = pipa_choose_event(&loaded->profile, o->event, &o->log, &event, sink->err);
	if (!rc)
		rc = pipa_tracks_make(&loaded->profile, &loaded->timeline, event, tracks);
	return rc ? rc : compress_by_name(o, sink);
}

static int write_speedscope(const struct pipa_export_options *o, const struct pipa_loaded *loaded,
			    struct sink *sink)
{
	const struct pipa_speedscope_format format = {
		.name = o->path ? pipa_choose_title(NULL, o->path) : "merged profile",
		.version = o->version,
		.evented = o->evented,
	};
	PIPA_AUTO(pipa_tracks_done) struct pipa_tracks tracks = { 0 };
	int rc = make_tracks(o, loaded, sink, &tracks, false);

	if (rc < 0)
		return rc;
	note_times(o, loaded, &tracks);
	rc = pipa_speedscope_write(&tracks, &format, write_bytes, sink);
	return rc ? rc : end_gzip(sink);
}

static int write_cpuprofile(const struct pipa_export_options *o, const struct pipa_loaded *loaded,
			    struct sink *sink)
{
	PIPA_AUTO(pipa_tracks_done) struct pipa_tracks tracks = { 0 };
	int rc = make_tracks(o, loaded, sink, &tracks, true);

	if (rc < 0)
		return rc;
	note_times(o, loaded, &tracks);
	rc = pipa_cpuprofile_write(&tracks, write_bytes, sink);
	return rc ? rc : end_gzip(sink);
}

static int write_firefox(const struct pipa_export_options *o, const struct pipa_loaded *loaded,
			 struct sink *sink)
{
	const struct pipa_firefox_format format = { .recording = &loaded->recording,
						    .version = o->version };
	PIPA_AUTO(pipa_tracks_done) struct pipa_tracks tracks = { 0 };
	int rc = make_tracks(o, loaded, sink, &tracks, false);

	if (rc < 0)
		return rc;
	note_times(o, loaded, &tracks);
	rc = pipa_firefox_write(&tracks, &format, write_bytes, sink);
	return rc ? rc : end_gzip(sink);
}

static int write_chrome_trace(const struct pipa_export_options *o, const struct pipa_loaded *loaded,
			      struct sink *sink)
{
	PIPA_AUTO(pipa_tracks_done) struct pipa_tracks tracks = { 0 };
	int rc = make_tracks(o, loaded, sink, &tracks, false);

	if (rc < 0)
		return rc;
	if (tracks.n && !tracks.timed) {
		pipa_refuse(sink->err, -ENODATA, "cannot write a trace: the samples have no times");
		return pipa_hint(sink->err,
				 "-f firefox, speedscope and callgrind do not require times");
	}
	note_times(o, loaded, &tracks);
	rc = pipa_chrome_trace_write(&tracks, o->version, write_bytes, sink);
	return rc ? rc : end_gzip(sink);
}

static const struct {
	const char *name;
	const char *suffixes[4]; /* of file names */
	bool binary;
	int (*write)(const struct pipa_export_options *o, const struct pipa_loaded *loaded,
		     struct sink *sink);
	bool timed;	/* it has a time axis */
	bool one_event; /* it has only one event */
} formats[PIPA_EXPORT_FORMAT_NR] = {
	[PIPA_EXPORT_PPROF] = { "pprof", { ".pb.gz", ".pb", ".pprof" }, true, write_pprof },
	[PIPA_EXPORT_JSON] = { "json", { NULL }, false, write_json },
	[PIPA_EXPORT_FOLDED] = { "folded",
				 { ".folded", ".txt" },
				 false,
				 write_folded,
				 .one_event = true },
	[PIPA_EXPORT_OTLP] = { "otlp", { ".otlp" }, true, write_otlp },
	[PIPA_EXPORT_OTLP_JSON] = { "otlp-json", { NULL }, false, write_otlp_json },
	[PIPA_EXPORT_CALLGRIND] = { "callgrind", { ".callgrind" }, false, write_callgrind },
	[PIPA_EXPORT_SPEEDSCOPE] = { "speedscope",
				     { ".speedscope.json", ".speedscope.json.gz" },
				     false,
				     write_speedscope,
				     .timed = true },
	[PIPA_EXPORT_CPUPROFILE] = { "cpuprofile",
				     { ".cpuprofile", ".cpuprofile.gz" },
				     false,
				     write_cpuprofile,
				     .timed = true,
				     .one_event = true },
	[PIPA_EXPORT_GRAPH_JSON] = { "graph-json", { NULL }, false, write_graph_json },
	[PIPA_EXPORT_FLAME_CSV] = { "flame-csv",
				    { NULL },
				    false,
				    write_flame_csv,
				    .one_event = true },
	[PIPA_EXPORT_FIREFOX] = { "firefox",
				  { ".firefox.json", ".firefox.json.gz" },
				  false,
				  write_firefox,
				  .timed = true },
	[PIPA_EXPORT_CHROME_TRACE] = { "chrome-trace",
				       { ".trace.json", ".trace.json.gz" },
				       false,
				       write_chrome_trace,
				       .timed = true },
};

const char *pipa_export_format_name(enum pipa_export_format format)
{
	return formats[format].name;
}

const char *pipa_export_format_names(char *buf, size_t size)
{
	enum pipa_export_format i;
	size_t len = 0;

	for (i = 0; i < PIPA_EXPORT_FORMAT_NR && len < size; i++)
		len += (size_t)snprintf(buf + len, size - len, "%s%s",
					!i			       ? "" :
					i + 1 == PIPA_EXPORT_FORMAT_NR ? " or " :
									 ", ",
					formats[i].name);
	return buf;
}

bool pipa_export_is_binary(enum pipa_export_format format)
{
	return formats[format].binary;
}

bool pipa_export_has_event(enum pipa_export_format format)
{
	return formats[format].timed || formats[format].one_event;
}

enum pipa_export_format pipa_export_format_of_file(const char *path)
{
	size_t len = strlen(path), i, k;

	for (i = 0; i < PIPA_EXPORT_FORMAT_NR; i++)
		for (k = 0; k < PIPA_COUNT(formats[i].suffixes) && formats[i].suffixes[k]; k++) {
			size_t n = strlen(formats[i].suffixes[k]);

			if (len > n && strcmp(path + len - n, formats[i].suffixes[k]) == 0)
				return (enum pipa_export_format)i;
		}
	return PIPA_EXPORT_FORMAT_NR;
}

enum pipa_export_format pipa_export_format_find(const char *name)
{
	enum pipa_export_format i;

	for (i = 0; i < PIPA_EXPORT_FORMAT_NR; i++)
		if (strcmp(formats[i].name, name) == 0)
			break;
	return i;
}

int pipa_export_write(const struct pipa_export_options *o, const struct pipa_loaded *loaded,
		      struct pipa_error *err)
{
	PIPA_AUTO(pipa_outfile_free) struct pipa_outfile *out = NULL;
	struct sink sink = { .err = err };
	int rc = pipa_outfile_open_or_wrap(o->output, o->out_fd, &out, err);

	if (rc < 0)
		return rc;
	sink.out = out;
	rc = formats[o->format].write(o, loaded, &sink);
	pipa_gzip_free(sink.gzip);
	pipa_buf_done(&sink.packed);
	if (rc < 0)
		return err->code ? rc : pipa_fail(err, rc, "export the profile");
	return pipa_outfile_commit(out, err);
}

int pipa_export_run(const struct pipa_export_options *o, struct pipa_error *err)
{
	struct pipa_load_options load = {
		.path = o->path,
		.log = o->log,
		.ingest = o->ingest,
		.symbols = o->symbols,
	};
	struct pipa_profile_selection selection = o->selection;
	struct pipa_loaded loaded;
	int rc;

	load.symbols.lines = o->not_inlined ? PIPA_LINES_NONE : PIPA_LINES_STACKS;
	load.timeline = (!o->otlp && formats[o->format].timed) || o->otlp_times;
	selection.all_values = o->otlp || !formats[o->format].one_event || o->event;
	rc = pipa_load_selected(&load, &selection, &loaded, err);
	if (rc < 0)
		return rc;
	pipa_note_losses(&loaded, NULL, &o->log);
	if (!loaded.profile.samples.n)
		pipa_note_filters(&loaded.profile,
				  &(struct pipa_filter_names){ .time = o->ingest.from_ns ||
								       o->ingest.until_ns },
				  &o->log);
	if (pipa_filter_is_set(&selection.filter) || selection.value)
		rc = pipa_profile_compact(&loaded.profile);
	if (rc < 0)
		pipa_fail(err, rc, "export the profile");
	else
		rc = o->otlp ? send_otlp(o, &loaded, err) : pipa_export_write(o, &loaded, err);
	pipa_loaded_done(&loaded);
	return rc;
}
