/* OTLP profiles, written and read back. */
#include <errno.h>

#include "base/buf.h"
#include "base/error.h"
#include "codec/otlp_layout.h"
#include "export/exchange/otlp.h"
#include "import/kind.h"
#include "import/otlp/otlp.h"
#include "lib/otlp_golden.h"
#include "lib/otlp_valid.h"
#include "lib/test.h"
#include "model/profile.h"
#include "model/timeline.h"

static int put(void *ctx, const char *bytes, size_t len)
{
	pipa_buf_add(ctx, bytes, len);
	return 0;
}

static struct pipa_span span_of(const struct pipa_buf *buf)
{
	return (struct pipa_span){ (const uint8_t *)pipa_buf_str(buf), buf->len };
}

/* Write the profile, check all rules, and read it into *ret. */
static int round_trip(const struct pipa_profile *from, const struct pipa_otlp_format *format,
		      struct pipa_profile *ret)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
	struct pipa_error err = { 0 };
	int rc = pipa_otlp_write(from, format, put, &bytes);
	const char *problem;

	if (rc)
		return rc;
	problem = otlp_problem(span_of(&bytes), format->layout);
	CHECK_STR(problem ? problem : "", "");
	CHECK_EQ(pipa_kind_find(bytes.data, bytes.len), PIPA_KIND_OTLP);
	CHECK_EQ(pipa_otlp_layout_find(span_of(&bytes)), format->layout);
	return pipa_otlp_read(ret, NULL, span_of(&bytes), &err);
}

/* Add a location with a function of that name. */
static uint32_t add_location(struct pipa_profile *p, const char *path, const char *name,
			     uint64_t offset)
{
	struct pipa_object object = { .path = pipa_profile_text(p, path),
				      .build_id = { .len = 2, .bytes = { 0xab, 0x01 } } };
	uint32_t number = pipa_profile_object(p, &object), location;
	struct pipa_function function = { .name = pipa_profile_text(p, name), .object = number };

	location = pipa_profile_location(
		p, &(struct pipa_location){
			   .object = number, .offset = offset, .address = 0x400000 + offset });
	if (*name)
		pipa_profile_name(p, location, pipa_profile_function(p, &function), 12);
	return location;
}

/* ---- the golden request ------------------------------------------------------------------------ */

/* Append a field as text, with its references resolved: equal messages give equal texts, however they are numbered. */
static void put_string(struct pipa_buf *out, const struct pipa_otlp_dictionary *d, const char *name,
		       int32_t index)
{
	struct pipa_span text = d->string_table.items[index];

	pipa_buf_printf(out, " %s=%.*s", name, (int)text.size, (const char *)text.data);
}

static void put_attributes(struct pipa_buf *out, const struct pipa_otlp_dictionary *d,
			   const int32_t *indices, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const struct pipa_otlp_attribute *a = &d->attribute_table.items[indices[i]];

		put_string(out, d, "key", a->key_strindex);
		pipa_buf_printf(out, " value=%u:%.*s:%lld", a->value->which,
				(int)a->value->string_value.size,
				(const char *)a->value->string_value.data,
				(long long)a->value->int_value);
		put_string(out, d, "unit", a->unit_strindex);
	}
}

static void put_location(struct pipa_buf *out, const struct pipa_otlp_dictionary *d, int32_t index)
{
	const struct pipa_otlp_location *l = &d->location_table.items[index];
	const struct pipa_otlp_mapping *m = &d->mapping_table.items[l->mapping_index];
	size_t i;

	pipa_buf_printf(out, "location %llx map %llx-%llx@%llx", (unsigned long long)l->address,
			(unsigned long long)m->memory_start, (unsigned long long)m->memory_limit,
			(unsigned long long)m->file_offset);
	put_string(out, d, "file", m->filename_strindex);
	put_attributes(out, d, m->attribute_indices.items, m->attribute_indices.n);
	put_attributes(out, d, l->attribute_indices.items, l->attribute_indices.n);
	for (i = 0; i < l->lines.n; i++) {
		const struct pipa_otlp_function *f =
			&d->function_table.items[l->lines.items[i].function_index];

		put_string(out, d, "name", f->name_strindex);
		put_string(out, d, "system", f->system_name_strindex);
		put_string(out, d, "source", f->filename_strindex);
		pipa_buf_printf(out, " start=%lld line=%lld:%lld", (long long)f->start_line,
				(long long)l->lines.items[i].line,
				(long long)l->lines.items[i].column);
	}
	pipa_buf_puts(out, "\n");
}

