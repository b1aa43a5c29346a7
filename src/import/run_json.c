#include "import/run_json.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "import/json_read.h"

int pipa_run_json_decode(const char *text, size_t len, struct pipa_spread ret[static PIPA_RUN_KEYS],
			 struct pipa_error *err)
{
	json_error_t why;
	PIPA_AUTO(json_decref) json_t *doc = json_loadb(text, len, 0, &why);
	const char *schema = json_string_value(json_object_get(doc, "schema"));
	const json_t *spreads = json_object_get(doc, "spread");
	enum pipa_run_key key;

	if (!doc)
		return pipa_refuse(err, -EBADMSG, "line %d is not JSON: %s", why.line, why.text);
	if (!schema || strcmp(schema, "pipa-run/1") != 0)
		return pipa_refuse(err, -EBADMSG, "it is not a report of pipa run (schema %s)",
				   schema ? schema : "missing");
	for (key = 0; key < PIPA_RUN_KEYS; key++) {
		const char *name = pipa_run_keys[key].name;

		pipa_json_spread(json_object_get(spreads, name), pipa_json_number(doc, name),
				 &ret[key]);
		if (isnan(ret[key].mean))
			ret[key].n = 0;
	}
	return 0;
}
