#include "job/query/generate_settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/cpus.h"
#include "base/error.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "job/config.h"
#include "job/query/generate.h"
#include "kernel/machine/topology.h"

enum {
	DEFAULT_HZ = 999,
	DEFAULT_INTERVAL_MS = 1000,
	DEFAULT_DURATION_S = 120,
	HZ_MAX = 1000000,
	INTERVAL_MS_MAX = 3600 * 1000,
	DURATION_S_MAX = INT32_MAX,
};

static const char *const default_events_record = "{cycles,instructions}:S";
static const char *const default_events_stat = "cycles:D,instructions:D,ref-cycles:D";

/* ---- helpers --------------------------------------------------------------------------------------- */

static int set_text(struct pipa_generate_settings *s, const char **field, const char *text)
{
	*field = pipa_arena_text(&s->arena, text, strlen(text));
	return *field ? 0 : -ENOMEM;
}

/* Write a set of CPUs as "0-3,7". */
static int set_cpus(struct pipa_generate_settings *s, const struct pipa_cpus *cpus)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };

	pipa_cpus_put(cpus->items, cpus->n, &text);
	return text.status ? text.status : set_text(s, &s->core_range, pipa_buf_str(&text));
}

static int add_event(struct pipa_generate_settings *s, const char *text, size_t len)
{
	const char **slot = len ? PIPA_VEC_ADD(&s->events_stat) : NULL;

	if (!len)
		return 0;
	if (!slot)
		return -ENOMEM;
	*slot = pipa_arena_text(&s->arena, text, len);
	return *slot ? 0 : -ENOMEM;
}

/* Split a list of events at the commas outside of groups {a,b} and of terms pmu/a,b/. */
static int set_events(struct pipa_generate_settings *s, const char *text)
{
	bool terms = false;
	int rc = 0, depth = 0;
	size_t begin = 0, i;

	s->events_stat.n = 0;
	for (i = 0; !rc && text[i]; i++) {
		depth += (text[i] == '{') - (text[i] == '}');
		terms ^= text[i] == '/';
		if (text[i] == ',' && depth <= 0 && !terms) {
			rc = add_event(s, text + begin, i - begin);
			begin = i + 1;
		}
	}
	return rc ? rc : add_event(s, text + begin, i - begin);
}

/* Check that all CPUs of a list are online. */
static int check_cores(const struct pipa_generate_options *o, const char *text,
		       struct pipa_error *err)
{
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus online = { 0 }, cpus = { 0 };
	size_t i;
	int rc = pipa_topology_online(o->root, &online, err);

	if (!rc && (pipa_cpus_parse(text, &cpus, NULL) < 0 || !cpus.n))
		return pipa_refuse(err, -EINVAL, "invalid CPUs '%.60s', expected a list like 0-3,7",
				   text);
	for (i = 0; !rc && i < cpus.n; i++)
		if (!pipa_cpus_has(&online, cpus.items[i]))
			return pipa_refuse(err, -EINVAL, "CPU %d is not online on this machine",
					   cpus.items[i]);
	return rc;
}

int pipa_generate_settings_init(struct pipa_generate_settings *s,
				const struct pipa_generate_options *o, struct pipa_error *err)
{
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus online = { 0 };
	int rc = pipa_topology_online(o->root, &online, err);

	if (rc)
		return rc;
	s->workspace = "./";
	s->freq_record = DEFAULT_HZ;
	s->events_record = default_events_record;
	s->count_delta_stat = DEFAULT_INTERVAL_MS;
	s->duration_record = s->duration_stat = DEFAULT_DURATION_S;
	s->command = "";
	s->export_config = true;
	rc = set_cpus(s, &online);
	if (!rc)
		rc = set_events(s, default_events_stat);
	return rc ? pipa_fail(err, rc, "generate scripts") : 0;
}

void pipa_generate_settings_done(struct pipa_generate_settings *s)
{
	free(s->events_stat.items);
	pipa_arena_done(&s->arena);
}

/* ---- a configuration file -------------------------------------------------------------------------- */

