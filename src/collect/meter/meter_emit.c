/* Emit the rows of a section from raw numbers. */
#include "collect/meter/meter_table.h"

/* Emit a row: columns of deltas use one input, columns of states another. */
static int emit_row(const struct pipa_meter_section *section,
		    const struct pipa_metric_input *growth, const struct pipa_metric_input *state,
		    const char *instance, const struct pipa_tick *tick,
		    struct pipa_series_sink *sink)
{
	double values[PIPA_METER_COLUMNS];
	size_t i;

	for (i = 0; i < section->section->n_columns; i++) {
		const struct pipa_formula *formula = &section->formulas[i];
		bool grows = formula->kind == PIPA_FORMULA_RATE ||
			     formula->kind == PIPA_FORMULA_CALC;

		values[i] = pipa_meter_value(grows ? growth : state, formula);
	}
	return sink->row(sink, section->section, tick, instance, values);
}

/* Set the two inputs of a row; `mean` is storage for mean states. */
static void set_inputs(const struct pipa_raw *raw, size_t row, double seconds, bool whole,
		       uint64_t *mean, struct pipa_metric_input *growth,
		       struct pipa_metric_input *state)
{
	*growth = (struct pipa_metric_input){
		.now = pipa_raw_now(raw, row),
		.grown = whole ? pipa_raw_total(raw, row) : pipa_raw_delta(raw, row),
		.seconds = seconds,
		.known = raw->rows[row].known,
		.mark = raw->rows[row].mark,
	};
	*state = *growth;
	if (whole) {
		pipa_raw_mean(raw, row, mean);
		state->now = mean;
	}
}

/* Add deltas, not readings: a counter that wraps is not a wrap of the sum. */
static void add_deltas(uint64_t *to, const struct pipa_metric_input *m, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (m->grown[i] != PIPA_RAW_MISSING)
			to[i] += m->grown[i];
}

static int emit_sum(const struct pipa_meter_section *section, const struct pipa_raw *raw,
		    const struct pipa_tick *tick, bool whole, struct pipa_series_sink *sink)
{
	uint64_t grown[PIPA_METER_FIELDS] = { 0 }, mean[PIPA_METER_FIELDS];
	struct pipa_metric_input growth, state;
	struct pipa_metric_input sum = { .now = grown,
					 .grown = grown,
					 .seconds = tick->interval_s };
	size_t i;

	for (i = 0; i < raw->n; i++) {
		set_inputs(raw, i, tick->interval_s, whole, mean, &growth, &state);
		if (section->shows && !section->shows(&growth, raw->rows[i].name))
			continue;
		add_deltas(grown, &growth, raw->fields);
	}
	return emit_row(section, &sum, &sum, "", tick, sink);
}

int pipa_meter_emit(const struct pipa_meter_section *section, const struct pipa_raw *raw,
		    const struct pipa_tick *tick, bool whole, struct pipa_series_sink *sink)
{
	struct pipa_metric_input growth, state;
	uint64_t mean[PIPA_METER_FIELDS];
	size_t i;
	int rc = 0;

	if (section->summed)
		return raw->n ? emit_sum(section, raw, tick, whole, sink) : 0;
	for (i = 0; !rc && i < raw->n; i++) {
		if (!pipa_raw_is_here(raw, i))
			continue;
		set_inputs(raw, i, tick->interval_s, whole, mean, &growth, &state);
		if (!section->shows || section->shows(&growth, raw->rows[i].name))
			rc = emit_row(section, &growth, &state, raw->rows[i].name, tick, sink);
	}
	return rc;
}
