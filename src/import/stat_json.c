#include "import/stat_json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/vec.h"
#include "import/json_read.h"
#include "model/counts.h"
#include "model/stat.h"

static int integer(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_integer(value) ? (int)json_integer_value(value) : -1;
}

static int add_row(struct pipa_base *base, const char *name, const char *where,
		   const json_t *object)
{
	struct pipa_base_row row = { 0 }, *slot;

	pipa_json_spread(json_object_get(object, "spread"), pipa_json_number(object, "value"),
			 &row.spread);
	if (isnan(row.spread.mean))
		return 0;
	slot = PIPA_VEC_ADD(base);
	if (!slot)
		return -ENOMEM;
	*slot = row;
	slot->name = strdup(name);
	slot->where = strdup(where);
	return slot->name && slot->where ? 0 : -ENOMEM;
}

static int add_event(struct pipa_base *base, const json_t *event)
{
	const char *name = json_string_value(json_object_get(event, "event"));
	const char *cgroup = json_string_value(json_object_get(event, "cgroup"));
	const json_t *json_place = json_object_get(event, "location");
	const char *comm = json_string_value(json_object_get(json_place, "comm"));
	struct pipa_stat_place place = {
		.cpu = integer(json_place, "cpu"),
		.core = integer(json_place, "core"),
		.die = integer(json_place, "die"),
		.socket = integer(json_place, "socket"),
		.node = integer(json_place, "node"),
	};
	char where[300];

	if (!name)
		return 0;
	snprintf(place.comm, sizeof(place.comm), "%s", comm ? comm : "");
	return add_row(base, name, pipa_stat_where(cgroup, &place, where, sizeof(where)), event);
}

static int check_schema(const json_t *doc, const json_error_t *why, struct pipa_error *err)
{
	const char *schema = json_string_value(json_object_get(doc, "schema"));

	if (!doc)
		return pipa_refuse(err, -EBADMSG, "line %d is not JSON: %s", why->line, why->text);
	if (!schema || strcmp(schema, "pipa-stat/1") != 0)
		return pipa_refuse(err, -EBADMSG, "not a report of pipa stat (schema %s)",
				   schema ? schema : "missing");
	return 0;
}

int pipa_stat_json_decode(const char *text, size_t len, struct pipa_base *ret,
			  struct pipa_error *err)
{
	PIPA_AUTO(pipa_base_done) struct pipa_base base = { 0 };
	json_error_t why;
	PIPA_AUTO(json_decref) json_t *doc = json_loadb(text, len, 0, &why);
	json_t *event;
	size_t i;
	int rc = check_schema(doc, &why, err);

	if (rc < 0)
		return rc == -EBADMSG && doc ?
			       pipa_hint(err, "make one with: pipa stat -r 5 --json -o "
					      "FILE -- COMMAND") :
			       rc;
	rc = add_row(&base, "elapsed", "", json_object_get(doc, "elapsed"));
	json_array_foreach(json_object_get(doc, "events"), i, event) if (rc == 0)
		rc = add_event(&base, event);
	if (rc < 0)
		return pipa_fail(err, rc, "read the baseline");
	*ret = base;
	base = (struct pipa_base){ 0 };
	return 0;
}

/* ---- counts --------------------------------------------------------------------------------- */

/* Intern a text of JSON; 0 for a missing one, PIPA_NO_STRING on allocation failure. */
static uint32_t intern_text(struct pipa_counts *counts, const char *text)
{
	return text && *text ? pipa_strings_add(&counts->texts, text, strlen(text)) : 0;
}

/* Format a location as in the CSV: "CPU3", "S0-D0-C1", "N0", "comm-TID"; "" for everything. */
static void format_place(const json_t *place, char *text, size_t size)
{
	const char *comm = json_string_value(json_object_get(place, "comm"));
	int cpu = integer(place, "cpu"), core = integer(place, "core"), die = integer(place, "die");
	int socket = integer(place, "socket"), node = integer(place, "node");

	text[0] = '\0';
	if (comm)
		snprintf(text, size, "%s-%d", comm, integer(place, "tid"));
	else if (cpu >= 0)
		snprintf(text, size, "CPU%d", cpu);
	else if (node >= 0)
		snprintf(text, size, "N%d", node);
	else if (core >= 0)
		snprintf(text, size, "S%d-D%d-C%d", socket, die, core);
	else if (die >= 0)
		snprintf(text, size, "S%d-D%d", socket, die);
	else if (socket >= 0)
		snprintf(text, size, "S%d", socket);
}

