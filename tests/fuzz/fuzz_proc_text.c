/*
 * Files of /proc. The first byte chooses the file, the rest is its text, read in three ticks (its
 * first half, all of it, its second half), so that rows come and go and counters go both ways.
 * Then every metric is computed: each is a number or missing.
 */
#include <math.h>

#include "collect/meter/meter_table.h"
#include "fuzz.h"
#include "kernel/text/proc_text.h"

enum { MAX_TEXT = 1 << 14, MAX_FIELDS = 256 };

/* From exactly as many bytes as there are, so that a read past the end is seen. */
static void read_tick(const struct pipa_proc_file *file, const uint8_t *data, size_t size,
		      struct pipa_readings *readings)
{
	char *text = malloc(size ? size : 1);

	MUST(text);
	memcpy(text, data, size);
	pipa_readings_begin(readings);
	pipa_proc_parse(file, text, size, readings);
	pipa_readings_end(readings);
	free(text);
}

static void check_rows(const struct pipa_raw *raw)
{
	size_t i;

	MUST(raw->status == 0 && raw->n <= raw->cap);
	for (i = 0; i < raw->n; i++) {
		MUST(memchr(raw->rows[i].name, '\0', PIPA_RAW_NAME));
		MUST(raw->cpus || pipa_raw_is_here(raw, i));
	}
}

static void check_moment(const struct pipa_meter_section *section,
			 const struct pipa_metric_input *m)
{
	size_t i;

	for (i = 0; i < section->section->n_columns; i++) {
		const struct pipa_column *column = &section->section->columns[i];
		double value = pipa_meter_value(m, &section->formulas[i]);

		MUST(!isinf(value));
		if (strcmp(column->id, "cpu.idle") == 0)
			MUST(isnan(value) || (value >= 0 && value <= 100));
	}
}

static void check_section(const struct pipa_meter_section *section, const struct pipa_raw *raw)
{
	uint64_t mean[MAX_FIELDS];
	size_t i;

	MUST(raw->fields <= MAX_FIELDS);
	for (i = 0; i < raw->n; i++) {
		struct pipa_metric_input m = { .now = pipa_raw_now(raw, i),
					       .grown = pipa_raw_delta(raw, i),
					       .seconds = 0.5,
					       .known = raw->rows[i].known,
					       .mark = PIPA_MARK_WHOLE };

		if (section->shows)
			section->shows(&m, raw->rows[i].name);
		check_moment(section, &m);
		m.grown = pipa_raw_total(raw, i);
		check_moment(section, &m);
		pipa_raw_mean(raw, i, mean);
		m.now = mean;
		check_moment(section, &m);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct pipa_proc_file *file;
	struct pipa_readings readings;
	size_t i, half;

	if (!size)
		return 0;
	file = &pipa_proc_files[data[0] % pipa_n_proc_files];
	data++;
	size = size - 1 < MAX_TEXT ? size - 1 : MAX_TEXT;
	half = size / 2;
	pipa_readings_init(&readings);
	readings.interrupts = true;
	read_tick(file, data, half, &readings);
	read_tick(file, data, size, &readings);
	for (i = 0; i < pipa_n_meter_table; i++)
		check_section(pipa_meter_table[i], &readings.group[pipa_meter_table[i]->group]);
	read_tick(file, data + half, size - half, &readings);
	for (i = 0; i < PIPA_GROUP_NR; i++)
		check_rows(&readings.group[i]);
	for (i = 0; i < pipa_n_meter_table; i++)
		check_section(pipa_meter_table[i], &readings.group[pipa_meter_table[i]->group]);
	pipa_readings_done(&readings);
	return 0;
}
