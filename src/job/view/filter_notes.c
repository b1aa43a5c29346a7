#include "job/view/filter_notes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/frames.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/log.h"
#include "base/nearest.h"
#include "model/profile.h"

/* Offer the name for the hint; true if it is the wanted one. */
static bool offer_name(struct pipa_nearest *near, const char *name)
{
	pipa_nearest_offer(near, name);
	return strcmp(near->wanted, name) == 0;
}

/*
 * Each offers the name of entry i, and returns true if it is the wanted one; false after the last.
 */
static bool offer_comm(const struct pipa_profile *p, size_t i, struct pipa_nearest *near)
{
	return i < p->threads.n &&
	       offer_name(near, pipa_profile_string(p, p->threads.items[i].comm));
}

static bool offer_object(const struct pipa_profile *p, size_t i, struct pipa_nearest *near)
{
	return i < p->objects.n &&
	       (offer_name(near, pipa_object_short(p, (uint32_t)i)) ||
		strcmp(near->wanted, pipa_profile_string(p, p->objects.items[i].path)) == 0);
}

static bool offer_symbol(const struct pipa_profile *p, size_t i, struct pipa_nearest *near)
{
	return i < p->functions.n &&
	       offer_name(near, pipa_profile_string(p, p->functions.items[i].name));
}

enum filter { COMMS, OBJECTS, SYMBOLS };

/* A filter: its option, the kind of its names, and a function that lists the existing names. */
static const struct {
	const char *option, *kind;
	bool (*offer_name)(const struct pipa_profile *p, size_t i, struct pipa_nearest *near);
} filters[] = {
	[COMMS] = { "--comms", "command", offer_comm },
	[OBJECTS] = { "--dsos", "object", offer_object },
	[SYMBOLS] = { "--symbols", "symbol", offer_symbol },
};

static size_t count_of(const struct pipa_profile *p, enum filter filter)
{
	return filter == COMMS ? p->threads.n : filter == OBJECTS ? p->objects.n : p->functions.n;
}

/* A name of a list. */
struct pipa_filter_name {
	enum filter filter;
	char text[256];
	bool found;
	struct pipa_nearest near; /* borrows the text */
};

static size_t count_names(const char *list)
{
	size_t n = 0;

	for (; list && *list; n++) {
		list += strcspn(list, ",");
		list += *list == ',';
	}
	return n;
}

static void add_names(struct pipa_filter_notes *notes, enum filter filter, const char *list)
{
	while (list && *list) {
		struct pipa_filter_name *name = &notes->items[notes->n++];
		size_t len = strcspn(list, ",");

		name->filter = filter;
		snprintf(name->text, sizeof(name->text), "%.*s",
			 (int)(len < sizeof(name->text) ? len : sizeof(name->text) - 1), list);
		name->near.wanted = name->text;
		list += len + (list[len] == ',');
	}
}

int pipa_filter_notes_init(struct pipa_filter_notes *notes, const struct pipa_filter_names *names)
{
	size_t n = count_names(names->comms) + count_names(names->objects) +
		   count_names(names->symbols);

	*notes = (struct pipa_filter_notes){ .names = *names };
	if (!n)
		return 0;
	notes->items = calloc(n, sizeof(*notes->items));
	if (!notes->items)
		return -ENOMEM;
	add_names(notes, COMMS, names->comms);
	add_names(notes, OBJECTS, names->objects);
	add_names(notes, SYMBOLS, names->symbols);
	return 0;
}

void pipa_filter_notes_done(struct pipa_filter_notes *notes)
{
	free(notes->items);
	*notes = (struct pipa_filter_notes){ 0 };
}

void pipa_filter_notes_add(struct pipa_filter_notes *notes, const struct pipa_profile *p)
{
	size_t i, k;

	for (i = 0; i < notes->n; i++) {
		struct pipa_filter_name *name = &notes->items[i];
		size_t n = count_of(p, name->filter);

		for (k = 0; k < n && !name->found; k++)
			name->found = filters[name->filter].offer_name(p, k, &name->near);
	}
}

/* Note a name that does not exist. */
static void note_name(const struct pipa_filter_notes *notes, const struct pipa_filter_name *name,
		      const struct pipa_log *log)
{
	const char *option = filters[name->filter].option;
	char names[320], hint[320];

	if (name->filter == COMMS && notes->names.comm_option)
		option = notes->names.comm_option;
	pipa_hint_sentence(pipa_nearest_hint(&name->near, names, sizeof(names)), hint,
			   sizeof(hint));
	pipa_log_note(log, "%s: no %s '%s'%s%s", option, filters[name->filter].kind, name->text,
		      hint[0] ? ". " : "", hint);
}

/* Note filters other than names. */
static void note_options(const struct pipa_filter_names *names, const struct pipa_log *log)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	size_t i;

	pipa_buf_printf(&text, "%s%s%s%s", names->pids ? " --pid" : "", names->tids ? " --tid" : "",
			names->cpus ? " --cpu" : "", names->trace_id ? " --trace-id" : "");
	for (i = 0; i < names->n_labels; i++)
		pipa_buf_printf(&text, " --label %s", names->labels[i]);
	if (text.len)
		pipa_log_note(log, "no sample matches%s", pipa_buf_str(&text));
}

void pipa_filter_notes_write(const struct pipa_filter_notes *notes, const struct pipa_log *log)
{
	bool found = true;
	size_t i;

	for (i = 0; i < notes->n; i++) {
		if (!notes->items[i].found)
			note_name(notes, &notes->items[i], log);
		found &= notes->items[i].found;
	}
	if (found && (notes->n || notes->names.frames || notes->names.time))
		pipa_log_note(log, "no sample matches all of the filters");
	else if (found)
		note_options(&notes->names, log);
}

void pipa_note_filters(const struct pipa_profile *p, const struct pipa_filter_names *names,
		       const struct pipa_log *log)
{
	struct pipa_filter_notes notes;

	if (!pipa_log_on(log))
		return;
	if (names->time && !p->samples.n) {
		pipa_log_note(log, "--time: no samples in the range");
		return;
	}
	if (pipa_filter_notes_init(&notes, names) < 0)
		return;
	pipa_filter_notes_add(&notes, p);
	pipa_filter_notes_write(&notes, log);
	pipa_filter_notes_done(&notes);
}
