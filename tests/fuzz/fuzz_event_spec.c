/*
 * The event language: the text of each event parses to the same event, with its modifiers. Names
 * are looked up and cache events named back on the way.
 */
#include "base/error.h"
#include "fuzz.h"
#include "perf/event_names.h"
#include "perf/event_spec.h"

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static void check_same_terms(const struct pipa_spec_terms *a, const struct pipa_spec_terms *b)
{
	size_t i;

	MUST(a->n == b->n);
	for (i = 0; i < a->n; i++) {
		MUST(a->items[i].name[0]);
		MUST(same_text(a->items[i].name, b->items[i].name));
		MUST(same_text(a->items[i].value, b->items[i].value));
	}
}

/* Modifiers of a group that do not narrow it (S, D, e, W) are not in the text. */
static void check_same_modifiers(const struct pipa_spec_mods *a, const struct pipa_spec_mods *b)
{
	MUST(a->user == b->user && a->kernel == b->kernel && a->hv == b->hv);
	MUST(a->guest == b->guest && a->host == b->host && a->no_idle == b->no_idle);
	MUST(a->precise == b->precise && a->max_precise == b->max_precise);
}

static void check_alone(const struct pipa_spec *spec)
{
	PIPA_AUTO(pipa_specs_done) struct pipa_specs alone = { 0 };
	const struct pipa_spec *again;

	MUST(spec->text && spec->text[0] && spec->head && spec->head[0]);
	MUST((spec->kind == PIPA_SPEC_TRACEPOINT) == (spec->tail != NULL));
	MUST(spec->mods.precise <= 3);
	if (spec->kind == PIPA_SPEC_NAME && strcmp(spec->head, "mem") == 0)
		return; /* no event is called so; with a modifier after it, it is a breakpoint */
	MUST(pipa_specs_parse(&alone, spec->text, NULL) == 0);
	MUST(alone.n == 1);
	again = &alone.items[0];
	MUST(again->kind == spec->kind && again->number == spec->number);
	MUST(again->bp_len == spec->bp_len && again->bp_type == spec->bp_type);
	MUST(same_text(again->head, spec->head) && same_text(again->tail, spec->tail));
	MUST(strcmp(again->text, spec->text) == 0);
	check_same_terms(&again->terms, &spec->terms);
	check_same_modifiers(&again->mods, &spec->mods);
}

static void check_name(const char *text)
{
	struct pipa_event_name name = { 0 }, again = { 0 };
	unsigned int config;
	char canonical[64];

	if (!pipa_event_name_find(text, &name) || name.kind != PIPA_EVENT_CACHE)
		return;
	config = (unsigned int)name.config;
	MUST(pipa_event_cache_name(config & 0xff, config >> 8 & 0xff, config >> 16, canonical,
				   sizeof(canonical)));
	MUST(pipa_event_name_find(canonical, &again) && again.config == name.config);
}

static void check_specs(const struct pipa_specs *specs)
{
	size_t i, group = 0;

	for (i = 0; i < specs->n; i++) {
		const struct pipa_spec *spec = &specs->items[i];

		MUST(spec->group <= specs->groups);
		if (spec->group) { /* groups are numbered in order and contiguous */
			MUST(spec->group == group || spec->group == group + 1);
			group = spec->group;
		}
		check_alone(spec);
		check_name(spec->head);
	}
	MUST(group == specs->groups);
}

static void check_terms(const uint8_t *data, size_t size)
{
	struct pipa_spec_terms terms = { .n = 42 };
	struct pipa_error err = { 0 };
	size_t i;

	if (pipa_spec_terms_parse((const char *)data, size, &terms, &err) < 0) {
		MUST(terms.n == 42 && !terms.items && err.code < 0 && err.what[0]);
		return;
	}
	for (i = 0; i < terms.n; i++)
		MUST(terms.items[i].name);
	pipa_spec_terms_done(&terms);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	PIPA_AUTO(pipa_specs_done) struct pipa_specs specs = { 0 };
	struct pipa_error err = { 0 };
	char *text = fuzz_text(data, size);

	if (pipa_specs_parse(&specs, text, &err) == 0) {
		MUST(specs.n > 0 && err.code == 0);
		check_specs(&specs);
	} else {
		MUST(err.code < 0 && err.what[0] && err.hint[0]);
	}
	check_terms(data, size);
	check_name(text);
	free(text);
	return 0;
}
