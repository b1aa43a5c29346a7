#include "job/diff.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "job/choose.h"
#include "job/diff_page.h"

struct work {
	const struct pipa_diff_job *job;
	struct pipa_diff diff;
	struct pipa_diff_file *files;
	struct pipa_diff_side kept[2]; /* for the page */
	struct pipa_strings names;     /* of the event: profiles come and go */
	bool folded;		       /* the base is, and so must be the rest */
	bool damaged;		       /* one of them is: its events may have lost their names */
	const char *event; /* NULL until the first file has told; "": it does not tell */
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

	if (!w->job->load.note)
		return;
	pipa_buf_puts(&line, shown(path));
	va_start(ap, fmt);
	pipa_buf_vprintf(&line, fmt, ap);
	va_end(ap);
	if (!line.status)
		w->job->load.note(pipa_buf_str(&line));
}

/* Losses stand in the head; damage is worth a word of its own. */
static void note_damage(const struct work *w, const char *path, const struct pipa_loaded *loaded)
{
	const struct pipa_damage *damage = &loaded->recording.damage;

	if (damage->count)
		note(w, path, ": damaged places: %" PRIu64 ", the first at byte %" PRIu64 ": %s%s",
		     damage->count, damage->at, damage->what,
		     damage->incomplete ? "; what follows is not read" : "");
	else if (loaded->profile.losses.damaged)
		note(w, path, ": lines that make no sense and are left out: %" PRIu64,
		     loaded->profile.losses.damaged);
}

/* ---- which event ------------------------------------------------------------------------------------- */

/* The first one that has samples, if none of them has a name. */
static uint32_t nameless_event(const struct pipa_profile *p)
{
	uint32_t i = 0;

	while (i + 1 < p->events.n && !p->events.items[i].count)
		i++;
	return i < p->events.n ? i : PIPA_NONE;
}

static int keep_name(struct work *w, const struct pipa_profile *p, uint32_t event)
{
	const char *name = pipa_profile_string(p, p->events.items[event].name);
	uint32_t kept = pipa_strings_add(&w->names, name, strlen(name));

	if (kept == PIPA_NO_STRING)
		return -ENOMEM;
	w->event = pipa_strings_get(&w->names, kept);
	return 0;
}

/*
 * A recording that was cut off has lost what its events were called, "cycles:u", and knows what they are
 * alone, "cycles". The first of that kind; PIPA_NONE: there is none.
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

static int choose_named(const struct work *w, const struct pipa_profile *p, const char *path,
			uint32_t *ret, struct pipa_error *err)
{
	const char *wanted = w->event && w->event[0] ? w->event : w->job->event;
	struct pipa_error own = { 0 };
	int rc = pipa_choose_event(p, wanted, w->job->load.note, ret, &own);

	if (rc < 0)
		*ret = w->damaged && wanted ? same_kind(p, wanted) : PIPA_NONE;
	if (rc < 0 && *ret != PIPA_NONE) {
		note(w, path, ": its event %s is taken for %s",
		     pipa_profile_string(p, p->events.items[*ret].name), wanted);
		return 0;
	}
	if (rc < 0) {
		pipa_refuse(err, rc, "%s: %s", shown(path), own.what);
		return own.hint[0] ? pipa_hint(err, "%s", own.hint) : rc;
	}
	return 0;
}

/* That of the base, by its name; where one of them does not tell, it is taken for the same. */
static int choose(struct work *w, const struct pipa_profile *p, const char *path, uint32_t *ret,
		  struct pipa_error *err)
{
	bool nameless = p->events.n == 1 && !pipa_profile_string(p, p->events.items[0].name)[0];
	int rc = 0;

	*ret = PIPA_NONE;
	if (!nameless)
		rc = choose_named(w, p, path, ret, err);
	if (rc < 0)
		return rc;
	if (*ret == PIPA_NONE)
		*ret = nameless_event(p);
	if (*ret == PIPA_NONE)
		return pipa_refuse(err, -ENODATA, "%s has no samples: nothing to compare",
				   shown(path));
	if (w->event && nameless != !w->event[0])
		note(w, path, "%s: taken for the same",
		     nameless ? " does not say which event it is of" :
				" says which event it is of, the base does not");
	return w->event && w->event[0] ? 0 : keep_name(w, p, *ret);
}

