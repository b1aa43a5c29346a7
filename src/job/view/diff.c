#include "job/view/diff.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "export/text/event_unit.h"
#include "job/view/choose_event.h"
#include "job/view/diff_page.h"
#include "job/view/filter_notes.h"
#include "model/value_columns.h"

/* The comparison of one event. */
struct table {
	struct pipa_diff diff;
	const char *asked; /* requested event; NULL: any */
	const char *event; /* NULL before the first file; "": the file has no event names */
	const char *unit;  /* of the weights, as printed */
	bool is_time;	   /* the weights are nanoseconds */
	uint32_t chosen;   /* event id in the current run */
	uint32_t kept[2];  /* event ids in the two recordings of the page */
	uint32_t scale;	   /* of the weights; 0 before the first file */
	bool left_out;	   /* a file has no samples of it */
	const char *basis; /* of the verdicts, and why */
};

/* How a file was recorded; "": unknown. Borrowed from the names. */
struct machine {
	const char *command_line, *cpu;
};

/* A recording that stays loaded. */
struct side {
	struct pipa_loaded loaded;
	bool is_loaded;
};

struct work {
	const struct pipa_diff_job *job;
	struct table *tables;
	size_t n;
	struct pipa_diff_file *files;
	struct side kept[2];	   /* for the page */
	struct pipa_strings names; /* names of events, which outlive the profiles */
	struct machine *machines;  /* [file] */
	bool folded;		   /* the baseline is folded stacks, so the others must be, too */
	struct pipa_filter_notes filters; /* their names, for an empty result */
	bool damaged;			  /* a recording is corrupt: its event names can be lost */
};

static const char *shown(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
}

static void note(const struct work *w, const char *path, const char *fmt, ...) PIPA_PRINTF(3, 4);

static void note(const struct work *w, const char *path, const char *fmt, ...)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf line = { 0 };
	va_list ap;

	if (!pipa_log_on(&w->job->load.log))
		return;
	pipa_buf_puts(&line, shown(path));
	va_start(ap, fmt);
	pipa_buf_vprintf(&line, fmt, ap);
	va_end(ap);
	if (!line.status)
		pipa_log_note(&w->job->load.log, "%s", pipa_buf_str(&line));
}

/* Note corruption of a recording; losses are printed in the header. */
static void note_damage(const struct work *w, const char *path, const struct pipa_loaded *loaded)
{
	const struct pipa_damage *damage = &loaded->recording.damage;
	const struct pipa_losses *losses = &loaded->profile.losses;

	if (losses->cut_stacks)
		note(w, path, ": truncated samples skipped: %" PRIu64, losses->cut_stacks);
	if (damage->count)
		note(w, path, ": corrupt records: %" PRIu64 ", first at offset %" PRIu64 ": %s%s",
		     damage->count, damage->at, damage->what,
		     damage->incomplete ? "; the rest of the file is not read" : "");
	else if (losses->damaged)
		note(w, path, ": malformed lines skipped: %" PRIu64, losses->damaged);
}

/* ---- which events ------------------------------------------------------------------------------------ */

/* Return the first event with samples, if no event has a name. */
static uint32_t unnamed_event(const struct pipa_profile *p)
{
	uint32_t i = 0;

	while (i + 1 < p->events.n && !p->events.items[i].count)
		i++;
	return i < p->events.n ? i : PIPA_NONE;
}

static int copy_text(struct work *w, const char *text, const char **ret)
{
	uint32_t kept = pipa_strings_add(&w->names, text, strlen(text));

	if (kept == PIPA_NO_STRING)
		return -ENOMEM;
	*ret = pipa_strings_get(&w->names, kept);
	return 0;
}

static bool measures_time(const struct pipa_profile *p, uint32_t event)
{
	return strcmp(pipa_profile_string(p, p->events.items[event].unit), PIPA_VALUE_NS) == 0;
}

/* Copy name and unit of an event, whose profile is freed before the tables are written. */
static int copy_name(struct work *w, const struct pipa_profile *p, uint32_t event, struct table *t)
{
	int rc = copy_text(w, pipa_profile_string(p, p->events.items[event].name), &t->event);

	t->is_time = measures_time(p, event);
	return rc ? rc : copy_text(w, pipa_event_unit_text(p, event), &t->unit);
}

