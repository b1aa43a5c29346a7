#include "collect/resolve.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/str.h"
#include "kernel/root.h"
#include "kernel/tracepoint.h"
#include "perf/event_names.h"
#include "perf/event_spec.h"

struct resolver {
	struct pipa_machine *machine;
	const struct pipa_spec *spec;
	struct pipa_events *events;
	struct pipa_error *err;
};

int pipa_machine_load(struct pipa_machine *machine, struct pipa_root *root, struct pipa_error *err)
{
	*machine = (struct pipa_machine){ .root = root };
	return pipa_pmus_load(root, &machine->pmus, err);
}

void pipa_machine_done(struct pipa_machine *machine)
{
	pipa_pmus_done(&machine->pmus);
}

static int no_memory(struct resolver *r)
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
		attr->exclude_guest = hardware; /* what a virtual machine does is not ours */
	}
	attr->exclude_idle = mods->no_idle;
	attr->pinned = mods->pinned;
	attr->exclusive = mods->exclusive;
	attr->precise_ip = (mods->max_precise ? 3 : mods->precise) & 3;
	if (mods->sample_read) /* the group is read with each sample */
		attr->sample_type |= PERF_SAMPLE_READ;
}

/* Append an event of the spec with the given type and config; its name is the spec's text. */
static struct pipa_event *add_event(struct resolver *r, enum pipa_event_kind kind, uint32_t type,
				    uint64_t config)
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

/* The text of the spec's modifiers, for names that are built anew. */
static const char *mods_text(const struct pipa_spec *spec)
{
	const char *end = spec->text + strlen(spec->text);
	const char *p = end;

	if (!spec->has_mods && spec->kind != PIPA_SPEC_PMU && !strrchr(spec->text, ':'))
		return end;
	while (p > spec->text && p[-1] != ':' && p[-1] != '/')
		p--;
	return p;
}

/* ---- fixed names and raw codes ----------------------------------------------------------- */

/* How many core PMUs there are: more than one makes a machine hybrid. */
static size_t count_core_pmus(const struct pipa_pmus *pmus)
{
	size_t i, n = 0;

	for (i = 0; i < pmus->n; i++)
		n += pmus->items[i].core;
	return n;
}

static void set_family(struct pipa_event *event, size_t first, bool apart)
{
	event->family = first;
	event->apart = apart;
}

static void aim_at_pmu(struct resolver *r, const struct pipa_pmu *pmu, uint32_t *type,
		       uint64_t *config);

/* One event per core PMU. */
static int add_per_core_pmu(struct resolver *r, enum pipa_event_kind kind, uint32_t type,
			    uint64_t config)
{
	struct pipa_pmus *pmus = &r->machine->pmus;
	size_t i, first = r->events->n;

	for (i = 0; i < pmus->n; i++) {
		struct pipa_pmu *pmu = &pmus->items[i];
		struct pipa_event *event;
		uint64_t own_config;
		uint32_t own_type;
		int rc;

		if (!pmu->core)
			continue;
		rc = pipa_pmu_load(r->machine->root, pmu, r->err);
		if (rc < 0)
			return rc;
		own_type = type;
		own_config = config;
		aim_at_pmu(r, pmu, &own_type, &own_config);
		event = add_event(r, kind, own_type, own_config);
		if (!event || !(event->pmu = strdup(pmu->name)) ||
		    !(event->sum = strdup(r->spec->text)) ||
		    pipa_cpus_copy(&pmu->cpus, &event->cpus) < 0 ||
		    pipa_event_rename(event, "%s/%s/%s", pmu->name, r->spec->head,
				      mods_text(r->spec)) < 0)
			return no_memory(r);
		set_family(event, first, true);
	}
	return 0;
}

static int add_generic(struct resolver *r, enum pipa_event_kind kind, uint32_t type,
		       uint64_t config)
{
	if (count_core_pmus(&r->machine->pmus) > 1)
		return add_per_core_pmu(r, kind, type, config);
	return add_event(r, kind, type, config) ? 0 : no_memory(r);
}

/* Metrics know each event by its first spelling. */
static int set_key(struct resolver *r, struct pipa_event *event, const char *key)
{
	char *copy = strdup(key);

	if (!copy)
		return no_memory(r);
	free(event->key);
	event->key = copy;
	return 0;
}

