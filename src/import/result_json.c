#include "import/result_json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "import/json_read.h"

enum {
	THREADS_MAX = 1 << 16, /* of used_threads */
	ENTRIES_MAX = 10000,   /* commands of a comparison */
};

static int refuse_value(const char *key, const char *expected, struct pipa_error *err)
{
	return pipa_refuse(err, -EINVAL, "%s: expected %s", key, expected);
}

/* Read used_threads: each CPU once, in the order of the document. */
static int read_threads(const json_t *list, struct pipa_result_entry *entry, struct pipa_error *err)
{
	size_t i, n = json_array_size(list);
	const json_t *cpu;

	if (!json_is_array(list) || n > THREADS_MAX)
		return refuse_value("used_threads", "a list of at most 65536 CPUs", err);
	entry->threads = calloc(n + 1, sizeof(*entry->threads));
	if (!entry->threads)
		return pipa_fail(err, -ENOMEM, "read a report");
	json_array_foreach(list, i, cpu)
	{
		if (!json_is_integer(cpu) || json_integer_value(cpu) < 0 ||
		    json_integer_value(cpu) > UINT32_MAX)
			return refuse_value("used_threads", "numbers of CPUs", err);
		entry->threads[i] = (uint32_t)json_integer_value(cpu);
	}
	pipa_result_set_list(&entry->result, entry->threads, n);
	return 0;
}

/* Read a whole number, which is a floating point number if it is a mean. */
static int read_number(const json_t *value, const char *key, enum pipa_result_field field,
		       struct pipa_result *result, struct pipa_error *err)
{
	double real = json_number_value(value);

	if (json_is_integer(value) && json_integer_value(value) >= 0)
		pipa_result_set_number(result, field, (uint64_t)json_integer_value(value));
	else if (json_is_real(value) && real >= 0 && real < 9223372036854775808.0)
		pipa_result_set_number(result, field, (uint64_t)llround(real));
	else
		return refuse_value(key, "a number from 0 to 2^63 - 1", err);
	return 0;
}

static int read_value(const json_t *value, enum pipa_result_field field,
		      struct pipa_result_entry *entry, struct pipa_error *err)
{
	const char *key = pipa_result_fields[field].key;

	if (!value || json_is_null(value))
		return 0;
	switch (pipa_result_fields[field].type) {
	case PIPA_RESULT_TEXT:
		if (!json_is_string(value))
			return refuse_value(key, "a text", err);
		pipa_result_set_text(&entry->result, field,
				     (struct pipa_span){ (const uint8_t *)json_string_value(value),
							 json_string_length(value) });
		return 0;
	case PIPA_RESULT_UINT64: return read_number(value, key, field, &entry->result, err);
	case PIPA_RESULT_DOUBLE:
		if (!json_is_number(value))
			return refuse_value(key, "a number", err);
		pipa_result_set_real(&entry->result, field, json_number_value(value));
		return 0;
	case PIPA_RESULT_LIST: return read_threads(value, entry, err);
	}
	return 0;
}

static int read_report(const json_t *report, struct pipa_result_entry *entry,
		       struct pipa_error *err)
{
	int field, rc = 0;

	for (field = 1; !rc && field <= PIPA_RESULT_FIELDS; field++)
		rc = read_value(json_object_get(report, pipa_result_fields[field].key),
				(enum pipa_result_field)field, entry, err);
	return rc;
}

static int read_comparison(const json_t *commands, struct pipa_result_document *ret,
			   struct pipa_error *err)
{
	size_t i, n = json_array_size(commands);
	const json_t *command;
	int rc;

	if (!json_is_array(commands) || !n || n > ENTRIES_MAX)
		return refuse_value("commands", "a list of 1 to 10000 commands", err);
	ret->items = calloc(n, sizeof(*ret->items));
	if (!ret->items)
		return pipa_fail(err, -ENOMEM, "read a report");
	ret->n = n;
	json_array_foreach(commands, i, command)
	{
		const json_t *report = json_object_get(command, "report");

		if (!json_is_object(report))
			return refuse_value("commands", "a report of each command", err);
		ret->items[i].command = json_string_value(json_object_get(report, "command"));
		rc = read_report(report, &ret->items[i], err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int read_document(struct pipa_result_document *ret, struct pipa_error *err)
{
	const char *schema = json_string_value(json_object_get(ret->doc, "schema"));

	if (schema && strcmp(schema, "pipa-run-comparison/1") == 0)
		return read_comparison(json_object_get(ret->doc, "commands"), ret, err);
	if (!schema || strcmp(schema, "pipa-run/1") != 0) {
		pipa_refuse(err, -EBADMSG, "not a report of pipa run (schema %.60s)",
			    schema ? schema : "missing");
		return pipa_hint(err,
				 "write reports with pipa run -f json or pipa analyze -f json");
	}
	ret->items = calloc(1, sizeof(*ret->items));
	if (!ret->items)
		return pipa_fail(err, -ENOMEM, "read a report");
	ret->n = 1;
	return read_report(ret->doc, ret->items, err);
}

int pipa_result_json_decode(const char *text, size_t len, struct pipa_result_document *ret,
			    struct pipa_error *err)
{
	struct pipa_error unwanted = { 0 };
	json_error_t why;
	int rc;

	ret->doc = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
	if (!ret->doc)
		return pipa_refuse(err, -EBADMSG, "line %d is not JSON: %s", why.line, why.text);
	rc = read_document(ret, err ? err : &unwanted);
	if (rc < 0)
		pipa_result_document_done(ret);
	return rc;
}

void pipa_result_document_done(struct pipa_result_document *document)
{
	size_t i;

	for (i = 0; i < document->n; i++)
		free(document->items[i].threads);
	free(document->items);
	json_decref(document->doc);
	*document = (struct pipa_result_document){ 0 };
}