static void put_profile(struct pipa_buf *out, const struct pipa_otlp_dictionary *d,
			const struct pipa_otlp_profile *p)
{
	size_t i, k;

	put_string(out, d, "type", p->sample_type->type_strindex);
	put_string(out, d, "unit", p->sample_type->unit_strindex);
	put_string(out, d, "period", p->period_type->type_strindex);
	put_string(out, d, "unit", p->period_type->unit_strindex);
	pipa_buf_printf(out, " %lld at %llu for %llu\n", (long long)p->period,
			(unsigned long long)p->time_unix_nano,
			(unsigned long long)p->duration_nano);
	put_attributes(out, d, p->attribute_indices.items, p->attribute_indices.n);
	for (i = 0; i < p->samples.n; i++) {
		const struct pipa_otlp_sample *s = &p->samples.items[i];
		const struct pipa_otlp_stack *stack = &d->stack_table.items[s->stack_index];
		const struct pipa_otlp_link *link = &d->link_table.items[s->link_index];

		pipa_buf_puts(out, "sample");
		for (k = 0; k < s->values.n; k++)
			pipa_buf_printf(out, " %lld", (long long)s->values.items[k]);
		put_attributes(out, d, s->attribute_indices.items, s->attribute_indices.n);
		for (k = 0; k < link->trace_id.size; k++)
			pipa_buf_printf(out, "%02x", link->trace_id.data[k]);
		for (k = 0; k < link->span_id.size; k++)
			pipa_buf_printf(out, "%02x", link->span_id.data[k]);
		pipa_buf_puts(out, "\n");
		for (k = 0; k < stack->location_indices.n; k++)
			put_location(out, d, stack->location_indices.items[k]);
	}
}

static void put_data(struct pipa_buf *out, struct pipa_span bytes, enum pipa_otlp_layout layout)
{
	struct pipa_proto_memory memory = { 0 };
	struct pipa_proto_error err;
	struct pipa_otlp_data data;
	size_t i, k;

	CHECK_EQ(pipa_proto_decode(&pipa_otlp_data_messages[layout], bytes, &memory, &data, &err),
		 0);
	for (i = 0; i < data.resource_profiles.n; i++) {
		const struct pipa_otlp_resource_profiles *r = &data.resource_profiles.items[i];

		for (k = 0; k < r->resource->attributes.n; k++) {
			const struct pipa_otlp_key_value *pair = &r->resource->attributes.items[k];

			pipa_buf_printf(out, "resource %.*s=%.*s\n", (int)pair->key.size,
					(const char *)pair->key.data,
					(int)pair->value->string_value.size,
					(const char *)pair->value->string_value.data);
		}
		for (k = 0; k < r->scope_profiles.items[0].profiles.n; k++)
			put_profile(out, data.dictionary,
				    &r->scope_profiles.items[0].profiles.items[k]);
	}
	pipa_proto_memory_done(&memory);
}

TEST(the_golden_request_is_written_again_field_by_field)
{
	const char *const goldens[] = { otlp_golden, otlp_golden_1_9 };
	enum pipa_otlp_layout layout;

	for (layout = 0; layout < PIPA_OTLP_LAYOUT_NR; layout++) {
		PIPA_AUTO(pipa_buf_done)
		struct pipa_buf bytes = { 0 }, again = { 0 }, want = { 0 }, got = { 0 };
		struct pipa_otlp_format format = { .layout = layout };
		struct pipa_span golden = otlp_from_hex(goldens[layout], &bytes);
		struct pipa_profile p = { 0 };
		struct pipa_error err = { 0 };
		const char *problem;

		CHECK_EQ(pipa_kind_find(golden.data, golden.size), PIPA_KIND_OTLP);
		CHECK(!otlp_problem(golden, layout));
		CHECK_EQ(pipa_otlp_read(&p, NULL, golden, &err), 0);
		CHECK_EQ(pipa_otlp_write(&p, &format, put, &again), 0);
		problem = otlp_problem(span_of(&again), layout);
		CHECK_STR(problem ? problem : "", "");
		put_data(&want, golden, layout);
		put_data(&got, span_of(&again), layout);
		CHECK_STR(pipa_buf_str(&got), pipa_buf_str(&want));
		pipa_profile_done(&p);
	}
}

