/* Resolve events that a PMU of this machine names, or whose terms are given. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/str.h"
#include "collect/count/resolve_own.h"

size_t pipa_resolving_core_pmus(const struct pipa_pmus *pmus)
{
	size_t i, n = 0;

	for (i = 0; i < pmus->n; i++)
		n += pmus->items[i].core;
	return n;
}

static const struct pipa_spec_term *find_term(const struct pipa_spec_terms *terms, const char *name)
{
	size_t i;

	for (i = 0; i < terms->n; i++)
		if (strcmp(terms->items[i].name, name) == 0)
			return &terms->items[i];
	return NULL;
}

int pipa_resolving_offer_alias(void *ctx, const char *event)
{
	pipa_nearest_offer(ctx, event);
	return 0;
}

static int unknown_term(struct pipa_resolving *r, const struct pipa_pmu *pmu, const char *name)
{
	struct pipa_nearest near = { .wanted = name };
	char hint[200];
	size_t i;

	for (i = 0; i < pmu->n_formats; i++)
		pipa_nearest_offer(&near, pmu->formats[i].name);
	pipa_pmu_alias_each(r->machine->root, pmu, pipa_resolving_offer_alias, &near);
	pipa_refuse(r->err, -EINVAL, "PMU %s has no term or event '%s'", pmu->name, name);
	if (near.n)
		return pipa_hint(r->err, "%s", pipa_nearest_hint(&near, hint, sizeof(hint)));
	return pipa_hint(r->err, "list what it has with: pipa list pmu '%s/*'", pmu->name);
}

/* Set a config word of perf_event_attr directly. */
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

static int apply_number(struct pipa_resolving *r, const struct pipa_pmu *pmu,
			uint64_t config[PIPA_PMU_WORDS], const struct pipa_spec_term *term,
			const char *value_text)
{
	const struct pipa_pmu_format *format = pipa_pmu_format_find(pmu, term->name);
	uint64_t value = 1;

	if (value_text && pipa_str_u64(value_text, &value) < 0) {
		pipa_refuse(r->err, -EINVAL, "invalid value of %s in %s, expected a number: %s",
			    term->name, r->spec->text, value_text);
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

/* Apply the terms of an event of the PMU; "?" is a value that the user must give. */
static int apply_alias(struct pipa_resolving *r, const struct pipa_pmu *pmu,
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

void pipa_resolving_aim(struct pipa_resolving *r, const struct pipa_pmu *pmu, uint32_t *type,
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
static bool apply_generic(struct pipa_resolving *r, const struct pipa_pmu *pmu,
			  struct pipa_event *event, const char *name)
{
	struct pipa_event_name fixed;
	bool hybrid = pipa_resolving_core_pmus(&r->machine->pmus) > 1;

	if (!pmu->core || !pipa_event_name_find(name, &fixed) ||
	    (fixed.kind != PIPA_EVENT_HW && fixed.kind != PIPA_EVENT_CACHE))
		return false;
	if (hybrid)
		pipa_resolving_aim(r, pmu, &fixed.type, &fixed.config);
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

/* Apply a term: one bare term may name an event of the PMU, all others set fields. */
static int apply_term(struct pipa_resolving *r, const struct pipa_pmu *pmu, size_t index,
		      uint64_t config[PIPA_PMU_WORDS], const struct pipa_spec_term *term)
{
	struct pipa_event *event = &r->events->items[index];
	struct pipa_pmu_alias alias;
	int rc;

	if (term->value && strcmp(term->name, "name") == 0)
		return pipa_event_rename(event, "%s", term->value) < 0 ?
			       pipa_resolving_no_memory(r) :
			       0;
	if (term->value || pipa_pmu_format_find(pmu, term->name))
		return apply_number(r, pmu, config, term, term->value);
	if (pipa_pmu_alias_read(r->machine->root, pmu, term->name, &alias) == 0) {
		snprintf(event->unit, sizeof(event->unit), "%s", alias.unit);
		event->scale = alias.scale;
		rc = pipa_resolving_set_key(r, event, alias.name);
		return rc < 0 ? rc : apply_alias(r, pmu, config, &alias);
	}
	if (apply_generic(r, pmu, event, term->name)) {
		config[0] = event->attr.config;
		return pipa_resolving_set_key(r, event, term->name);
	}
	return unknown_term(r, pmu, term->name);
}

static int add_pmu_event(struct pipa_resolving *r, struct pipa_pmu *pmu,
			 const struct pipa_spec_terms *terms)
{
	uint64_t config[PIPA_PMU_WORDS] = { 0 };
	struct pipa_event *event;
	size_t i, index = r->events->n;
	int rc = pipa_pmu_load(r->machine->root, pmu, r->err);

	if (rc < 0)
		return rc;
	event = pipa_resolving_add(r, PIPA_EVENT_PMU, pmu->type, 0);
	if (!event || !(event->pmu = strdup(pmu->name)) ||
	    pipa_cpus_copy(&pmu->cpus, &event->cpus) < 0)
		return pipa_resolving_no_memory(r);
	event->uncore = pmu->uncore;
	event->core = pmu->core;
	if (pmu->core && !r->spec->mods.guest && !r->spec->mods.host)
		event->attr.exclude_guest = 1;
	for (i = 0; !rc && i < terms->n; i++)
		rc = apply_term(r, pmu, index, config, &terms->items[i]);
	store_config(&r->events->items[index].attr, config);
	return rc;
}

/*
 * Join the instances of one PMU (uncore_imc_0, uncore_imc_1) into a line; hybrid cores also have
 * lines of their own.
 */
static int join_family(struct pipa_resolving *r, size_t first)
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
						       pipa_resolving_mods(r->spec))) < 0)
				return pipa_resolving_no_memory(r);
		}
		if (r->machine->no_merge && !apart)
			continue;
		event->sum = strdup(r->spec->text);
		if (!event->sum)
			return pipa_resolving_no_memory(r);
		pipa_resolving_set_family(event, first, apart);
	}
	return 0;
}

static int unknown_pmu(struct pipa_resolving *r)
{
	struct pipa_nearest near = { .wanted = r->spec->head };
	char hint[200];
	size_t i;

	for (i = 0; i < r->machine->pmus.n; i++)
		pipa_nearest_offer(&near, r->machine->pmus.items[i].name);
	pipa_refuse(r->err, -ENOENT, "this machine has no PMU '%s'", r->spec->head);
	if (near.n)
		return pipa_hint(r->err, "%s", pipa_nearest_hint(&near, hint, sizeof(hint)));
	return pipa_hint(r->err, "list known ones with: pipa list pmu");
}

int pipa_resolving_pmu(struct pipa_resolving *r)
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

/* Resolve a bare name that PMUs define, core PMUs first. */
int pipa_resolving_alias(struct pipa_resolving *r)
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
