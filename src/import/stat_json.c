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

int pipa_stat_json_decode(const char *text, size_t len, struct pipa_base *ret,
			  struct pipa_error *err)
{
	PIPA_AUTO(pipa_base_done) struct pipa_base base = { 0 };
	json_error_t why;
	PIPA_AUTO(json_decref) json_t *doc = json_loadb(text, len, 0, &why);
	const char *schema = json_string_value(json_object_get(doc, "schema"));
	json_t *event;
	size_t i;
	int rc;

	if (!doc)
		return pipa_refuse(err, -EBADMSG, "line %d is not JSON: %s", why.line, why.text);
	if (!schema || strcmp(schema, "pipa-stat/1") != 0) {
		pipa_refuse(err, -EBADMSG, "not a report of pipa stat (schema %s)",
			    schema ? schema : "missing");
		return pipa_hint(err, "make one with: pipa stat -r 5 --json -o FILE -- COMMAND");
	}
	rc = add_row(&base, "elapsed", "", json_object_get(doc, "elapsed"));
	json_array_foreach(json_object_get(doc, "events"), i, event) if (rc == 0)
		rc = add_event(&base, event);
	if (rc < 0)
		return pipa_fail(err, rc, "read the baseline");
	*ret = base;
	base = (struct pipa_base){ 0 };
	return 0;
}
