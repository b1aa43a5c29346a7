#include "load/dataset.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"
#include "import/history.h"
#include "import/monitor_json.h"
#include "import/sar_text.h"
#include "import/stat_csv.h"
#include "load/dataset_read.h"
#include "model/counts.h"
#include "store/archive.h"
#include "store/member_reader.h"

enum { MAX_NOTES = 200 };

enum member_kind {
	MEMBER_IGNORED, /* known, and of no use to an analysis */
	MEMBER_EMPTY,
	MEMBER_FACTS, /* static_info.yaml, which PIPA prefers to spec_info.yaml */
	MEMBER_SPEC,
	MEMBER_HISTORY,
	MEMBER_SADF,
	MEMBER_SAR,
	MEMBER_MONITOR_JSON,
	MEMBER_COUNTS,
	MEMBER_COUNTS_JSON,
	MEMBER_RECORDING,
	MEMBER_COUNTS_TEXT, /* report of pipa stat or perf stat for readers */
	MEMBER_UNKNOWN,
	MEMBER_UNREADABLE,
};

struct member {
	const struct pipa_archive_member *member; /* NULL: the only file of the input */
	enum member_kind kind;
	enum pipa_kind recording;
	ptrdiff_t source; /* of the statistics of its directory; -1: none yet */
};

struct members {
	struct member *items;
	size_t n, cap;
	size_t of[MEMBER_UNREADABLE + 1]; /* number of members by kind */
};

/* Are two members in the same directory? */
static bool is_beside(const struct member *a, const struct member *b)
{
	const char *x = a->member ? a->member->name : "", *y = b->member ? b->member->name : "";
	const char *x_end = strrchr(x, '/'), *y_end = strrchr(y, '/');
	size_t x_len = x_end ? (size_t)(x_end - x) : 0, y_len = y_end ? (size_t)(y_end - y) : 0;

	return x_len == y_len && memcmp(x, y, x_len) == 0;
}

/* Is there a member of a kind in the directory of another one? */
static bool has_beside(const struct members *all, const struct member *m, enum member_kind kind)
{
	size_t i;

	for (i = 0; all->of[kind] && i < all->n; i++)
		if (all->items[i].kind == kind && is_beside(&all->items[i], m))
			return true;
	return false;
}

const char *pipa_dataset_problem_name(enum pipa_dataset_problem problem)
{
	static const char *const names[PIPA_DATASET_PROBLEM_NR] = {
		[PIPA_DATASET_MISSING] = "missing",	[PIPA_DATASET_EMPTY] = "empty",
		[PIPA_DATASET_TRUNCATED] = "truncated", [PIPA_DATASET_DAMAGED] = "damaged",
		[PIPA_DATASET_UNKNOWN] = "unknown",	[PIPA_DATASET_UNREADABLE] = "unreadable",
		[PIPA_DATASET_TOO_LARGE] = "too large", [PIPA_DATASET_UNUSED] = "unused",
	};

	return names[problem];
}

void pipa_dataset_done(struct pipa_dataset *d)
{
	size_t i;

	pipa_series_set_done(&d->series);
	pipa_hardware_done(&d->hardware);
	pipa_facts_done(&d->facts);
	for (i = 0; i < d->notes.n; i++) {
		free(d->notes.items[i].name);
		free(d->notes.items[i].text);
	}
	for (i = 0; i < d->recordings.n; i++)
		free(d->recordings.items[i].path);
	for (i = 0; i < d->inputs.n; i++) {
		pipa_archive_close(d->inputs.items[i].archive);
		free(d->inputs.items[i].path);
	}
	free(d->notes.items);
	free(d->recordings.items);
	free(d->inputs.items);
	free(d->hosts.items);
	*d = (struct pipa_dataset){ 0 };
}

/* ---- notes ---------------------------------------------------------------------------------- */

int pipa_dataset_note(struct pipa_dataset *d, const char *name, enum pipa_dataset_problem problem,
		      const char *fmt, ...)
{
	struct pipa_dataset_note *note;
	va_list ap;
	int n;

	if (d->notes.n == MAX_NOTES) {
		d->unnoted++;
		return 0;
	}
	note = PIPA_VEC_ADD(&d->notes);
	if (!note)
		return -ENOMEM;
	note->problem = problem;
	note->name = strdup(name);
	va_start(ap, fmt);
	n = vasprintf(&note->text, fmt, ap);
	va_end(ap);
	if (n < 0)
		note->text = NULL;
	if (note->name && note->text)
		return 0;
	free(note->name);
	free(note->text);
	d->notes.n--;
	return -ENOMEM;
}