static void read_count(const json_t *value, struct pipa_counts_row *row)
{
	row->state = json_is_number(value) ? PIPA_COUNTED : PIPA_NOT_COUNTED;
	row->value = json_is_number(value) ? json_number_value(value) : NAN;
	row->is_integer = json_is_integer(value) && json_integer_value(value) >= 0;
	if (row->is_integer)
		row->integer = (uint64_t)json_integer_value(value);
}

static int append_row(struct pipa_counts *counts, struct pipa_counts_row row, const char *event,
		      const char *unit)
{
	struct pipa_counts_row *slot;

	row.event = intern_text(counts, event);
	row.unit = intern_text(counts, unit);
	slot = row.event == PIPA_NO_STRING || row.unit == PIPA_NO_STRING ? NULL :
									   PIPA_VEC_ADD(counts);
	if (!slot)
		return -ENOMEM;
	*slot = row;
	return 0;
}

/* Append the count of an event and its metrics. */
static int append_event(struct pipa_counts *counts, const json_t *event, double time_s)
{
	const char *name = json_string_value(json_object_get(event, "event"));
	const json_t *metrics = json_object_get(event, "metrics"), *metric;
	double enabled = pipa_json_number(event, "enabled_ns");
	double running = pipa_json_number(event, "running_ns");
	struct pipa_counts_row row = { .time_s = time_s, .percent = NAN, .cpu = -1 };
	char place[64];
	size_t i;
	int rc;

	if (!name)
		return 0;
	format_place(json_object_get(event, "location"), place, sizeof(place));
	row.place = intern_text(counts, place);
	row.cgroup = intern_text(counts, json_string_value(json_object_get(event, "cgroup")));
	if (row.place == PIPA_NO_STRING || row.cgroup == PIPA_NO_STRING)
		return -ENOMEM;
	if (enabled > 0 && running >= 0)
		row.percent = running < enabled ? running / enabled * 100 : 100;
	read_count(json_object_get(event, "value"), &row);
	rc = append_row(counts, row, name, json_string_value(json_object_get(event, "unit")));
	row.percent = NAN;
	json_array_foreach((json_t *)metrics, i, metric)
	{
		const char *of = json_string_value(json_object_get(metric, "name"));
		char *full = NULL;

		if (rc < 0 || !of)
			continue;
		if (asprintf(&full, "%s.%s", name, of) < 0)
			return -ENOMEM;
		read_count(json_object_get(metric, "value"), &row);
		row.is_integer = false; /* a quotient */
		rc = append_row(counts, row, full,
				json_string_value(json_object_get(metric, "unit")));
		free(full);
	}
	return rc;
}

int pipa_stat_json_counts(const char *text, size_t len, struct pipa_counts *ret, size_t *ret_used,
			  struct pipa_error *err)
{
	json_error_t why;
	PIPA_AUTO(json_decref)
	json_t *doc = json_loadb(text, len, JSON_DISABLE_EOF_CHECK, &why);
	double interval_s, missed;
	json_t *event;
	size_t i;
	int rc = check_schema(doc, &why, err);

	if (rc < 0)
		return rc;
	*ret_used = (size_t)why.position;
	interval_s = pipa_json_number(json_object_get(doc, "elapsed"), "value");
	missed = pipa_json_number(doc, "missed_intervals");
	ret->interval_s = interval_s > 0 ? interval_s : 0;
	ret->has_missed = missed >= 0;
	ret->missed = ret->has_missed ? (uint64_t)missed : 0;
	json_array_foreach(json_object_get(doc, "events"), i, event) if (rc == 0)
		rc = append_event(ret, event, pipa_json_number(doc, "time"));
	return rc < 0 ? pipa_fail(err, rc, "read the counts") : 0;
}
