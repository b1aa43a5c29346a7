#include "export/exchange/profile_json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#include "base/auto.h"
#include "base/buf.h"
#include "codec/doc.h"
#include "model/profile.h"

struct writer {
	const struct pipa_profile *p;
	struct pipa_doc doc;
	struct pipa_pieces to;
};

static const char *text(const struct writer *w, uint32_t string)
{
	return pipa_profile_string(w->p, string);
}

/* Write a string unless it is empty, and a number unless it is 0: unknown values are absent. */
static void put_text(struct writer *w, const char *key, uint32_t string)
{
	if (text(w, string)[0])
		pipa_doc_str(&w->doc, key, text(w, string));
}

static void put_number(struct writer *w, const char *key, uint64_t number)
{
	if (number)
		pipa_doc_u64(&w->doc, key, number);
}

/* Addresses exceed the numbers that JSON readers keep exactly. */
static void put_address(struct writer *w, const char *key, uint64_t address)
{
	char hex[24];

	snprintf(hex, sizeof(hex), "0x%" PRIx64, address);
	pipa_doc_str(&w->doc, key, hex);
}

static void put_label(struct writer *w, const struct pipa_label *label)
{
	pipa_doc_map(&w->doc, NULL);
	pipa_doc_str(&w->doc, "key", text(w, label->key));
	switch (label->kind) {
	case PIPA_LABEL_TEXT: pipa_doc_str(&w->doc, "value", text(w, label->text)); break;
	case PIPA_LABEL_NUMBER: pipa_doc_int(&w->doc, "value", label->number); break;
	case PIPA_LABEL_BOOL: pipa_doc_bool(&w->doc, "value", label->number != 0); break;
	case PIPA_LABEL_DOUBLE: pipa_doc_double(&w->doc, "value", pipa_label_double(label)); break;
	case PIPA_LABEL_BYTES:
	case PIPA_LABEL_OTLP: pipa_doc_str(&w->doc, "value", NULL); break;
	}
	put_text(w, "unit", label->unit);
	pipa_doc_end(&w->doc);
}

static void put_labels(struct writer *w, const char *key, uint32_t set)
{
	size_t i, n = pipa_label_set_size(w->p, set);

	if (!n)
		return;
	pipa_doc_list(&w->doc, key);
	for (i = 0; i < n; i++)
		put_label(w, pipa_label_set_get(w->p, set, i));
	pipa_doc_end(&w->doc);
}

static void put_head(struct writer *w)
{
	const struct pipa_losses *losses = &w->p->losses;
	size_t i;

	pipa_doc_str(&w->doc, "schema", "pipa-profile/1");
	put_number(w, "start_ns", w->p->start_ns);
	put_number(w, "duration_ns", w->p->duration_ns);
	put_text(w, "default_value", w->p->default_column);
	pipa_doc_list(&w->doc, "comments");
	for (i = 0; i < w->p->comments.n; i++)
		pipa_doc_str(&w->doc, NULL, text(w, w->p->comments.items[i]));
	pipa_doc_end(&w->doc);
	put_labels(w, "attributes", w->p->attributes);
	pipa_doc_map(&w->doc, "losses");
	pipa_doc_u64(&w->doc, "records", losses->lost_records);
	pipa_doc_u64(&w->doc, "samples", losses->lost_samples);
	pipa_doc_u64(&w->doc, "throttled", losses->throttled);
	pipa_doc_u64(&w->doc, "malformed", losses->damaged);
	pipa_doc_u64(&w->doc, "truncated", losses->cut_stacks + losses->unwound_truncated);
	pipa_doc_end(&w->doc);
}

static void put_events(struct writer *w)
{
	size_t i;

	pipa_doc_list(&w->doc, "events");
	for (i = 0; i < w->p->events.n; i++) {
		const struct pipa_profile_event *event = &w->p->events.items[i];

		pipa_doc_map(&w->doc, NULL);
		pipa_doc_str(&w->doc, "name", text(w, event->name));
		pipa_doc_str(&w->doc, "unit",
			     event->unit ? text(w, event->unit) : PIPA_VALUE_COUNT);
		pipa_doc_u64(&w->doc, "value", event->weight);
		if (event->counted)
			pipa_doc_u64(&w->doc, "count", event->count);
		put_text(w, "count_name", event->count_name);
		put_number(w, "period", event->period);
		put_text(w, "period_name", event->period_name);
		put_text(w, "period_unit", event->period_unit);
		put_number(w, "frequency", event->frequency);
		put_number(w, "scale", event->scale);
		if (event->negative_of != PIPA_NONE)
			pipa_doc_u64(&w->doc, "negative_of", event->negative_of);
		pipa_doc_end(&w->doc);
	}
	pipa_doc_end(&w->doc);
}

static void put_objects(struct writer *w)
{
	static const char *const kinds[PIPA_OBJECT_KIND_NR] = {
		[PIPA_OBJECT_FILE] = "file",	   [PIPA_OBJECT_KERNEL] = "kernel",
		[PIPA_OBJECT_MODULE] = "module",   [PIPA_OBJECT_VDSO] = "vdso",
		[PIPA_OBJECT_KSYMBOL] = "ksymbol", [PIPA_OBJECT_JIT] = "jit",
		[PIPA_OBJECT_ANON] = "anon",	   [PIPA_OBJECT_UNKNOWN] = "unknown",
	};
	size_t i, k;

	pipa_doc_list(&w->doc, "objects");
	for (i = 0; i < w->p->objects.n && pipa_pieces_flush(&w->to); i++) {
		const struct pipa_object *object = &w->p->objects.items[i];
		char hex[2 * PIPA_BUILD_ID_MAX + 1];

		pipa_doc_map(&w->doc, NULL);
		pipa_doc_str(&w->doc, "path", text(w, object->path));
		pipa_doc_str(&w->doc, "kind", kinds[object->kind]);
		for (k = 0; k < object->build_id.len; k++)
			snprintf(hex + 2 * k, 3, "%02x", object->build_id.bytes[k]);
		if (object->build_id.len)
			pipa_doc_str(&w->doc, "build_id", hex);
		pipa_doc_end(&w->doc);
	}
	pipa_doc_end(&w->doc);
}