static int set_keys(struct resolver *r, size_t first, const struct pipa_event_name *name)
{
	char cache[64];
	const char *key = name->name;
	size_t i;
	int rc = 0;

	if (name->kind == PIPA_EVENT_CACHE &&
	    pipa_event_cache_name(name->config & 0xff, name->config >> 8 & 0xff,
				  name->config >> 16 & 0xff, cache, sizeof(cache)))
		key = cache;
	for (i = first; key && !rc && i < r->events->n; i++)
		rc = set_key(r, &r->events->items[i], key);
	return rc;
}

static int add_fixed(struct resolver *r, const struct pipa_event_name *name)
{
	size_t first = r->events->n;
	struct pipa_event *event;
	int rc;

	if (name->kind == PIPA_EVENT_HW || name->kind == PIPA_EVENT_CACHE) {
		rc = add_generic(r, name->kind, name->type, name->config);
		return rc < 0 ? rc : set_keys(r, first, name);
	}
	event = add_event(r, name->kind, name->type, name->config);
	if (!event)
		return no_memory(r);
	event->tool = name->tool;
	if (name->tool) {
		snprintf(event->unit, sizeof(event->unit), "ns");
	} else if (name->config == PERF_COUNT_SW_CPU_CLOCK ||
		   name->config == PERF_COUNT_SW_TASK_CLOCK) {
		snprintf(event->unit, sizeof(event->unit), "msec");
		event->scale = 1e-6;
	}
	return set_keys(r, first, name);
}

/* ---- PMU events -------------------------------------------------------------------------- */

static const struct pipa_spec_term *find_term(const struct pipa_spec_terms *terms, const char *name)
{
	size_t i;

	for (i = 0; i < terms->n; i++)
		if (strcmp(terms->items[i].name, name) == 0)
			return &terms->items[i];
	return NULL;
}

static int offer_alias(void *ctx, const char *event)
{
	pipa_nearest_offer(ctx, event);
	return 0;
}

static int unknown_term(struct resolver *r, const struct pipa_pmu *pmu, const char *name)
{
	struct pipa_nearest near = { .wanted = name };
	char hint[200];
	size_t i;

	for (i = 0; i < pmu->n_formats; i++)
		pipa_nearest_offer(&near, pmu->formats[i].name);
	pipa_pmu_alias_each(r->machine->root, pmu, offer_alias, &near);
	pipa_refuse(r->err, -EINVAL, "PMU %s has no term or event '%s'", pmu->name, name);
	if (near.n)
		return pipa_hint(r->err, "%s", pipa_nearest_hint(&near, hint, sizeof(hint)));
	return pipa_hint(r->err, "list what it has with: pipa list pmu '%s/*'", pmu->name);
}

/* The words of perf_event_attr that terms may set directly. */
static bool apply_config_word(uint64_t config[PIPA_PMU_WORDS], const char *name, uint64_t value)
{
	static const char *const words[] = { "config", "config1", "config2" };
	size_t i;

	for (i = 0; i < PIPA_COUNT(words); i++)
		if (strcmp(name, words[i]) == 0) {
			config[i] = value;
			return true;
		}
	return false;
}

static int apply_number(struct resolver *r, const struct pipa_pmu *pmu,
			uint64_t config[PIPA_PMU_WORDS], const struct pipa_spec_term *term,
			const char *value_text)
{
	const struct pipa_pmu_format *format = pipa_pmu_format_find(pmu, term->name);
	uint64_t value = 1;

	if (value_text && pipa_str_u64(value_text, &value) < 0) {
		pipa_refuse(r->err, -EINVAL, "the value of %s in %s is no number: %s", term->name,
			    r->spec->text, value_text);
		return -EINVAL;
	}
	if (!format)
		return apply_config_word(config, term->name, value) ?
			       0 :
			       unknown_term(r, pmu, term->name);
	if (pipa_pmu_format_apply(format, value, config) < 0)
		return pipa_refuse(r->err, -ERANGE, "%s=%#llx in %s does not fit its %d bits",
				   term->name, (unsigned long long)value, r->spec->text,
				   __builtin_popcountll(format->bits));
	return 0;
}

/* What the PMU wrote behind the event's name; "?" stands for a value the user has to give. */
static int apply_alias(struct resolver *r, const struct pipa_pmu *pmu,
		       uint64_t config[PIPA_PMU_WORDS], const struct pipa_pmu_alias *alias)
{
	PIPA_AUTO(pipa_spec_terms_done) struct pipa_spec_terms terms = { 0 };
	size_t i;
	int rc = pipa_spec_terms_parse(alias->terms, strlen(alias->terms), &terms, r->err);

	for (i = 0; !rc && i < terms.n; i++) {
		const struct pipa_spec_term *term = &terms.items[i], *given;
		const char *value = term->value;

		if (value && strcmp(value, "?") == 0) {
			given = find_term(&r->spec->terms, term->name);
			if (!given || !given->value)
				return pipa_refuse(r->err, -EINVAL, "%s needs %s=VALUE",
						   r->spec->text, term->name);
			value = given->value;
		}
		rc = apply_number(r, pmu, config, term, value);
	}
	return rc;
}