int pipa_dataset_note_unusable(struct pipa_dataset *d, const char *name, const char *text)
{
	return pipa_dataset_note(d, name, PIPA_DATASET_UNREADABLE, "%s", text);
}

/* Return the name of a member for messages. The caller frees it. */
static char *name_member(const struct pipa_dataset_input *input, const struct member *m)
{
	char *name;

	if (!m->member)
		return strdup(input->name);
	if (input->name != input->path)
		return strdup(m->member->name);
	if (m->member->path)
		return strdup(m->member->path);
	return asprintf(&name, "%s: %s", input->name, m->member->name) < 0 ? NULL : name;
}

/* ---- classification ------------------------------------------------------------------------- */

/* Return the name without its directory. */
static const char *short_name(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

static bool is_facts_name(const char *name)
{
	return strcmp(name, "spec_info.yaml") == 0 || strcmp(name, "static_info.yaml") == 0;
}

static bool is_ignored_name(const char *name)
{
	static const char *const names[] = {
		"collection_id.txt", "pipa-collection-info.txt",
		"pipa-tree.log",     "pipa.log",
		"sar.log",	     "sar_all.bin",
		"sar.dat",	     "ps.txt",
		"perf.report",	     "perf.buildid",
		"perf.annotate",     "manifest.json",
		"run.json",	     "run.yaml",
		"pipa-run.json",     "stdout.txt",
		"stderr.txt",
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* Has the text the header of sysstat's CSV, after comments? */
static bool is_sadf(const char *text, size_t len)
{
	static const char head[] = "hostname";
	const char *end = text + len;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));

		if (text < end && *text == '#')
			text++;
		while (text < end && *text == ' ')
			text++;
		if ((size_t)(end - text) > sizeof(head) &&
		    memcmp(text, head, sizeof(head) - 1) == 0 &&
		    (text[sizeof(head) - 1] == ';' || text[sizeof(head) - 1] == ','))
			return true;
		if (!newline || (text < end && *text != '\n' && newline - text > 4096))
			return false;
		text = newline + 1;
	}
	return false;
}

/* Are there counters in the first lines of the text? */
static bool is_counts(const char *text, size_t len)
{
	PIPA_AUTO(pipa_counts_done) struct pipa_counts counts = { 0 };
	struct pipa_stat_csv_result result = { 0 };
	const char *end = memrchr(text, '\n', len);

	if (memchr(text, '\0', len))
		return false;
	return pipa_stat_csv_decode(text, end ? (size_t)(end + 1 - text) : len, NULL, &counts,
				    &result) == 0 &&
	       counts.n && counts.n >= result.damaged;
}

/* Are these reports of pipa stat --json? */
static bool is_counts_json(const char *text, size_t len)
{
	static const char schema[] = "pipa-stat/1";

	return len && text[0] == '{' &&
	       memmem(text, len < 256 ? len : 256, schema, sizeof(schema) - 1) != NULL;
}

/* Is this the text of pipa stat or perf stat? Its values are rounded, and its layout depends on the version. */
static bool is_counts_text(const char *text, size_t len)
{
	static const char report[] = "Performance counter stats for ",
			  intervals[] = "#           time ";
	const size_t head = len < 1024 ? len : 1024;

	return memmem(text, head, report, sizeof(report) - 1) ||
	       (head >= sizeof(intervals) && memcmp(text, intervals, sizeof(intervals) - 1) == 0);
}

static void classify_bytes(const char *bytes, size_t len, struct member *m)
{
	enum pipa_kind kind;

	if (!len)
		m->kind = MEMBER_EMPTY;
	else if (pipa_history_is(bytes, len))
		m->kind = MEMBER_HISTORY;
	else if (is_sadf(bytes, len < 4096 ? len : 4096))
		m->kind = MEMBER_SADF;
	else if (pipa_sar_is(bytes, len))
		m->kind = MEMBER_SAR;
	else if (pipa_monitor_json_is(bytes, len))
		m->kind = MEMBER_MONITOR_JSON;
	else if (is_counts_json(bytes, len))
		m->kind = MEMBER_COUNTS_JSON;
	else if (is_counts_text(bytes, len))
		m->kind = MEMBER_COUNTS_TEXT;
	else if (is_counts(bytes, len < 16384 ? len : 16384))
		m->kind = MEMBER_COUNTS;
	else
		m->kind = MEMBER_UNKNOWN;
	if (m->kind != MEMBER_UNKNOWN)
		return;
	kind = pipa_kind_find(bytes, len);
	if (kind != PIPA_KIND_UNKNOWN && kind != PIPA_KIND_EMPTY && kind != PIPA_KIND_GZIP &&
	    kind != PIPA_KIND_ZSTD && kind != PIPA_KIND_TAR) {
		m->kind = MEMBER_RECORDING;
		m->recording = kind;
	}
}