/* Refuse the value of a key, with its position in the file. */
static int refuse_key(const struct pipa_generate_options *o, const struct pipa_config *config,
		      enum pipa_config_key key, const char *what, struct pipa_error *err)
{
	const char *name = strcmp(o->config, "-") == 0 ? "standard input" : o->config;
	const struct pipa_config_mark *mark = &config->marks[key];

	if (!mark->line)
		return pipa_refuse(err, -EINVAL, "%s: %s", name, what);
	return pipa_refuse(err, -EINVAL, "%s:%u:%u: %s", name, mark->line, mark->column, what);
}

static int load_numbers(struct pipa_generate_settings *s, const struct pipa_generate_options *o,
			const struct pipa_config *config, struct pipa_error *err)
{
	const struct {
		enum pipa_config_key key;
		uint64_t value, max;
		uint64_t *field;
		const char *what;
	} numbers[] = {
		{ PIPA_CONFIG_FREQ_RECORD, config->freq_record, HZ_MAX, &s->freq_record,
		  "freq_record: expected 1 to 1000000 Hz" },
		{ PIPA_CONFIG_COUNT_DELTA_STAT, config->count_delta_stat, INTERVAL_MS_MAX,
		  &s->count_delta_stat, "count_delta_stat: expected 1 to 3600000 ms" },
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(numbers); i++) {
		if (!pipa_config_has(config, numbers[i].key))
			continue;
		if (!numbers[i].value || numbers[i].value > numbers[i].max)
			return refuse_key(o, config, numbers[i].key, numbers[i].what, err);
		*numbers[i].field = numbers[i].value;
	}
	if (pipa_config_has(config, PIPA_CONFIG_DURATION_RECORD))
		s->duration_record = config->duration_record;
	if (pipa_config_has(config, PIPA_CONFIG_DURATION_STAT))
		s->duration_stat = config->duration_stat;
	if (!s->duration_record)
		return refuse_key(o, config, PIPA_CONFIG_DURATION_RECORD,
				  "duration_record: expected seconds above 0, or -1", err);
	if (!s->duration_stat)
		return refuse_key(o, config, PIPA_CONFIG_DURATION_STAT,
				  "duration_stat: expected seconds above 0, or -1", err);
	return 0;
}

/* Check the command and its cores, which only matter if the command is started. */
static int load_command(struct pipa_generate_settings *s, const struct pipa_generate_options *o,
			const struct pipa_config *config, struct pipa_error *err)
{
	struct pipa_error why = { 0 };
	char text[160];
	int rc = 0;

	s->run = config->run_by_perf;
	s->use_taskset = config->use_taskset;
	if (config->command)
		rc = set_text(s, &s->command, config->command);
	if (!rc && config->core_range.n)
		rc = set_cpus(s, &config->core_range);
	if (rc)
		return pipa_fail(err, rc, "read %s", o->config);
	if (!s->run)
		return 0;
	if (!s->command[strspn(s->command, " \t\n")])
		return refuse_key(o, config, PIPA_CONFIG_COMMAND,
				  "command: expected the workload, because run_by_perf is true",
				  err);
	if (s->use_taskset && check_cores(o, s->core_range, &why) < 0) {
		snprintf(text, sizeof(text), "core_range: %.120s", why.what);
		return refuse_key(o, config, PIPA_CONFIG_CORE_RANGE, text, err);
	}
	return 0;
}

int pipa_generate_settings_load(struct pipa_generate_settings *s,
				const struct pipa_generate_options *o, struct pipa_error *err)
{
	PIPA_AUTO(pipa_config_done) struct pipa_config config = { 0 };
	size_t i;
	int rc = pipa_config_load(o->config, &config, err);

	if (rc < 0)
		return rc;
	rc = load_numbers(s, o, &config, err);
	if (rc)
		return rc;
	if (config.workspace && config.workspace[0])
		rc = set_text(s, &s->workspace, config.workspace);
	if (!rc && config.events_record && config.events_record[0])
		rc = set_text(s, &s->events_record, config.events_record);
	if (config.events_stat.n)
		s->events_stat.n = 0;
	for (i = 0; !rc && i < config.events_stat.n; i++)
		rc = add_event(s, config.events_stat.items[i], strlen(config.events_stat.items[i]));
	if (rc)
		return pipa_fail(err, rc, "read %s", o->config);
	s->annotate = config.annotete;
	if (pipa_config_has(&config, PIPA_CONFIG_EXPORT_CONFIG))
		s->export_config = config.export_config;
	if (config.use_emon)
		pipa_log_note(&o->log, "use_emon: emon is not used, pipa counts itself");
	return load_command(s, o, &config, err);
}