/* Make a table for each requested event, else for each named event with a weight. */
static int make_tables(struct work *w, const struct pipa_profile *p)
{
	const struct pipa_diff_job *job = w->job;
	size_t most = job->n_events ? job->n_events : p->events.n + 1, i;
	int rc = 0;

	w->tables = calloc(most, sizeof(*w->tables));
	if (!w->tables)
		return -ENOMEM;
	for (i = 0; i < job->n_events; i++)
		w->tables[w->n++].asked = job->events[i];
	for (i = 0; !rc && !job->n_events && i < p->events.n; i++) {
		const struct pipa_profile_event *event = &p->events.items[i];

		if (pipa_profile_string(p, event->name)[0] && event->weight)
			rc = copy_text(w, pipa_profile_string(p, event->name),
				       &w->tables[w->n++].asked);
	}
	w->n = w->n ? w->n : 1;
	for (i = 0; !rc && i < w->n; i++)
		rc = pipa_diff_init(&w->tables[i].diff, &job->diff);
	return rc;
}

/*
 * Find an event of the same kind. A truncated recording has lost the names of its events
 * ("cycles:u") and has only their types ("cycles"). PIPA_NONE if there is none.
 */
static uint32_t same_kind(const struct pipa_profile *p, const char *wanted)
{
	size_t len = strcspn(wanted, ":");
	uint32_t i;

	for (i = 0; i < p->events.n; i++) {
		const char *name = pipa_profile_string(p, p->events.items[i].name);

		if (strcspn(name, ":") == len && strncmp(name, wanted, len) == 0 &&
		    (!name[len] || !wanted[len]))
			return i;
	}
	return PIPA_NONE;
}

/*
 * Find an event that measures time, as the baseline's does: clocks of perf.data and the column cpu of
 * pprof have different names. Time on a CPU precedes other times. PIPA_NONE if there is none.
 */
static uint32_t find_time(const struct pipa_profile *p)
{
	uint32_t i, found = PIPA_NONE;

	for (i = 0; i < p->events.n; i++)
		if (measures_time(p, i) && p->events.items[i].weight &&
		    p->events.items[i].negative_of == PIPA_NONE &&
		    (found == PIPA_NONE || (pipa_event_is_cpu_time(p, &p->events.items[i]) &&
					    !pipa_event_is_cpu_time(p, &p->events.items[found]))))
			found = i;
	return found;
}

static int choose_named(const struct work *w, struct table *t, const struct pipa_profile *p,
			const char *path, struct pipa_error *err)
{
	const char *wanted = t->event && t->event[0] ? t->event : t->asked;
	uint32_t *ret = &t->chosen;
	struct pipa_error own = { 0 };
	int rc = pipa_choose_event(p, wanted, &w->job->load.log, ret, &own);

	if (rc < 0)
		*ret = w->damaged && wanted ? same_kind(p, wanted) : PIPA_NONE;
	if (rc < 0 && *ret != PIPA_NONE) {
		note(w, path, ": event %s treated as %s",
		     pipa_profile_string(p, p->events.items[*ret].name), wanted);
		return 0;
	}
	if (rc < 0 && t->is_time) {
		*ret = find_time(p);
		if (*ret != PIPA_NONE) {
			note(w, path, ": comparing %s (%s) with %s (%s) of the base",
			     pipa_profile_string(p, p->events.items[*ret].name), PIPA_VALUE_NS,
			     wanted, PIPA_VALUE_NS);
			return 0;
		}
	}
	if (rc < 0) {
		pipa_refuse(err, rc, "%s: %s", shown(path), own.what);
		return own.hint[0] ? pipa_hint(err, "%s", own.hint) : rc;
	}
	return 0;
}