/* Classify a member by its name if that is known, else by its first bytes. */
static int classify_member(const struct pipa_archive *archive, struct member *m, char *first)
{
	const char *name = m->member ? short_name(m->member->name) : "file";
	PIPA_AUTO(pipa_member_reader_close) struct pipa_member_reader reader = { .fd = -1 };
	ssize_t n;
	int rc;

	m->kind = MEMBER_IGNORED;
	if (!*name || is_ignored_name(name) ||
	    (m->member && strstr(m->member->name, "spec_original/")))
		return 0;
	rc = pipa_member_reader_open(&reader, archive, m->member);
	if (rc == -EISDIR)
		return 0;
	n = rc < 0 ? rc : pipa_member_reader_fill(&reader, first, PIPA_KIND_BYTES);
	if (n < 0) {
		m->kind = MEMBER_UNREADABLE;
		return n == -ENOMEM ? -ENOMEM : 0;
	}
	if (n && is_facts_name(name))
		m->kind = strcmp(name, "spec_info.yaml") == 0 ? MEMBER_SPEC : MEMBER_FACTS;
	else
		classify_bytes(first, (size_t)n, m);
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	return strcmp(x->member ? x->member->name : "", y->member ? y->member->name : "");
}

/* Classify all members, sorted by name: histories are named by their days. */
static int find_members(const struct pipa_archive *archive, struct members *ret)
{
	PIPA_AUTO(free) char *first = malloc(PIPA_KIND_BYTES);
	bool single = pipa_archive_kind(archive) == PIPA_ARCHIVE_FILE;
	const struct pipa_archive_member *found;
	struct member *m;
	size_t i;
	int rc = first ? 0 : -ENOMEM;

	for (i = 0; !rc && ((found = pipa_archive_member(archive, i)) || (single && !i)); i++) {
		m = PIPA_VEC_ADD(ret);
		if (!m)
			return -ENOMEM;
		m->member = found;
		m->source = -1;
		rc = classify_member(archive, m, first);
		ret->of[m->kind]++;
	}
	if (ret->n)
		qsort(ret->items, ret->n, sizeof(*ret->items), compare_names);
	return rc;
}

/* ---- inputs --------------------------------------------------------------------------------- */

/* Return the start of the first interval of a source, or of those from `first` on if it is -1; 0: unknown. */
static uint64_t start_of_sources(const struct pipa_dataset *d, size_t first, ptrdiff_t source)
{
	uint64_t start = UINT64_MAX;
	size_t i;

	for (i = 0; i < d->series.groups.n; i++) {
		const struct pipa_series_group *group = &d->series.groups.items[i];
		const struct pipa_series_axis *axis = &d->series.axes.items[group->axis];
		uint64_t length_ns;

		if (group->source < first || !axis->n ||
		    (source >= 0 && group->source != (size_t)source))
			continue;
		length_ns = (uint64_t)((double)axis->interval_s[0] * 1e9);
		if (axis->wall_ns[0] - length_ns < start && axis->wall_ns[0] >= length_ns)
			start = axis->wall_ns[0] - length_ns;
	}
	return start == UINT64_MAX ? 0 : start;
}

static int add_recording(struct pipa_dataset *d, size_t input, const struct member *m)
{
	struct pipa_dataset_recording *recording = PIPA_VEC_ADD(&d->recordings);

	if (!recording)
		return -ENOMEM;
	recording->input = input;
	recording->kind = m->recording;
	if (m->member && !m->member->path)
		return 0;
	recording->path = strdup(m->member ? m->member->path : d->inputs.items[input].path);
	return recording->path ? 0 : -ENOMEM;
}

/* Add a source of unknown host. */
static ptrdiff_t add_source(struct pipa_dataset *d, const char *name, enum pipa_series_clock clock)
{
	if (!PIPA_VEC_ADD(&d->hosts))
		return -ENOMEM;
	d->hosts.items[d->hosts.n - 1] = (struct pipa_dataset_host){ 0 };
	return pipa_series_set_add_source(&d->series, name, clock);
}

