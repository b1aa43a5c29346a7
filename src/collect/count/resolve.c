#include "collect/count/resolve.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "collect/count/resolve_own.h"

int pipa_machine_load(struct pipa_machine *machine, struct pipa_root *root, struct pipa_error *err)
{
	*machine = (struct pipa_machine){ .root = root };
	return pipa_pmus_load(root, &machine->pmus, err);
}

void pipa_machine_done(struct pipa_machine *machine)
{
	pipa_pmus_done(&machine->pmus);
}

int pipa_resolving_no_memory(struct pipa_resolving *r)
{
	return pipa_fail(r->err, -ENOMEM, "set up event %s", r->spec->text);
}

/* ---- the attr ---------------------------------------------------------------------------- */

static void apply_mods(struct perf_event_attr *attr, const struct pipa_spec_mods *mods,
		       bool hardware)
{
	if (mods->user || mods->kernel || mods->hv) {
		attr->exclude_user = !mods->user;
		attr->exclude_kernel = !mods->kernel;
		attr->exclude_hv = !mods->hv;
	}
	if (mods->guest || mods->host) {
		attr->exclude_guest = !mods->guest;
		attr->exclude_host = !mods->host;
	} else {
		attr->exclude_guest = hardware; /* do not count virtual machines */
	}
	attr->exclude_idle = mods->no_idle;
	attr->pinned = mods->pinned;
	attr->exclusive = mods->exclusive;
	attr->precise_ip = (mods->max_precise ? 3 : mods->precise) & 3;
	if (mods->sample_read) /* the group is read with each sample */
		attr->sample_type |= PERF_SAMPLE_READ;
}

struct pipa_event *pipa_resolving_add(struct pipa_resolving *r, enum pipa_event_kind kind,
				      uint32_t type, uint64_t config)
{
	struct pipa_event event = {
		.name = r->spec->text,
		.key = r->spec->tail ? r->spec->text : r->spec->head,
		.scale = 1,
		.kind = kind,
		.attr = { .type = type, .size = sizeof(event.attr), .config = config },
		.weak = r->spec->mods.weak,
		.cgroup = -1,
	};

	apply_mods(&event.attr, &r->spec->mods,
		   kind == PIPA_EVENT_HW || kind == PIPA_EVENT_CACHE || kind == PIPA_EVENT_RAW);
	return pipa_events_add_copy(r->events, &event);
}

const char *pipa_resolving_mods(const struct pipa_spec *spec)
{
	const char *end = spec->text + strlen(spec->text);
	const char *p = end;

	if (!spec->has_mods && spec->kind != PIPA_SPEC_PMU && !strrchr(spec->text, ':'))
		return end;
	while (p > spec->text && p[-1] != ':' && p[-1] != '/')
		p--;
	return p;
}

int pipa_resolving_set_key(struct pipa_resolving *r, struct pipa_event *event, const char *key)
{
	char *copy = strdup(key);

	if (!copy)
		return pipa_resolving_no_memory(r);
	free(event->key);
	event->key = copy;
	return 0;
}

/* ---- names ------------------------------------------------------------------------------- */

bool pipa_machine_has_alias(struct pipa_machine *machine, const char *name)
{
	struct pipa_pmu_alias alias;
	size_t i;

	for (i = 0; i < machine->pmus.n; i++)
		if (pipa_pmu_alias_read(machine->root, &machine->pmus.items[i], name, &alias) == 0)
			return true;
	return false;
}

static void offer_cache(void *ctx, const char *name, uint64_t config PIPA_UNUSED)
{
	pipa_nearest_offer(ctx, name);
}

static int unknown_name(struct pipa_resolving *r)
{
	struct pipa_nearest near = { .wanted = r->spec->head };
	const struct pipa_event_name *names;
	char hint[200];
	size_t i, n;

	names = pipa_event_names(&n);
	for (i = 0; i < n; i++) {
		pipa_nearest_offer(&near, names[i].name);
		if (names[i].alias)
			pipa_nearest_offer(&near, names[i].alias);
	}
	pipa_event_cache_each(offer_cache, &near);
	for (i = 0; i < r->machine->pmus.n; i++)
		pipa_pmu_alias_each(r->machine->root, &r->machine->pmus.items[i],
				    pipa_resolving_offer_alias, &near);
	pipa_refuse(r->err, -ENOENT, "unknown event '%s'", r->spec->head);
	if (near.n)
		return pipa_hint(r->err, "%s", pipa_nearest_hint(&near, hint, sizeof(hint)));
	return pipa_hint(r->err, "list known ones with: pipa list");
}