/* Choose the event by the baseline's name; an event without a name is assumed to be the same. */
static int choose_event(struct work *w, struct table *t, const struct pipa_profile *p,
			const char *path, struct pipa_error *err)
{
	/* the event of folded stacks is named after the fractions of its counts */
	bool fractions = w->folded && !w->job->n_events;
	bool nameless = fractions ||
			(p->events.n == 1 && !pipa_profile_string(p, p->events.items[0].name)[0]);
	int rc = 0;

	t->chosen = PIPA_NONE;
	if (!nameless)
		rc = choose_named(w, t, p, path, err);
	if (rc < 0)
		return rc;
	if (t->chosen == PIPA_NONE)
		t->chosen = unnamed_event(p);
	if (t->chosen == PIPA_NONE)
		return pipa_refuse(err, -ENODATA, "%s has no samples: nothing to compare",
				   shown(path));
	if (t->event && nameless != !t->event[0] && !fractions)
		note(w, path, "%s: events assumed equal",
		     nameless ? " does not name its event" : " names its event, the base does not");
	return t->event && t->event[0] ? 0 : copy_name(w, p, t->chosen, t);
}

/* Scale the weights of this run or those of the runs before to the same fractions. 0, or -ERANGE on overflow. */
static int match_scales(struct work *w, size_t run, struct table *t, struct pipa_profile *p,
			struct pipa_error *err)
{
	struct pipa_profile_event *event = &p->events.items[t->chosen];
	uint32_t scale = event->scale ? event->scale : 1, factor;
	int rc = 0;

	if (!run)
		t->scale = scale;
	factor = scale > t->scale ? scale / t->scale : t->scale / scale;
	if (scale < t->scale)
		rc = pipa_profile_scale(p, t->chosen, factor);
	if (scale > t->scale)
		rc = pipa_diff_scale(&t->diff, factor);
	if (!rc && scale > t->scale && w->job->html)
		rc = pipa_profile_scale(&w->kept[0].loaded.profile, t->kept[0], factor);
	if (rc)
		return pipa_refuse(err, rc, "cannot compare %s: its weights exceed 64 bits",
				   shown(w->job->paths[run]));
	if (scale > t->scale)
		rc = copy_name(w, p, t->chosen, t);
	t->scale = scale > t->scale ? scale : t->scale;
	return rc;
}

/* ---- runs -------------------------------------------------------------------------------------------- */

/* Is the profile empty? Then missing events are not noted. */
static bool is_empty(const struct pipa_profile *p)
{
	uint32_t i;

	for (i = 0; i < p->events.n; i++)
		if (p->events.items[i].count)
			return false;
	return true;
}

static int check_weight(const struct table *t, const struct pipa_profile *p, const char *path,
			struct pipa_error *err)
{
	const struct pipa_profile_event *e = &p->events.items[t->chosen];
	const char *of = t->event[0] ? " of event " : "";
	bool empty = is_empty(p);

	if (!e->count)
		return pipa_refuse(err, -ENODATA, "%s has no samples%s%s: nothing to compare",
				   shown(path), empty ? "" : of, empty ? "" : t->event);
	if (!e->weight)
		return pipa_refuse(err, -ENODATA, "all samples of %s%s%s have period 0",
				   shown(path), of, t->event);
	return 0;
}

static int check_kind(struct work *w, size_t run, const struct pipa_loaded *loaded,
		      struct pipa_error *err)
{
	const char *path = w->job->paths[run];

	w->damaged |= loaded->recording.damage.count > 0;
	w->folded = run ? w->folded : loaded->kind == PIPA_KIND_FOLDED;
	if (w->folded == (loaded->kind == PIPA_KIND_FOLDED))
		return 0;
	pipa_refuse(err, -EINVAL, "cannot compare folded stacks (%s) with another format (%s)",
		    shown(w->folded ? w->job->paths[0] : path),
		    shown(w->folded ? path : w->job->paths[0]));
	return pipa_hint(err, "convert the recording with pipa fold");
}

/*
 * Choose the events of a run. An event that was not requested and has no samples is omitted, unless
 * it is the only one.
 */
static int choose_all(struct work *w, const struct pipa_profile *p, const char *path,
		      struct pipa_error *err)
{
	struct pipa_error first = { 0 };
	size_t i, left = 0;

