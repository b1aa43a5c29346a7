/* Resources of OTLP profiles: processes and their attributes. */
#include "export/exchange/otlp_own.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"

/* Find the resource of a thread; PIPA_NONE is a sample without one. 0 or -ENOMEM. */
static int add_resource(struct pipa_otlp_writer *w, uint32_t number)
{
	struct pipa_otlp_process r = { .pid = PIPA_UNKNOWN32 };
	uint32_t *to = &w->thread_resources[number == PIPA_NONE ? 0 : number + 1];
	const struct pipa_index_slot *slot;
	uint64_t hash;

	if (number != PIPA_NONE) {
		r.process = w->p->threads.items[number].process;
		r.pid = w->p->threads.items[number].pid;
	}
	hash = pipa_hash_u64((uint64_t)r.process << 32 | r.pid, PIPA_HASH_SEED);
	for (slot = pipa_index_start(&w->resources.index, hash); slot->id;
	     slot = pipa_index_after(&w->resources.index, slot)) {
		const struct pipa_otlp_process *known = &w->resources.items[slot->id - 1];

		if (known->process == r.process && known->pid == r.pid) {
			*to = slot->id - 1;
			return 0;
		}
	}
	struct pipa_otlp_process *new = PIPA_VEC_ADD(&w->resources);
	if (!new)
		return -ENOMEM;
	*new = r;
	*to = (uint32_t)w->resources.n - 1;
	return pipa_index_add(&w->resources.index, hash, *to);
}

int pipa_otlp_find_resources(struct pipa_otlp_writer *w)
{
	size_t n = w->p->threads.n + 1, i;

	w->thread_resources = malloc(n * sizeof(*w->thread_resources));
	if (!w->thread_resources)
		return -ENOMEM;
	memset(w->thread_resources, 0xff, n * sizeof(*w->thread_resources));
	for (i = w->from; i < w->until; i++) {
		const struct pipa_sample *s = &w->p->samples.items[i];
		uint32_t thread = s->thread < w->p->threads.n ? s->thread : PIPA_NONE;

		if (pipa_otlp_resource_of(w, s) == PIPA_NONE && add_resource(w, thread) < 0)
			return -ENOMEM;
	}
	return 0;
}

static bool has_key(const struct pipa_profile *p, uint32_t set, const char *key)
{
	size_t i, n = pipa_label_set_size(p, set);

	for (i = 0; i < n; i++)
		if (strcmp(pipa_profile_string(p, pipa_label_set_get(p, set, i)->key), key) == 0)
			return true;
	return false;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Write service.name, which every resource has to have: that of the caller, or as the specification forms it. */
static void put_service_name(struct pipa_otlp_writer *w, const struct pipa_profile_process *process)
{
	char text[300];
	size_t i;

	if (has_key(w->p, process->attributes, "service.name"))
		return;
	for (i = 0; i < w->format->n_resource; i++)
		if (strcmp(w->format->resource[i].key, "service.name") == 0)
			return;
	snprintf(text, sizeof(text), "unknown_service%s%s", process->exe ? ":" : "",
		 base_name(pipa_profile_string(w->p, process->exe)));
	pipa_otlp_put_key_text(&w->out, PIPA_OTLP_RESOURCE_ATTRIBUTES, "service.name", text);
}

void pipa_otlp_put_resource(struct pipa_otlp_writer *w, const struct pipa_otlp_process *r)
{
	static const struct pipa_profile_process none = { 0 };
	const struct pipa_profile_process *process = r->process ?
							     &w->p->processes.items[r->process] :
							     &none;
	const char *exe = pipa_profile_string(w->p, process->exe);
	const struct pipa_label pid = { .kind = PIPA_LABEL_NUMBER, .number = r->pid };
	size_t start = pipa_proto_begin(&w->out, PIPA_OTLP_RESOURCE_PROFILES_RESOURCE), i, one;
	uint32_t last = PIPA_NONE;

	put_service_name(w, process);
	if (r->pid != PIPA_UNKNOWN32 && !has_key(w->p, process->attributes, "process.pid")) {
		one = pipa_proto_begin(&w->out, PIPA_OTLP_RESOURCE_ATTRIBUTES);
		pipa_proto_put_bytes(&w->out, PIPA_OTLP_KEY_VALUE_KEY, "process.pid", 11);
		pipa_otlp_put_value(w->p, &w->out, PIPA_OTLP_KEY_VALUE_VALUE, &pid);
		pipa_proto_end(&w->out, one);
	}
	const struct pipa_otlp_resource_text own[] = {
		{ "process.executable.name", base_name(exe) },
		{ "process.executable.path", exe },
		{ "process.linux.cgroup", pipa_profile_string(w->p, process->cgroup) },
		{ "container.id", pipa_profile_string(w->p, process->container) },
	};
	for (i = 0; i < PIPA_COUNT(own); i++)
		if (*own[i].text && !has_key(w->p, process->attributes, own[i].key))
			pipa_otlp_put_key_text(&w->out, PIPA_OTLP_RESOURCE_ATTRIBUTES, own[i].key,
					       own[i].text);
	for (i = 0; i < pipa_label_set_size(w->p, process->attributes); i++) {
		const struct pipa_label *label = pipa_label_set_get(w->p, process->attributes, i);
		const char *key = pipa_profile_string(w->p, label->key);

		if (!*key || label->key == last) /* Parca refuses an empty one */
			continue;
		last = label->key;
		one = pipa_proto_begin(&w->out, PIPA_OTLP_RESOURCE_ATTRIBUTES);
		pipa_otlp_put_string(&w->out, PIPA_OTLP_KEY_VALUE_KEY, key, strlen(key));
		pipa_otlp_put_value(w->p, &w->out, PIPA_OTLP_KEY_VALUE_VALUE, label);
		pipa_proto_end(&w->out, one);
	}
	for (i = 0; i < w->format->n_resource; i++)
		if (!has_key(w->p, process->attributes, w->format->resource[i].key))
			pipa_otlp_put_key_text(&w->out, PIPA_OTLP_RESOURCE_ATTRIBUTES,
					       w->format->resource[i].key,
					       w->format->resource[i].text);
	pipa_proto_end(&w->out, start);
}
