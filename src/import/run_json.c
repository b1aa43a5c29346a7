#include "import/run_json.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "import/json_read.h"

static int copy_text(const json_t *doc, const char *key, char **ret)
{
	const char *text = json_string_value(json_object_get(doc, key));

	*ret = text ? strdup(text) : NULL;
	return text && !*ret ? -ENOMEM : 0;
}

/* Read the target of the counters. Malformed fields are treated as absent. */
static int decode_target(const json_t *doc, struct pipa_run *ret)
{
	static const char *const scopes[] = { "cores", "system", "command" };
	const char *scope = json_string_value(json_object_get(doc, "scope"));
	const json_t *cores = json_object_get(doc, "used_threads"), *cpu;
	size_t i;
	int rc;

	for (i = 0; scope && i < PIPA_COUNT(scopes); i++)
		if (strcmp(scope, scopes[i]) == 0)
			ret->scope = scopes[i];
	json_array_foreach(cores, i, cpu)
	{
		if (!json_is_integer(cpu) || json_integer_value(cpu) < 0 ||
		    json_integer_value(cpu) > UINT16_MAX)
			continue;
		if (pipa_cpus_add(&ret->cores, (int)json_integer_value(cpu)) < 0)
			return -ENOMEM;
	}
	rc = copy_text(doc, "workload", &ret->workload);
	return rc ? rc : copy_text(doc, "DEV", &ret->dev);
}

int pipa_run_json_decode(const char *text, size_t len, struct pipa_run *ret, struct pipa_error *err)
{
	json_error_t why;
	PIPA_AUTO(json_decref) json_t *doc = json_loadb(text, len, 0, &why);
	const char *schema = json_string_value(json_object_get(doc, "schema"));
	const json_t *spreads = json_object_get(doc, "spread");
	enum pipa_run_key key;

	if (!doc)
		return pipa_refuse(err, -EBADMSG, "line %d is not JSON: %s", why.line, why.text);
	if (!schema || strcmp(schema, "pipa-run/1") != 0)
		return pipa_refuse(err, -EBADMSG, "not a report of pipa run (schema %s)",
				   schema ? schema : "missing");
	for (key = 0; key < PIPA_RUN_KEYS; key++) {
		const char *name = pipa_run_keys[key].name;

		pipa_json_spread(json_object_get(spreads, name), pipa_json_number(doc, name),
				 &ret->spread[key]);
		if (isnan(ret->spread[key].mean))
			ret->spread[key].n = 0;
	}
	return decode_target(doc, ret) < 0 ? pipa_fail(err, -ENOMEM, "read a report") : 0;
}