	for (i = 0; i < w->n; i++) {
		struct table *t = &w->tables[i];
		struct pipa_error own = { 0 };
		int rc = t->left_out ? 0 : choose_event(w, t, p, path, &own);

		if (!rc && !t->left_out)
			rc = check_weight(t, p, path, &own);
		if (rc == -ENOMEM)
			return pipa_fail(err, rc, "compare");
		if (rc < 0 && !first.code)
			first = own;
		if (rc < 0 && w->job->n_events)
			break;
		if (rc < 0 && w->n > 1)
			note(w, path, " has no samples of event %s, skipped",
			     t->event ? t->event : t->asked);
		t->left_out |= rc < 0;
		left += !t->left_out;
	}
	if (first.code && (w->job->n_events || !left)) {
		*err = first;
		return first.code;
	}
	return 0;
}

static int copy_fact(struct work *w, const struct pipa_loaded *loaded, const char *name,
		     const char **ret)
{
	const char *text = pipa_recording_fact(&loaded->recording, name);

	return copy_text(w, text ? text : "", ret);
}

static bool has_rows(const struct work *w)
{
	size_t i;

	for (i = 0; i < w->n; i++)
		if (w->tables[i].diff.rows.n)
			return true;
	return false;
}

static int add_loaded(struct work *w, size_t run, struct pipa_loaded *loaded,
		      struct pipa_error *err)
{
	const struct pipa_losses *losses = &loaded->profile.losses;
	const char *path = w->job->paths[run];
	size_t i;
	int rc = check_kind(w, run, loaded, err);

	if (!rc && !run && make_tables(w, &loaded->profile) < 0)
		rc = pipa_fail(err, -ENOMEM, "compare");
	if (!rc)
		rc = choose_all(w, &loaded->profile, path, err);
	if (rc < 0)
		return rc;
	w->files[run] = (struct pipa_diff_file){ .path = shown(path),
						 .lost = losses->lost_samples +
							 losses->lost_records + losses->cut_stacks,
						 .complete = !loaded->recording.damage.count &&
							     !losses->damaged &&
							     !losses->cut_stacks };
	note_damage(w, path, loaded);
	rc = copy_fact(w, loaded, "cmdline", &w->machines[run].command_line);
	if (!rc)
		rc = copy_fact(w, loaded, "cpudesc", &w->machines[run].cpu);
	for (i = 0; !rc && i < w->n; i++) {
		struct table *t = &w->tables[i];

		if (w->job->html)
			t->kept[run] = t->chosen;
		if (!t->left_out)
			rc = match_scales(w, run, t, &loaded->profile, err);
		if (!rc && !t->left_out)
			rc = pipa_diff_add(&t->diff, run, &loaded->profile, t->chosen);
	}
	if (!rc && !has_rows(w))
		pipa_filter_notes_add(&w->filters, &loaded->profile);
	return rc < 0 && !err->code ? pipa_fail(err, rc, "compare %s", shown(path)) : rc;
}

/* Return what to load: lines, stacks or only innermost frames. */
static struct pipa_load_options load_options(const struct pipa_diff_job *job, size_t run)
{
	struct pipa_load_options load = job->load;
	bool stacks = job->html || job->diff.children || job->diff.by == PIPA_DIFF_BY_PATH;

	load.path = job->paths[run];
	load.drop_frames = true;
	load.ingest.no_stacks = !stacks;
	if (job->diff.by == PIPA_DIFF_BY_LINE)
		load.symbols.lines = PIPA_LINES_PLAIN;
	if (job->inlined != PIPA_LINES_NONE)
		load.symbols.lines = load.symbols.lines ? PIPA_LINES_INLINED : job->inlined;
	return load;
}

static int add_run(struct work *w, size_t run, struct pipa_error *err)
{
	const struct pipa_load_options load = load_options(w->job, run);
	struct side own = { 0 }, *side = w->job->html ? &w->kept[run] : &own;
	struct pipa_profile_selection selection = w->job->selection;
	int rc;

	selection.all_values = w->job->n_events > 0;
	rc = pipa_load_selected(&load, &selection, &side->loaded, err);
	if (rc < 0)
		return rc;
	side->is_loaded = true;
	rc = add_loaded(w, run, &side->loaded, err);
	if (side == &own)
		pipa_loaded_done(&own.loaded);
	return rc;
}

