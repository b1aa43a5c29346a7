#include "import/legacy/draft.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "codec/pprof_schema.h"
#include "import/legacy/drop_frames.h"
#include "import/pprof_build.h"
#include "model/profile.h"

void pipa_draft_done(struct pipa_draft *d)
{
	pipa_strings_done(&d->strings);
	free(d->locations.items);
	pipa_id_map_done(&d->by_address);
	free(d->by_id);
	free(d->frames.items);
	free(d->samples.items);
	free(d->mappings.items);
	free(d->functions.items);
	*d = (struct pipa_draft){ 0 };
}

void pipa_draft_reset(struct pipa_draft *d)
{
	struct pipa_error *err = d->err;

	pipa_draft_done(d);
	d->err = err;
}

int pipa_draft_refuse_line(struct pipa_draft *d, const struct pipa_line_reader *lines,
			   const char *fmt, ...)
{
	char reason[160];
	va_list args;

	va_start(args, fmt);
	vsnprintf(reason, sizeof(reason), fmt, args);
	va_end(args);
	return pipa_refuse(d->err, -EBADMSG, "malformed pprof profile: line %" PRIu64 ": %s",
			   lines->number, reason);
}

uint32_t pipa_draft_string(struct pipa_draft *d, struct pipa_text text)
{
	/* the first string has to be the empty one */
	if (!d->strings.n && pipa_strings_add(&d->strings, "", 0) == PIPA_NO_STRING)
		return PIPA_NO_STRING;
	return text.at == text.end ? 0 :
				     pipa_strings_add(&d->strings, text.at, pipa_text_len(text));
}

static uint32_t add_constant(struct pipa_draft *d, const char *text)
{
	return pipa_draft_string(d, (struct pipa_text){ text, text + strlen(text) });
}

int pipa_draft_columns(struct pipa_draft *d, const struct pipa_draft_column *columns, size_t n)
{
	size_t i;

	d->n_columns = n;
	for (i = 0; i < n; i++) {
		d->column_name[i] = add_constant(d, columns[i].name);
		d->column_unit[i] = columns[i].unit ? add_constant(d, columns[i].unit) : 0;
		if (d->column_name[i] == PIPA_NO_STRING || d->column_unit[i] == PIPA_NO_STRING)
			return -ENOMEM;
	}
	return 0;
}

int pipa_draft_period(struct pipa_draft *d, const char *name, const char *unit, int64_t period)
{
	d->period_name = add_constant(d, name);
	d->period_unit = add_constant(d, unit);
	d->period = period;
	return d->period_name == PIPA_NO_STRING || d->period_unit == PIPA_NO_STRING ? -ENOMEM : 0;
}

/* ---- samples ----------------------------------------------------------------------------------- */

int pipa_draft_frame(struct pipa_draft *d, uint64_t address)
{
	uint32_t location = pipa_id_map_find(&d->by_address, address), *frame;

	if (location == PIPA_NONE) {
		struct pipa_draft_location *row = d->locations.n < PIPA_NONE - 1 ?
							  PIPA_VEC_ADD(&d->locations) :
							  NULL;

		if (!row)
			return -ENOMEM;
		row->address = address;
		location = (uint32_t)d->locations.n - 1;
		if (pipa_id_map_add(&d->by_address, address, location) < 0)
			return -ENOMEM;
	}
	frame = PIPA_VEC_ADD(&d->frames);
	if (!frame)
		return -ENOMEM;
	*frame = location;
	return 0;
}

int pipa_draft_frames(struct pipa_draft *d, struct pipa_text addresses, uint64_t less,
		      bool exact_leaf)
{
	uint64_t address;
	int rc;

	while ((rc = pipa_text_address(&addresses, &address)) > 0) {
		bool is_leaf = d->frames.n == d->open;

		rc = pipa_draft_frame(d, address - (is_leaf && exact_leaf ? 0 : less));
		if (rc)
			return rc;
	}
	return rc;
}

int pipa_draft_sample(struct pipa_draft *d, const int64_t *values, int64_t bytes)
{
	struct pipa_draft_sample *sample = PIPA_VEC_ADD(&d->samples);

	if (!sample)
		return -ENOMEM;
	sample->first = d->open;
	sample->n = d->frames.n - d->open;
	sample->bytes = bytes;
	memcpy(sample->values, values, d->n_columns * sizeof(*values));
	d->open = d->frames.n;
	return 0;
}

