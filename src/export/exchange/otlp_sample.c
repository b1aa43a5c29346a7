/* Samples of OTLP profiles with their attributes and links. */
#include "export/exchange/otlp_own.h"

#include <errno.h>
#include <string.h>

#include "base/vec.h"

/* Parse lower-case hexadecimal digits of `len` bytes that are not all 0. */
static bool parse_id(const struct pipa_string *text, uint8_t *ret, size_t len)
{
	uint8_t any = 0;
	size_t i;

	if (text->len != 2 * len)
		return false;
	for (i = 0; i < 2 * len; i++) {
		char c = text->text[i];
		int digit = c >= '0' && c <= '9' ? c - '0' :
			    c >= 'a' && c <= 'f' ? c - 'a' + 10 :
						   -1;

		if (digit < 0)
			return false;
		ret[i / 2] = (uint8_t)(i % 2 ? ret[i / 2] << 4 | digit : digit);
		any |= (uint8_t)digit;
	}
	return any != 0;
}

/* Set the ids of the labels trace_id and span_id; false if the set does not have one of each. */
static bool find_link(const struct pipa_profile *p, uint32_t set, uint8_t trace_id[16],
		      uint8_t span_id[8])
{
	size_t i, n = pipa_label_set_size(p, set), traces = 0, spans = 0;

	for (i = 0; i < n; i++) {
		const struct pipa_label *label = pipa_label_set_get(p, set, i);
		const char *key = pipa_profile_string(p, label->key);
		bool is_trace = strcmp(key, "trace_id") == 0;

		if (!is_trace && strcmp(key, "span_id") != 0)
			continue;
		if (label->kind != PIPA_LABEL_TEXT || !label->text ||
		    !parse_id(&p->strings.items[label->text], is_trace ? trace_id : span_id,
			      is_trace ? 16 : 8))
			return false;
		traces += is_trace;
		spans += !is_trace;
	}
	return traces == 1 && spans == 1;
}

static const struct pipa_otlp_set_attributes *attributes_of_set(struct pipa_otlp_writer *w,
								uint32_t set)
{
	struct pipa_otlp_set_attributes *s = &w->sets[set];
	size_t i = 0, n = pipa_label_set_size(w->p, set);
	uint8_t trace_id[16], span_id[8];

	if (s->is_known)
		return s;
	s->is_known = true;
	s->first = (uint32_t)w->attributes.n;
	if (find_link(w->p, set, trace_id, span_id))
		s->link = pipa_otlp_link(&w->tables, trace_id, span_id);
	pipa_otlp_list_start(&w->tables);
	while (i < n) {
		const char *key = pipa_profile_string(w->p, pipa_label_set_get(w->p, set, i)->key);

		if (s->link && (strcmp(key, "trace_id") == 0 || strcmp(key, "span_id") == 0)) {
			i++;
			continue;
		}
		s->has_thread_id = s->has_thread_id || strcmp(key, "thread.id") == 0;
		s->has_thread_name = s->has_thread_name || strcmp(key, "thread.name") == 0;
		s->has_cpu = s->has_cpu || strcmp(key, "cpu.logical_number") == 0;
		pipa_otlp_list_label(&w->tables, set, &i);
	}
	for (i = 0; i < w->tables.list.n; i++) {
		uint32_t *slot = PIPA_VEC_ADD(&w->attributes);

		if (!slot) {
			pipa_otlp_set_failure(w, -ENOMEM);
			break;
		}
		*slot = (uint32_t)w->tables.list.items[i];
		s->n++;
	}
	return s;
}

static void list_attribute(struct pipa_otlp_writer *w, uint32_t attribute)
{
	uint64_t *slot = PIPA_VEC_ADD(&w->list);

	if (slot)
		*slot = attribute;
	else
		pipa_otlp_set_failure(w, -ENOMEM);
}

static void list_thread(struct pipa_otlp_writer *w, uint32_t number,
			const struct pipa_otlp_set_attributes *set)
{
	const struct pipa_thread *thread = &w->p->threads.items[number];

	if (thread->tid != PIPA_UNKNOWN32 && !set->has_thread_id) {
		if (!w->threads[number].id)
			w->threads[number].id = pipa_otlp_number_attribute(&w->tables, "thread.id",
									   thread->tid);
		list_attribute(w, w->threads[number].id);
	}
	if (thread->comm && !set->has_thread_name) {
		if (!w->threads[number].name)
			w->threads[number].name = pipa_otlp_text_attribute(
				&w->tables, "thread.name", thread->comm);
		list_attribute(w, w->threads[number].name);
	}
}

static uint32_t cpu_attribute(struct pipa_otlp_writer *w, uint32_t cpu)
{
	if (cpu >= PIPA_OTLP_CPU_CACHE)
		return pipa_otlp_number_attribute(&w->tables, "cpu.logical_number", cpu);
	if (!w->cpus[cpu])
		w->cpus[cpu] = pipa_otlp_number_attribute(&w->tables, "cpu.logical_number", cpu);
	return w->cpus[cpu];
}

/* Write the times of the current sample, or without times its value. */
static void put_observations(struct pipa_otlp_writer *w, uint32_t values_field, int64_t value)
{
	uint64_t values[] = { (uint64_t)value };

	if (!w->sample_times.len)
		pipa_proto_put_packed(&w->out, values_field, values, 1);
}

void pipa_otlp_put_sample(struct pipa_otlp_writer *w, const struct pipa_sample *sample,
			  int64_t value)
{
	static const struct pipa_otlp_set_attributes none = { 0 };
	const struct pipa_otlp_set_attributes *set = sample->labels ?
							     attributes_of_set(w, sample->labels) :
							     &none;
	uint32_t stack = pipa_otlp_stack(&w->tables, sample->stack);
	size_t start;
	uint32_t i;

	w->list.n = 0;
	for (i = 0; i < set->n; i++)
		list_attribute(w, w->attributes.items[set->first + i]);
	if (sample->thread < w->p->threads.n && !w->format->no_threads)
		list_thread(w, sample->thread, set);
	if (sample->cpu != PIPA_NONE && !set->has_cpu)
		list_attribute(w, cpu_attribute(w, sample->cpu));
	start = pipa_proto_begin(&w->out, PIPA_OTLP_PROFILE_SAMPLES);
	pipa_proto_put(&w->out, PIPA_OTLP_SAMPLE_STACK_INDEX, stack);
	if (w->format->layout == PIPA_OTLP_1_9) {
		put_observations(w, PIPA_OTLP_1_9_SAMPLE_VALUES, value);
		pipa_proto_put_packed(&w->out, PIPA_OTLP_1_9_SAMPLE_ATTRIBUTE_INDICES,
				      w->list.items, w->list.n);
		pipa_proto_put(&w->out, PIPA_OTLP_1_9_SAMPLE_LINK_INDEX, set->link);
	} else {
		pipa_proto_put_packed(&w->out, PIPA_OTLP_SAMPLE_ATTRIBUTE_INDICES, w->list.items,
				      w->list.n);
		pipa_proto_put(&w->out, PIPA_OTLP_SAMPLE_LINK_INDEX, set->link);
		put_observations(w, PIPA_OTLP_SAMPLE_VALUES, value);
	}
	if (w->sample_times.len) /* the same number in both layouts */
		pipa_proto_put_bytes(&w->out, PIPA_OTLP_SAMPLE_TIMESTAMPS_UNIX_NANO,
				     w->sample_times.data, w->sample_times.len);
	pipa_proto_end(&w->out, start);
}