/* ---- runs -------------------------------------------------------------------------------------------- */

/* Not of one event alone, which then need not be told of. */
static bool is_empty(const struct pipa_profile *p)
{
	uint32_t i;

	for (i = 0; i < p->events.n; i++)
		if (p->events.items[i].count)
			return false;
	return true;
}

static int check_weight(const struct work *w, const struct pipa_profile *p, uint32_t event,
			const char *path, struct pipa_error *err)
{
	const struct pipa_profile_event *e = &p->events.items[event];
	const char *of = w->event[0] ? " of event " : "";
	bool empty = is_empty(p);

	if (!e->count)
		return pipa_refuse(err, -ENODATA, "%s has no samples%s%s: nothing to compare",
				   shown(path), empty ? "" : of, empty ? "" : w->event);
	if (!e->weight)
		return pipa_refuse(err, -ENODATA, "the samples of %s%s%s weigh nothing",
				   shown(path), of, w->event);
	return 0;
}

static int add_loaded(struct work *w, size_t run, const struct pipa_loaded *loaded, uint32_t *event,
		      struct pipa_error *err)
{
	const struct pipa_losses *losses = &loaded->profile.losses;
	const char *path = w->job->paths[run];
	int rc;

	w->damaged |= loaded->recording.damage.count > 0;
	w->folded = run ? w->folded : loaded->kind == PIPA_KIND_FOLDED;
	if (w->folded != (loaded->kind == PIPA_KIND_FOLDED)) {
		pipa_refuse(err, -EINVAL,
			    "%s has folded stacks and %s has not: nothing would match",
			    shown(w->folded ? w->job->paths[0] : path),
			    shown(w->folded ? path : w->job->paths[0]));
		return pipa_hint(err, "pipa fold makes such of any recording");
	}
	rc = choose(w, &loaded->profile, path, event, err);
	if (rc == -ENOMEM)
		return pipa_fail(err, rc, "compare");
	if (!rc)
		rc = check_weight(w, &loaded->profile, *event, path, err);
	if (rc < 0)
		return rc;
	w->files[run] = (struct pipa_diff_file){
		.path = shown(path),
		.lost = losses->lost_samples + losses->lost_records,
		.complete = !loaded->recording.damage.count && !losses->damaged
	};
	note_damage(w, path, loaded);
	rc = pipa_diff_add(&w->diff, run, &loaded->profile, *event);
	return rc < 0 ? pipa_fail(err, rc, "compare %s", shown(path)) : 0;
}

/* What has to be known of it: lines, stacks, the innermost frames alone. */
static struct pipa_load_options load_options(const struct pipa_diff_job *job, size_t run)
{
	struct pipa_load_options load = job->load;
	bool stacks = job->html || job->diff.children || job->diff.by == PIPA_DIFF_BY_PATH;
	bool plain = job->diff.by == PIPA_DIFF_BY_LINE && !job->diff.children;

	load.path = job->paths[run];
	load.ingest.no_stacks = !stacks;
	if (job->diff.by == PIPA_DIFF_BY_LINE)
		load.symbols.lines = PIPA_LINES_PLAIN;
	if (stacks && !plain && job->inlined != PIPA_LINES_NONE)
		load.symbols.lines = load.symbols.lines ? PIPA_LINES_INLINED : job->inlined;
	return load;
}

static int add_run(struct work *w, size_t run, struct pipa_error *err)
{
	const struct pipa_load_options load = load_options(w->job, run);
	struct pipa_diff_side own = { 0 }, *side = w->job->html ? &w->kept[run] : &own;
	int rc = pipa_load(&load, &side->loaded, err);

	if (rc < 0)
		return rc;
	side->is_loaded = true;
	rc = add_loaded(w, run, &side->loaded, &side->event, err);
	if (side == &own)
		pipa_loaded_done(&own.loaded);
	return rc;
}

/* ---- thresholds -------------------------------------------------------------------------------------- */

static const char *column_name(const struct work *w, size_t column)
{
	size_t n, from = pipa_diff_column_runs(&w->diff, column, &n);

	return n > 1 ? "the runs" : w->files[from].path;
}