/* ---- basis of the verdicts --------------------------------------------------------------------------- */

/* Return the length of the next word of a command line, without "-o FILE"; *at is set to its start. */
static size_t next_word(const char **at)
{
	static const char *const outputs[] = { "-o", "--output" };
	const char *text = *at;
	size_t len, i;

	for (;;) {
		text += strspn(text, " ");
		len = strcspn(text, " ");
		for (i = 0; i < PIPA_COUNT(outputs); i++) {
			size_t n = strlen(outputs[i]);

			if (strncmp(text, outputs[i], n) == 0 &&
			    (len == n || text[n] == '=' || i == 0))
				break;
		}
		if (!len || i == PIPA_COUNT(outputs) || strncmp(text, "--", len) == 0)
			break;
		if (len == strlen(outputs[i])) { /* its value is the next word */
			text += len + strspn(text + len, " ");
			len = strcspn(text, " ");
		}
		text += len;
	}
	*at = text;
	return len;
}

static const char *last_part(const char *word)
{
	const char *slash = strrchr(word, '/');

	return slash ? slash + 1 : word;
}

/* Are the words equal, or the paths of one program with samples? */
static bool same_word(const struct pipa_diff *d, size_t run, const char *a, size_t len_a,
		      const char *b, size_t len_b)
{
	char x[256], y[256];

	if (len_a == len_b && memcmp(a, b, len_a) == 0)
		return true;
	if (len_a >= sizeof(x) || len_b >= sizeof(y))
		return false;
	snprintf(x, sizeof(x), "%.*s", (int)len_a, a);
	snprintf(y, sizeof(y), "%.*s", (int)len_b, b);
	return pipa_diff_same_object(d, run, last_part(x), last_part(y));
}

/* Does the word select processes that were running, or CPUs? Such recordings are not of one command. */
static bool is_attached(const char *word, size_t len)
{
	static const char *const options[] = { "-a",	"-C",	 "-p",	       "-t",
					       "-u",	"-G",	 "--all-cpus", "--cpu",
					       "--pid", "--tid", "--uid",      "--cgroup" };
	size_t i, n;

	for (i = 0; i < PIPA_COUNT(options); i++) {
		n = strlen(options[i]);
		if (len >= n && strncmp(word, options[i], n) == 0 &&
		    (len == n || n == 2 || word[n] == '='))
			return true;
	}
	return false;
}

/* Return why a file is not a recording of the same command as the first, NULL if it is one. */
static const char *other_work(const struct work *w, const struct pipa_diff *d, size_t run)
{
	const struct machine *base = &w->machines[0], *now = &w->machines[run];
	const char *a = base->command_line, *b = now->command_line;
	bool options = true;
	size_t len_a, len_b;

	if (!a[0] || !b[0])
		return "recorded command unknown";
	if (strcmp(base->cpu, now->cpu) != 0)
		return "different CPUs";
	if (!w->files[0].complete || !w->files[run].complete)
		return "corrupt recording";
	next_word(&a); /* pipa or perf */
	next_word(&b);
	a += strcspn(a, " ");
	b += strcspn(b, " ");
	for (;;) {
		len_a = next_word(&a);
		len_b = next_word(&b);
		if (!len_a || !len_b)
			return len_a || len_b ? "different command lines" : NULL;
		if (!same_word(d, run, a, len_a, b, len_b))
			return "different command lines";
		if (len_a == 2 && strncmp(a, "--", 2) == 0)
			options = false;
		if (options && is_attached(a, len_a))
			return "not of one command";
		a += len_a;
		b += len_b;
	}
}