TEST(links_and_attributes_become_labels_and_threads)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
	struct pipa_profile p = { 0 };
	struct pipa_error err = { 0 };
	const struct pipa_sample *sample;
	const struct pipa_thread *thread;
	const struct pipa_label *label;

	CHECK_EQ(pipa_otlp_read(&p, NULL, otlp_from_hex(otlp_golden, &bytes), &err), 0);
	CHECK_EQ(p.samples.n, 1);
	sample = &p.samples.items[0];
	CHECK_EQ(sample->weight, 3);
	CHECK_EQ(pipa_label_set_size(&p, sample->labels), 2);
	label = pipa_label_set_find(&p, sample->labels, pipa_profile_text(&p, "trace_id"));
	CHECK_STR(pipa_profile_string(&p, label->text), "0af7651916cd43dd8448eb211c80319c");
	label = pipa_label_set_find(&p, sample->labels, pipa_profile_text(&p, "span_id"));
	CHECK_STR(pipa_profile_string(&p, label->text), "b7ad6b7169203331");
	thread = &p.threads.items[sample->thread];
	CHECK_STR(pipa_profile_string(&p, thread->comm), "main");
	CHECK_EQ(thread->pid, PIPA_UNKNOWN32);
	label = pipa_label_set_get(&p, p.processes.items[thread->process].attributes, 0);
	CHECK_STR(pipa_profile_string(&p, label->key), "service.name");
	CHECK_STR(pipa_profile_string(&p, label->text), "demo");
	CHECK_EQ(p.start_ns, 1700000000000000000);
	CHECK_EQ(p.stacks.n, 2);
	pipa_profile_done(&p);
}

/* ---- pipa's own profiles ----------------------------------------------------------------------- */

TEST(processes_threads_cpus_and_truncated_stacks_are_read_back)
{
	struct pipa_profile p = { 0 }, again = { 0 };
	struct pipa_sample sample = { .cpu = 3, .weight = 500, .count = 2 };
	struct pipa_profile_process process = { .pid = 7, .exe = pipa_profile_text(&p, "/bin/a") };
	struct pipa_thread thread = { .pid = 7, .tid = 8, .comm = pipa_profile_text(&p, "w") };
	const struct pipa_object *object;

	p.start_ns = 1700000000000000000;
	p.duration_ns = 5000000;
	p.losses.lost_samples = 4;
	sample.event = pipa_profile_event_of(
		&p, &(struct pipa_event_type){ .name = "cpu-clock", .unit = PIPA_VALUE_NS });
	thread.process = pipa_profile_process(&p, &process);
	sample.thread = pipa_profile_thread(&p, &thread);
	sample.stack = pipa_profile_root(&p, add_location(&p, "/bin/a", "outer", 16), true);
	sample.stack = pipa_profile_stack(&p, sample.stack,
					  add_location(&p, "/bin/a", "inner", 32));
	CHECK_EQ(pipa_profile_add(&p, &sample), 0);
	thread = (struct pipa_thread){ .pid = 9, .tid = 9 };
	sample.thread = pipa_profile_thread(&p, &thread);
	sample.stack = pipa_profile_root(&p, add_location(&p, "/lib/b.so", "", 64), false);
	CHECK_EQ(pipa_profile_add(&p, &sample), 0);
	CHECK_EQ(round_trip(&p, &(struct pipa_otlp_format){ .version = "1" }, &again), 0);

	CHECK_EQ(again.samples.n, 2);
	CHECK_EQ(again.samples.items[0].cpu, 3);
	CHECK_EQ(again.samples.items[0].weight, 500);
	CHECK_EQ(again.samples.items[0].count, 2);
	CHECK_EQ(again.samples.items[0].labels, 0);
	CHECK_EQ(again.events.n, 1);
	CHECK_EQ((uint64_t)again.events.items[0].squares, (uint64_t)p.events.items[0].squares);
	CHECK_STR(pipa_profile_string(&again, again.events.items[0].name), "cpu");
	CHECK_STR(pipa_profile_string(&again, again.events.items[0].count_name), "samples");
	CHECK_STR(pipa_profile_string(&again, again.default_column), "cpu");
	CHECK_EQ(again.threads.n, 2);
	CHECK_EQ(again.threads.items[0].pid, 7);
	CHECK_EQ(again.threads.items[0].tid, 8);
	CHECK_EQ(again.threads.items[1].pid, 9);
	CHECK_STR(pipa_profile_string(&again, again.threads.items[0].comm), "w");
	CHECK_STR(pipa_profile_string(&again,
				      again.processes.items[again.threads.items[0].process].exe),
		  "/bin/a");
	CHECK_EQ(again.processes.items[again.threads.items[0].process].attributes, 0);
	CHECK_EQ(again.stacks.n, 3);
	CHECK(again.stacks.items[0].cut && again.stacks.items[0].parent == PIPA_NONE);
	CHECK(!again.stacks.items[2].cut);
	CHECK_EQ(again.start_ns, p.start_ns);
	CHECK_EQ(again.duration_ns, p.duration_ns);
	CHECK_STR(pipa_profile_string(&again, again.comments.items[0]), "lost samples: 4");
	object = &again.objects.items[again.locations.items[again.stacks.items[0].location].object];
	CHECK_EQ(object->build_id.len, 2);
	CHECK_EQ(object->build_id.bytes[0], 0xab);
	CHECK_EQ(again.locations.items[again.stacks.items[0].location].offset, 16);
	pipa_profile_done(&p);
	pipa_profile_done(&again);
}