/* ---- questions -------------------------------------------------------------------------------------- */

struct dialog {
	const struct pipa_generate_options *o;
	struct pipa_generate_settings *s;
	struct pipa_buf answer, question;
	struct pipa_error *err;
};

/* Return whether the answer can be written into a configuration file. */
static bool is_clean(const char *text)
{
	size_t len;

	for (; *text; text += len) {
		len = pipa_utf8_len((const unsigned char *)text);
		if (!len || pipa_utf8_is_hidden(pipa_utf8_char((const unsigned char *)text, len)))
			return false;
	}
	return true;
}

/* Ask for a line and strip blanks; an empty one is the default. */
static int ask_text(struct dialog *d, const char *question, const char *preset, const char **ret)
{
	const char *text;
	size_t len;
	int rc;

	do {
		pipa_buf_reset(&d->question);
		pipa_buf_puts(&d->question, question);
		if (preset[0])
			pipa_buf_printf(&d->question, " [%s]", preset);
		pipa_buf_puts(&d->question, ": ");
		rc = d->o->ask(d->o->ctx, pipa_buf_str(&d->question), &d->answer);
		if (rc)
			return rc;
		text = pipa_buf_str(&d->answer);
		if (is_clean(text))
			break;
		d->o->say(d->o->ctx, "invalid answer, expected a line of text in UTF-8");
	} while (true);
	text += strspn(text, " \t");
	len = strlen(text);
	while (len && strchr(" \t\r", text[len - 1]))
		len--;
	*ret = len ? pipa_arena_text(&d->s->arena, text, len) : preset;
	return *ret ? 0 : -ENOMEM;
}

static int ask_number(struct dialog *d, const char *question, uint64_t max, uint64_t *field)
{
	char preset[32], complaint[80];
	const char *text;
	uint64_t value;
	int rc;

	snprintf(preset, sizeof(preset), "%llu", (unsigned long long)*field);
	snprintf(complaint, sizeof(complaint), "expected a whole number from 1 to %llu",
		 (unsigned long long)max);
	while (!(rc = ask_text(d, question, preset, &text))) {
		if (pipa_str_u64(text, &value) == 0 && value && value <= max) {
			*field = value;
			return 0;
		}
		d->o->say(d->o->ctx, complaint);
	}
	return rc;
}

static int ask_yes(struct dialog *d, const char *question, bool *field)
{
	const char *text;
	int rc;

	while (!(rc = ask_text(d, question, *field ? "Y/n" : "y/N", &text))) {
		if (strcmp(text, *field ? "Y/n" : "y/N") == 0)
			return 0;
		if (strcasecmp(text, "y") == 0 || strcasecmp(text, "yes") == 0 ||
		    strcasecmp(text, "n") == 0 || strcasecmp(text, "no") == 0) {
			*field = text[0] == 'y' || text[0] == 'Y';
			return 0;
		}
		d->o->say(d->o->ctx, "expected y or n");
	}
	return rc;
}

/* Ask whether a duration is fixed, and for the seconds. */
static int ask_duration(struct dialog *d, const char *what, int64_t *field)
{
	char question[80];
	uint64_t seconds = DEFAULT_DURATION_S;
	bool fixed = true;
	int rc;

	snprintf(question, sizeof(question), "Fixed duration of %s", what);
	rc = ask_yes(d, question, &fixed);
	if (!rc && fixed) {
		snprintf(question, sizeof(question), "Duration of %s, seconds", what);
		rc = ask_number(d, question, DURATION_S_MAX, &seconds);
	}
	if (!rc)
		*field = fixed ? (int64_t)seconds : -1;
	return rc;
}

