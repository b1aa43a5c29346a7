#include "job/view/filter_notes.h"

#include <stdio.h>
#include <string.h>

#include "analyze/profile/frames.h"
#include "base/error.h"
#include "base/log.h"
#include "base/nearest.h"
#include "model/profile.h"

/* A filter: its option, the kind of its names, and a function that lists the existing names. */
struct filter {
	const char *option, *kind, *names;
	bool (*offer_name)(const struct pipa_profile *p, size_t i, struct pipa_nearest *near);
};

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

static size_t count_of(const struct pipa_profile *p, const struct filter *filter)
{
	return filter->offer_name == offer_comm	  ? p->threads.n :
	       filter->offer_name == offer_object ? p->objects.n :
						    p->functions.n;
}

/* Check that the name exists; if not, note it. */
static bool check_name(const struct pipa_profile *p, const struct filter *filter, const char *name,
		       const struct pipa_log *log)
{
	struct pipa_nearest near = { .wanted = name };
	size_t n = count_of(p, filter), i;
	char names[320], hint[320];

	for (i = 0; i < n; i++)
		if (filter->offer_name(p, i, &near))
			return true;
	pipa_hint_sentence(pipa_nearest_hint(&near, names, sizeof(names)), hint, sizeof(hint));
	pipa_log_note(log, "%s: no %s '%s'%s%s", filter->option, filter->kind, name,
		      hint[0] ? ". " : "", hint);
	return false;
}

static bool check_names(const struct pipa_profile *p, const struct filter *filter,
			const struct pipa_log *log)
{
	const char *at = filter->names;
	bool found = true;

	while (at && *at) {
		size_t n = strcspn(at, ",");
		char name[256];

		snprintf(name, sizeof(name), "%.*s", (int)(n < sizeof(name) ? n : sizeof(name) - 1),
			 at);
		found &= check_name(p, filter, name, log);
		at += n + (at[n] == ',');
	}
	return found;
}

void pipa_note_filters(const struct pipa_profile *p, const struct pipa_filter_names *names,
		       const struct pipa_log *log)
{
	const struct filter filters[] = {
		{ names->comm_option ? names->comm_option : "--comms", "command", names->comms,
		  offer_comm },
		{ "--dsos", "object", names->objects, offer_object },
		{ "--symbols", "symbol", names->symbols, offer_symbol },
	};
	bool found = true;
	size_t i;

	if (!pipa_log_on(log) ||
	    (!names->comms && !names->objects && !names->symbols && !names->time))
		return;
	if (names->time && !p->samples.n) {
		pipa_log_note(log, "--time: no samples in the range");
		return;
	}
	for (i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
		found &= check_names(p, &filters[i], log);
	if (found)
		pipa_log_note(log, "no sample matches all of the filters");
}
