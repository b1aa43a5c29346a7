#include "job/query/list.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/count/metrics.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/vec.h"
#include "codec/doc.h"
#include "collect/count/probe.h"
#include "collect/count/resolve.h"
#include "kernel/event/host.h"
#include "kernel/event/tracepoint.h"
#include "perf/event_names.h"

/* An event or metric. */
struct entry {
	const char *kind; /* of the table below */
	char *name;
	char *about; /* description, or NULL */
	enum pipa_probe state;
};

struct lister {
	const struct pipa_list_options *o;
	const struct pipa_perf *perf;
	struct pipa_machine machine;
	struct {
		struct entry *items;
		size_t n, cap;
	} entries;
	const char *kind;	  /* being listed */
	struct pipa_nearest near; /* names that do not match */
	struct pipa_error *err;
};

static const char *const state_texts[] = {
	[PIPA_PROBE_OK] = "",
	[PIPA_PROBE_USER_ONLY] = "user space only",
	[PIPA_PROBE_DENIED] = "no permission",
	[PIPA_PROBE_MISSING] = "not supported here",
};

static const char *const state_names[] = {
	[PIPA_PROBE_OK] = "ok",
	[PIPA_PROBE_USER_ONLY] = "user only",
	[PIPA_PROBE_DENIED] = "denied",
	[PIPA_PROBE_MISSING] = "missing",
};

/* Does the name match the pattern? If not, it is offered for the hint. */
static bool is_wanted(struct lister *l, const char *name)
{
	if (!l->o->glob || fnmatch(l->o->glob, name, 0) == 0)
		return true;
	if (!strpbrk(l->o->glob, "*?["))
		pipa_nearest_offer(&l->near, name);
	return false;
}

static int add_entry(struct lister *l, const char *name, const char *about, enum pipa_probe state)
{
	struct entry *entry = PIPA_VEC_ADD(&l->entries);

	if (!entry)
		return pipa_fail(l->err, -ENOMEM, "list events");
	entry->kind = l->kind;
	entry->state = state;
	entry->name = strdup(name);
	entry->about = about ? strdup(about) : NULL;
	if (!entry->name || (about && !entry->about))
		return pipa_fail(l->err, -ENOMEM, "list events");
	return 0;
}

static enum pipa_probe probe_name(struct lister *l, const char *name)
{
	int state = pipa_probe_name(l->perf, &l->machine, name);

	return state < 0 ? PIPA_PROBE_MISSING : (enum pipa_probe)state;
}

static int list_fixed(struct lister *l, enum pipa_event_kind kind, enum pipa_event_kind also)
{
	const struct pipa_event_name *names;
	char about[80];
	size_t i, n;
	int rc = 0;

	names = pipa_event_names(&n);
	for (i = 0; !rc && i < n; i++) {
		if ((names[i].kind != kind && names[i].kind != also) ||
		    !is_wanted(l, names[i].name))
			continue;
		if (names[i].alias)
			snprintf(about, sizeof(about), "or %s", names[i].alias);
		rc = add_entry(l, names[i].name,
			       names[i].alias ? about :
			       names[i].tool  ? "measured by pipa itself" :
						NULL,
			       probe_name(l, names[i].name));
	}
	return rc;
}

static int list_hw(struct lister *l)
{
	return list_fixed(l, PIPA_EVENT_HW, PIPA_EVENT_HW);
}

static int list_sw(struct lister *l)
{
	return list_fixed(l, PIPA_EVENT_SW, PIPA_EVENT_TOOL);
}

static void add_cache(void *ctx, const char *name, uint64_t config PIPA_UNUSED)
{
	struct lister *l = ctx;

	if (is_wanted(l, name) && !l->err->code)
		add_entry(l, name, NULL, probe_name(l, name));
}

static int list_cache(struct lister *l)
{
	pipa_event_cache_each(add_cache, l);
	return l->err->code;
}

struct pmu_walk {
	struct lister *l;
	const struct pipa_pmu *pmu;
};

static int add_alias(void *ctx, const char *event)
{
	struct pmu_walk *walk = ctx;
	struct pipa_pmu_alias alias;
	char name[160], about[320];

	snprintf(name, sizeof(name), "%s/%s/", walk->pmu->name, event);
	if (!is_wanted(walk->l, name) && !is_wanted(walk->l, event))
		return 0;
	if (pipa_pmu_alias_read(walk->l->machine.root, walk->pmu, event, &alias) < 0)
		return 0;
	snprintf(about, sizeof(about), "%s%s%s", alias.terms, alias.unit[0] ? ", in " : "",
		 alias.unit);
	/* an event that needs a value ("umask=?") cannot be tested without one */
	return add_entry(walk->l, name, about,
			 strstr(alias.terms, "=?") ? PIPA_PROBE_OK : probe_name(walk->l, name));
}