TEST(labels_of_every_kind_are_read_back)
{
	struct pipa_profile p = { 0 }, again = { 0 };
	struct pipa_sample sample = {
		.cpu = PIPA_NONE, .thread = PIPA_NONE, .stack = PIPA_NONE, .weight = 1, .count = 1
	};
	const double half = 0.5;
	struct pipa_label labels[] = {
		{ pipa_profile_text(&p, "one"), PIPA_LABEL_TEXT,
		  .text = pipa_profile_text(&p, "x") },
		{ pipa_profile_text(&p, "two"), PIPA_LABEL_TEXT,
		  .text = pipa_profile_text(&p, "x") },
		{ pipa_profile_text(&p, "two"), PIPA_LABEL_TEXT,
		  .text = pipa_profile_text(&p, "y") },
		{ pipa_profile_text(&p, "size"), PIPA_LABEL_NUMBER, .number = -48,
		  .unit = pipa_profile_text(&p, "bytes") },
		{ pipa_profile_text(&p, "yes"), PIPA_LABEL_BOOL, .number = 1 },
		{ pipa_profile_text(&p, "half"), PIPA_LABEL_DOUBLE, .number = 0 },
		{ pipa_profile_text(&p, "bytes"), PIPA_LABEL_BYTES,
		  .text = pipa_strings_add(&p.strings, "\0\xff", 2) },
		/* {array_value: [{int_value: 1}]} */
		{ pipa_profile_text(&p, "array"), PIPA_LABEL_OTLP,
		  .text = pipa_strings_add(&p.strings, "\x2a\x04\x0a\x02\x18\x01", 6) },
		{ pipa_profile_text(&p, "thread.name"), PIPA_LABEL_NUMBER, .number = 5 },
	};
	size_t i, k;

	memcpy(&labels[5].number, &half, sizeof(half));
	sample.event = pipa_profile_event(&p, "cycles");
	sample.labels = pipa_profile_label_set(&p, labels, PIPA_COUNT(labels));
	sample.thread = pipa_profile_thread(
		&p, &(struct pipa_thread){ .pid = PIPA_UNKNOWN32,
					   .tid = PIPA_UNKNOWN32,
					   .comm = pipa_profile_text(&p, "comm") });
	CHECK_EQ(pipa_profile_add(&p, &sample), 0);
	CHECK_EQ(round_trip(&p, &(struct pipa_otlp_format){ 0 }, &again), 0);
	CHECK_EQ(again.samples.n, 1);
	CHECK_EQ(pipa_label_set_size(&again, again.samples.items[0].labels), PIPA_COUNT(labels));
	for (i = 0; i < PIPA_COUNT(labels); i++) {
		uint32_t set = again.samples.items[0].labels;
		const struct pipa_string *want = &p.strings.items[labels[i].text], *got;
		bool found = false;

		for (k = 0; k < PIPA_COUNT(labels); k++) {
			const struct pipa_label *label = pipa_label_set_get(&again, set, k);

			got = &again.strings.items[label->text];
			found = found ||
				(strcmp(pipa_profile_string(&again, label->key),
					pipa_profile_string(&p, labels[i].key)) == 0 &&
				 label->kind == labels[i].kind &&
				 label->number == labels[i].number && got->len == want->len &&
				 memcmp(got->text, want->text, want->len) == 0 &&
				 strcmp(pipa_profile_string(&again, label->unit),
					pipa_profile_string(&p, labels[i].unit)) == 0);
		}
		CHECK(found);
	}
	pipa_profile_done(&p);
	pipa_profile_done(&again);
}

