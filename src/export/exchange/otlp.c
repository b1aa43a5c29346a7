#include "export/exchange/otlp.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "export/exchange/otlp_own.h"

static void writer_done(struct pipa_otlp_writer *w)
{
	pipa_proto_writer_done(&w->out);
	pipa_otlp_tables_done(&w->tables);
	free(w->resources.items);
	pipa_index_done(&w->resources.index);
	free(w->thread_resources);
	free(w->base_events);
	free(w->order);
	free(w->sets);
	free(w->attributes.items);
	free(w->threads);
	free(w->profile_indices);
	free(w->list.items);
	free(w->times);
	free(w->time_starts);
	pipa_buf_done(&w->sample_times);
}

/* ---- profiles -------------------------------------------------------------------------------- */

/* Write the samples of a column: those with a value, and those without a value in any column, so that none is lost. */
static void put_rows(struct pipa_otlp_writer *w, size_t at, size_t end, bool counts)
{
	const struct pipa_sample *first = &w->p->samples.items[w->order[at]];
	struct pipa_otlp_row row;
	bool any = false;

	while (at < end && !w->out.status && !w->tables.status) {
		const size_t row_start = at;
		int64_t value;

		pipa_otlp_next_row(w, &at, end, &row);
		value = counts ? row.count : row.weight;
		if (!value && (counts || row.weight || row.count))
			continue;
		if (counts)
			pipa_otlp_collect_times(w, row_start, at);
		pipa_otlp_put_sample(w, row.sample, value);
		pipa_buf_reset(&w->sample_times);
		any = true;
	}
	if (!any) /* Parca refuses a Profile without samples */
		pipa_otlp_put_sample(w, first, 0);
}

static void put_profile(struct pipa_otlp_writer *w, uint32_t number, bool counts, size_t at,
			size_t end)
{
	const struct pipa_profile_event *event = &w->p->events.items[number];

	pipa_proto_open(&w->out, PIPA_OTLP_SCOPE_PROFILES_PROFILES);
	pipa_otlp_put_sample_type(w, event, counts);
	if (w->base_events[w->p->samples.items[w->order[at]].event] == number)
		put_rows(w, at, end, counts);
	else /* a column without values in this process keeps its place */
		pipa_otlp_put_sample(w, &w->p->samples.items[w->order[at]], 0);
	pipa_proto_put_fixed64(&w->out, PIPA_OTLP_PROFILE_TIME_UNIX_NANO, w->start_ns, false);
	pipa_proto_put(&w->out, PIPA_OTLP_PROFILE_DURATION_NANO, w->duration_ns);
	pipa_otlp_put_period(w, event);
	pipa_proto_put_packed(&w->out, PIPA_OTLP_PROFILE_ATTRIBUTE_INDICES, w->profile_indices,
			      w->n_profile_indices);
	pipa_proto_close(&w->out);
}

static void put_scope(struct pipa_otlp_writer *w)
{
	const char *version = w->format->version, *column = pipa_otlp_default_column(w->p);
	size_t start = pipa_proto_begin(&w->out, PIPA_OTLP_SCOPE_PROFILES_SCOPE);

	pipa_proto_put_bytes(&w->out, PIPA_OTLP_SCOPE_NAME, "pipa", 4);
	if (version)
		pipa_proto_put_bytes(&w->out, PIPA_OTLP_SCOPE_VERSION, version, strlen(version));
	if (*column)
		pipa_otlp_put_key_text(&w->out, PIPA_OTLP_SCOPE_ATTRIBUTES,
				       "pprof.scope.default_sample_type", column);
	pipa_proto_end(&w->out, start);
}

/* Return the end of the samples of the event, or if it is PIPA_NONE of the resource, of order[at]. */
static size_t find_end(const struct pipa_otlp_writer *w, size_t at, uint32_t event)
{
	const struct pipa_sample *samples = w->p->samples.items;
	uint32_t resource = pipa_otlp_resource_of(w, &samples[w->order[at]]);

	while (at < w->n_order && pipa_otlp_resource_of(w, &samples[w->order[at]]) == resource &&
	       (event == PIPA_NONE || w->base_events[samples[w->order[at]].event] == event))
		at++;
	return at;
}

/* Has one of the samples an event of that column group? */
static bool has_group(const struct pipa_otlp_writer *w, size_t at, size_t end, uint32_t group)
{
	for (; group && at < end; at++)
		if (w->p->events.items[w->p->samples.items[w->order[at]].event].column_group ==
		    group)
			return true;
	return false;
}