static int add_name(struct pipa_resolving *r)
{
	size_t first = r->events->n;
	struct pipa_event_name name;
	int rc;

	if (pipa_event_name_find(r->spec->head, &name))
		return pipa_resolving_fixed(r, &name);
	rc = pipa_resolving_alias(r);
	if (rc < 0)
		return rc;
	return r->events->n > first ? 0 : unknown_name(r);
}

/* ---- all of them ------------------------------------------------------------------------- */

static int add_breakpoint(struct pipa_resolving *r)
{
	struct pipa_event *event = pipa_resolving_add(r, PIPA_EVENT_BREAKPOINT,
						      PERF_TYPE_BREAKPOINT, 0);
	unsigned int len = r->spec->bp_len;

	if (!event)
		return pipa_resolving_no_memory(r);
	if (!len) /* execution breakpoints need the size of a word, data defaults to four bytes */
		len = r->spec->bp_type == HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_4;
	event->attr.bp_type = r->spec->bp_type;
	event->attr.bp_addr = r->spec->number;
	event->attr.bp_len = len;
	return pipa_resolving_set_key(r, event, r->spec->text);
}

static int add_spec(struct pipa_resolving *r)
{
	switch (r->spec->kind) {
	case PIPA_SPEC_NAME: return add_name(r);
	case PIPA_SPEC_RAW:
		return pipa_resolving_generic(r, PIPA_EVENT_RAW, PERF_TYPE_RAW, r->spec->number);
	case PIPA_SPEC_PMU: return pipa_resolving_pmu(r);
	case PIPA_SPEC_TRACEPOINT: return pipa_resolving_tracepoint(r);
	case PIPA_SPEC_BREAKPOINT: return add_breakpoint(r);
	}
	return -EINVAL;
}

/*
 * Can both be in one group? Software events join any group, hardware events only their own PMU's.
 */
static bool can_share(const struct pipa_event *a, const struct pipa_event *b)
{
	static const bool software[PIPA_EVENT_KIND_NR] = {
		[PIPA_EVENT_SW] = true,
		[PIPA_EVENT_TRACEPOINT] = true,
		[PIPA_EVENT_BREAKPOINT] = true,
	};

	if (software[a->kind] || software[b->kind])
		return true;
	if (a->uncore != b->uncore)
		return false;
	return !a->pmu || !b->pmu || strcmp(a->pmu, b->pmu) == 0;
}

static bool can_join(const struct pipa_events *events, size_t leader, size_t e)
{
	size_t i;

	for (i = leader; i < e; i++)
		if (events->items[i].leader == leader &&
		    !can_share(&events->items[i], &events->items[e]))
			return false;
	return !events->items[leader].tool && events->items[leader].leader == leader;
}

/*
 * Link the events of a group, each of which may have become several. Events of one PMU form a
 * group; an event that fits into no earlier group leads the next.
 */
static void link_group(struct pipa_events *events, size_t first)
{
	size_t i, k;

	for (i = first; i < events->n; i++) {
		if (events->items[i].tool)
			continue;
		for (k = first; k < i && !can_join(events, k, i); k++)
			;
		events->items[i].leader = k;
	}
}

int pipa_resolve(struct pipa_machine *machine, const struct pipa_specs *specs,
		 struct pipa_events *events, struct pipa_error *err)
{
	size_t i, group_start = events->n;
	int rc;

	for (i = 0; i < specs->n; i++) {
		struct pipa_resolving r = {
			.machine = machine, .spec = &specs->items[i], .events = events, .err = err
		};
		size_t group = specs->items[i].group;

		if (i == 0 || group != specs->items[i - 1].group)
			group_start = events->n;
		rc = add_spec(&r);
		if (rc < 0)
			return rc;
		if (group && (i + 1 == specs->n || specs->items[i + 1].group != group))
			link_group(events, group_start);
	}
	return 0;
}