/*
 * Make a code mean one of several core PMUs. Raw codes are typed by the PMU; Arm's generic events go
 * by the PMU's own name for them; else the upper half of config says which (x86 since 5.13).
 */
static void aim_at_pmu(struct resolver *r, const struct pipa_pmu *pmu, uint32_t *type,
		       uint64_t *config)
{
	const char *arm = *type == PERF_TYPE_RAW ? NULL : pipa_event_arm_name(*type, *config);
	uint64_t words[PIPA_PMU_WORDS] = { 0 };
	struct pipa_pmu_alias alias;

	if (arm && pipa_pmu_alias_read(r->machine->root, pmu, arm, &alias) == 0 &&
	    apply_alias(r, pmu, words, &alias) == 0) {
		*type = pmu->type;
		*config = words[0];
	} else if (*type == PERF_TYPE_RAW) {
		*type = pmu->type;
	} else {
		*config |= (uint64_t)pmu->type << 32;
	}
}

/* cpu/cycles/: a generic event of one core PMU */
static bool apply_generic(struct resolver *r, const struct pipa_pmu *pmu, struct pipa_event *event,
			  const char *name)
{
	struct pipa_event_name fixed;
	bool hybrid = count_core_pmus(&r->machine->pmus) > 1;

	if (!pmu->core || !pipa_event_name_find(name, &fixed) ||
	    (fixed.kind != PIPA_EVENT_HW && fixed.kind != PIPA_EVENT_CACHE))
		return false;
	if (hybrid)
		aim_at_pmu(r, pmu, &fixed.type, &fixed.config);
	event->attr.type = fixed.type;
	event->attr.config = fixed.config;
	event->kind = fixed.kind;
	return true;
}

static void store_config(struct perf_event_attr *attr, const uint64_t config[PIPA_PMU_WORDS])
{
	attr->config = config[0];
	attr->config1 = config[1];
	attr->config2 = config[2];
}

/* One bare term may name an event of the PMU; all others set fields. */
static int apply_term(struct resolver *r, const struct pipa_pmu *pmu, size_t index,
		      uint64_t config[PIPA_PMU_WORDS], const struct pipa_spec_term *term)
{
	struct pipa_event *event = &r->events->items[index];
	struct pipa_pmu_alias alias;
	int rc;

	if (term->value && strcmp(term->name, "name") == 0)
		return pipa_event_rename(event, "%s", term->value) < 0 ? no_memory(r) : 0;
	if (term->value || pipa_pmu_format_find(pmu, term->name))
		return apply_number(r, pmu, config, term, term->value);
	if (pipa_pmu_alias_read(r->machine->root, pmu, term->name, &alias) == 0) {
		snprintf(event->unit, sizeof(event->unit), "%s", alias.unit);
		event->scale = alias.scale;
		rc = set_key(r, event, alias.name);
		return rc < 0 ? rc : apply_alias(r, pmu, config, &alias);
	}
	if (apply_generic(r, pmu, event, term->name)) {
		config[0] = event->attr.config;
		return set_key(r, event, term->name);
	}
	return unknown_term(r, pmu, term->name);
}

static int add_pmu_event(struct resolver *r, struct pipa_pmu *pmu,
			 const struct pipa_spec_terms *terms)
{
	uint64_t config[PIPA_PMU_WORDS] = { 0 };
	struct pipa_event *event;
	size_t i, index = r->events->n;
	int rc = pipa_pmu_load(r->machine->root, pmu, r->err);

	if (rc < 0)
		return rc;
	event = add_event(r, PIPA_EVENT_PMU, pmu->type, 0);
	if (!event || !(event->pmu = strdup(pmu->name)) ||
	    pipa_cpus_copy(&pmu->cpus, &event->cpus) < 0)
		return no_memory(r);
	event->uncore = pmu->uncore;
	event->core = pmu->core;
	if (pmu->core && !r->spec->mods.guest && !r->spec->mods.host)
		event->attr.exclude_guest = 1;
	for (i = 0; !rc && i < terms->n; i++)
		rc = apply_term(r, pmu, index, config, &terms->items[i]);
	store_config(&r->events->items[index].attr, config);
	return rc;
}

