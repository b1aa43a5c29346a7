#include "import/monitor_json.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/auto.h"
#include "import/json_read.h"
#include "model/metric_names.h"
#include "model/sections.h"

enum { MAX_COLUMNS = 64 };

static const char schema[] = "pipa-monitor/1";

bool pipa_monitor_json_is(const char *text, size_t len)
{
	return len && text[0] == '{' &&
	       memmem(text, len < 256 ? len : 256, schema, sizeof(schema) - 1) != NULL;
}

/* Append the string of a row, "" if it has none, to an instance. Returns the size written. */
static size_t put_string(char *instance, size_t room, const json_t *row, const char *key)
{
	const json_t *string = key ? json_object_get(row, key) : NULL;

	if (!json_is_string(string))
		return pipa_instance_put(instance, room, "", 0);
	return pipa_instance_put(instance, room, json_string_value(string),
				 json_string_length(string));
}

/* Set the instance and its words from the strings of a row. */
static void set_instance(const struct pipa_section *section, const json_t *row, char *instance)
{
	size_t i;

	instance += put_string(instance, PIPA_NAME_MAX, row, section->label);
	for (i = 0; i < section->n_columns; i++)
		if (section->columns[i].unit == PIPA_UNIT_WORD)
			instance += put_string(instance, PIPA_WORD_MAX, row,
					       section->columns[i].name);
}

static int pass_row(const struct pipa_section *section, const struct pipa_tick *tick, json_t *row,
		    struct pipa_series_sink *sink)
{
	char instance[PIPA_INSTANCE_MAX];
	double values[MAX_COLUMNS], factor;
	const char *key;
	json_t *value;
	size_t i;

	for (i = 0; i < section->n_columns; i++)
		values[i] = NAN;
	json_object_foreach(row, key, value)
	{
		int slot = json_is_number(value) ? pipa_metric_slot(section, key, &factor) :
						   -ENOENT;

		if (slot >= 0)
			values[slot] = json_number_value(value) * factor;
	}
	set_instance(section, row, instance);
	return sink->row(sink, section, tick, instance, values);
}

int pipa_monitor_json_decode(const char *line, size_t len, struct pipa_series_sink *sink)
{
	PIPA_AUTO(json_decref) json_t *doc = json_loadb(line, len, 0, NULL);
	const char *found = json_string_value(json_object_get(doc, "schema"));
	double time_s = pipa_json_number(doc, "time"), missed;
	struct pipa_restart restart = { 0 };
	struct pipa_tick tick = { .interval_s = pipa_json_number(doc, "interval") };
	const char *key, *restarted;
	json_t *rows, *row;
	size_t i;
	int rc = 0;

	if (!found || strcmp(found, schema) != 0 || !(time_s >= 0 && time_s < 1e10) ||
	    !(tick.interval_s > 0))
		return -EBADMSG;
	if (json_is_true(json_object_get(doc, "average")))
		return 0;
	tick.wall_ns = (uint64_t)(time_s * 1e6) * 1000;
	missed = pipa_json_number(doc, "missed_intervals");
	tick.late = missed > 0 && missed < 1e15 ? (uint64_t)missed : 0;
	restarted = json_string_value(json_object_get(doc, "restart"));
	if (restarted) {
		restart.of = strcmp(restarted, "machine") == 0 ? PIPA_RESTART_MACHINE :
								 PIPA_RESTART_COLLECTOR;
		restart.wall_ns = tick.wall_ns;
		tick.restart = &restart;
	}
	json_object_foreach(doc, key, rows)
	{
		const struct pipa_section *section = json_is_array(rows) ? pipa_section_find(key) :
									   NULL;

		if (!section || section->n_columns > MAX_COLUMNS)
			continue;
		json_array_foreach(rows, i, row) if (!rc && json_is_object(row))
			rc = pass_row(section, &tick, row, sink);
	}
	return rc || !sink->end ? rc : sink->end(sink, &tick);
}
