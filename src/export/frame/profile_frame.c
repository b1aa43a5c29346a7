#include "export/frame/profile_frame.h"

#include <errno.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/buf.h"
#include "codec/doc.h"
#include "export/text/unresolved.h"

void pipa_frame_put_mode(struct pipa_frame_writer *w, size_t column, enum pipa_mode mode)
{
	static const char *const names[] = {
		[PIPA_MODE_KERNEL] = "kernel",	       [PIPA_MODE_USER] = "user",
		[PIPA_MODE_HYPERVISOR] = "hypervisor", [PIPA_MODE_GUEST_KERNEL] = "guest kernel",
		[PIPA_MODE_GUEST_USER] = "guest user",
	};

	if (mode != PIPA_MODE_UNKNOWN)
		pipa_frame_put_string(w, column, names[mode]);
}

void pipa_frame_put_build_id(struct pipa_frame_writer *w, size_t column,
			     const struct pipa_build_id *id)
{
	static const char digits[] = "0123456789abcdef";
	char text[2 * PIPA_BUILD_ID_MAX];
	size_t i;

	for (i = 0; i < id->len; i++) {
		text[2 * i] = digits[id->bytes[i] >> 4];
		text[2 * i + 1] = digits[id->bytes[i] & 15];
	}
	if (id->len)
		w->put_text(w, column, text, 2 * (size_t)id->len);
}

/* ---- samples -------------------------------------------------------------------------------- */

enum sample_column {
	SAMPLE_TIME,
	SAMPLE_UTC,
	SAMPLE_CPU,
	SAMPLE_PID,
	SAMPLE_TID,
	SAMPLE_COMM,
	SAMPLE_EVENT,
	SAMPLE_PERIOD,
	SAMPLE_UNIT,
	SAMPLE_COUNT,
	SAMPLE_STACK,
	SAMPLE_LABELS,
	SAMPLE_NR,
	PERF_ID = SAMPLE_NR, /* columns of perf's database */
	PERF_EVSEL,
	PERF_MACHINE,
	PERF_THREAD,
	PERF_COMM,
	PERF_DSO,
	PERF_SYMBOL,
	PERF_SYMBOL_OFFSET,
	PERF_IP,
	PERF_TO_DSO,
	PERF_TO_SYMBOL,
	PERF_TO_OFFSET,
	PERF_TO_IP,
	PERF_WEIGHT,
	PERF_TRANSACTION,
	PERF_DATA_SOURCE,
	PERF_BRANCH_TYPE,
	PERF_IN_TX,
	PERF_CALL_PATH,
	PERF_INSN_COUNT,
	PERF_CYC_COUNT,
	PERF_FLAGS,
	PERF_NR,
};