static int ask_counter(struct dialog *d)
{
	const char *text;
	int rc;

	while (!(rc = ask_text(d, "Count with perf-stat or emon", "perf-stat", &text))) {
		if (strcmp(text, "perf-stat") == 0)
			return 0;
		if (strcmp(text, "emon") == 0) {
			d->o->say(d->o->ctx, "emon is not used, pipa counts the events itself");
			return 0;
		}
		d->o->say(d->o->ctx, "expected perf-stat or emon");
	}
	return rc;
}

static int ask_cores(struct dialog *d)
{
	const char *text;
	int rc = ask_yes(d, "Pin the workload to cores (taskset)", &d->s->use_taskset);

	while (!rc && d->s->use_taskset) {
		struct pipa_error why = { 0 };

		rc = ask_text(d, "Cores", d->s->core_range, &text);
		if (!rc && check_cores(d->o, text, &why) == 0) {
			d->s->core_range = text;
			return 0;
		}
		if (!rc)
			d->o->say(d->o->ctx, why.what);
	}
	return rc;
}

static int ask_command(struct dialog *d)
{
	int rc = ask_text(d, "Command line of the workload", "", &d->s->command);

	if (!rc && !d->s->command[0])
		return pipa_refuse(d->err, -EINVAL, "empty command, expected that of the workload");
	return rc;
}

/* Ask the questions of both ways to measure, then those of the chosen one. */
static int ask_settings(struct dialog *d)
{
	struct pipa_generate_settings *s = d->s;
	const char *events;
	int rc = ask_text(d, "Data directory", s->workspace, &s->workspace);

	if (!rc)
		rc = ask_number(d, "Sampling frequency, Hz", HZ_MAX, &s->freq_record);
	if (!rc)
		rc = ask_text(d, "Events to sample", s->events_record, &s->events_record);
	if (!rc)
		rc = ask_yes(d, "Annotate hot functions", &s->annotate);
	if (!rc)
		rc = ask_counter(d);
	if (!rc)
		rc = ask_number(d, "Counting interval, ms", INTERVAL_MS_MAX, &s->count_delta_stat);
	if (!rc)
		rc = ask_text(d, "Events to count", default_events_stat, &events);
	if (!rc)
		rc = set_events(s, events);
	if (rc)
		return rc;
	if (s->run) {
		s->use_taskset = true;
		rc = ask_cores(d);
		return rc ? rc : ask_command(d);
	}
	rc = ask_duration(d, "sampling", &s->duration_record);
	return rc ? rc : ask_duration(d, "counting", &s->duration_stat);
}

/* Show the menu of PIPA and set the action. */
static int ask_action(struct dialog *d, struct pipa_generate_options *o)
{
	static const char *const entries[] = {
		"1  scripts that observe the running system",
		"2  a script that starts the workload",
		"3  a configuration file for such scripts",
		"4  scripts from a configuration file",
		"5  a configuration file that describes a finished measurement",
		"6  nothing",
	};
	uint64_t choice = 1;
	size_t i;
	int rc;

	o->say(o->ctx, "Generate:");
	for (i = 0; i < PIPA_COUNT(entries); i++)
		o->say(o->ctx, entries[i]);
	rc = ask_number(d, "Choice", PIPA_COUNT(entries), &choice);
	if (rc)
		return rc;
	switch (choice) {
	case 2: d->s->run = true; return 0;
	case 3: o->action = PIPA_GENERATE_CONFIG; return 0;
	case 4:
		rc = ask_text(d, "Configuration file", "./config-pipa-shu.yaml", &o->config);
		return rc;
	case 5: o->action = PIPA_GENERATE_UPLOAD; return 0;
	case 6: return -ECANCELED;
	default: return 0;
	}
}

int pipa_generate_settings_ask(struct pipa_generate_settings *s, struct pipa_generate_options *o,
			       struct pipa_error *err)
{
	struct dialog d = { .o = o, .s = s, .err = err };
	int rc = ask_action(&d, o);

	if (!rc && o->action == PIPA_GENERATE_SCRIPTS && !o->config)
		rc = ask_settings(&d);
	pipa_buf_done(&d.answer);
	pipa_buf_done(&d.question);
	if (rc < 0 && rc != -ECANCELED && !err->code)
		return pipa_fail(err, rc, "read the answers");
	return rc;
}