TEST(negative_values_and_columns_without_values_are_read_back)
{
	struct pipa_profile p = { 0 }, again = { 0 };
	struct pipa_sample sample = { .cpu = PIPA_NONE, .thread = PIPA_NONE };

	p.n_column_groups = 1;
	sample.event = pipa_profile_event_of(&p, &(struct pipa_event_type){ .name = "delay",
									    .unit = PIPA_VALUE_NS,
									    .uncounted = true,
									    .column_group = 1 });
	pipa_profile_event_of(&p, &(struct pipa_event_type){ .name = "contentions",
							     .unit = PIPA_VALUE_COUNT,
							     .uncounted = true,
							     .column_group = 1,
							     .column = 1 });
	sample.stack = pipa_profile_root(&p, add_location(&p, "/bin/a", "more", 16), false);
	CHECK_EQ(pipa_profile_add_signed(&p, &sample, 40), 0);
	sample.stack = pipa_profile_root(&p, add_location(&p, "/bin/a", "less", 32), false);
	CHECK_EQ(pipa_profile_add_signed(&p, &sample, -5), 0);
	CHECK_EQ(round_trip(&p, &(struct pipa_otlp_format){ .layout = PIPA_OTLP_1_9 }, &again), 0);

	CHECK_EQ(again.events.n, 3);
	CHECK_STR(pipa_profile_string(&again, again.events.items[1].name), "contentions");
	CHECK_EQ(again.events.items[0].weight, 40);
	CHECK_EQ(again.events.items[1].weight, 0);
	CHECK_EQ(again.events.items[2].weight, 5);
	CHECK_EQ(again.events.items[2].negative_of, 0);
	pipa_profile_done(&p);
	pipa_profile_done(&again);
}

TEST(functions_of_several_objects_and_equal_locations_are_one_entry)
{
	struct pipa_profile p = { 0 }, again = { 0 };
	struct pipa_sample sample = { .cpu = PIPA_NONE, .thread = PIPA_NONE, .count = 1 };
	struct pipa_object unknown = { .kind = PIPA_OBJECT_UNKNOWN };
	struct pipa_location none = { .object = pipa_profile_object(&p, &unknown) };
	struct pipa_function f = { .name = pipa_profile_text(&p, "f"), .object = none.object };
	struct pipa_line line = { .function = pipa_profile_function(&p, &f) };

	sample.event = pipa_profile_event(&p, "cycles");
	sample.weight = 10;
	sample.stack = pipa_profile_root(&p, add_location(&p, "/bin/a", "main", 16), false);
	CHECK_EQ(pipa_profile_add(&p, &sample), 0);
	sample.stack = pipa_profile_root(&p, add_location(&p, "/bin/b", "main", 16), false);
	CHECK_EQ(pipa_profile_add(&p, &sample), 0);
	/* two locations of the profile that are equal in a file */
	sample.stack = pipa_profile_root(&p, pipa_profile_location_of_lines(&p, &none, &line, 1),
					 false);
	CHECK_EQ(pipa_profile_add(&p, &sample), 0);
	none.mode = PIPA_MODE_GUEST_USER;
	sample.stack = pipa_profile_root(&p, pipa_profile_location_of_lines(&p, &none, &line, 1),
					 false);
	CHECK_EQ(pipa_profile_add(&p, &sample), 0);
	CHECK_EQ(round_trip(&p, &(struct pipa_otlp_format){ 0 }, &again), 0);

	CHECK_EQ(p.samples.n, 4);
	CHECK_EQ(again.samples.n, 3);
	CHECK_EQ(again.events.items[0].weight, 40);
	CHECK_EQ(again.functions.n, 3); /* each belongs to an object again */
	pipa_profile_done(&p);
	pipa_profile_done(&again);
}