static const struct pipa_frame_column sample_columns[PERF_NR] = {
	[SAMPLE_TIME] = { "time", PIPA_FRAME_TIME_NS, true, "ns" },
	[SAMPLE_UTC] = { "time_utc", PIPA_FRAME_UTC_NS, true, "ns" },
	[SAMPLE_CPU] = { "cpu", PIPA_FRAME_U32, true, NULL },
	[SAMPLE_PID] = { "pid", PIPA_FRAME_U32, true, NULL },
	[SAMPLE_TID] = { "tid", PIPA_FRAME_U32, true, NULL },
	[SAMPLE_COMM] = { "comm", PIPA_FRAME_TEXT, true, NULL },
	[SAMPLE_EVENT] = { "event", PIPA_FRAME_TEXT, false, NULL },
	[SAMPLE_PERIOD] = { "period", PIPA_FRAME_I64, false, NULL },
	[SAMPLE_UNIT] = { "unit", PIPA_FRAME_TEXT, true, NULL },
	[SAMPLE_COUNT] = { "count", PIPA_FRAME_U64, true, NULL },
	[SAMPLE_STACK] = { "stack", PIPA_FRAME_U32, true, NULL },
	[SAMPLE_LABELS] = { "labels", PIPA_FRAME_TEXT, true, NULL },
	[PERF_ID] = { "id", PIPA_FRAME_U64, false, NULL },
	[PERF_EVSEL] = { "evsel_id", PIPA_FRAME_U32, false, NULL },
	[PERF_MACHINE] = { "machine_id", PIPA_FRAME_U32, false, NULL },
	[PERF_THREAD] = { "thread_id", PIPA_FRAME_U32, false, NULL },
	[PERF_COMM] = { "comm_id", PIPA_FRAME_U32, false, NULL },
	[PERF_DSO] = { "dso_id", PIPA_FRAME_U32, false, NULL },
	[PERF_SYMBOL] = { "symbol_id", PIPA_FRAME_U32, false, NULL },
	[PERF_SYMBOL_OFFSET] = { "sym_offset", PIPA_FRAME_U64, true, "bytes" },
	[PERF_IP] = { "ip", PIPA_FRAME_U64, true, NULL },
	[PERF_TO_DSO] = { "to_dso_id", PIPA_FRAME_U32, false, NULL },
	[PERF_TO_SYMBOL] = { "to_symbol_id", PIPA_FRAME_U32, false, NULL },
	[PERF_TO_OFFSET] = { "to_sym_offset", PIPA_FRAME_U64, true, "bytes" },
	[PERF_TO_IP] = { "to_ip", PIPA_FRAME_U64, true, NULL },
	[PERF_WEIGHT] = { "weight", PIPA_FRAME_U64, true, NULL },
	[PERF_TRANSACTION] = { "transaction_", PIPA_FRAME_U64, true, NULL },
	[PERF_DATA_SOURCE] = { "data_src", PIPA_FRAME_U64, true, NULL },
	[PERF_BRANCH_TYPE] = { "branch_type", PIPA_FRAME_U32, true, NULL },
	[PERF_IN_TX] = { "in_tx", PIPA_FRAME_BOOL, true, NULL },
	[PERF_CALL_PATH] = { "call_path_id", PIPA_FRAME_U32, false, NULL },
	[PERF_INSN_COUNT] = { "insn_count", PIPA_FRAME_U64, true, NULL },
	[PERF_CYC_COUNT] = { "cyc_count", PIPA_FRAME_U64, true, NULL },
	[PERF_FLAGS] = { "flags", PIPA_FRAME_U32, true, NULL },
};

const struct pipa_frame_columns pipa_frame_sample_columns = { sample_columns, SAMPLE_NR };
const struct pipa_frame_columns pipa_frame_perf_sample_columns = { sample_columns, PERF_NR };

static void put_string(struct pipa_frame_writer *w, size_t column, const struct pipa_profile *p,
		       uint32_t string)
{
	const struct pipa_string *s = &p->strings.items[string];

	if (string < p->strings.n && s->len)
		w->put_text(w, column, s->text, s->len);
}

static void put_label(struct pipa_doc *doc, const struct pipa_profile *p,
		      const struct pipa_label *label)
{
	const char *key = pipa_profile_string(p, label->key);

	switch (label->kind) {
	case PIPA_LABEL_NUMBER: pipa_doc_int(doc, key, label->number); break;
	case PIPA_LABEL_BOOL: pipa_doc_bool(doc, key, label->number); break;
	case PIPA_LABEL_DOUBLE: pipa_doc_double(doc, key, pipa_label_double(label)); break;
	default: pipa_doc_str(doc, key, pipa_profile_string(p, label->text));
	}
}

/* Write the labels as a JSON object; of a key with several values the first. */
static void put_labels(struct pipa_frame_writer *w, const struct pipa_profile *p, uint32_t set,
		       struct pipa_buf *text)
{
	size_t i, k, n = pipa_label_set_size(p, set);
	struct pipa_doc doc;

	if (!n)
		return;
	pipa_buf_reset(text);
	pipa_doc_begin(&doc, PIPA_DOC_JSON_LINE, text);
	for (i = 0; i < n; i++) {
		const struct pipa_label *label = pipa_label_set_get(p, set, i);

		for (k = 0; k < i && pipa_label_set_get(p, set, k)->key != label->key; k++)
			;
		if (k == i)
			put_label(&doc, p, label);
	}
	pipa_doc_finish(&doc);
	if (text->len && text->data[text->len - 1] == '\n')
		text->len--;
	w->put_text(w, SAMPLE_LABELS, pipa_buf_str(text), text->len);
}