void pipa_draft_remove_frame(struct pipa_draft *d, struct pipa_draft_sample *sample, size_t n)
{
	uint32_t *frames = d->frames.items + sample->first;

	memmove(frames + n, frames + n + 1, (sample->n - n - 1) * sizeof(*frames));
	sample->n--;
}

void pipa_draft_remove_repeated_leaves(struct pipa_draft *d)
{
	const struct pipa_draft_location *locations = d->locations.items;
	size_t i;

	for (i = 0; i < d->samples.n; i++) {
		struct pipa_draft_sample *sample = &d->samples.items[i];
		const uint32_t *frames = d->frames.items + sample->first;

		if (sample->n > 1 &&
		    locations[frames[0]].address == locations[frames[1]].address + 1)
			pipa_draft_remove_frame(d, sample, 1);
	}
}

int pipa_draft_number(struct pipa_draft *d)
{
	size_t i, k;

	free(d->by_id);
	d->by_id = malloc(d->locations.n * sizeof(*d->by_id) + 1);
	if (!d->by_id)
		return -ENOMEM;
	d->n_ids = 0;
	for (i = 0; i < d->samples.n; i++) {
		const struct pipa_draft_sample *sample = &d->samples.items[i];

		for (k = 0; k < sample->n; k++) {
			uint32_t location = d->frames.items[sample->first + k];

			if (d->locations.items[location].id)
				continue;
			d->by_id[d->n_ids] = location;
			d->locations.items[location].id = ++d->n_ids;
		}
	}
	return 0;
}

/* Convert to an integer. False if it does not fit. */
static bool to_integer(double value, int64_t *ret)
{
	const double limit = 9223372036854775808.0; /* 2^63 */

	if (!(fabs(value) < limit)) /* also NaN */
		return false;
	*ret = (int64_t)value;
	return true;
}

bool pipa_draft_scale_heap(int64_t *count, int64_t *bytes, int64_t rate)
{
	double each, factor;

	if (!*count || !*bytes) {
		*count = *bytes = 0;
		return true;
	}
	if (rate <= 1) /* all allocations were sampled, or the rate is not known */
		return true;
	each = (double)*bytes / (double)*count;
	factor = 1 / (1 - exp(-each / (double)rate));
	return to_integer((double)*count * factor, count) &&
	       to_integer((double)*bytes * factor, bytes);
}

/* ---- tables of profile.proto ------------------------------------------------------------------- */

/* The tables, and the memory that their lists need. */
struct tables {
	struct pipa_pprof_profile profile;
	struct pipa_pprof_value_type types[PIPA_DRAFT_COLUMNS_MAX], period_type;
	struct pipa_pprof_mapping *mappings;
	struct pipa_pprof_location *locations;
	struct pipa_pprof_line *lines;
	struct pipa_pprof_function *functions;
	struct pipa_span *strings;
	uint64_t *stack; /* of the sample that is passed on */
};

static void tables_done(struct tables *t)
{
	free(t->mappings);
	free(t->locations);
	free(t->lines);
	free(t->functions);
	free(t->strings);
	free(t->stack);
}

static void fill_mappings(const struct pipa_draft *d, struct tables *t)
{
	size_t i;

	for (i = 0; i < d->mappings.n; i++) {
		const struct pipa_draft_mapping *m = &d->mappings.items[i];

		t->mappings[i] = (struct pipa_pprof_mapping){ .id = i + 1,
							      .memory_start = m->start,
							      .memory_limit = m->limit,
							      .file_offset = m->offset,
							      .filename = m->file,
							      .build_id = m->build_id };
	}
	t->profile.mapping.items = t->mappings;
	t->profile.mapping.n = d->mappings.n;
}

static void fill_locations(const struct pipa_draft *d, struct tables *t)
{
	size_t i;

	for (i = 0; i < d->n_ids; i++) {
		const struct pipa_draft_location *l = &d->locations.items[d->by_id[i]];

		t->locations[i] = (struct pipa_pprof_location){ .id = i + 1,
								.mapping_id = l->mapping,
								.address = l->address };
		t->lines[i] = (struct pipa_pprof_line){ .function_id = l->function,
							.line = l->line };
		if (l->function) {
			t->locations[i].line.items = &t->lines[i];
			t->locations[i].line.n = 1;
		}
	}
	t->profile.location.items = t->locations;
	t->profile.location.n = d->n_ids;
	for (i = 0; i < d->functions.n; i++) {
		const struct pipa_draft_function *f = &d->functions.items[i];

		t->functions[i] = (struct pipa_pprof_function){
			.id = i + 1, .name = f->name, .system_name = f->name, .filename = f->file
		};
	}
	t->profile.function.items = t->functions;
	t->profile.function.n = d->functions.n;
}