/* Instances of one PMU (uncore_imc_0, uncore_imc_1) share a line; hybrid cores get one each too. */
static int join_family(struct resolver *r, size_t first)
{
	size_t i;

	if (r->events->n - first < 2)
		return 0;
	for (i = first; i < r->events->n; i++) {
		struct pipa_event *event = &r->events->items[i];
		bool apart = !event->uncore;

		if (apart || r->machine->no_merge) {
			const char *slash = strchr(r->spec->text, '/');

			if ((slash ? pipa_event_rename(event, "%s%s", event->pmu, slash) :
				     pipa_event_rename(event, "%s/%s/%s", event->pmu, r->spec->head,
						       mods_text(r->spec))) < 0)
				return no_memory(r);
		}
		if (r->machine->no_merge && !apart)
			continue;
		event->sum = strdup(r->spec->text);
		if (!event->sum)
			return no_memory(r);
		set_family(event, first, apart);
	}
	return 0;
}

static int unknown_pmu(struct resolver *r)
{
	struct pipa_nearest near = { .wanted = r->spec->head };
	char hint[200];
	size_t i;

	for (i = 0; i < r->machine->pmus.n; i++)
		pipa_nearest_offer(&near, r->machine->pmus.items[i].name);
	pipa_refuse(r->err, -ENOENT, "this machine has no PMU '%s'", r->spec->head);
	if (near.n)
		return pipa_hint(r->err, "%s", pipa_nearest_hint(&near, hint, sizeof(hint)));
	return pipa_hint(r->err, "list what there is with: pipa list pmu");
}

static int add_pmu(struct resolver *r)
{
	struct pipa_pmus *pmus = &r->machine->pmus;
	size_t i, first = r->events->n;
	int rc = 0;

	for (i = 0; !rc && i < pmus->n; i++)
		if (pipa_pmu_matches(&pmus->items[i], r->spec->head))
			rc = add_pmu_event(r, &pmus->items[i], &r->spec->terms);
	if (rc < 0)
		return rc;
	return r->events->n == first ? unknown_pmu(r) : join_family(r, first);
}

/* A bare name that some PMUs define, core ones before others. */
static int add_alias(struct resolver *r)
{
	struct pipa_pmus *pmus = &r->machine->pmus;
	struct pipa_spec_term term = { .name = r->spec->head };
	struct pipa_spec_terms terms = { .items = &term, .n = 1 };
	struct pipa_pmu_alias alias;
	size_t i, first = r->events->n;
	int core, rc = 0;

	for (core = 1; core >= 0 && r->events->n == first; core--)
		for (i = 0; !rc && i < pmus->n; i++)
			if (pmus->items[i].core == core &&
			    pipa_pmu_alias_read(r->machine->root, &pmus->items[i], r->spec->head,
						&alias) == 0)
				rc = add_pmu_event(r, &pmus->items[i], &terms);
	return rc < 0 ? rc : join_family(r, first);
}

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

static int unknown_name(struct resolver *r)
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
		pipa_pmu_alias_each(r->machine->root, &r->machine->pmus.items[i], offer_alias,
				    &near);
	pipa_refuse(r->err, -ENOENT, "unknown event '%s'", r->spec->head);
	if (near.n)
		return pipa_hint(r->err, "%s", pipa_nearest_hint(&near, hint, sizeof(hint)));
	return pipa_hint(r->err, "list what there is with: pipa list");
}

static int add_name(struct resolver *r)
{
	size_t first = r->events->n;
	struct pipa_event_name name;
	int rc;

	if (pipa_event_name_find(r->spec->head, &name))
		return add_fixed(r, &name);
	rc = add_alias(r);
	if (rc < 0)
		return rc;
	return r->events->n > first ? 0 : unknown_name(r);
}

/* ---- tracepoints and breakpoints --------------------------------------------------------- */

static int add_tracepoint_id(struct resolver *r, const char *system, const char *name)
{
	struct pipa_event *event;
	uint64_t id;
	int rc = pipa_tracepoint_id(r->machine->root, system, name, &id);

	if (rc < 0)
		return rc;
	event = add_event(r, PIPA_EVENT_TRACEPOINT, PERF_TYPE_TRACEPOINT, id);
	if (!event ||
	    pipa_event_rename(event, "%s:%s%s%s", system, name, r->spec->has_mods ? ":" : "",
			      r->spec->has_mods ? mods_text(r->spec) : "") < 0)
		return no_memory(r);
	return set_key(r, event, event->name);
}