/* Decide what the verdicts of a table are on. */
static int choose_basis(struct work *w, struct table *t)
{
	struct pipa_diff_options *o = &t->diff.o;
	bool is_time = strcmp(t->unit, "ns") == 0;
	const char *why = is_time ? NULL : "the event does not measure time";
	char text[120];
	size_t i;

	for (i = 1; is_time && !why && i < t->diff.n_runs; i++)
		why = other_work(w, &t->diff, i);
	switch (w->job->basis) {
	case PIPA_DIFF_BASIS_AUTO: o->absolute = !why; break;
	case PIPA_DIFF_BASIS_WEIGHTS: o->absolute = true; break;
	case PIPA_DIFF_BASIS_PERCENTAGES: o->absolute = false; break;
	}
	if (o->absolute && !w->job->ordered)
		o->order = PIPA_DIFF_ORDER_ABSOLUTE;
	if (w->job->basis != PIPA_DIFF_BASIS_AUTO)
		why = o->absolute ? "--absolute" : "--relative";
	else if (!why)
		why = "the same command was recorded";
	snprintf(text, sizeof(text), "%s: %s",
		 !o->absolute ? "percentages" :
		 is_time      ? "absolute time" :
				"absolute weights",
		 why);
	return copy_text(w, text, &t->basis);
}

/* Print a note for each object that was matched under another name. */
static void note_renames(const struct work *w, const struct pipa_diff *d)
{
	size_t i;

	for (i = 0; i < d->renames.n; i++)
		note(w, w->job->paths[d->renames.items[i].run],
		     ": %s is compared with %s, which has functions of the same names; --match dso "
		     "compares file names",
		     pipa_diff_text(d, d->renames.items[i].now),
		     pipa_diff_text(d, d->renames.items[i].base));
}

/* ---- thresholds -------------------------------------------------------------------------------------- */

/* Append the prefix of a result: "after: ", or with several events "after: cycles: ". */
static void put_column(const struct work *w, const struct table *t, size_t column,
		       struct pipa_buf *crossed)
{
	size_t n, from = pipa_diff_column_runs(&t->diff, column, &n);

	pipa_buf_printf(crossed, "%s: ", n > 1 ? "the runs" : w->files[from].path);
	if (w->n > 1)
		pipa_buf_printf(crossed, "%s: ", t->event);
}

/* Check the total, in percent of the baseline's. */
static int check_total(const struct work *w, const struct table *t, size_t column,
		       struct pipa_buf *crossed)
{
	const struct pipa_diff_change *all = &t->diff.all[column];
	double percent = 100 * all->weight / t->diff.base_all.weight;

	if (!(percent > w->job->fail_above) || all->verdict == PIPA_DIFF_SAME)
		return 0;
	put_column(w, t, column, crossed);
	pipa_buf_printf(crossed, "total %.2f %% above the base, limit %g %%\n", percent,
			w->job->fail_above);
	return 1;
}

/* Check all rows; names the row that grew most. */
static int check_rows(const struct work *w, const struct table *t, size_t column,
		      struct pipa_buf *crossed)
{
	const struct pipa_diff *d = &t->diff;
	double most = w->job->fail_above;
	uint32_t worst = PIPA_NONE, i;
	size_t n = 0;

	for (i = 0; i < d->rows.n; i++) {
		const struct pipa_diff_change *c = &d->changes[i * d->n_columns + column];

		double grown = d->o.absolute ? 100 * c->weight / d->base_all.weight : c->points;

		if (!pipa_diff_is_growth(c->verdict) || !(grown > w->job->fail_above))
			continue;
		n++;
		if (worst == PIPA_NONE || grown > most) {
			worst = i;
			most = grown;
		}
	}
	if (worst == PIPA_NONE)
		return 0;
	put_column(w, t, column, crossed);
	pipa_diff_put_name(d, worst, crossed);
	pipa_buf_printf(crossed, " grew by %.2f %s, limit %g", most,
			d->o.absolute ? "% of the base's total" : "percentage points",
			w->job->fail_above);
	if (n > 1)
		pipa_buf_printf(crossed, "; rows above the limit: %zu", n);
	pipa_buf_putc(crossed, '\n');
	return 1;
}

static int check_thresholds(const struct work *w, const struct table *t, struct pipa_buf *crossed)
{
	size_t column;
	int over = 0;

	if (isnan(w->job->fail_above))
		return 0;
	for (column = 0; column < t->diff.n_columns; column++)
		over |= w->job->basis == PIPA_DIFF_BASIS_WEIGHTS ?
				check_total(w, t, column, crossed) :
				check_rows(w, t, column, crossed);
	return over;
}