static void fill_columns(const struct pipa_draft *d, struct tables *t)
{
	size_t i;

	for (i = 0; i < d->n_columns; i++)
		t->types[i] = (struct pipa_pprof_value_type){ d->column_name[i],
							      d->column_unit[i] };
	t->profile.sample_type.items = t->types;
	t->profile.sample_type.n = d->n_columns;
	t->period_type = (struct pipa_pprof_value_type){ d->period_name, d->period_unit };
	t->profile.period_type = &t->period_type;
	t->profile.period = d->period;
	t->profile.duration_nanos = d->duration_ns;
}

/* Name the frames that pprof hides in profiles with these columns. 0 or -ENOMEM. */
static int fill_drop_frames(struct pipa_draft *d, struct tables *t)
{
	const char *names[PIPA_DRAFT_COLUMNS_MAX];
	const struct pipa_drop_frames *frames;
	uint32_t drop, keep;
	size_t i;

	for (i = 0; i < d->n_columns; i++)
		names[i] = pipa_strings_get(&d->strings, d->column_name[i]);
	frames = pipa_drop_frames_of(names, d->n_columns);
	drop = add_constant(d, frames->drop);
	keep = add_constant(d, frames->keep);
	if (drop == PIPA_NO_STRING || keep == PIPA_NO_STRING)
		return -ENOMEM;
	t->profile.drop_frames = drop;
	t->profile.keep_frames = keep;
	return 0;
}

static int fill_tables(struct pipa_draft *d, struct tables *t)
{
	size_t i, longest = 0;
	int rc = fill_drop_frames(d, t);

	if (rc)
		return rc;
	for (i = 0; i < d->samples.n; i++)
		if (d->samples.items[i].n > longest)
			longest = d->samples.items[i].n;
	t->mappings = calloc(d->mappings.n + 1, sizeof(*t->mappings));
	t->locations = calloc((size_t)d->n_ids + 1, sizeof(*t->locations));
	t->lines = calloc((size_t)d->n_ids + 1, sizeof(*t->lines));
	t->functions = calloc(d->functions.n + 1, sizeof(*t->functions));
	t->strings = calloc(d->strings.n + 1, sizeof(*t->strings));
	t->stack = calloc(longest + 1, sizeof(*t->stack));
	if (!t->mappings || !t->locations || !t->lines || !t->functions || !t->strings || !t->stack)
		return -ENOMEM;
	for (i = 0; i < d->strings.n; i++)
		t->strings[i] = (struct pipa_span){ (const uint8_t *)d->strings.items[i].text,
						    d->strings.items[i].len };
	t->profile.string_table.items = t->strings;
	t->profile.string_table.n = d->strings.n;
	fill_columns(d, t);
	fill_mappings(d, t);
	fill_locations(d, t);
	return 0;
}

static int build_samples(struct pipa_draft *d, struct tables *t, struct pipa_pprof_builder *builder,
			 uint32_t bytes_key)
{
	size_t i, k;
	int rc = 0;

	for (i = 0; !rc && i < d->samples.n; i++) {
		struct pipa_draft_sample *from = &d->samples.items[i];
		struct pipa_pprof_label label = { .key = bytes_key, .num = from->bytes };
		struct pipa_pprof_sample sample = { .location_id = { t->stack, from->n },
						    .value = { from->values, d->n_columns },
						    .label = { &label, d->has_bytes ? 1 : 0 } };

		for (k = 0; k < from->n; k++)
			t->stack[k] = d->locations.items[d->frames.items[from->first + k]].id;
		rc = pipa_pprof_build_sample(builder, &sample);
	}
	return rc;
}

int pipa_draft_finish(struct pipa_draft *d, struct pipa_profile *profile)
{
	PIPA_AUTO(pipa_pprof_builder_free) struct pipa_pprof_builder *builder = NULL;
	struct tables t = { 0 };
	uint32_t bytes_key = d->has_bytes ? add_constant(d, "bytes") : 0;
	int rc = bytes_key == PIPA_NO_STRING ? -ENOMEM : fill_tables(d, &t);

	if (!rc)
		rc = pipa_pprof_build(profile, &t.profile, d->err, &builder);
	if (!rc)
		rc = build_samples(d, &t, builder, bytes_key);
	if (!rc)
		profile->losses.damaged += d->damaged;
	tables_done(&t);
	return rc;
}