/* Read statistics. Those of a directory are one source. */
static int read_statistics(struct pipa_dataset *d, const struct pipa_dataset_input *input,
			   struct members *all, const struct member *m, const char *name)
{
	const struct pipa_dataset_file file = { input->archive, m->member, name };
	ptrdiff_t source = m->source;
	struct pipa_series_feed feed;
	size_t i;

	if (source < 0)
		source = add_source(d, input->name, PIPA_CLOCK_UTC);
	if (source < 0)
		return (int)source;
	for (i = 0; i < all->n; i++)
		if (is_beside(&all->items[i], m))
			all->items[i].source = source;
	pipa_series_feed_init(&feed, &d->series, (size_t)source);
	switch (m->kind) {
	case MEMBER_SADF: return pipa_dataset_read_sadf(d, &file, (size_t)source);
	case MEMBER_HISTORY: return pipa_dataset_read_history(d, &file, &feed);
	case MEMBER_SAR: return pipa_dataset_read_sar(d, &file, &feed);
	default: return pipa_dataset_read_monitor_json(d, &file, &feed);
	}
}

/* Read counters. Their times start with the statistics beside them, else with the first of the input. */
static int read_counters(struct pipa_dataset *d, const struct pipa_dataset_input *input,
			 const struct member *m, const char *name, size_t first_source)
{
	const struct pipa_dataset_file file = { input->archive, m->member, name };
	uint64_t start = start_of_sources(d, first_source, m->source);
	ptrdiff_t source = add_source(d, name, start ? PIPA_CLOCK_ASSUMED : PIPA_CLOCK_ELAPSED);
	struct pipa_series_feed feed;

	if (source < 0)
		return (int)source;
	pipa_series_feed_init(&feed, &d->series, (size_t)source);
	return m->kind == MEMBER_COUNTS_JSON ?
		       pipa_dataset_read_counts_json(d, &file, &feed, start) :
		       pipa_dataset_read_counts(d, &file, &feed, start);
}

/* Read one member; statistics only if no better form of them is among the members. */
static int read_member(struct pipa_dataset *d, size_t input, struct members *all,
		       const struct member *m, size_t first_source)
{
	const struct pipa_dataset_input *in = &d->inputs.items[input];
	PIPA_AUTO(free) char *name = name_member(in, m);

	if (!name)
		return -ENOMEM;
	switch (m->kind) {
	case MEMBER_IGNORED: return 0;
	case MEMBER_EMPTY:
		if (!m->member && pipa_archive_is_truncated(in->archive))
			return 0; /* nothing of it could be decompressed: noted for the file */
		return pipa_dataset_note(d, name, PIPA_DATASET_EMPTY, "the file is empty");
	case MEMBER_COUNTS_TEXT:
		return pipa_dataset_note(
			d, name, PIPA_DATASET_UNKNOWN,
			"report of stat as text, whose values are rounded; write it with -x , or "
			"--json to analyze it");
	case MEMBER_UNKNOWN:
		return pipa_dataset_note(d, name, PIPA_DATASET_UNKNOWN,
					 "not a file that pipa reads");
	case MEMBER_UNREADABLE:
		return pipa_dataset_note(d, name, PIPA_DATASET_UNREADABLE,
					 "the file cannot be read");
	case MEMBER_FACTS:
	case MEMBER_SPEC:
		return d->has_facts ?
			       0 :
			       pipa_dataset_read_facts(d, &(struct pipa_dataset_file){
								  in->archive, m->member, name });
	case MEMBER_RECORDING: return add_recording(d, input, m);
	case MEMBER_SADF:
		if (has_beside(all, m, MEMBER_HISTORY))
			return 0;
		break;
	case MEMBER_SAR:
		if (has_beside(all, m, MEMBER_HISTORY) || has_beside(all, m, MEMBER_SADF))
			return 0;
		break;
	case MEMBER_MONITOR_JSON:
		if (has_beside(all, m, MEMBER_HISTORY) || has_beside(all, m, MEMBER_SADF) ||
		    has_beside(all, m, MEMBER_SAR))
			return 0;
		break;
	case MEMBER_COUNTS:
	case MEMBER_COUNTS_JSON: return read_counters(d, in, m, name, first_source);
	case MEMBER_HISTORY: break;
	}
	return read_statistics(d, in, all, m, name);
}