/* ---- all of it --------------------------------------------------------------------------------------- */

static int write_out(const struct work *w, struct pipa_buf *out)
{
	PIPA_AUTO(free) struct pipa_diff_report *reports = calloc(w->n + 1, sizeof(*reports));
	PIPA_AUTO(free) struct pipa_diff_pair *pairs = calloc(w->n + 1, sizeof(*pairs));
	size_t i;

	if (!reports || !pairs)
		return -ENOMEM;
	for (i = 0; i < w->n; i++) {
		reports[i] = (struct pipa_diff_report){ .diff = &w->tables[i].diff,
							.basis = w->tables[i].basis,
							.files = w->files,
							.event = w->tables[i].event,
							.unit = w->tables[i].unit,
							.percent_limit = w->job->percent_limit,
							.limit = w->job->limit,
							.color = w->job->color,
							.columns = w->job->columns,
							.full_names = w->job->full_names };
		pairs[i] = (struct pipa_diff_pair){ w->tables[i].kept[0], w->tables[i].kept[1] };
	}
	if (w->job->html)
		return pipa_diff_page_write(reports, pairs, w->n, &w->kept[0].loaded,
					    &w->kept[1].loaded, out);
	pipa_diff_write(reports, w->n, w->job->form, out);
	return 0;
}

static void drop_left_out(struct work *w)
{
	size_t i, n = 0;

	for (i = 0; i < w->n; i++)
		if (w->tables[i].left_out)
			pipa_diff_done(&w->tables[i].diff);
		else
			w->tables[n++] = w->tables[i];
	w->n = n;
}

static int compare_runs(struct work *w, struct pipa_buf *out, struct pipa_buf *crossed,
			struct pipa_error *err)
{
	const struct pipa_filter_names names = { .comms = w->job->diff.comms,
						 .objects = w->job->diff.objects,
						 .symbols = w->job->diff.symbols };
	size_t i, n = w->job->diff.n_base + w->job->diff.n_now;
	int rc = 0, over = 0;

	assert(!w->job->html || n == PIPA_COUNT(w->kept));
	w->files = calloc(n, sizeof(*w->files));
	w->machines = calloc(n, sizeof(*w->machines));
	if (!w->files || !w->machines)
		return pipa_fail(err, -ENOMEM, "compare");
	if (pipa_filter_notes_init(&w->filters, &names) < 0)
		return pipa_fail(err, -ENOMEM, "compare");
	for (i = 0; !rc && i < n; i++)
		rc = add_run(w, i, err);
	if (rc < 0)
		return rc;
	if (!has_rows(w) && pipa_log_on(&w->job->load.log))
		pipa_filter_notes_write(&w->filters, &w->job->load.log);
	drop_left_out(w);
	for (i = 0; i < w->n; i++)
		if (choose_basis(w, &w->tables[i]) < 0 || pipa_diff_finish(&w->tables[i].diff) < 0)
			return pipa_fail(err, -ENOMEM, "compare");
	if (w->n)
		note_renames(w, &w->tables[0].diff);
	rc = write_out(w, out);
	if (rc < 0 || out->status)
		return pipa_fail(err, rc < 0 ? rc : out->status, "write the comparison");
	for (i = 0; i < w->n; i++)
		over |= check_thresholds(w, &w->tables[i], crossed);
	return crossed->status ? pipa_fail(err, crossed->status, "compare") : over;
}

int pipa_diff_run(const struct pipa_diff_job *job, struct pipa_buf *out, struct pipa_buf *crossed,
		  struct pipa_error *err)
{
	struct work w = { .job = job };
	int rc = compare_runs(&w, out, crossed, err);
	size_t i;

	for (i = 0; i < PIPA_COUNT(w.kept); i++)
		if (w.kept[i].is_loaded)
			pipa_loaded_done(&w.kept[i].loaded);
	for (i = 0; i < w.n; i++)
		pipa_diff_done(&w.tables[i].diff);
	pipa_filter_notes_done(&w.filters);
	pipa_strings_done(&w.names);
	free(w.tables);
	free(w.machines);
	free(w.files);
	return rc;
}