static void put_known(struct pipa_frame_writer *w, size_t column, uint64_t value)
{
	if (value != PIPA_UNKNOWN)
		w->put(w, column, value);
}

/* Set the columns of perf's database: ids are from 1 on, 0 is the row of unknown things. */
static void put_perf_columns(struct pipa_frame_writer *w, const struct pipa_profile *p,
			     const struct pipa_frame_sample *s)
{
	const struct pipa_frame_perf_sample *perf = s->perf;
	const struct pipa_location *leaf = NULL;
	uint32_t symbol = 0;

	if (s->stack != PIPA_NONE)
		leaf = &p->locations.items[p->stacks.items[s->stack].location];
	if (leaf && leaf->n_lines)
		symbol = p->lines.items[leaf->lines].function + 1;
	w->put(w, PERF_ID, perf->id);
	w->put(w, PERF_EVSEL, s->event + 1);
	w->put(w, PERF_MACHINE, 1);
	w->put(w, PERF_THREAD, perf->thread_id);
	w->put(w, PERF_COMM, s->thread == PIPA_NONE ? 0 : s->thread + 1);
	w->put(w, PERF_DSO, leaf ? leaf->object + 1 : 0);
	w->put(w, PERF_SYMBOL, symbol);
	if (symbol && !leaf->by_lines)
		w->put(w, PERF_SYMBOL_OFFSET, leaf->symbol_offset);
	put_known(w, PERF_IP, perf->ip);
	w->put(w, PERF_TO_DSO, 0);
	w->put(w, PERF_TO_SYMBOL, 0);
	put_known(w, PERF_TO_IP, perf->addr);
	put_known(w, PERF_WEIGHT, perf->weight);
	put_known(w, PERF_TRANSACTION, perf->transaction);
	put_known(w, PERF_DATA_SOURCE, perf->data_source);
	w->put(w, PERF_CALL_PATH, s->stack == PIPA_NONE ? 0 : s->stack + 1);
}

int pipa_frame_put_sample(struct pipa_frame_writer *w, const struct pipa_profile *p,
			  const struct pipa_frame_sample *s, struct pipa_buf *text)
{
	const struct pipa_profile_event *event = &p->events.items[s->event];
	bool negative = event->negative_of != PIPA_NONE;

	if (negative)
		event = &p->events.items[event->negative_of];
	if (s->time_ns != PIPA_UNKNOWN)
		w->put(w, SAMPLE_TIME, s->time_ns);
	if (s->utc_ns != PIPA_UNKNOWN)
		w->put(w, SAMPLE_UTC, s->utc_ns);
	if (s->cpu != PIPA_NONE)
		w->put(w, SAMPLE_CPU, s->cpu);
	if (s->thread != PIPA_NONE) {
		const struct pipa_thread *thread = &p->threads.items[s->thread];

		if (thread->pid != PIPA_UNKNOWN32)
			w->put(w, SAMPLE_PID, thread->pid);
		if (thread->tid != PIPA_UNKNOWN32)
			w->put(w, SAMPLE_TID, thread->tid);
		put_string(w, SAMPLE_COMM, p, thread->comm);
	}
	pipa_frame_put_string(w, SAMPLE_EVENT, pipa_profile_string(p, event->name));
	w->put(w, SAMPLE_PERIOD, negative ? 0 - s->weight : s->weight);
	put_string(w, SAMPLE_UNIT, p, event->unit);
	if (event->counted)
		w->put(w, SAMPLE_COUNT, s->count);
	if (s->stack != PIPA_NONE)
		w->put(w, SAMPLE_STACK, s->stack);
	put_labels(w, p, s->labels, text);
	if (s->perf)
		put_perf_columns(w, p, s);
	return text->status ? text->status : w->end_row(w);
}

/* ---- stacks --------------------------------------------------------------------------------- */

