#include "job/view/annotate.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/profile/short_name.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/nearest.h"
#include "codec/doc.h"
#include "export/table/annotate.h"
#include "job/view/annotate_own.h"
#include "job/view/choose_event.h"

#define INLINED " (inlined)" /* as report marks them */
#define NO_NAME_HINT "list functions with: pipa report --no-children"

static const char *name_of(const struct pipa_annotating *a, const struct pipa_hot_symbol *symbol)
{
	const struct pipa_profile *p = a->profile;

	return pipa_profile_string(p, p->functions.items[symbol->function].name);
}

static bool is_wanted(const struct pipa_annotating *a, const struct pipa_hot_symbol *symbol)
{
	if (symbol->function == PIPA_NONE)
		return false;
	if (a->o->symbol) { /* a report may have named code without a symbol, without its object */
		const char *name = name_of(a, symbol);

		return strcmp(name, a->o->symbol) == 0 ||
		       strcmp(pipa_short_name_in(name,
						 pipa_object_short(a->profile, symbol->object)),
			      a->o->symbol) == 0;
	}
	return 100 * (double)symbol->weight >= a->o->percent_limit * (double)a->hot.weight;
}

/* Is the innermost function of the location inlined, and does its name match the option? */
static bool is_inlined_there(const struct pipa_annotating *a, uint32_t location)
{
	const struct pipa_profile *p = a->profile;
	const struct pipa_location *at = &p->locations.items[location];
	const char *name;
	size_t len;

	if (at->n_lines < 2)
		return false;
	name = pipa_profile_string(p, p->functions.items[p->lines.items[at->lines].function].name);
	len = strlen(name);
	return strncmp(a->o->symbol, name, len) == 0 &&
	       (!a->o->symbol[len] || strcmp(a->o->symbol + len, INLINED) == 0);
}

/*
 * Keep only the locations of a function that belong to the requested inlined function: they move to
 * the front of the list. False if there are none.
 */
static bool select_inlined(struct pipa_annotating *a, struct pipa_hot_symbol *symbol)
{
	struct pipa_hot_place *places = a->hot.places + symbol->places;
	size_t n = 0, i;

	symbol->weight = symbol->count = 0;
	for (i = 0; i < symbol->n; i++) {
		struct pipa_hot_place place = places[i];

		if (!is_inlined_there(a, place.location))
			continue;
		memmove(places + n + 1, places + n, (i - n) * sizeof(*places));
		places[n++] = place;
		symbol->weight += place.weight;
		symbol->count += place.count;
	}
	symbol->n = n;
	return n > 0;
}

static bool has_inlined(const struct pipa_annotating *a)
{
	size_t i;

	for (i = 0; a->o->symbol && i < a->hot.n_places; i++)
		if (is_inlined_there(a, a->hot.places[i].location))
			return true;
	return false;
}

bool pipa_annotate_find(struct pipa_annotating *a, const char *object, struct pipa_hot_symbol *ret,
			bool *ret_inlined)
{
	bool inlined, found = false;
	size_t i;

	for (inlined = false; !found; inlined = true) {
		for (i = 0; i < a->hot.n_symbols; i++) {
			struct pipa_hot_symbol symbol = a->hot.symbols[i];

			if (symbol.function == PIPA_NONE ||
			    strcmp(pipa_object_short(a->profile, symbol.object), object) != 0 ||
			    !(inlined ? select_inlined(a, &symbol) : is_wanted(a, &symbol)) ||
			    (found && symbol.weight <= ret->weight))
				continue;
			*ret = symbol;
			*ret_inlined = inlined;
			found = true;
		}
		if (inlined)
			break;
	}
	return found;
}

