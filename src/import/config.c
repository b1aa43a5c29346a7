#include "import/config.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/str.h"
#include "base/vec.h"
#include "model/config.h"

/* ---- keys ------------------------------------------------------------------------------------------------- */

enum kind { TEXT, COUNT, SECONDS, NUMBER, BOOL, CPUS, EVENTS };

static const char *const kinds[] = {
	[TEXT] = "a text",
	[COUNT] = "a whole number",
	[SECONDS] = "a whole number of seconds, or -1",
	[NUMBER] = "a number",
	[BOOL] = "true or false",
	[CPUS] = "CPUs, as [0, 1] or 0-3,7",
	[EVENTS] = "a list of events",
};

static const struct key {
	const char *name;
	enum kind kind;
	size_t at;
	uint64_t max; /* maximum of a COUNT */
} keys[PIPA_CONFIG_NR] = {
#define KEY(id, key, kind, ...)                                                                    \
	[PIPA_CONFIG_##id] = { #key, kind, offsetof(struct pipa_config, key), __VA_ARGS__ }
	KEY(WORKLOAD, workload, TEXT, 0),
	KEY(TRANSACTION, transaction, COUNT, UINT64_MAX),
	KEY(DATA_LOCATION, data_location, TEXT, 0),
	KEY(PERF_STAT_PATH, perf_stat_path, TEXT, 0),
	KEY(SAR_PATH, sar_path, TEXT, 0),
	KEY(PERF_SCRIPT_PATH, perf_script_path, TEXT, 0),
	KEY(CORES, cores, CPUS, 0),
	KEY(DEV, dev, TEXT, 0),
	KEY(HW_INFO, hw_info, TEXT, 0),
	KEY(SW_INFO, sw_info, TEXT, 0),
	KEY(PLATFORM, platform, TEXT, 0),
	KEY(CPU_FREQUENCY_MHZ, cpu_frequency_mhz, NUMBER, 0),
	KEY(COMMENT, comment, TEXT, 0),
	KEY(PIPAD_ADDR, pipad_addr, TEXT, 0),
	KEY(PIPAD_PORT, pipad_port, COUNT, 65535),
	KEY(WORKSPACE, workspace, TEXT, 0),
	KEY(FREQ_RECORD, freq_record, COUNT, 1000000000),
	KEY(EVENTS_RECORD, events_record, TEXT, 0),
	KEY(COUNT_DELTA_STAT, count_delta_stat, COUNT, UINT32_MAX),
	KEY(EVENTS_STAT, events_stat, EVENTS, 0),
	KEY(ANNOTETE, annotete, BOOL, 0),
	KEY(USE_EMON, use_emon, BOOL, 0),
	[PIPA_CONFIG_MPP_HOME] = { "MPP_HOME", TEXT, offsetof(struct pipa_config, mpp_home), 0 },
	KEY(RUN_BY_PERF, run_by_perf, BOOL, 0),
	KEY(DURATION_RECORD, duration_record, SECONDS, 0),
	KEY(DURATION_STAT, duration_stat, SECONDS, 0),
	KEY(USE_TASKSET, use_taskset, BOOL, 0),
	KEY(CORE_RANGE, core_range, CPUS, 0),
	KEY(COMMAND, command, TEXT, 0),
	KEY(EXPORT_CONFIG, export_config, BOOL, 0),
#undef KEY
};

/* ---- reader ---------------------------------------------------------------------------------- */

struct reader {
	yaml_parser_t parser;
	yaml_event_t event; /* current event */
	const char *name;
	struct pipa_config *config;
	size_t lines[PIPA_CONFIG_NR]; /* line of each key */
	struct pipa_error *err;
};

PIPA_PRINTF(4, 5)
static int fail_at(struct reader *r, yaml_mark_t mark, int code, const char *fmt, ...)
{
	char text[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return pipa_refuse(r->err, code, "%s:%zu:%zu: %s", r->name, mark.line + 1, mark.column + 1,
			   text);
}

/* Read the next event to r->event and free the previous one. */
static int next_event(struct reader *r)
{
	yaml_parser_t *p = &r->parser;

	yaml_event_delete(&r->event);
	if (yaml_parser_parse(p, &r->event))
		return 0;
	memset(&r->event, 0, sizeof(r->event));
	if (p->error == YAML_MEMORY_ERROR)
		return pipa_fail(r->err, -ENOMEM, "read %s", r->name);
	return fail_at(r, p->problem_mark, -EINVAL, "%s", p->problem ? p->problem : "not YAML");
}

static const char *word(const struct reader *r)
{
	return (const char *)r->event.data.scalar.value;
}

/* Is it null: an empty value, or "~" or "null" without quotes? */
static bool is_null(const struct reader *r)
{
	return r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	       (!word(r)[0] || strcmp(word(r), "~") == 0 || strcasecmp(word(r), "null") == 0);
}

/* ---- values ----------------------------------------------------------------------------------------------- */

static int fail_value(struct reader *r, const struct key *key)
{
	return fail_at(r, r->event.start_mark, -EINVAL, "%s: expected %s, not '%.60s'", key->name,
		       kinds[key->kind], word(r));
}

static void *field_of(struct reader *r, const struct key *key)
{
	return (char *)r->config + key->at;
}

static int copy_text(struct reader *r, const char **ret)
{
	*ret = pipa_arena_text(&r->config->arena, word(r), strlen(word(r)));
	return *ret ? 0 : pipa_fail(r->err, -ENOMEM, "read %s", r->name);
}

static int set_count(struct reader *r, const struct key *key)
{
	uint64_t value;

	if (pipa_str_u64(word(r), &value) < 0)
		return fail_value(r, key);
	if (value > key->max)
		return fail_at(r, r->event.start_mark, -ERANGE, "%s is too large: '%.60s'",
			       key->name, word(r));
	*(uint64_t *)field_of(r, key) = value;
	return 0;
}

static int set_seconds(struct reader *r, const struct key *key)
{
	uint64_t value = 0;
	bool endless = strcmp(word(r), "-1") == 0;

	if (!endless && (pipa_str_u64(word(r), &value) < 0 || value > INT32_MAX))
		return fail_value(r, key);
	*(int64_t *)field_of(r, key) = endless ? -1 : (int64_t)value;
	return 0;
}

static int set_number(struct reader *r, const struct key *key)
{
	double value;

	if (pipa_str_double(word(r), &value) < 0 || value < 0)
		return fail_value(r, key);
	*(double *)field_of(r, key) = value;
	return 0;
}

static int set_bool(struct reader *r, const struct key *key)
{
	static const char *const words[] = { "false", "true", "no", "yes", "off", "on" };
	size_t i;

	for (i = 0; i < PIPA_COUNT(words); i++)
		if (strcasecmp(word(r), words[i]) == 0) {
			*(bool *)field_of(r, key) = i % 2;
			return 0;
		}
	return fail_value(r, key);
}

/* Add CPUs from an element of a list or from a single value; both have the same syntax. */
static int add_cpus(struct reader *r, const struct key *key)
{
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus some = { 0 };
	int rc = pipa_cpus_parse(word(r), &some, NULL);
	size_t i;

	if (rc != -ENOMEM && (rc < 0 || !some.n))
		return fail_value(r, key);
	for (i = 0; rc == 0 && i < some.n; i++)
		rc = pipa_cpus_add(field_of(r, key), some.items[i]);
	return rc < 0 ? pipa_fail(r->err, rc, "read %s", r->name) : 0;
}

static int add_event(struct reader *r, const struct key *key)
{
	const char **event;

	if (!word(r)[0])
		return fail_value(r, key);
	event = PIPA_VEC_ADD(&r->config->events_stat);
	return event ? copy_text(r, event) : pipa_fail(r->err, -ENOMEM, "read %s", r->name);
}

static int set_word(struct reader *r, const struct key *key)
{
	if (strlen(word(r)) != r->event.data.scalar.length)
		return fail_at(r, r->event.start_mark, -EINVAL, "%s contains a NUL", key->name);
	switch (key->kind) {
	case TEXT: return copy_text(r, field_of(r, key));
	case COUNT: return set_count(r, key);
	case SECONDS: return set_seconds(r, key);
	case NUMBER: return set_number(r, key);
	case BOOL: return set_bool(r, key);
	case CPUS: return add_cpus(r, key);
	case EVENTS: return add_event(r, key);
	}
	return 0;
}

/* ---- document -------------------------------------------------------------------------------- */

/* Fail for a value that is nested too deeply. */
static int too_deep(struct reader *r, const struct key *key, const char *what)
{
	fail_at(r, r->event.start_mark, -EINVAL, "%s: expected %s, not %s", key->name,
		kinds[key->kind], what);
	return key->kind == TEXT ? pipa_hint(r->err, "put quotes around it") : -EINVAL;
}

static int read_list(struct reader *r, const struct key *key)
{
	int rc = key->kind == CPUS || key->kind == EVENTS ? next_event(r) :
							    too_deep(r, key, "a list");

	while (!rc && r->event.type == YAML_SCALAR_EVENT) {
		rc = set_word(r, key);
		if (!rc)
			rc = next_event(r);
	}
	if (rc || r->event.type == YAML_SEQUENCE_END_EVENT)
		return rc;
	return too_deep(r, key, "of lists, maps or references");
}

static int read_value(struct reader *r, const struct key *key)
{
	int rc = next_event(r);

	if (rc < 0)
		return rc;
	r->config->marks[key - keys] = (struct pipa_config_mark){
		.line = (uint32_t)r->event.start_mark.line + 1,
		.column = (uint32_t)r->event.start_mark.column + 1,
	};
	switch (r->event.type) {
	case YAML_SCALAR_EVENT:
		if (is_null(r))
			return 0;
		rc = set_word(r, key);
		break;
	case YAML_SEQUENCE_START_EVENT: rc = read_list(r, key); break;
	case YAML_MAPPING_START_EVENT: return too_deep(r, key, "a map");
	default: return too_deep(r, key, "a reference to another value");
	}
	if (!rc)
		r->config->given |= UINT64_C(1) << (key - keys);
	return rc;
}

static int unknown_key(struct reader *r)
{
	struct pipa_nearest near = { .wanted = word(r) };
	char hint[256];
	size_t i;

	for (i = 0; i < PIPA_CONFIG_NR; i++)
		pipa_nearest_offer(&near, keys[i].name);
	fail_at(r, r->event.start_mark, -EINVAL, "unknown key '%.60s'", word(r));
	return pipa_nearest_hint(&near, hint, sizeof(hint))[0] ? pipa_hint(r->err, "%s", hint) :
								 -EINVAL;
}

static int read_entry(struct reader *r)
{
	size_t i;

	if (r->event.type != YAML_SCALAR_EVENT)
		return fail_at(r, r->event.start_mark, -EINVAL, "a key must be a word");
	for (i = 0; i < PIPA_CONFIG_NR && strcmp(keys[i].name, word(r)) != 0; i++)
		;
	if (i == PIPA_CONFIG_NR)
		return unknown_key(r);
	if (r->lines[i])
		return fail_at(r, r->event.start_mark, -EINVAL,
			       "duplicate key %s, first in line %zu", keys[i].name, r->lines[i]);
	r->lines[i] = r->event.start_mark.line + 1;
	return read_value(r, &keys[i]);
}

static int read_map(struct reader *r)
{
	int rc;

	if (r->event.type == YAML_SCALAR_EVENT && is_null(r))
		return 0;
	if (r->event.type != YAML_MAPPING_START_EVENT)
		return fail_at(r, r->event.start_mark, -EINVAL, "expected 'KEY: VALUE' lines");
	while (!(rc = next_event(r)) && r->event.type != YAML_MAPPING_END_EVENT) {
		rc = read_entry(r);
		if (rc)
			return rc;
	}
	return rc;
}

/* Read the stream: its start, one document or none, its end. */
static int read_stream(struct reader *r)
{
	int rc = next_event(r);

	if (!rc)
		rc = next_event(r);
	if (rc || r->event.type == YAML_STREAM_END_EVENT)
		return rc;
	rc = next_event(r);
	if (!rc)
		rc = read_map(r);
	if (!rc)
		rc = next_event(r); /* end of the document */
	if (!rc)
		rc = next_event(r);
	if (!rc && r->event.type != YAML_STREAM_END_EVENT)
		rc = fail_at(r, r->event.start_mark, -EINVAL, "a second document begins here");
	return rc;
}

int pipa_config_decode(const char *text, size_t len, const char *name, struct pipa_config *ret,
		       struct pipa_error *err)
{
	PIPA_AUTO(pipa_config_done) struct pipa_config config = { 0 };
	struct pipa_error unwanted = { 0 }; /* needed for its hint */
	struct reader r = { .name = name, .config = &config, .err = err ? err : &unwanted };
	int rc;

	if (!yaml_parser_initialize(&r.parser))
		return pipa_fail(err, -ENOMEM, "read %s", name);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, len);
	rc = read_stream(&r);
	yaml_event_delete(&r.event);
	yaml_parser_delete(&r.parser);
	if (rc < 0)
		return rc;
	*ret = config;
	config = (struct pipa_config){ 0 };
	return 0;
}