/* List the format terms of PMUs that name no events. */
static int add_formats(struct lister *l, const struct pipa_pmu *pmu)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf terms = { 0 };
	char name[100];
	size_t i;

	snprintf(name, sizeof(name), "%s//", pmu->name);
	if (!pmu->n_formats || !is_wanted(l, name))
		return 0;
	for (i = 0; i < pmu->n_formats; i++)
		pipa_buf_printf(&terms, "%s%s", i ? "," : "terms: ", pmu->formats[i].name);
	return add_entry(l, name, pipa_buf_str(&terms), PIPA_PROBE_OK);
}

static int list_pmu(struct lister *l)
{
	struct pipa_pmus *pmus = &l->machine.pmus;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < pmus->n; i++) {
		struct pmu_walk walk = { l, &pmus->items[i] };

		if (pipa_pmu_load(l->machine.root, &pmus->items[i], NULL) < 0)
			continue;
		rc = pipa_pmu_alias_each(l->machine.root, &pmus->items[i], add_alias, &walk);
		if (!rc)
			rc = add_formats(l, &pmus->items[i]);
	}
	return rc;
}

struct tracepoint_walk {
	struct lister *l;
	enum pipa_probe state;
	bool tried;
};

/*
 * Add a tracepoint. Closing one waits for every CPU (about 40 ms), so only one of the two thousand
 * is tested; the others differ only in their id.
 */
static int add_tracepoint(void *ctx, const char *system, const char *name)
{
	struct tracepoint_walk *walk = ctx;
	char text[256];
	uint64_t id;

	snprintf(text, sizeof(text), "%s:%s", system, name);
	if (!is_wanted(walk->l, text) ||
	    pipa_tracepoint_id(walk->l->machine.root, system, name, &id) < 0)
		return 0;
	if (!walk->tried)
		walk->state = probe_name(walk->l, text);
	walk->tried = true;
	return add_entry(walk->l, text, NULL, walk->state);
}

static int list_tracepoint(struct lister *l)
{
	struct tracepoint_walk walk = { .l = l };
	int rc = pipa_tracepoint_each(l->machine.root, "*", "*", add_tracepoint, &walk);

	if (rc == -ENOMEM)
		return pipa_fail(l->err, rc, "list tracepoints");
	if (rc < 0)
		return add_entry(l, "(tracefs cannot be read: see pipa doctor)", NULL,
				 rc == -EACCES ? PIPA_PROBE_DENIED : PIPA_PROBE_MISSING);
	return 0;
}

/* Test a metric: it works if all its events do. */
static enum pipa_probe probe_metric(struct lister *l, const struct pipa_metric *metric)
{
	enum pipa_probe state, worst = PIPA_PROBE_OK;
	struct pipa_expr expr;
	size_t i;

	if (pipa_expr_parse(metric->expr, &expr, NULL) < 0)
		return PIPA_PROBE_MISSING;
	for (i = 0; i < expr.n_names; i++) {
		state = expr.names[i].is_event ? probe_name(l, expr.names[i].text) : PIPA_PROBE_OK;
		worst = state > worst ? state : worst;
	}
	return worst;
}

/* Add a metric: of its variants for different machines, the first that works best on this one. */
static int add_metric(struct lister *l, const struct pipa_metric *metrics, size_t n)
{
	const struct pipa_metric *best = metrics;
	enum pipa_probe best_state = probe_metric(l, best), state;
	char about[400];
	size_t i;

	for (i = 1; i < n; i++) {
		if (strcmp(metrics[i].name, metrics[0].name) != 0)
			continue;
		state = probe_metric(l, &metrics[i]);
		if (state < best_state) {
			best = &metrics[i];
			best_state = state;
		}
	}
	snprintf(about, sizeof(about), "%s [%s]: %s", best->help, best->group, best->expr);
	return add_entry(l, best->name, about, best_state);
}

static int list_metric(struct lister *l)
{
	const struct pipa_metric *metrics;
	size_t i, k, n;
	int rc = 0;

	metrics = pipa_metrics(&n);
	for (i = 0; !rc && i < n; i++) {
		if (!is_wanted(l, metrics[i].name) && !is_wanted(l, metrics[i].group))
			continue;
		for (k = 0; k < i && strcmp(metrics[k].name, metrics[i].name) != 0; k++)
			;
		if (k == i)
			rc = add_metric(l, &metrics[i], n - i);
	}
	return rc;
}

static const struct {
	const char *kind;
	const char *title;
	int (*list)(struct lister *l);
} kinds[] = {
	{ "hw", "Hardware events", list_hw },
	{ "cache", "Hardware cache events", list_cache },
	{ "sw", "Software events", list_sw },
	{ "pmu", "PMU events", list_pmu },
	{ "tracepoint", "Tracepoints", list_tracepoint },
	{ "metric", "Metrics (-M)", list_metric },
};