static int add_matching(void *ctx, const char *system, const char *name)
{
	int rc;

	if (strcmp(system, "ftrace") == 0) /* the tracer's own records: only by their full name */
		return 0;
	rc = add_tracepoint_id(ctx, system, name);
	return rc == -ENOENT ? 0 : rc; /* ftrace's own entries and directories like "enable" */
}

static int offer_tracepoint(void *ctx, const char *system, const char *name)
{
	char text[PIPA_NEAREST_LEN];

	if (snprintf(text, sizeof(text), "%s:%s", system, name) < (int)sizeof(text))
		pipa_nearest_offer(ctx, text);
	return 0;
}

static int tracepoint_failed(struct resolver *r, int code)
{
	struct pipa_nearest near = { 0 };
	struct pipa_event_name event;
	char wanted[PIPA_NEAREST_LEN], hint[200];

	if (pipa_event_name_find(r->spec->head, &event)) {
		pipa_refuse(r->err, -EINVAL, "unknown modifier '%s' in '%s'", r->spec->tail,
			    r->spec->text);
		return pipa_hint(r->err, "they are letters: u k h G H I p P S D W e");
	}
	if (code == -EACCES || code == -EPERM) {
		pipa_fail(r->err, code, "look up tracepoint %s", r->spec->text);
		return pipa_hint(
			r->err,
			"run as root, or: sudo mount -o remount,mode=755 /sys/kernel/tracing");
	}
	if (pipa_root_dir(r->machine->root, PIPA_TRACE) < 0) {
		pipa_refuse(r->err, code, "tracepoint %s: tracefs is not mounted", r->spec->text);
		return pipa_hint(r->err, "sudo mount -t tracefs nodev /sys/kernel/tracing");
	}
	snprintf(wanted, sizeof(wanted), "%s:%s", r->spec->head, r->spec->tail);
	near.wanted = wanted;
	pipa_tracepoint_each(r->machine->root, "*", "*", offer_tracepoint, &near);
	pipa_refuse(r->err, -ENOENT, "unknown tracepoint '%s'", wanted);
	if (near.n)
		return pipa_hint(r->err, "%s", pipa_nearest_hint(&near, hint, sizeof(hint)));
	return pipa_hint(r->err, "list what there is with: pipa list tracepoint '%s:*'",
			 r->spec->head);
}

static int add_tracepoint(struct resolver *r)
{
	const struct pipa_spec *spec = r->spec;
	size_t first = r->events->n;
	int rc;

	if (strpbrk(spec->head, "*?[") || strpbrk(spec->tail, "*?["))
		rc = pipa_tracepoint_each(r->machine->root, spec->head, spec->tail, add_matching,
					  r);
	else
		rc = add_tracepoint_id(r, spec->head, spec->tail);
	if (rc == 0 && r->events->n == first)
		rc = -ENOENT;
	return rc < 0 && rc != -ENOMEM ? tracepoint_failed(r, rc) : rc;
}

static int add_breakpoint(struct resolver *r)
{
	struct pipa_event *event = add_event(r, PIPA_EVENT_BREAKPOINT, PERF_TYPE_BREAKPOINT, 0);
	unsigned int len = r->spec->bp_len;

	if (!event)
		return no_memory(r);
	if (!len) /* an execution breakpoint wants the size of a word, data defaults to four bytes */
		len = r->spec->bp_type == HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_4;
	event->attr.bp_type = r->spec->bp_type;
	event->attr.bp_addr = r->spec->number;
	event->attr.bp_len = len;
	return set_key(r, event, r->spec->text);
}

/* ---- all of them ------------------------------------------------------------------------- */

static int add_spec(struct resolver *r)
{
	switch (r->spec->kind) {
	case PIPA_SPEC_NAME: return add_name(r);
	case PIPA_SPEC_RAW: return add_generic(r, PIPA_EVENT_RAW, PERF_TYPE_RAW, r->spec->number);
	case PIPA_SPEC_PMU: return add_pmu(r);
	case PIPA_SPEC_TRACEPOINT: return add_tracepoint(r);
	case PIPA_SPEC_BREAKPOINT: return add_breakpoint(r);
	}
	return -EINVAL;
}

/* Can the kernel have both in one group: software joins anything, hardware only its own PMU? */
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
 * A group's events may have become several each. Those of one PMU form a group; an event that no
 * group before it can take leads the next.
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
		struct resolver r = {
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
