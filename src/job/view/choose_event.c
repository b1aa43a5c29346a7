#include "job/view/choose_event.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/nearest.h"
#include "load/load.h"
#include "model/profile.h"

static const char *event_name(const struct pipa_profile *p, uint32_t event)
{
	return pipa_profile_string(p, p->events.items[event].name);
}

static int refuse_event(const struct pipa_profile *p, const char *name, struct pipa_error *err)
{
	struct pipa_nearest near = { .wanted = name };
	char hint[200], all[150] = "";
	size_t used = 0;
	uint32_t i;

	for (i = 0; i < p->events.n; i++) {
		pipa_nearest_offer(&near, event_name(p, i));
		if (used < sizeof(all) && event_name(p, i)[0])
			used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s",
						 used ? ", " : "", event_name(p, i));
	}
	pipa_refuse(err, -EINVAL, "no event '%s' in the input", name);
	pipa_nearest_hint(&near, hint, sizeof(hint));
	if (hint[0])
		return pipa_hint(err, "%s", hint);
	return used ? pipa_hint(err, "available: %s", all) : err->code;
}

int pipa_choose_event(const struct pipa_profile *p, const char *name, const struct pipa_log *log,
		      uint32_t *ret, struct pipa_error *err)
{
	uint32_t i, others = 0;

	*ret = PIPA_NONE;
	for (i = 0; i < p->events.n; i++) {
		bool named = event_name(p, i)[0] && p->events.items[i].count;

		if (name && strcmp(event_name(p, i), name) == 0) {
			*ret = i;
			return 0;
		}
		others += named && *ret != PIPA_NONE;
		if (named && *ret == PIPA_NONE)
			*ret = i;
	}
	if (name)
		return refuse_event(p, name, err);
	if (others)
		pipa_log_note(log,
			      "using event %s, the first of %" PRIu32
			      ". Select another one with --value NAME.",
			      event_name(p, *ret), others + 1);
	return 0;
}

void pipa_note_losses(const struct pipa_loaded *loaded, const char *path,
		      const struct pipa_log *log)
{
	const struct pipa_losses *losses = &loaded->profile.losses;
	const struct pipa_damage *damage = &loaded->recording.damage;
	const char *file = !path ? "" : strcmp(path, "-") == 0 ? "standard input" : path;
	const char *colon = path ? ": " : "";

	if (losses->lost_samples || losses->lost_records)
		pipa_log_note(log, "%s%slost: %" PRIu64 " samples, %" PRIu64 " records", file,
			      colon, losses->lost_samples, losses->lost_records);
	if (losses->cut_stacks)
		pipa_log_note(log, "%s%struncated samples skipped: %" PRIu64, file, colon,
			      losses->cut_stacks);
	if (losses->unwound_truncated && !losses->unwound) /* the only count that the file has */
		pipa_log_note(log, "%s%struncated stacks: %" PRIu64, file, colon,
			      losses->unwound_truncated);
	if (damage->count)
		pipa_log_note(log,
			      "%s%scorrupt records: %" PRIu64 ", first at offset %" PRIu64 ": %s%s",
			      file, colon, damage->count, damage->at, damage->what,
			      damage->incomplete ? "; the rest of the file is not read" : "");
	else if (losses->damaged)
		pipa_log_note(log, "%s%smalformed lines skipped: %" PRIu64, file, colon,
			      losses->damaged);
}

void pipa_note_empty(const struct pipa_profile *p, uint32_t event, const struct pipa_log *log)
{
	uint64_t count = 0;
	uint32_t i;

	for (i = 0; i < p->events.n; i++)
		count += event == PIPA_NONE || event == i ? p->events.items[i].count : 0;
	if (!count)
		pipa_log_note(log, "no samples%s%s: the output is empty",
			      event == PIPA_NONE ? "" : " of event ", pipa_chosen_name(p, event));
}

const char *pipa_chosen_name(const struct pipa_profile *profile, uint32_t event)
{
	return event == PIPA_NONE ? "" : event_name(profile, event);
}

const char *pipa_choose_title(const char *title, const char *path)
{
	const char *slash;

	if (title)
		return title;
	if (!path || strcmp(path, "-") == 0)
		return "standard input";
	slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}