enum stack_column { STACK_STACK, STACK_FRAME, STACK_LOCATION, STACK_TRUNCATED, STACK_NR };

static const struct pipa_frame_column stack_columns[STACK_NR] = {
	[STACK_STACK] = { "stack", PIPA_FRAME_U32, false, NULL },
	[STACK_FRAME] = { "frame", PIPA_FRAME_U32, false, NULL },
	[STACK_LOCATION] = { "location", PIPA_FRAME_U32, false, NULL },
	[STACK_TRUNCATED] = { "truncated", PIPA_FRAME_BOOL, false, NULL },
};

const struct pipa_frame_columns pipa_frame_stack_columns = { stack_columns, STACK_NR };

static int put_stack(struct pipa_frame_writer *w, const struct pipa_profile *p, uint32_t stack)
{
	uint32_t at, frame = 0, root = stack;
	int rc = 0;

	while (p->stacks.items[root].parent != PIPA_NONE)
		root = p->stacks.items[root].parent;
	for (at = stack; at != PIPA_NONE && rc >= 0; at = p->stacks.items[at].parent) {
		w->put(w, STACK_STACK, stack);
		w->put(w, STACK_FRAME, frame++);
		w->put(w, STACK_LOCATION, p->stacks.items[at].location);
		w->put(w, STACK_TRUNCATED, p->stacks.items[root].cut);
		rc = w->end_row(w);
	}
	return rc;
}

int pipa_frame_put_stacks(struct pipa_frame_writer *w, const struct pipa_profile *p)
{
	uint8_t *done = calloc(p->stacks.n + 1, 1);
	size_t i;
	int rc = 0;

	if (!done)
		return -ENOMEM;
	for (i = 0; i < p->samples.n && rc >= 0; i++) {
		uint32_t stack = p->samples.items[i].stack;

		if (stack == PIPA_NONE || done[stack])
			continue;
		done[stack] = 1;
		rc = put_stack(w, p, stack);
	}
	free(done);
	return rc;
}

/* ---- locations ------------------------------------------------------------------------------ */

enum location_column {
	LOCATION_LOCATION,
	LOCATION_INLINED,
	LOCATION_FUNCTION,
	LOCATION_LINE,
	LOCATION_COLUMN,
	LOCATION_DSO,
	LOCATION_BUILD_ID,
	LOCATION_ADDRESS,
	LOCATION_OFFSET,
	LOCATION_SYMBOL_OFFSET,
	LOCATION_MODE,
	LOCATION_UNRESOLVED,
	LOCATION_NR,
};

static const struct pipa_frame_column location_columns[LOCATION_NR] = {
	[LOCATION_LOCATION] = { "location", PIPA_FRAME_U32, false, NULL },
	[LOCATION_INLINED] = { "inlined", PIPA_FRAME_U32, false, NULL },
	[LOCATION_FUNCTION] = { "function", PIPA_FRAME_U32, true, NULL },
	[LOCATION_LINE] = { "line", PIPA_FRAME_U32, true, NULL },
	[LOCATION_COLUMN] = { "column", PIPA_FRAME_U32, true, NULL },
	[LOCATION_DSO] = { "dso", PIPA_FRAME_TEXT, true, NULL },
	[LOCATION_BUILD_ID] = { "build_id", PIPA_FRAME_TEXT, true, NULL },
	[LOCATION_ADDRESS] = { "address", PIPA_FRAME_U64, true, NULL },
	[LOCATION_OFFSET] = { "file_offset", PIPA_FRAME_U64, true, "bytes" },
	[LOCATION_SYMBOL_OFFSET] = { "symbol_offset", PIPA_FRAME_U64, true, "bytes" },
	[LOCATION_MODE] = { "mode", PIPA_FRAME_TEXT, true, NULL },
	[LOCATION_UNRESOLVED] = { "unresolved", PIPA_FRAME_TEXT, true, NULL },
};

const struct pipa_frame_columns pipa_frame_location_columns = { location_columns, LOCATION_NR };