TEST(a_part_of_the_samples_has_only_its_own_dictionary)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
	struct pipa_profile p = { 0 }, again = { 0 };
	struct pipa_sample sample = { .cpu = PIPA_NONE, .thread = PIPA_NONE, .count = 1 };
	struct pipa_otlp_format format = { .from = 1, .until = 2 };

	sample.event = pipa_profile_event(&p, "cycles");
	for (sample.weight = 1; sample.weight <= 3; sample.weight++) {
		const char names[][2] = { "", "a", "b", "c" };

		sample.stack = pipa_profile_root(
			&p, add_location(&p, "/bin/a", names[sample.weight], sample.weight * 16),
			false);
		CHECK_EQ(pipa_profile_add(&p, &sample), 0);
	}
	CHECK_EQ(round_trip(&p, &format, &again), 0);
	CHECK_EQ(again.samples.n, 1);
	CHECK_EQ(again.samples.items[0].weight, 2);
	CHECK_EQ(again.locations.n, 2); /* one of them is the empty one */
	pipa_profile_done(&p);
	pipa_profile_done(&again);
}

TEST(threads_are_added_up_on_request_and_invalid_names_are_replaced)
{
	struct pipa_profile p = { 0 }, again = { 0 };
	struct pipa_sample sample = {
		.cpu = PIPA_NONE, .stack = PIPA_NONE, .count = 1, .weight = 4
	};
	struct pipa_thread thread = { .pid = 1, .comm = pipa_profile_text(&p, "bad\xff") };

	sample.event = pipa_profile_event(&p, "cycles");
	for (thread.tid = 1; thread.tid <= 3; thread.tid++) {
		sample.thread = pipa_profile_thread(&p, &thread);
		CHECK_EQ(pipa_profile_add(&p, &sample), 0);
	}
	CHECK_EQ(round_trip(&p, &(struct pipa_otlp_format){ .no_threads = true }, &again), 0);
	CHECK_EQ(again.samples.n, 1);
	CHECK_EQ(again.samples.items[0].weight, 12);
	pipa_profile_done(&again);
	again = (struct pipa_profile){ 0 };
	CHECK_EQ(round_trip(&p, &(struct pipa_otlp_format){ 0 }, &again), 0);
	CHECK_EQ(again.samples.n, 3);
	CHECK_STR(pipa_profile_string(&again, again.threads.items[0].comm), "bad\xef\xbf\xbd");
	pipa_profile_done(&p);
	pipa_profile_done(&again);
}

TEST(a_weight_above_63_bits_is_refused)
{
	struct pipa_profile p = { 0 }, again = { 0 };
	struct pipa_sample sample = { .cpu = PIPA_NONE,
				      .thread = PIPA_NONE,
				      .stack = PIPA_NONE,
				      .count = 1,
				      .weight = UINT64_MAX };

	sample.event = pipa_profile_event(&p, "cycles");
	CHECK_EQ(pipa_profile_add(&p, &sample), 0);
	CHECK_EQ(round_trip(&p, &(struct pipa_otlp_format){ 0 }, &again), -ERANGE);
	pipa_profile_done(&p);
	pipa_profile_done(&again);
}

/* ---- files of others --------------------------------------------------------------------------- */

/* Dictionary with seven tables of an empty entry each, and strings "a" and "count". */
#define EMPTY_DICTIONARY                                                                           \
	"1218"                                                                                     \
	"0a00"                                                                                     \
	"1200"                                                                                     \
	"1a00"                                                                                     \
	"2200"                                                                                     \
	"2a00"                                                                                     \
	"2a0161"                                                                                   \
	"2a05636f756e74"                                                                           \
	"3200"                                                                                     \
	"3a00"

/* A Profile of type "a" in "count" with one sample. */
static int read_sample(const char *sample_hex, struct pipa_profile *p,
		       struct pipa_timeline *timeline, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf hex = { 0 }, bytes = { 0 };
	size_t len = strlen(sample_hex) / 2;

	pipa_buf_printf(&hex,
			"0a%02zx12%02zx12%02zx0a0408011002"
			"12%02zx%s" EMPTY_DICTIONARY,
			len + 12, len + 10, len + 8, len, sample_hex);
	return pipa_otlp_read(p, timeline, otlp_from_hex(pipa_buf_str(&hex), &bytes), err);
}