/* The whole, in percent of the base's. */
static int check_whole(const struct work *w, size_t column, struct pipa_buf *crossed)
{
	const struct pipa_diff_change *all = &w->diff.all[column];
	double percent = 100 * all->weight / w->diff.base_all.weight;

	if (!(percent > w->job->fail_above) || all->verdict == PIPA_DIFF_SAME)
		return 0;
	pipa_buf_printf(crossed, "%s: in all %.2f %% more than the base, above %g %%\n",
			column_name(w, column), percent, w->job->fail_above);
	return 1;
}

/* Every row that grew too much, the one that grew most by name. */
static int check_rows(const struct work *w, size_t column, struct pipa_buf *crossed)
{
	const struct pipa_diff *d = &w->diff;
	double most = w->job->fail_above;
	uint32_t worst = PIPA_NONE, i;
	size_t n = 0;

	for (i = 0; i < d->rows.n; i++) {
		const struct pipa_diff_change *c = &d->changes[i * d->n_columns + column];

		if (!pipa_diff_is_growth(c->verdict) || !(c->points > w->job->fail_above))
			continue;
		n++;
		if (worst == PIPA_NONE || c->points > most) {
			worst = i;
			most = c->points;
		}
	}
	if (worst == PIPA_NONE)
		return 0;
	pipa_buf_printf(crossed, "%s: ", column_name(w, column));
	pipa_diff_put_name(d, worst, crossed);
	pipa_buf_printf(crossed, " grew by %.2f points, above %g", most, w->job->fail_above);
	if (n > 1)
		pipa_buf_printf(crossed, "; rows that did: %zu", n);
	pipa_buf_putc(crossed, '\n');
	return 1;
}

static int check_thresholds(const struct work *w, struct pipa_buf *crossed)
{
	size_t column;
	int over = 0;

	if (isnan(w->job->fail_above))
		return 0;
	for (column = 0; column < w->diff.n_columns; column++)
		over |= w->diff.o.absolute ? check_whole(w, column, crossed) :
					     check_rows(w, column, crossed);
	return over;
}

static int write_out(const struct work *w, struct pipa_buf *out)
{
	const struct pipa_diff_report report = { .diff = &w->diff,
						 .files = w->files,
						 .event = w->event,
						 .percent_limit = w->job->percent_limit,
						 .limit = w->job->limit,
						 .color = w->job->color,
						 .columns = w->job->columns };

	if (w->job->html)
		return pipa_diff_page_write(&report, &w->kept[0], &w->kept[1], out);
	pipa_diff_write(&report, w->job->form, out);
	return 0;
}

static int compare(struct work *w, struct pipa_buf *out, struct pipa_buf *crossed,
		   struct pipa_error *err)
{
	size_t i;
	int rc = pipa_diff_init(&w->diff, &w->job->diff);

	assert(!w->job->html || w->job->diff.n_base + w->job->diff.n_now == PIPA_COUNT(w->kept));
	w->files = calloc(w->job->diff.n_base + w->job->diff.n_now, sizeof(*w->files));
	if (rc < 0 || !w->files)
		return pipa_fail(err, -ENOMEM, "compare");
	for (i = 0; !rc && i < w->diff.n_runs; i++)
		rc = add_run(w, i, err);
	if (rc < 0)
		return rc;
	if (pipa_diff_finish(&w->diff) < 0)
		return pipa_fail(err, -ENOMEM, "compare");
	rc = write_out(w, out);
	if (rc < 0 || out->status)
		return pipa_fail(err, rc < 0 ? rc : out->status, "write the comparison");
	rc = check_thresholds(w, crossed);
	return crossed->status ? pipa_fail(err, crossed->status, "compare") : rc;
}

int pipa_diff_run(const struct pipa_diff_job *job, struct pipa_buf *out, struct pipa_buf *crossed,
		  struct pipa_error *err)
{
	struct work w = { .job = job };
	int rc = compare(&w, out, crossed, err);
	size_t i;

	for (i = 0; i < PIPA_COUNT(w.kept); i++)
		if (w.kept[i].is_loaded)
			pipa_loaded_done(&w.kept[i].loaded);
	pipa_diff_done(&w.diff);
	pipa_strings_done(&w.names);
	free(w.files);
	return rc;
}