/* Is there a recording that cannot be read or is empty? It has a note of its own. */
static bool has_lost_recording(const struct members *all)
{
	size_t i;

	for (i = 0; i < all->n; i++)
		if ((all->items[i].kind == MEMBER_UNREADABLE ||
		     all->items[i].kind == MEMBER_EMPTY) &&
		    all->items[i].member &&
		    strcmp(short_name(all->items[i].member->name), "perf.data") == 0)
			return true;
	return false;
}

/* Note the parts of a complete collection that are missing. */
static int note_missing(struct pipa_dataset *d, const char *path, const struct members *all)
{
	int rc = 0;

	if (!all->of[MEMBER_COUNTS] && !all->of[MEMBER_COUNTS_JSON])
		rc = pipa_dataset_note(
			d, path, PIPA_DATASET_MISSING,
			"no counters: neither perf_stat.txt nor perf-stat.csv has any");
	if (!rc && !all->of[MEMBER_RECORDING] && !has_lost_recording(all))
		rc = pipa_dataset_note(d, path, PIPA_DATASET_MISSING,
				       "no recording: perf.data is missing");
	if (!rc && !all->of[MEMBER_HISTORY] && !all->of[MEMBER_SADF] && !all->of[MEMBER_SAR] &&
	    !all->of[MEMBER_MONITOR_JSON])
		rc = pipa_dataset_note(
			d, path, PIPA_DATASET_MISSING,
			"no statistics: neither a history nor sar_*.csv nor sar.txt");
	if (!rc && !d->has_facts)
		rc = pipa_dataset_note(d, path, PIPA_DATASET_MISSING,
				       "no description of the machine: spec_info.yaml is missing");
	return rc;
}

/* Read the members by kind: statistics before counters, whose clock they set. */
static int read_input(struct pipa_dataset *d, size_t input)
{
	struct members all = { 0 };
	const struct pipa_archive *archive = d->inputs.items[input].archive;
	const char *path = d->inputs.items[input].name;
	size_t first_source = d->series.sources.n, i;
	enum member_kind kind;
	int rc = find_members(archive, &all);

	for (kind = MEMBER_IGNORED; !rc && kind <= MEMBER_UNREADABLE; kind++)
		for (i = 0; !rc && i < all.n; i++)
			if (all.items[i].kind == kind)
				rc = read_member(d, input, &all, &all.items[i], first_source);
	if (!rc && pipa_archive_is_truncated(archive))
		rc = pipa_dataset_note(d, path, PIPA_DATASET_TRUNCATED, "truncated or corrupt");
	if (!rc && pipa_archive_kind(archive) != PIPA_ARCHIVE_FILE)
		rc = note_missing(d, path, &all);
	free(all.items);
	return rc;
}

int pipa_dataset_add(struct pipa_dataset *d, const char *path, struct pipa_error *err)
{
	struct pipa_dataset_input *input = PIPA_VEC_ADD(&d->inputs);
	int rc = input && (input->path = strdup(path)) ? 0 : -ENOMEM;

	if (rc < 0)
		return pipa_fail(err, rc, "open %s", path);
	input->name = d->name ? d->name : input->path;
	rc = pipa_archive_open(input->path, &input->archive, err);
	if (rc < 0)
		return rc;
	rc = read_input(d, d->inputs.n - 1);
	if (!rc && d->has_facts && !d->hardware.cpus && !d->hardware.disks.n &&
	    !d->hardware.nodes.n)
		rc = pipa_hardware_init(&d->hardware, &d->facts);
	return rc < 0 ? pipa_fail(err, rc, "load %s", path) : 0;
}

/* ---- several sources ------------------------------------------------------------------------ */

struct source_span {
	size_t source;
	uint64_t first_ns, last_ns;
};

static int compare_spans(const void *a, const void *b)
{
	const struct source_span *x = a, *y = b;

	return (x->first_ns > y->first_ns) - (x->first_ns < y->first_ns);
}

/* Have two sources a section in common? Then findings are those of one of them. */
static bool share_section(const struct pipa_series_set *set, size_t a, size_t b)
{
	size_t i, k;

	for (i = 0; i < set->groups.n; i++)
		for (k = 0; k < set->groups.n; k++)
			if (set->groups.items[i].source == a && set->groups.items[k].source == b &&
			    set->groups.items[i].section == set->groups.items[k].section)
				return true;
	return false;
}