static void put_functions(struct writer *w)
{
	size_t i;

	pipa_doc_list(&w->doc, "functions");
	for (i = 0; i < w->p->functions.n && pipa_pieces_flush(&w->to); i++) {
		const struct pipa_function *function = &w->p->functions.items[i];

		pipa_doc_map(&w->doc, NULL);
		pipa_doc_str(&w->doc, "name", text(w, function->name));
		put_text(w, "system_name", function->system_name);
		put_text(w, "file", function->file);
		put_number(w, "start_line", function->start_line);
		pipa_doc_end(&w->doc);
	}
	pipa_doc_end(&w->doc);
}

static void put_locations(struct writer *w)
{
	uint32_t k;
	size_t i;

	pipa_doc_list(&w->doc, "locations");
	for (i = 0; i < w->p->locations.n && pipa_pieces_flush(&w->to); i++) {
		const struct pipa_location *location = &w->p->locations.items[i];

		pipa_doc_map(&w->doc, NULL);
		if (location->object < w->p->objects.n)
			pipa_doc_u64(&w->doc, "object", location->object);
		put_address(w, "address", location->address);
		if (location->mode == PIPA_MODE_KERNEL)
			pipa_doc_bool(&w->doc, "kernel", true);
		pipa_doc_list(&w->doc, "lines");
		for (k = 0; k < location->n_lines; k++) {
			const struct pipa_line *line = &w->p->lines.items[location->lines + k];

			pipa_doc_map(&w->doc, NULL);
			pipa_doc_u64(&w->doc, "function", line->function);
			put_number(w, "line", line->line);
			put_number(w, "column", line->column);
			pipa_doc_end(&w->doc);
		}
		pipa_doc_end(&w->doc);
		pipa_doc_end(&w->doc);
	}
	pipa_doc_end(&w->doc);
}

static void put_threads(struct writer *w)
{
	size_t i;

	pipa_doc_list(&w->doc, "threads");
	for (i = 0; i < w->p->threads.n && pipa_pieces_flush(&w->to); i++) {
		const struct pipa_thread *thread = &w->p->threads.items[i];

		pipa_doc_map(&w->doc, NULL);
		if (thread->pid != PIPA_UNKNOWN32)
			pipa_doc_u64(&w->doc, "pid", thread->pid);
		if (thread->tid != PIPA_UNKNOWN32)
			pipa_doc_u64(&w->doc, "tid", thread->tid);
		put_text(w, "comm", thread->comm);
		if (thread->process < w->p->processes.n)
			put_text(w, "exe", w->p->processes.items[thread->process].exe);
		pipa_doc_end(&w->doc);
	}
	pipa_doc_end(&w->doc);
}

/* Write the locations of a stack, innermost first. */
static void put_stack(struct writer *w, uint32_t stack)
{
	const struct pipa_stack *stacks = w->p->stacks.items;
	bool cut = false;

	pipa_doc_list(&w->doc, "stack");
	for (; stack != PIPA_NONE; stack = stacks[stack].parent) {
		pipa_doc_u64(&w->doc, NULL, stacks[stack].location);
		cut = stacks[stack].cut;
	}
	pipa_doc_end(&w->doc);
	if (cut)
		pipa_doc_bool(&w->doc, "truncated", true);
}

static void put_samples(struct writer *w)
{
	size_t i;

	pipa_doc_list(&w->doc, "samples");
	for (i = 0; i < w->p->samples.n && pipa_pieces_flush(&w->to); i++) {
		const struct pipa_sample *sample = &w->p->samples.items[i];

		pipa_doc_map(&w->doc, NULL);
		pipa_doc_u64(&w->doc, "event", sample->event);
		pipa_doc_u64(&w->doc, "value", sample->weight);
		if (w->p->events.items[sample->event].counted)
			pipa_doc_u64(&w->doc, "count", sample->count);
		if (sample->thread < w->p->threads.n)
			pipa_doc_u64(&w->doc, "thread", sample->thread);
		if (sample->cpu != PIPA_NONE)
			pipa_doc_u64(&w->doc, "cpu", sample->cpu);
		put_stack(w, sample->stack);
		put_labels(w, "labels", sample->labels);
		pipa_doc_end(&w->doc);
	}
	pipa_doc_end(&w->doc);
}

int pipa_profile_json_write(const struct pipa_profile *profile, pipa_put_fn *put, void *ctx)
{
	struct writer w = { .p = profile, .to = { .put = put, .ctx = ctx } };

	pipa_doc_begin(&w.doc, PIPA_DOC_JSON_LINE, &w.to.buf);
	put_head(&w);
	put_events(&w);
	put_objects(&w);
	put_functions(&w);
	put_locations(&w);
	put_threads(&w);
	put_samples(&w);
	pipa_doc_finish(&w.doc);
	pipa_pieces_end(&w.to);
	pipa_buf_done(&w.to.buf);
	return w.to.status;
}