static int check_kind(const struct pipa_list_options *o, struct pipa_error *err)
{
	struct pipa_nearest near = { .wanted = o->kind };
	char hint[200];
	size_t i;

	for (i = 0; o->kind && i < PIPA_COUNT(kinds); i++) {
		if (strcmp(o->kind, kinds[i].kind) == 0)
			return 0;
		pipa_nearest_offer(&near, kinds[i].kind);
	}
	if (!o->kind)
		return 0;
	pipa_refuse(err, -EINVAL, "invalid kind of events '%s'", o->kind);
	pipa_nearest_hint(&near, hint, sizeof(hint));
	return pipa_hint(err, "%s",
			 hint[0] ? hint : "expected hw, cache, sw, pmu, tracepoint or metric");
}

/* Is it listed only with --all? A name in parentheses is a note. */
static bool is_hidden(const struct lister *l, const struct entry *entry)
{
	return !l->o->all && entry->state == PIPA_PROBE_MISSING && entry->name[0] != '(';
}

static void write_hidden(size_t *n, struct pipa_buf *out)
{
	if (*n)
		pipa_buf_printf(out, "  (%zu not supported here; --all lists them)\n", *n);
	*n = 0;
}

static void write_text(const struct lister *l, struct pipa_buf *out)
{
	const char *kind = NULL;
	size_t i, k, hidden = 0;

	for (i = 0; i < l->entries.n; i++) {
		const struct entry *entry = &l->entries.items[i];
		const char *note = state_texts[entry->state];

		if (entry->kind != kind) {
			write_hidden(&hidden, out);
			for (k = 0; strcmp(kinds[k].kind, entry->kind) != 0; k++)
				;
			pipa_buf_printf(out, "%s%s:\n", kind ? "\n" : "", kinds[k].title);
			kind = entry->kind;
		}
		if (is_hidden(l, entry)) {
			hidden++;
			continue;
		}
		if (!note[0] && !entry->about) {
			pipa_buf_printf(out, "  %s\n", entry->name);
			continue;
		}
		pipa_buf_printf(out, "  %-36s %s%s%s", entry->name, note,
				note[0] && entry->about ? "; " : "",
				entry->about ? entry->about : "");
		pipa_buf_putc(out, '\n');
	}
	write_hidden(&hidden, out);
}

/* Write the names that -e accepts unchanged, without metrics (-M) and without "pmu//", which needs terms. */
static void write_names(const struct lister *l, struct pipa_buf *out)
{
	size_t i;

	for (i = 0; i < l->entries.n; i++) {
		const struct entry *e = &l->entries.items[i];

		if ((e->state != PIPA_PROBE_MISSING || l->o->all) &&
		    (strcmp(e->kind, "metric") != 0 || l->o->kind) && !strstr(e->name, "//"))
			pipa_buf_printf(out, "%s\n", e->name);
	}
}

static void write_json(const struct lister *l, struct pipa_buf *out)
{
	struct pipa_doc doc;
	size_t i;

	pipa_doc_begin(&doc, PIPA_DOC_JSON, out);
	pipa_doc_str(&doc, "schema", "pipa-list/1");
	pipa_doc_list(&doc, "events");
	for (i = 0; i < l->entries.n; i++) {
		pipa_doc_map(&doc, NULL);
		pipa_doc_str(&doc, "name", l->entries.items[i].name);
		pipa_doc_str(&doc, "kind", l->entries.items[i].kind);
		pipa_doc_str(&doc, "state", state_names[l->entries.items[i].state]);
		if (l->entries.items[i].about)
			pipa_doc_str(&doc, "description", l->entries.items[i].about);
		pipa_doc_end(&doc);
	}
	pipa_doc_end(&doc);
	pipa_doc_finish(&doc);
}

static void lister_done(struct lister *l)
{
	size_t i;

	for (i = 0; i < l->entries.n; i++) {
		free(l->entries.items[i].name);
		free(l->entries.items[i].about);
	}
	free(l->entries.items);
	pipa_machine_done(&l->machine);
}

int pipa_list_run(const struct pipa_host *host, const struct pipa_list_options *options,
		  struct pipa_buf *out, struct pipa_error *err)
{
	struct lister l = {
		.o = options, .near = { .wanted = options->glob }, .perf = host->perf, .err = err
	};
	char hint[200];
	size_t i;
	int rc = check_kind(options, err);

	if (rc < 0)
		return rc;
	rc = pipa_machine_load(&l.machine, host->root, err);
	for (i = 0; !rc && i < PIPA_COUNT(kinds); i++) {
		l.kind = kinds[i].kind;
		if (!options->kind || strcmp(options->kind, l.kind) == 0)
			rc = kinds[i].list(&l);
	}
	if (!rc && !l.entries.n && options->glob && !options->json) {
		pipa_refuse(err, -ENOENT, "nothing matches '%s'", options->glob);
		pipa_nearest_hint(&l.near, hint, sizeof(hint));
		rc = pipa_hint(err, "%s",
			       hint[0] ? hint : "quote globs: pipa list tracepoint 'sched:*'");
	}
	if (!rc && options->json)
		write_json(&l, out);
	else if (!rc && options->names)
		write_names(&l, out);
	else if (!rc)
		write_text(&l, out);
	lister_done(&l);
	if (!rc && out->status)
		rc = pipa_fail(err, out->status, "write the list");
	return rc;
}