/* Fail because there is nothing to show, with the reason and advice. */
static int fail_empty(const struct pipa_annotating *a, struct pipa_error *err)
{
	struct pipa_nearest near = { .wanted = a->o->symbol };
	char hint[200] = "";
	uint64_t named = 0;
	size_t i;

	if (a->hot.event == PIPA_NONE || !a->hot.count)
		return pipa_refuse(err, -ENOENT, "no samples");
	for (i = 0; i < a->hot.n_symbols; i++)
		if (a->hot.symbols[i].function != PIPA_NONE) {
			named += a->hot.symbols[i].weight;
			if (near.wanted)
				pipa_nearest_offer(&near, name_of(a, &a->hot.symbols[i]));
		}
	if (!named) {
		pipa_refuse(err, -ENOENT, "all samples are unresolved");
		return pipa_hint(err, "see pipa report for the reasons");
	}
	if (!a->o->symbol) {
		pipa_refuse(err, -ENOENT, "no function has %g %% of the samples",
			    a->o->percent_limit);
		if (100 * (double)(a->hot.weight - named) >=
		    a->o->percent_limit * (double)a->hot.weight)
			return pipa_hint(
				err,
				"use --percent-limit 0 to show all resolved functions; see pipa "
				"report for unresolved ones");
		return pipa_hint(err, "use --percent-limit 0 to show all");
	}
	pipa_refuse(err, -ENOENT, "no samples in function '%s'", a->o->symbol);
	pipa_nearest_hint(&near, hint, sizeof(hint));
	return pipa_hint(err, "%s", hint[0] ? hint : NO_NAME_HINT);
}

static const char *source_line(void *ctx, const char *file, uint32_t number, size_t *ret_len)
{
	return pipa_source_texts_line(ctx, file, number, ret_len);
}

static void begin_doc(const struct pipa_annotate_of *of, struct pipa_buf *out, struct pipa_doc *doc)
{
	pipa_doc_begin(doc, PIPA_DOC_JSON, out);
	pipa_doc_str(doc, "schema", "pipa-annotate/1");
	pipa_doc_str(doc, "event", of->event);
	pipa_doc_u64(doc, "samples", of->count);
	pipa_doc_list(doc, "symbols");
}

/* Output of the listings, and their number. */
struct writing {
	struct pipa_annotating *a;
	const struct pipa_annotate_of *of;
	const struct pipa_annotate_format *format;
	struct pipa_buf *out;
	struct pipa_doc *doc; /* NULL: text */
	int n;
};

/* List a function; `inlined`: only the instructions of the requested inlined function. */
static int write_one(struct writing *w, const struct pipa_hot_symbol *symbol, bool inlined)
{
	struct pipa_listing listing;
	int rc = pipa_annotate_list(w->a, symbol, inlined, &listing);

	if (!rc && !w->doc && w->n)
		pipa_buf_putc(w->out, '\n');
	if (!rc)
		rc = w->doc ? pipa_annotate_doc(&listing, w->of, w->format, w->doc) :
			      pipa_annotate_text(&listing, w->of, w->format, w->out);
	pipa_listing_done(&listing);
	w->n++;
	return rc;
}

/* List all functions, hottest first, inlined ones last. Returns their number or -ENOMEM. */
static int write_all(struct pipa_annotating *a, struct pipa_buf *out)
{
	const struct pipa_profile *p = a->profile;
	const struct pipa_annotate_of of = { pipa_profile_string(
						     p, p->events.items[a->hot.event].name),
					     a->hot.weight, a->hot.count };
	const struct pipa_annotate_format format = { .code = a->o->code,
						     .source = a->o->source,
						     .summary = a->o->summary,
						     .color = a->o->color,
						     .line = source_line,
						     .ctx = &a->sources };
	struct pipa_doc doc;
	struct writing w = { a, &of, &format, out, a->o->json ? &doc : NULL, 0 };
	size_t i;
	int rc = 0;

	if (a->o->json)
		begin_doc(&of, out, &doc);
	for (i = 0; rc >= 0 && i < a->hot.n_symbols; i++)
		if (is_wanted(a, &a->hot.symbols[i]))
			rc = write_one(&w, &a->hot.symbols[i], false);
	for (i = 0; rc >= 0 && a->o->symbol && i < a->hot.n_symbols; i++) {
		struct pipa_hot_symbol part = a->hot.symbols[i];

		if (part.function != PIPA_NONE && select_inlined(a, &part))
			rc = write_one(&w, &part, true);
	}
	if (a->o->json && rc >= 0) {
		pipa_doc_end(&doc);
		pipa_doc_finish(&doc);
	}
	return rc < 0 ? rc : w.n;
}