TEST(samples_of_all_three_shapes_are_read)
{
	static const struct {
		const char *hex;
		uint64_t weight, count, times;
	} shapes[] = {
		{ "22010c", 12, 1, 0 },				     /* values [12] */
		{ "2a1001000000000000000200000000000000", 2, 2, 2 }, /* two timestamps */
		{ "2202030a"
		  "2a1001000000000000000200000000000000",
		  13, 2, 2 }, /* both */
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(shapes); i++) {
		struct pipa_timeline timeline = { 0 };
		struct pipa_profile p = { 0 };
		struct pipa_error err = { 0 };

		CHECK_EQ(read_sample(shapes[i].hex, &p, &timeline, &err), 0);
		CHECK_STR(err.what, "");
		CHECK_EQ(p.samples.n, 1);
		CHECK_EQ(p.samples.items[0].weight, shapes[i].weight);
		CHECK_EQ(p.samples.items[0].count, shapes[i].count);
		CHECK_EQ(timeline.n, shapes[i].times);
		pipa_profile_done(&p);
		pipa_timeline_done(&timeline);
	}
}

TEST(invalid_samples_are_refused_with_their_offset)
{
	static const struct {
		const char *hex, *what;
	} bad[] = {
		{ "0805220101",
		  "malformed OTLP profiles: Sample.stack_index 5 exceeds the table of 1 "
		  "entries at offset 14" },
		{ "1802220101",
		  "malformed OTLP profiles: Sample.link_index 2 exceeds the table of 1 "
		  "entries at offset 14" },
		{ "120107220101", "malformed OTLP profiles: Sample.attribute_indices 7 exceeds the "
				  "table of 1 entries at offset 14" },
		{ "1800", "malformed OTLP profiles: Sample at offset 14 has neither values nor "
			  "timestamps" },
		{ "220201022a080100000000000000",
		  "malformed OTLP profiles: Sample at offset 14 has 2 values and 1 timestamps" },
		{ "22017f1a0101", "malformed OTLP profiles: Sample.link_index: wrong wire type at "
				  "offset 17" },
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(bad); i++) {
		struct pipa_profile p = { 0 };
		struct pipa_error err = { 0 };

		CHECK_EQ(read_sample(bad[i].hex, &p, NULL, &err), -EBADMSG);
		CHECK_STR(err.what, bad[i].what);
		pipa_profile_done(&p);
	}
}

TEST(pprof_and_otlp_files_are_distinguished)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf golden = { 0 }, turned = { 0 }, pprof = { 0 };
	struct pipa_span span = otlp_from_hex(otlp_golden, &golden), other;
	struct pipa_profile p = { 0 };
	struct pipa_error err = { 0 };
	const size_t profiles = 2 + 0x4f;

	/* the dictionary first */
	pipa_buf_add(&turned, span.data + profiles, span.size - profiles);
	pipa_buf_add(&turned, span.data, profiles);
	CHECK_EQ(pipa_kind_find(turned.data, turned.len), PIPA_KIND_OTLP);
	CHECK_EQ(pipa_otlp_read(&p, NULL, span_of(&turned), &err), 0);
	CHECK_EQ(p.samples.n, 1);
	/* a pprof profile that begins with samples: locations 10 and 0, then the types and strings */
	other = otlp_from_hex("12080a020a00120203010a04080110023200320161320562797465733a00",
			      &pprof);
	CHECK(pipa_kind_find(other.data, other.size) != PIPA_KIND_OTLP);
	CHECK_EQ(pipa_kind_find("a;b 1\n", 6), PIPA_KIND_FOLDED);
	pipa_profile_done(&p);
}

TEST(references_to_strings_are_resolved_in_attributes)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
	struct pipa_profile p = { 0 };
	struct pipa_error err = { 0 };
	const struct pipa_label *label;
	/* resource {a: "count"}, both by reference; a sample of value 1 */
	struct pipa_span span = otlp_from_hex("0a190a080a06180112024002"
					      "120d120b0a0408011002"
					      "1203220101" EMPTY_DICTIONARY,
					      &bytes);

	CHECK_EQ(pipa_otlp_read(&p, NULL, span, &err), 0);
	CHECK_EQ(p.processes.n, 2);
	label = pipa_label_set_get(&p, p.processes.items[1].attributes, 0);
	CHECK_STR(pipa_profile_string(&p, label->key), "a");
	CHECK_STR(pipa_profile_string(&p, label->text), "count");
	pipa_profile_done(&p);
}