static int put_location(struct pipa_frame_writer *w, const struct pipa_profile *p, uint32_t index,
			uint32_t inlined)
{
	const struct pipa_location *l = &p->locations.items[index];
	const struct pipa_object *object = &p->objects.items[l->object];

	w->put(w, LOCATION_LOCATION, index);
	w->put(w, LOCATION_INLINED, inlined);
	if (inlined < l->n_lines) {
		const struct pipa_line *line = &p->lines.items[l->lines + inlined];

		w->put(w, LOCATION_FUNCTION, line->function);
		if (line->line)
			w->put(w, LOCATION_LINE, line->line);
		if (line->column)
			w->put(w, LOCATION_COLUMN, line->column);
	}
	put_string(w, LOCATION_DSO, p, object->path);
	pipa_frame_put_build_id(w, LOCATION_BUILD_ID, &object->build_id);
	if (!l->by_lines || l->address)
		w->put(w, LOCATION_ADDRESS, l->address);
	if (!l->by_lines) {
		w->put(w, LOCATION_OFFSET, l->offset);
		if (l->n_lines)
			w->put(w, LOCATION_SYMBOL_OFFSET, l->symbol_offset);
	}
	pipa_frame_put_mode(w, LOCATION_MODE, l->mode);
	if (l->unresolved != PIPA_RESOLVED)
		pipa_frame_put_string(w, LOCATION_UNRESOLVED, pipa_unresolved_id(l->unresolved));
	return w->end_row(w);
}

int pipa_frame_put_locations(struct pipa_frame_writer *w, const struct pipa_profile *p)
{
	uint32_t i, k;
	int rc = 0;

	for (i = 0; i < p->locations.n && rc >= 0; i++) {
		rc = put_location(w, p, i, 0);
		for (k = 1; k < p->locations.items[i].n_lines && rc >= 0; k++)
			rc = put_location(w, p, i, k);
	}
	return rc;
}

/* ---- functions ------------------------------------------------------------------------------ */

enum function_column {
	FUNCTION_FUNCTION,
	FUNCTION_NAME,
	FUNCTION_SYSTEM_NAME,
	FUNCTION_FILE,
	FUNCTION_START_LINE,
	FUNCTION_DSO,
	FUNCTION_BUILD_ID,
	FUNCTION_NR,
};

static const struct pipa_frame_column function_columns[FUNCTION_NR] = {
	[FUNCTION_FUNCTION] = { "function", PIPA_FRAME_U32, false, NULL },
	[FUNCTION_NAME] = { "name", PIPA_FRAME_TEXT, true, NULL },
	[FUNCTION_SYSTEM_NAME] = { "system_name", PIPA_FRAME_TEXT, true, NULL },
	[FUNCTION_FILE] = { "file", PIPA_FRAME_TEXT, true, NULL },
	[FUNCTION_START_LINE] = { "start_line", PIPA_FRAME_U32, true, NULL },
	[FUNCTION_DSO] = { "dso", PIPA_FRAME_TEXT, true, NULL },
	[FUNCTION_BUILD_ID] = { "build_id", PIPA_FRAME_TEXT, true, NULL },
};

const struct pipa_frame_columns pipa_frame_function_columns = { function_columns, FUNCTION_NR };

int pipa_frame_put_functions(struct pipa_frame_writer *w, const struct pipa_profile *p)
{
	uint32_t i;
	int rc = 0;

	for (i = 0; i < p->functions.n && rc >= 0; i++) {
		const struct pipa_function *f = &p->functions.items[i];

		w->put(w, FUNCTION_FUNCTION, i);
		put_string(w, FUNCTION_NAME, p, f->name);
		put_string(w, FUNCTION_SYSTEM_NAME, p, f->system_name);
		put_string(w, FUNCTION_FILE, p, f->file);
		if (f->start_line)
			w->put(w, FUNCTION_START_LINE, f->start_line);
		if (f->object != PIPA_NONE) {
			put_string(w, FUNCTION_DSO, p, p->objects.items[f->object].path);
			pipa_frame_put_build_id(w, FUNCTION_BUILD_ID,
						&p->objects.items[f->object].build_id);
		}
		rc = w->end_row(w);
	}
	return rc;
}