static int annotate_event(struct pipa_annotating *a, struct pipa_buf *out, struct pipa_error *err)
{
	const struct pipa_symbolize_options *symbols = pipa_symbolizer_options(a->symbolizer);
	uint32_t event = PIPA_NONE;
	size_t i;
	int rc = 0;

	if (a->o->event)
		rc = pipa_choose_event(a->profile, a->o->event, NULL, &event, err);
	if (rc < 0)
		return rc;
	if (symbols->vmlinux && access(symbols->vmlinux, F_OK) < 0)
		return pipa_fail(err, -errno, "open '%s'", symbols->vmlinux);
	a->sources.symfs = symbols->symfs;
	rc = pipa_hot_make(a->profile, event, &a->hot);
	if (rc < 0)
		return pipa_fail(err, rc, "sum the samples");
	for (i = 0; i < a->hot.n_symbols && !is_wanted(a, &a->hot.symbols[i]);)
		i++;
	if (i == a->hot.n_symbols && !has_inlined(a))
		return fail_empty(a, err);
	rc = write_all(a, out);
	return rc < 0 ? pipa_fail(err, rc, "list the functions") : 0;
}

int pipa_annotate_profile(const struct pipa_annotate_options *o, const struct pipa_profile *profile,
			  struct pipa_symbolizer *symbolizer, struct pipa_buf *out,
			  struct pipa_error *err)
{
	struct pipa_annotating a = { .o = o, .profile = profile, .symbolizer = symbolizer };
	int rc = annotate_event(&a, out, err);

	pipa_annotate_close(&a);
	pipa_hot_done(&a.hot);
	pipa_source_texts_done(&a.sources);
	pipa_arena_done(&a.texts);
	return rc;
}

bool pipa_annotate_is_recording(const char *word)
{
	PIPA_AUTO(pipa_fd_close) int fd = -1;
	struct stat info;
	char magic[4] = "";

	if (strcmp(word, "-") == 0 || strchr(word, '/'))
		return true;
	if (stat(word, &info) < 0)
		return access("perf.data", F_OK) < 0;
	if (!S_ISREG(info.st_mode)) /* opening a fifo would wait for its writer */
		return true;
	fd = open(word, O_RDONLY | O_CLOEXEC);
	return fd < 0 || read(fd, magic, sizeof(magic)) != (ssize_t)sizeof(magic) ||
	       memcmp(magic, "\177ELF", sizeof(magic)) != 0;
}

/*
 * Search a function without samples among the callers: add the nearest name to the failure. The file
 * is read again, with stacks.
 */
static void hint_caller(const struct pipa_annotate_options *o, struct pipa_error *err)
{
	struct pipa_nearest near = { .wanted = o->symbol };
	struct pipa_load_options load = o->load;
	struct pipa_error ignored = { 0 };
	struct pipa_loaded loaded;
	bool found = false;
	char hint[200];
	struct stat st;
	size_t i;

	if (stat(load.path ? load.path : "perf.data", &st) < 0 || !S_ISREG(st.st_mode))
		return; /* a pipe can be read only once */
	load.ingest.no_stacks = false;
	load.log = (struct pipa_log){ 0 };
	if (pipa_load_selected(&load, &o->selection, &loaded, &ignored) < 0)
		return;
	for (i = 0; i < loaded.profile.functions.n && !found; i++) {
		const char *name = pipa_profile_string(&loaded.profile,
						       loaded.profile.functions.items[i].name);

		found = strcmp(name, o->symbol) == 0;
		pipa_nearest_offer(&near, name);
	}
	pipa_loaded_done(&loaded);
	if (found)
		pipa_hint(err, "only functions that it calls have samples");
	else if (pipa_nearest_hint(&near, hint, sizeof(hint))[0])
		pipa_hint(err, "%s", hint);
}

int pipa_annotate_run(const struct pipa_annotate_options *o, struct pipa_buf *out,
		      struct pipa_error *err)
{
	struct pipa_annotate_options own = *o;
	struct pipa_loaded loaded;
	int rc;

	own.load.ingest.no_stacks = true; /* callers are not needed */
	if (o->symbol) {		  /* it may be an inlined function */
		own.load.symbols.lines = PIPA_LINES_INLINED;
		own.load.symbols.no_places = true;
	}
	own.selection.all_values = o->event != NULL;
	rc = pipa_load_selected(&own.load, &own.selection, &loaded, err);
	if (rc < 0)
		return rc;
	rc = pipa_annotate_profile(&own, &loaded.profile, loaded.symbolizer, out, err);
	pipa_loaded_done(&loaded);
	if (rc == -ENOENT && o->symbol && strcmp(err->hint, NO_NAME_HINT) == 0)
		hint_caller(&own, err);
	return rc;
}