/* Write the samples order[at, end) of one process. */
static void put_resource_profiles(struct pipa_otlp_writer *w, size_t at, size_t end)
{
	const struct pipa_sample *samples = w->p->samples.items;
	const size_t start = at;
	uint32_t event;

	pipa_proto_open(&w->out, PIPA_OTLP_RESOURCE_PROFILES);
	pipa_otlp_put_resource(
		w, &w->resources.items[pipa_otlp_resource_of(w, &samples[w->order[at]])]);
	pipa_proto_open(&w->out, PIPA_OTLP_RESOURCE_PROFILES_SCOPE_PROFILES);
	put_scope(w);
	for (event = 0; event < w->p->events.n; event++) {
		const struct pipa_profile_event *e = &w->p->events.items[event];
		size_t first = at < end ? at : end - 1, last = end;

		if (!pipa_otlp_is_column(e))
			continue;
		if (at < end && w->base_events[samples[w->order[at]].event] == event)
			last = at = find_end(w, at, event);
		else if (!has_group(w, start, end, e->column_group))
			continue;
		if (e->counted)
			put_profile(w, event, true, first, last);
		put_profile(w, event, false, first, last);
	}
	pipa_proto_close(&w->out);
	pipa_proto_close(&w->out);
}

static void put_all(struct pipa_otlp_writer *w)
{
	size_t at = 0, end;

	for (; at < w->n_order && !w->out.status && !w->tables.status; at = end) {
		end = find_end(w, at, PIPA_NONE);
		put_resource_profiles(w, at, end);
	}
	pipa_otlp_put_dictionary(&w->tables, &w->out, PIPA_OTLP_DICTIONARY);
}

/* ---- preparation ----------------------------------------------------------------------------- */

/* Make the attributes of every Profile: those of the file that was read, and its comments with the losses. */
static int make_profile_attributes(struct pipa_otlp_writer *w)
{
	const struct pipa_losses *losses = &w->p->losses;
	const struct {
		const char *name;
		uint64_t n;
	} lost[] = { { "lost records", losses->lost_records },
		     { "lost samples", losses->lost_samples },
		     { "throttled", losses->throttled },
		     { "malformed records", losses->damaged },
		     { "truncated stacks", losses->cut_stacks + losses->unwound_truncated } };
	size_t n = pipa_label_set_size(w->p, w->p->attributes), i = 0, n_texts = 0;
	char numbers[PIPA_COUNT(lost)][64];
	PIPA_AUTO(free)
	const char **texts = calloc(w->p->comments.n + PIPA_COUNT(lost), sizeof(*texts));

	w->profile_indices = calloc(n + 1, sizeof(*w->profile_indices));
	if (!w->profile_indices || !texts)
		return -ENOMEM;
	pipa_otlp_list_start(&w->tables);
	while (i < n)
		pipa_otlp_list_label(&w->tables, w->p->attributes, &i);
	for (i = 0; i < w->tables.list.n; i++)
		w->profile_indices[w->n_profile_indices++] = w->tables.list.items[i];
	for (i = 0; i < w->p->comments.n; i++)
		texts[n_texts++] = pipa_profile_string(w->p, w->p->comments.items[i]);
	for (i = 0; i < PIPA_COUNT(lost); i++) {
		if (!lost[i].n)
			continue;
		snprintf(numbers[i], sizeof(numbers[i]), "%s: %" PRIu64, lost[i].name, lost[i].n);
		texts[n_texts++] = numbers[i];
	}
	if (n_texts)
		w->profile_indices[w->n_profile_indices++] = pipa_otlp_texts_attribute(
			&w->tables, "pprof.profile.comment", texts, n_texts);
	return w->tables.status;
}

static int prepare(struct pipa_otlp_writer *w)
{
	int rc = pipa_otlp_tables_init(&w->tables, w->p, w->from, w->until);

	w->sets = calloc(w->p->label_sets.n + 1, sizeof(*w->sets));
	w->threads = calloc(w->p->threads.n + 1, sizeof(*w->threads));
	if (!rc && (!w->sets || !w->threads))
		rc = -ENOMEM;
	if (!rc)
		rc = pipa_otlp_find_resources(w);
	if (!rc)
		rc = pipa_otlp_sort_samples(w);
	if (!rc)
		rc = pipa_otlp_sort_times(w);
	if (!rc && w->n_order)
		rc = make_profile_attributes(w);
	return rc;
}

int pipa_otlp_write(const struct pipa_profile *profile, const struct pipa_otlp_format *format,
		    int (*put)(void *ctx, const char *bytes, size_t len), void *ctx)
{
	struct pipa_otlp_writer w = { .p = profile, .format = format };
	int rc;

	w.until = format->until && format->until < profile->samples.n ? format->until :
									profile->samples.n;
	w.from = format->from < w.until ? format->from : w.until;
	pipa_proto_writer_init(&w.out, put, ctx);
	rc = prepare(&w);
	if (!rc) {
		pipa_proto_measure(&w.out); /* fills the tables, too */
		put_all(&w);
		pipa_proto_write(&w.out);
		rc = w.tables.status ? w.tables.status : w.out.status;
	}
	if (!rc) {
		put_all(&w);
		rc = pipa_proto_flush(&w.out);
	}
	writer_done(&w);
	return rc;
}