/* Return the number of intervals of the longest group of a source. */
static size_t count_intervals(const struct pipa_series_set *set, size_t source)
{
	size_t i, most = 0;

	for (i = 0; i < set->groups.n; i++)
		if (set->groups.items[i].source == source && set->groups.items[i].n_ticks > most)
			most = set->groups.items[i].n_ticks;
	return most;
}

/* Note the sources that findings do not use: all but the longest of those with the same sections. */
static int note_unused(struct pipa_dataset *d, const struct source_span *spans, size_t n)
{
	size_t i, k;
	int rc = 0;

	for (i = 0; !rc && i < n; i++) {
		size_t source = spans[i].source, best = source;

		for (k = 0; k < n; k++) {
			size_t other = spans[k].source, count = count_intervals(&d->series, other);
			size_t most = count_intervals(&d->series, best);

			if (other != best && share_section(&d->series, source, other) &&
			    (count > most || (count == most && other < best)))
				best = other;
		}
		if (best == source)
			continue;
		rc = pipa_dataset_note(
			d, d->series.sources.items[source].name, PIPA_DATASET_UNUSED,
			strcmp(d->hosts.items[source].name, d->hosts.items[best].name) ?
				"statistics of another machine; findings are those of %s" :
				"statistics of the same time; findings are those of %s",
			d->series.sources.items[best].name);
	}
	return rc;
}

/* Join the statistics of one machine that follow each other in time, and note the others. */
static int join_sources(struct pipa_dataset *d)
{
	size_t i, k, n = 0, kept = 0;
	PIPA_AUTO(free) struct source_span *spans = calloc(d->hosts.n + 1, sizeof(*spans));
	int rc = spans ? 0 : -ENOMEM;

	for (i = 0; !rc && i < d->series.sources.n; i++)
		if (d->series.sources.items[i].clock == PIPA_CLOCK_UTC &&
		    pipa_series_bounds(&d->series, i, &spans[n].first_ns, &spans[n].last_ns))
			spans[n++].source = i;
	if (n < 2)
		return rc;
	qsort(spans, n, sizeof(*spans), compare_spans);
	for (i = 0; !rc && i < n; i++) {
		for (k = 0; k < kept; k++)
			if (spans[k].last_ns < spans[i].first_ns &&
			    strcmp(d->hosts.items[spans[k].source].name,
				   d->hosts.items[spans[i].source].name) == 0)
				break;
		if (k == kept) {
			spans[kept++] = spans[i];
			continue;
		}
		rc = pipa_series_append(&d->series, spans[k].source, &d->series, spans[i].source);
		spans[k].last_ns = spans[i].last_ns;
		rc = rc == -EFBIG ? 0 : rc; /* the limit was noted when the rows were read */
	}
	return rc ? rc : note_unused(d, spans, kept);
}

/* Return why the first input as a whole is of no use, NULL if it is only of an unknown kind. */
static const char *why_nothing(const struct pipa_dataset *d)
{
	size_t i;

	for (i = 0; d->inputs.n && i < d->notes.n; i++) {
		const struct pipa_dataset_note *note = &d->notes.items[i];

		if (strcmp(note->name, d->inputs.items[0].name) != 0)
			continue;
		if (note->problem == PIPA_DATASET_TRUNCATED)
			return "it is truncated or corrupt";
		if (note->problem == PIPA_DATASET_EMPTY)
			return "the file is empty";
	}
	return NULL;
}

int pipa_dataset_finish(struct pipa_dataset *d, struct pipa_error *err)
{
	const char *reason;
	int rc = join_sources(d);

	if (!rc)
		rc = pipa_series_set_finish(&d->series);
	if (!rc && d->unnoted) {
		struct pipa_dataset_note *last = &d->notes.items[d->notes.n - 1];
		char *text;

		if (asprintf(&text, "%s; %zu further note%s not shown", last->text, d->unnoted,
			     pipa_str_plural(d->unnoted)) < 0) {
			rc = -ENOMEM;
		} else {
			free(last->text);
			last->text = text;
		}
	}
	if (rc < 0)
		return pipa_fail(err, rc, "load the series");
	if (d->series.values || d->recordings.n)
		return 0;
	reason = why_nothing(d);
	pipa_refuse(err, -ENODATA, "%s holds nothing that can be analyzed%s%s",
		    d->inputs.n ? d->inputs.items[0].path : "the input", reason ? ": " : "",
		    reason ? reason : "");
	if (reason)
		return err->code;
	return pipa_hint(err,
			 "supported: archives of pipa collect and PIPA, perf.data, and output of "
			 "monitor, stat -I, perf stat -x, sar and sadf -d");
}
